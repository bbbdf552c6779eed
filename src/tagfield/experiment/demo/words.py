"""The word lists of the demo corpora, from words.txt."""

from importlib.resources import files

from tagfield.experiment.demo.grammar import Lists


def word_lists() -> dict[str, Lists]:
    """The lists of each section, by name; an underscore in the file is a space inside a name.

    >>> word_lists()["US"]["countries"][:2]
    ['USA', 'United States']
    """
    sections: dict[str, dict[str, list[str]]] = {}
    for line in files(__package__).joinpath("words.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            name, _, words = line.partition(": ")
            section[name] = [word.replace("_", " ") for word in words.split()]
    return dict(sections)


WORDS = word_lists()
