"""The templates that come with the package, and `load_template`, which finds any template by name or path."""

import os
from collections.abc import Sequence
from dataclasses import replace

from tagfield.data.text.sources import STDIN, PathLike
from tagfield.data.text.templates.parsing import extended_template, parse_template, read_template
from tagfield.data.text.templates.template import LABEL, Pattern, Template
from tagfield.errors import InputError, did_you_mean


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
_PHRASES = _CHUNKING + _named([[(f"w.lower.suffix{n}", 0)] for n in range(1, 6)])
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

_TEXT = """\
columns w y
padding off
edges on
# the word as it is written, and the words around it in lower case
w
w.lower[-2:2]
# unseen words: how they begin and end, and how their neighbours end
w.lower.prefix1:5
w.lower.suffix1:5
w.lower.suffix3[-1]
w.lower.suffix3[1]
w.lower.parts
# case, digits and punctuation: in full for the word, as a coarse class around it
w.shape
w.length
w.kind[-2:2]
w.kind[-1]|w.kind[0]
w.kind[0]|w.kind[1]
# pairs of words: they help where case says little, as with capitalised nouns, headlines and lower-case text
w.lower[-1]|w.lower[0]
w.lower[0]|w.lower[1]
"""
_SEGMENTATION = """\
columns w y
padding off
edges on
# runs of one, two and three characters
w[-2:2]
w[-2]|w[-1]
w[-1]|w[0]
w[0]|w[1]
w[1]|w[2]
w[-3]|w[-2]|w[-1]
w[-2]|w[-1]|w[0]
w[-1]|w[0]|w[1]
w[0]|w[1]|w[2]
w[1]|w[2]|w[3]
# scripts: a word of katakana, Latin letters or digits ends where the script changes
w.script[-1:1]
w.script[-1]|w.script[0]|w.script[1]
# repetitions, as in 看看 and 看一看
w.same(-1)
w.same(-2)
"""

PRESETS = {
    # CRFsuite's chunking example: nineteen windows over word and tag, none of them beyond the ends of a sentence
    "chunking": Template("chunking", _CHUNKING, ("w", "pos", LABEL), boundaries=True),
    "words": Template("words", _WORDS, ("w", LABEL), boundaries=True),
    "crfpp": replace(parse_template(_CRFPP, "crfpp"), columns=("w", "pos", LABEL)),
    # chunking with suffixes: where no earlier figure has to be repeated
    "phrases": Template("phrases", _PHRASES, ("w", "pos", LABEL), boundaries=True),
    # the patterns that were best for names were best for parts of speech as well
    "ner": parse_template(_TEXT, "ner"),
    "pos": parse_template(_TEXT, "pos"),
    "segmentation": parse_template(_SEGMENTATION, "segmentation"),
}

# What each is for, as `tagfield template` lists them
ABOUT = {
    "ner": "words: names and other spans",
    "pos": "words: a tag for every word (the lines of ner)",
    "phrases": "words and tags: chunks",
    "chunking": "words and tags: CRFsuite's chunking example",
    "words": "words: fewer patterns than ner",
    "segmentation": "characters: where words begin and end",
    "crfpp": "words and tags: CRF++'s chunking example, with padding",
}
_WRITTEN = {"ner": _TEXT, "pos": _TEXT, "segmentation": _SEGMENTATION, "crfpp": f"columns w pos y\n{_CRFPP}"}


def preset_text(name: str) -> str:
    """A preset as the text of a template file.

    >>> preset_text("chunking").split("\\n")[:5]
    ['columns w pos y', 'padding off', 'edges on', 'w[-2]', 'w[-1]']
    """
    found = find_preset(name)
    windows = [pattern.text.partition("=")[0] for pattern in found.patterns]
    return _WRITTEN.get(
        name, "\n".join([f"columns {' '.join(found.columns)}", "padding off", "edges on", *windows])
    ).rstrip()


def find_preset(name: str) -> Template:
    """The preset of that name.

    >>> find_preset("nerr")
    Traceback (most recent call last):
    tagfield.errors.InputError: no preset named 'nerr'; did you mean 'ner'?
    """
    if name not in PRESETS:
        raise InputError(f"no preset named {name!r}; {did_you_mean(name, PRESETS)}")
    return PRESETS[name]


def load_template(template: Template | PathLike, columns: str | None = None, add: Sequence[str] = ()) -> Template:
    """A preset by its name, a CRF++ template file by its path, or a Template as it is.

    columns: the roles of the file's columns, if they are not the template's
    add: lines that extend a preset or a file; a Template is complete and takes none

    >>> load_template("words")
    Template 'words': 23 patterns, columns w y, __BOS__/__EOS__
    >>> load_template("words", "_ w y").columns
    ('_', 'w', 'y')
    >>> load_template("word")
    Traceback (most recent call last):
    tagfield.errors.InputError: no template named 'word'; did you mean 'words'?
    """
    if not isinstance(template, Template):
        name = os.fspath(template)
        template = PRESETS[name] if template in PRESETS else _read_existing(name)
        template = extended_template(template, add) if add else template
    return template if columns is None else template.with_columns(columns)


def _read_existing(name: str) -> Template:
    if name == STDIN or os.path.exists(name):
        return read_template(name)
    others = f"use {', '.join(PRESETS)}, or the path of a CRF++ template"
    raise InputError(f"no template named {name!r}; {did_you_mean(name, PRESETS, otherwise=others)}")
