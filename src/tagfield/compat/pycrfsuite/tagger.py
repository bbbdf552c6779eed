"""Tagger: python-crfsuite's, on tagfield's kernels, for CRFsuite's models and tagfield's; `CRF.tagger_` is one, too.

    open, open_inmemory ─▶ a CRFsuite file, read where it is asked (late.py), or Model ─┐
    a fitted CRF ───────────────────────────────────────────────────────────────────────┴─▶ Source
    Source ─▶ set(xseq): one sequence ─▶ tag · probability · marginal

Without a model, `tag` and the others raise ValueError; python-crfsuite ends the process there.
"""

import math
import os
from collections.abc import Callable, Iterable
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np

from tagfield.compat.pycrfsuite.chain import Chain
from tagfield.compat.pycrfsuite.dump import ParsedDump, dump_lines, header_of, info_of
from tagfield.compat.pycrfsuite.items import text_of
from tagfield.compat.pycrfsuite.late import Opened, open_late
from tagfield.errors import InputError, ModelFileError, nearest
from tagfield.model.model import Model

MAGIC, HEADER = b"lCRF", 48


class LabelError(InputError, RuntimeError, TypeError):
    """The model has no such label; python-crfsuite raises RuntimeError, or TypeError if it is no string."""


class Source(NamedTuple):
    """What a Tagger answers from."""

    read: Callable[[Any], Any]  # a sequence under the model: a Chain, or what has its methods
    labels: tuple[Any, ...]
    ids: dict[Any, int]  # of the labels
    info: Callable[[], ParsedDump]


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
        self._source: Source | None = None
        self._sequence: Any = None  # the current one
        self._rows: list[list[float]] = []  # its marginals, once they were asked for

    @classmethod
    def of(cls, source: Source) -> "Tagger":
        """A Tagger that needs no file, such as `CRF.tagger_`."""
        made = cls()
        made._source = source
        return made

    def open(self, name: str | bytes | os.PathLike[str]) -> "closing[Tagger]":
        """Open a model file; use it as a context manager, or `close` it."""
        path = os.fsdecode(name)
        with open(path, "rb", buffering=0) as file:
            data = file.read(HEADER + 1) or b""
            if data[:4] == MAGIC:
                if len(data) <= HEADER:
                    raise ValueError(f"Model file {path!r} doesn't have a complete header")
                if int.from_bytes(data[4:8], "little") == os.fstat(file.fileno()).st_size:
                    file.seek(0)
                    data = file.readall()
        try:
            return self._use(data, partial(Model.load, path))
        except ModelFileError as error:
            raise ValueError(f"Invalid model file {path!r}: {error}") from None

    def open_inmemory(self, value: bytes) -> "closing[Tagger]":
        """Open a model from the bytes of its file."""
        if not isinstance(value, bytes):
            raise TypeError(f"Argument 'value' has incorrect type (expected bytes, got {type(value).__name__})")
        if value[:4] == MAGIC and len(value) <= HEADER:
            raise ValueError("Invalid model: incomplete header")
        try:
            return self._use(value, partial(Model.load_bytes, value))
        except ModelFileError as error:
            raise ValueError(f"Invalid model: {error}") from None

    def close(self) -> None:
        """Close the model."""
        self.__init__()  # type: ignore[misc]

    def labels(self) -> list[Any]:
        """The labels, in the order of their ids."""
        return list((self._source or _closed()).labels)

    def set(self, xseq: Any) -> None:
        """Set the current sequence; its items are as in `ItemSequence`."""
        source = self._source or _closed()
        self._sequence, self._rows = (source.read(xseq), [])

    def tag(self, xseq: Any = None) -> list[Any]:
        """The best labels of a sequence, which becomes the current one; by default those of the current one."""
        source = self._source or _closed()
        if xseq is None:
            sequence = self._sequence
            return [] if sequence is None else sequence.best(source.labels)
        sequence = source.read(xseq)
        self._sequence, self._rows = sequence, []
        labels: list[Any] = sequence.best(source.labels)  # of this one, not of another thread's, set meanwhile
        return labels

    def probability(self, yseq: Iterable[Any]) -> float:
        """p(y | x) of labels for the current sequence; 0 for an empty one, as in python-crfsuite."""
        source, sequence, labels = self._source or _closed(), self._sequence, list(yseq)
        if not sequence:
            return 0.0
        if len(labels) != len(sequence):
            raise InputError(f"The numbers of items and labels differ: |x| = {len(sequence)}, |y| = {len(labels)}")
        ids = np.array([_id(label, source) for label in labels], np.int32)
        return math.exp(min(sequence.log_probability(ids), 0.0))

    def marginal(self, y: Any, pos: int) -> float:
        """P(y_pos = y | x) for the current sequence; the first call computes it for all labels and positions."""
        try:
            if pos >= 0:
                return self._rows[pos][self._source.ids[y]]  # type: ignore[union-attr]
        except (AttributeError, IndexError, KeyError, TypeError):
            pass  # the first call for this sequence, or a label or position that needs a closer look
        source, sequence = self._source or _closed(), self._sequence
        if not sequence:
            return 0.0
        label, place = _id(y, source), int(pos)
        if not 0 <= place < len(sequence):
            raise InputError(f"The position, {place} is out of range of {len(sequence)}")
        rows: list[list[float]] = sequence.marginals()
        if sequence is self._sequence:
            self._rows = rows
        return rows[place][label]

    def info(self) -> ParsedDump:
        """What the model holds: labels, attributes, transitions and state features, with weights in full precision."""
        if self._source is None:
            raise RuntimeError("Tagger is closed")
        return self._source.info()

    def dump(self, filename: str | bytes | os.PathLike[str] | None = None) -> None:
        """Write the model as text, to a file or to standard output."""
        lines = "".join(f"{line}\n" for line in dump_lines(self.info()))
        if filename is None:
            print(lines, end="")
            return
        with open(os.fsdecode(filename), "w", encoding="utf-8", newline="\n") as file:
            file.write(lines)

    def _use(self, data: bytes, load: Callable[[], Model]) -> "closing[Tagger]":
        """Answer from the bytes of a CRFsuite file, or from the loaded model if `data` is not all of such a file."""
        header = data[:HEADER] if data[:4] == MAGIC else None
        opened = None if header is None else open_late(data)
        found = opened or _opened(load())

        def info() -> ParsedDump:
            try:
                model = found.whole()
            except ModelFileError as error:
                raise ValueError(f"Invalid model: {error}") from None
            return info_of(model, header_of(model, header))

        self.close()
        self._source = Source(found.read, found.labels, {name: i for i, name in enumerate(found.labels)}, info)
        return closing(self)


def _opened(model: Model) -> Opened:
    if model.direct is None:
        raise ValueError("the model has transitions that look at the input; tag with Model instead of Tagger")
    return Opened(partial(Chain, model.direct.sequences, model.field), model.label_names, lambda: model)


def _closed() -> NoReturn:
    raise ValueError("The tagger is not opened")


def _id(label: Any, source: Source) -> int:
    found = source.ids.get(label)
    if found is not None:
        return found
    name = text_of(label) if isinstance(label, str | bytes) else label
    found = source.ids.get(name)
    if found is None:
        near = nearest(name, map(str, source.labels))
        hint = f"; did you mean {near!r}?" if near else ""
        raise LabelError(f"Failed to convert into label identifier: {name}{hint}")
    return found
