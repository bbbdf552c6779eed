"""Tagger: python-crfsuite's, on tagfield's kernels. It opens CRFsuite's models and tagfield's.

    open, open_inmemory ─▶ Model
    set(xseq) ─▶ Chain ─▶ tag: best path · probability: p(y|x) · marginal: the lattice, once for all labels

Without a model, `tag` and the others raise ValueError; python-crfsuite ends the process there.
"""

import math
import os
from collections.abc import Iterable
from contextlib import closing
from typing import Any, NoReturn

import numpy as np

from tagfield.compat.pycrfsuite.chain import Chain
from tagfield.compat.pycrfsuite.dump import ParsedDump, dump_lines, header_of, info_of
from tagfield.compat.pycrfsuite.items import ItemSequence, text_of
from tagfield.errors import ModelFileError
from tagfield.model.formats import FORMATS, format_of
from tagfield.model.model import Model
from tagfield.native._text import SequenceTagger

MAGIC, HEADER = b"lCRF", 48
SEQUENCES = (list, tuple, ItemSequence)  # a tuple: a union would be made anew by every call


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
        self._names: tuple[str, ...] = ()
        self._ids: dict[str, int] = {}
        self._chain: Chain | None = None
        self._direct: SequenceTagger | None = None
        self._rows: list[list[float]] = []  # the marginals of the current sequence, once they were asked for

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
        self._opened()
        return list(self._names)

    def set(self, xseq: Any) -> None:
        """Set the current sequence; its items are as in `ItemSequence`."""
        self._set(xseq, self._direct or self._closed())

    def _set(self, xseq: Any, direct: SequenceTagger) -> Chain:
        if not isinstance(xseq, SEQUENCES):
            xseq = list(xseq)
        made = Chain(xseq, direct)
        self._rows, self._chain = [], made
        return made

    def tag(self, xseq: Any = None) -> list[str]:
        """The best labels of a sequence, which becomes the current one; by default those of the current one."""
        direct, names = self._direct or self._closed(), self._names
        chain = self._chain if xseq is None else self._set(xseq, direct)  # not another thread's, set meanwhile
        return [] if chain is None else chain.best(names)

    def probability(self, yseq: Iterable[Any]) -> float:
        """p(y | x) of labels for the current sequence; 0 for an empty one, as in python-crfsuite."""
        self._opened()
        labels, chain = list(yseq), self._chain
        if not chain:
            return 0.0
        if len(labels) != len(chain):
            raise ValueError(f"The numbers of items and labels differ: |x| = {len(chain)}, |y| = {len(labels)}")
        ids = np.array([self._id(label) for label in labels], np.int32)
        return math.exp(min(chain.log_probability(ids, self._opened().field), 0.0))

    def marginal(self, y: Any, pos: int) -> float:
        """P(y_pos = y | x) for the current sequence; the first call computes it for all labels and positions."""
        try:
            if pos >= 0:
                return self._rows[pos][self._ids[y]]
        except (IndexError, KeyError, TypeError):
            pass  # the first call for this sequence, or a label or position that needs a closer look
        self._opened()
        chain = self._chain
        if not chain:
            return 0.0
        label, place = self._id(y), int(pos)
        if not 0 <= place < len(chain):
            raise ValueError(f"The position, {place} is out of range of {len(chain)}")
        rows = chain.marginals()
        if chain is self._chain:
            self._rows = rows
        return rows[place][label]

    def info(self) -> ParsedDump:
        """What the model holds: labels, attributes, transitions and state features, with weights in full precision."""
        if self._model is None:
            raise RuntimeError("Tagger is closed")
        return info_of(self._model, header_of(self._model, self._header))

    def dump(self, filename: str | bytes | os.PathLike[str] | None = None) -> None:
        """Write the model as text, to a file or to standard output."""
        lines = "".join(f"{line}\n" for line in dump_lines(self.info()))
        if filename is None:
            print(lines, end="")
            return
        with open(os.fsdecode(filename), "w", encoding="utf-8", newline="\n") as file:
            file.write(lines)

    def _use(self, model: Model, start: bytes) -> "closing[Tagger]":
        if model.edges is not None:
            raise ValueError("the model has transitions that look at the input, which a Tagger cannot give; use Model")
        self.close()
        self._model = model
        self._direct = None if model.direct is None else model.direct.sequences
        self._names = model.label_names
        self._ids = {name: i for i, name in enumerate(self._names)}
        self._header = start[:HEADER] if format_of(start) is FORMATS["crfsuite"] else None
        return closing(self)

    def _closed(self) -> NoReturn:
        raise ValueError("The tagger is not opened")

    def _opened(self) -> Model:
        if self._model is None:
            self._closed()
        return self._model

    def _id(self, label: Any) -> int:
        found = self._ids.get(label if isinstance(label, str) else text_of(label))
        if found is None:
            raise RuntimeError(f"Failed to convert into label identifier: {text_of(label)}")
        return found
