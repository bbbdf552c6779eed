"""Labelled: encoded data with the words of its sentences.

column files ─▶ Encoded, whose lines have the words
item files ───▶ Encoded; the first attribute of a token stands for its word
all others ───▶ Encoded, and the sentences once more as words
lists (X, y) ─▶ Encoded; the words, or the first attribute of each token
"""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tagfield.data.encoded import Encoded
from tagfield.data.text.encoders.files import detect_form, sentences_in
from tagfield.data.text.encoders.items import parse_items
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.records import WORD
from tagfield.data.text.sources import PathLike, Source
from tagfield.data.text.templates.template import LABEL
from tagfield.errors import InputError
from tagfield.model.model import Model

Finds = Callable[[str], int | None]  # the id of a word's attribute; None if the model does not know the word
LONGEST = 80  # characters of a word that are shown


@dataclass(frozen=True)
class Labelled:
    """Sentences with gold labels, encoded for a model, and their words."""

    encoded: Encoded
    kept: list[list[str]] | None = None  # the words, if the lines of the file do not have them
    files: tuple[str, ...] = ()

    @classmethod
    def of(cls, model: Model, data: Any, reading: ReadOptions | None = None) -> "Labelled":
        """Files, or a pair (X, y) of sequences and their labels.

        >>> model = Model.train_words([["Anna", "left"]], [["B-PER", "O"]])
        >>> Labelled.of(model, ([["Ben", "left"]], [["B-PER", "O"]])).words(0)
        ['Ben', 'left']
        """
        if not (isinstance(data, tuple) and len(data) == 2 and not any(isinstance(each, PATHS) for each in data)):
            return cls.read(model, data, reading)
        X, y = [list(sentence) for sentence in data[0]], [list(labels) for labels in data[1]]
        encoded = model.encode(X, y) if model.template is None else model.encode_words(X, y)
        return cls(encoded, [[_word(token) for token in sentence] for sentence in X])

    @classmethod
    def read(
        cls, model: Model, paths: PathLike | Source | Iterable[PathLike | Source], reading: ReadOptions | None = None
    ) -> "Labelled":
        """Read files with the template of a model.

        >>> model = Model.train_words([["Anna", "left"]], [["B-PER", "O"]])
        >>> Labelled.read(model, Source("a.jsonl", b'{"tokens": ["Ben"], "labels": ["B-PER"]}')).words(0)
        ['Ben']
        """
        reading = reading or ReadOptions()
        if model.template is None and model.edges:
            raise InputError(
                "the model has transitions that look at the input and no template, so it reads no files; give a model "
                "with a template"
            )
        sources = open_inputs(paths, reading.format, reading.encoding)
        reading = replace(reading, encoding=None)  # the sources are UTF-8 by now
        encoded = model.encode_files(sources, reading=reading)
        files = tuple(source.name for source in sources)
        if encoded.locations is not None and encoded.locations.begin is not None:
            return cls(encoded, files=files)
        if encoded.template is None:
            items = (sequence for source in sources for sequence in parse_items(source))
            return cls(encoded, [[token[0][0] if token else "" for token in each.tokens] for each in items], files)
        forms = [detect_form(source, reading, model.template) for source in sources]
        sentences, _ = sentences_in(sources, forms, reading, model.labels)
        return cls(encoded, [list(sentence.words) for sentence in sentences], files)

    @property
    def short_name(self) -> str:
        """The names of the files without their folders, for a title."""
        names = [os.path.basename(name) for name in self.files]
        return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")

    @property
    def name(self) -> str:
        """The names of the files, for messages."""
        return ", ".join(self.files) if self.files else "data"

    def words(self, sentence: int) -> list[str]:
        """The words of a sentence; where they are not known, the numbers of its tokens."""
        found = self.encoded.words(sentence) if self.kept is None else self.kept[sentence]
        first, end = self.encoded.dataset.tokens[sentence : sentence + 2]
        return found if found is not None and len(found) == end - first else [str(i) for i in range(end - first)]


PATHS = (str, bytes, Source)


def _word(token: Any) -> str:
    """A token of a list as a word.

    >>> _word("Anna"), _word(("Anna", "NNP")), _word({"w": "Anna", "cap": True}), _word(["w=Anna"]), _word({})
    ('Anna', 'Anna', 'w=Anna', 'w=Anna', '')
    """
    if isinstance(token, str):
        return token
    if isinstance(token, dict):
        return next((f"{key}={value}" if isinstance(value, str) else str(key) for key, value in token.items()), "")
    try:
        return str(next(iter(token), ""))
    except TypeError:
        return str(token)


def short(word: str, most: int = LONGEST) -> str:
    """A word that fits on the page.

    >>> short("abcdef", 4)
    'abc…'
    """
    return word if len(word) <= most else f"{word[: most - 1]}…"


def word_finder(model: Model) -> Finds | None:
    """Finds the attribute of a word, if the model knows it. None if the template has no pattern of the word alone.

    >>> find = word_finder(Model.train_words([["Anna", "left"]], [["B-PER", "O"]], template="words"))
    >>> find("Anna") is None, find("Ben") is None
    (False, True)
    """
    if model.attributes.hash_bits:
        return None  # every string has a row
    if model.template is None:
        return partial(_find, model, "", False)
    columns = [role for role in model.template.columns if role != LABEL]
    at = columns.index(WORD) if WORD in columns else 0
    for lower in (False, True):
        for pattern in model.template.patterns:
            names = {f"{name}.lower" if lower else name for name in (str(at), *columns[at : at + 1])}
            plain = not pattern.syntax and len(pattern.cells) == 1 and not any(pattern.pieces[1:])
            if plain and pattern.cells[0] in {(0, name) for name in names}:
                return partial(_find, model, pattern.pieces[0], lower)
    return None


def _find(model: Model, before: str, lower: bool, word: str) -> int | None:
    name = before + (word.lower() if lower else word)
    return model.attributes.find(name) if name in model.attributes else None
