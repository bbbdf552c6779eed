"""The templates that come with the package, and the door that finds any template by name or path."""

from dataclasses import replace

from tagfield.errors import InputError
from tagfield.text.sources import PathLike
from tagfield.text.templates import LABEL, Pattern, Template, parse_template, read_template


def _named(combinations: list[list[tuple[str, int]]]) -> tuple[Pattern, ...]:
    return tuple(
        Pattern("|".join(f"{c}[{r}]" for c, r in cells) + "=" + "|".join(f"%x[{r},{c}]" for c, r in cells))
        for cells in combinations
    )


def _window(column: str, length: int, first: int, last: int) -> list[list[tuple[str, int]]]:
    return [[(column, row + k) for k in range(length)] for row in range(first, last + 1)]


_CHUNKING = _named(
    _window("w", 1, -2, 2)
    + _window("w", 2, -1, 0)
    + _window("pos", 1, -2, 2)
    + _window("pos", 2, -2, 1)
    + _window("pos", 3, -2, 0)
)
_WORDS = _named(
    _window("w", 1, -2, 2)
    + _window("w", 2, -1, 0)
    + _window("w.lower", 1, -1, 1)
    + [[(f"w.{affix}{n}", 0)] for affix in ("prefix", "suffix") for n in (1, 2, 3, 4)]
    + _window("w.shape", 1, -1, 1)
    + _window("w.shape", 2, -1, 0)
)
_CRFPP = """\
U00:%x[-2,0]
U01:%x[-1,0]
U02:%x[0,0]
U03:%x[1,0]
U04:%x[2,0]
U05:%x[-1,0]/%x[0,0]
U06:%x[0,0]/%x[1,0]
U10:%x[-2,1]
U11:%x[-1,1]
U12:%x[0,1]
U13:%x[1,1]
U14:%x[2,1]
U15:%x[-2,1]/%x[-1,1]
U16:%x[-1,1]/%x[0,1]
U17:%x[0,1]/%x[1,1]
U18:%x[1,1]/%x[2,1]
U20:%x[-2,1]/%x[-1,1]/%x[0,1]
U21:%x[-1,1]/%x[0,1]/%x[1,1]
U22:%x[0,1]/%x[1,1]/%x[2,1]
B
"""

PRESETS = {
    # CRFsuite's chunking example: nineteen windows over word and tag, nothing beyond the ends
    "chunking": Template("chunking", _CHUNKING, ("w", "pos", LABEL), edges=True),
    # one column of words: the words around, and what a word looks like
    "words": Template("words", _WORDS, ("w", LABEL), edges=True),
    # CRF++'s chunking template, the same windows with padding
    "crfpp": replace(parse_template(_CRFPP, "crfpp"), columns=("w", "pos", LABEL)),
}


def preset(name: str) -> Template:
    """One of the templates that come with the package: chunking, words or crfpp.

    >>> preset("chunking")
    Template 'chunking': 19 patterns, columns w pos y, __BOS__/__EOS__
    """
    if name not in PRESETS:
        raise InputError(f"there is no template preset {name!r}; there are {', '.join(PRESETS)}")
    return PRESETS[name]


def load_template(template: Template | PathLike) -> Template:
    """A preset by its name, a CRF++ template file by its path, or a Template as it is.

    >>> load_template("words").columns
    ('w', 'y')
    """
    if isinstance(template, Template):
        return template
    return preset(template) if template in PRESETS and isinstance(template, str) else read_template(template)
