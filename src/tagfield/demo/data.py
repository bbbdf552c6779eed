"""The word lists and grammars of the demo corpora, from words.txt and grammars.txt."""

from importlib.resources import files

from tagfield.demo.grammar import Grammar, Lists


def word_lists() -> dict[str, Lists]:
    """The lists of each section, by name; an underscore in the file is a space inside a name.

    >>> word_lists()["US"]["countries"][:2]
    ['USA', 'United States']
    """
    return {
        section: {name: [word.replace("_", " ") for word in text.split()] for name, text in entries.items()}
        for section, entries in _sections("words.txt").items()
    }


def grammars() -> dict[str, Grammar]:
    """The grammar of each section: the weighted expansions of each symbol.

    >>> grammars()["COMMON"]["place"]
    [(85.0, '{cities}'), (15.0, '<composed>')]
    """
    return {
        section: {symbol: [_weighted(way) for way in text.split(" ;")] for symbol, text in entries.items()}
        for section, entries in _sections("grammars.txt").items()
    }


def _weighted(way: str) -> tuple[float, str]:
    weight, _, expansion = way.strip().partition(" ")
    return float(weight), expansion


def _sections(name: str) -> dict[str, dict[str, str]]:
    """[section] and `key: text` lines; an indented line continues the text, and # begins a comment."""
    sections: dict[str, dict[str, str]] = {}
    key = ""
    for line in files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            entries = sections.setdefault(line.strip("[]"), {})
        elif line.startswith(" "):
            entries[key] += line
        elif line and not line.startswith("#"):
            key, _, text = line.partition(": ")
            entries[key] = text
    return sections


WORDS, GRAMMARS = word_lists(), grammars()
