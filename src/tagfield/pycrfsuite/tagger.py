"""Tagger: python-crfsuite's, on tagfield's kernels. It opens CRFsuite's models and tagfield's.

    open, open_inmemory ─▶ Model
    set(xseq) ─▶ encoded once ─▶ tag: best path · probability: log p(y|x) · marginal: the lattice, once for all labels

Without a model, `tag` and the others raise ValueError; python-crfsuite ends the process there.
"""

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np

from tagfield._text import label_lists
from tagfield.dataset import Floats
from tagfield.decoder import Decoder
from tagfield.encode import Encoded
from tagfield.errors import ModelFileError
from tagfield.formats import FORMATS, format_of
from tagfield.model import Model
from tagfield.pycrfsuite.corpus import encode_items
from tagfield.pycrfsuite.dump import ParsedDump, dump_lines, header_of, info_of
from tagfield.pycrfsuite.items import ItemSequence, text_of

MAGIC, HEADER = b"lCRF", 48


class Tagger:
    """Labels one sequence at a time.

    >>> import tempfile
    >>> from tagfield.pycrfsuite import Trainer
    >>> trainer, path = Trainer(verbose=False), tempfile.mkdtemp() + "/tiny.crfsuite"
    >>> trainer.append([["a"], ["b"]], ["X", "Y"])
    >>> trainer.train(path)
    >>> tagger = Tagger()
    >>> with tagger.open(path):
    ...     tagger.tag([["b"], ["a"]]), tagger.labels(), round(tagger.marginal("Y", 0), 2)
    (['Y', 'X'], ['X', 'Y'], 0.51)
    """

    def __init__(self) -> None:
        self._model: Model | None = None
        self._header: bytes | None = None
        self._encoded: Encoded | None = None
        self._length = 0
        self._decoder: Decoder | None = None
        self._node: Floats | None = None

    def open(self, name: str | bytes | os.PathLike[str]) -> "closing[Tagger]":
        """Open a model file; use it as a context manager, or `close` it."""
        path = os.fsdecode(name)
        with open(path, "rb") as file:
            start = file.read(HEADER + 1)
        if start[:4] == MAGIC and len(start) <= HEADER:
            raise ValueError(f"Model file {path!r} doesn't have a complete header")
        try:
            return self._use(Model.load(path), start)
        except ModelFileError as error:
            raise ValueError(f"Invalid model file {path!r}: {error}") from None

    def open_inmemory(self, value: bytes) -> "closing[Tagger]":
        """Open a model from the bytes of its file."""
        if not isinstance(value, bytes):
            raise TypeError(f"Argument 'value' has incorrect type (expected bytes, got {type(value).__name__})")
        if value[:4] == MAGIC and len(value) <= HEADER:
            raise ValueError("Invalid model: incomplete header")
        try:
            return self._use(Model.load_bytes(value), value[:HEADER])
        except ModelFileError as error:
            raise ValueError(f"Invalid model: {error}") from None

    def close(self) -> None:
        """Close the model."""
        self.__init__()  # type: ignore[misc]

    def labels(self) -> list[str]:
        """The labels, in the order of their ids."""
        return list(self._opened().label_names)

    def set(self, xseq: Any) -> None:
        """Set the current sequence; its items are as in `ItemSequence`."""
        model = self._opened()
        items = xseq if isinstance(xseq, list | tuple | ItemSequence) else list(xseq)
        encoded = encode_items(items, model.attributes, gather=False)
        self._encoded, self._length = encoded, len(items)
        self._decoder, self._node = Decoder(model.field, encoded), None

    def tag(self, xseq: Any = None) -> list[str]:
        """The best labels of a sequence, which becomes the current one; by default those of the current one."""
        if xseq is not None:
            self.set(xseq)
        model = self._opened()
        if self._decoder is None or not self._length:
            return []
        found: list[str] = label_lists(self._decoder.best(), model.label_names, self._decoder.tokens)[0]
        return found

    def probability(self, yseq: Iterable[Any]) -> float:
        """p(y | x) of labels for the current sequence; 0 for an empty one, as in python-crfsuite."""
        model, names = self._opened(), [text_of(label) for label in yseq]
        if self._encoded is None or not self._length:
            return 0.0
        if len(names) != self._length:
            raise ValueError(f"The numbers of items and labels differ: |x| = {self._length}, |y| = {len(names)}")
        ids = np.array([self._id(model, name) for name in names], np.int32)
        labelled = replace(self._encoded, dataset=replace(self._encoded.dataset, labels=ids))
        return float(np.exp(Decoder(model.field, labelled).log_probability()[0]))

    def marginal(self, y: Any, pos: int) -> float:
        """P(y_pos = y | x) for the current sequence."""
        model = self._opened()
        if self._decoder is None or not self._length:
            return 0.0
        label, place = self._id(model, text_of(y)), int(pos)
        if not 0 <= place < self._length:
            raise ValueError(f"The position, {place} is out of range of {self._length}")
        if self._node is None:
            self._node = self._decoder.marginals()
        return float(self._node[place, label])

    def info(self) -> ParsedDump:
        """What the model holds: labels, attributes, transitions and state features, with weights in full precision."""
        if self._model is None:
            raise RuntimeError("Tagger is closed")
        parts = self._model._parts()
        return info_of(parts, header_of(parts, self._header))

    def dump(self, filename: str | bytes | os.PathLike[str] | None = None) -> None:
        """Write the model as text, to a file or to standard output."""
        lines = "".join(f"{line}\n" for line in dump_lines(self.info()))
        if filename is None:
            print(lines, end="")
            return
        with open(os.fsdecode(filename), "w", encoding="utf-8", newline="\n") as file:
            file.write(lines)

    def _use(self, model: Model, start: bytes) -> "closing[Tagger]":
        self.close()
        self._model = model
        self._header = start[:HEADER] if format_of(start) is FORMATS["crfsuite"] else None
        return closing(self)

    def _opened(self) -> Model:
        if self._model is None:
            raise ValueError("The tagger is not opened")
        return self._model

    def _id(self, model: Model, label: str) -> int:
        found = model.labels.find(label)
        if found < 0:
            raise RuntimeError(f"Failed to convert into label identifier: {label}")
        return found
