"""Corpus: a folder of shards that `pack` wrote, from which sentences are taken in any order.

    CORPUS/ ─▶ Corpus.open: manifest, names, shards (sizes and checksums) ─▶ take(order) ─▶ Dataset in memory

Sentences are read into memory that only this process can change, and the kernels check them there: a file that is
overwritten meanwhile can give an error, but cannot crash anything.
"""

import os
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np

from tagfield.data.corpus.manifest import NAMES, Manifest, damaged, names_in
from tagfield.data.corpus.shards import Shard
from tagfield.data.dataset import Dataset, Longs
from tagfield.data.encoded import Encoded
from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.table import describe
from tagfield.data.text.sources import MANIFEST, PathLike
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, ModelFileError
from tagfield.native._text import Vocabulary, gather
from tagfield.system.html import facts, some
from tagfield.system.memory import check_fits, parse_size

HELD = 2.0  # bytes of memory for a byte of a shard


class Corpus:
    """Labelled sequences in a folder; training reads them a window at a time, so the corpus may exceed the memory.

    >>> import tempfile, pathlib
    >>> from tagfield.data.corpus import pack
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("The DT B-NP\\ndog NN I-NP\\n\\nBark VB B-VP\\n")
    >>> _ = pack(folder / "a.txt", folder / "corpus")
    >>> corpus = Corpus.open(folder / "corpus")
    >>> len(corpus), corpus.tokens, corpus.labels.strings(), corpus.template.name
    (2, 3, ['B-NP', 'I-NP', 'B-VP'], 'chunking')
    >>> corpus.take(np.array([1])).labels.tolist()
    [2]
    """

    def __init__(
        self,
        path: str,
        manifest: Manifest,
        shards: list[Shard],
        labels: Vocabulary,
        attributes: Vocabulary,
        edges: Vocabulary | None,
    ) -> None:
        """For `open`."""
        self.path, self.manifest, self.shards = path, manifest, shards
        self.labels, self.attributes, self.edges = labels, attributes, edges
        self.tokens = manifest.tokens
        sizes = [shard.record.sentences for shard in shards]
        self.starts = [0, *accumulate(sizes)]  # [shards + 1]  number of the first sentence of each shard
        self._files = [shard.file(first) for shard, first in zip(shards, self.starts, strict=False)]

    @classmethod
    def open(cls, path: PathLike, *, verify: bool = True) -> "Corpus":
        """Open a folder that `tagfield pack` wrote. A damaged or foreign folder raises InputError.

        verify: read all data once and compare checksums; False checks only headers and sizes
        """
        folder = os.fspath(path)
        manifest = Manifest.load(folder)
        labels, attributes, edges = _names(folder, manifest)
        shards = [Shard(folder, record, verify=verify) for record in manifest.shards]
        if not shards or not manifest.sentences:
            raise InputError(f"{folder}: the corpus holds no sequence; pack it again")
        if len({shard.layout for shard in shards}) > 1:
            raise InputError(f"{folder}: the shards have different arrays; pack the corpus again")
        return cls(folder, manifest, shards, labels, attributes, edges)

    def __len__(self) -> int:
        return self.starts[-1]

    def __reduce__(self) -> tuple[Any, ...]:
        return _reopened, (os.path.abspath(self.path),)  # a pickle is the path: the folder must be there

    @property
    def template(self) -> Template | None:
        """The template that made the attributes; None if it was packed from item files or Python objects."""
        return self.manifest.template

    @property
    def form(self) -> FileFormat:
        """What the first file was taken for."""
        return self.manifest.form

    @property
    def bytes(self) -> int:
        """Bytes of all shards."""
        return self.manifest.bytes

    @property
    def memory(self) -> float:
        """Bytes that the whole corpus takes in memory: its arrays, and what is derived from them while it is read."""
        return HELD * self.bytes

    @property
    def disk_bytes(self) -> int:
        """Bytes of the whole folder: shards, names and manifest."""
        with os.scandir(self.path) as files:
            return sum(file.stat().st_size for file in files if file.is_file())

    @property
    def label_counts(self) -> tuple[int, ...]:
        """Tokens of each label."""
        return self.manifest.label_counts

    def describe(self) -> str:
        """What the first file was taken for, and how many labels there are."""
        return describe(self.form, len(self.labels))

    def where(self, sentence: int) -> str:
        """A sequence by its number, for messages."""
        return f"{self.path}, sequence {sentence}"

    def take(self, sentences: Longs, ends: list[int] | None = None) -> Dataset:
        """Some sequences as a Dataset in memory, in the given order.

        ends: where parts of the order end, each of which is read at once; None takes all at once
        """
        order = np.ascontiguousarray(sentences, np.int64)
        found = gather(self._files, order, [len(order)] if ends is None else ends)
        return self.shards[0].made(found)

    def windows(self, order: Longs, size: str | float = "256MB") -> Iterator[Dataset]:
        """The sequences of an order, about `size` bytes of them at a time; `train.order.epoch_order` makes orders.

        >>> import tempfile, pathlib
        >>> from tagfield.data.corpus import pack
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.txt").write_text("The D\\n\\ndog N\\n\\nBark V\\n")
        >>> corpus = pack(folder / "a.txt", folder / "corpus", template="words")
        >>> [window.labels.tolist() for window in corpus.windows(np.array([2, 0, 1]), 1)]
        [[2], [0], [1]]
        """
        count = max(1, int(parse_size(size) / self.sentence_bytes))
        for first in range(0, len(order), count):
            yield self.take(order[first : first + count])

    def encoded(self, why: str = "") -> Encoded:
        """The whole corpus in memory; raises MemoryLimitError if it does not fit.

        why: what needs it at once, for that message
        """
        what = f"{self.path}: the whole corpus" + (f", which {why} at once," if why else "")
        check_fits(
            self.memory, what, "use a recipe that reads it by windows, such as the default, pa or lbfgs without c1"
        )
        return self.part(np.arange(len(self)))

    def part(self, sentences: Longs) -> Encoded:
        """Some sequences in memory, with their names."""
        data = self.take(sentences).seal()
        return Encoded(
            data,
            self.attributes,
            self.labels,
            data.labels,
            self.labels,
            self.template,
            form=self.form,
            edges=self.edges,
        )

    @cached_property
    def sentence_bytes(self) -> float:
        """The mean size of a sequence in memory."""
        return max(1.0, self.bytes / max(1, len(self)))

    def _facts(self) -> list[tuple[str, str]]:
        rows = [("sequences", f"{len(self):,}"), ("tokens", f"{self.tokens:,}"), ("labels", f"{len(self.labels):,}")]
        rows += [("attributes", f"{len(self.attributes):,}"), ("shards", f"{len(self.shards):,}")]
        return rows + ([("template", self.template.name)] if self.template is not None else [])

    def __repr__(self) -> str:
        words = [f"{name} {text}" if name == "template" else f"{text} {name}" for name, text in self._facts()]
        return f"<Corpus {self.path}: {', '.join(words)}>"

    def _repr_html_(self) -> str:
        rows = self._facts()
        rows[2] = ("labels", f"{rows[2][1]}: {some(self.labels)}")
        return facts("Corpus", rows)


def is_corpus(path: object) -> bool:
    """Whether a path is a folder with a manifest.

    >>> is_corpus("no/such/folder")
    False
    """
    try:
        return isinstance(path, str | os.PathLike) and os.path.isfile(os.path.join(path, MANIFEST))
    except (TypeError, ValueError):
        return False


def _reopened(path: str) -> Corpus:
    return Corpus.open(path, verify=False)


def _names(folder: str, manifest: Manifest) -> tuple[Vocabulary, Vocabulary, Vocabulary | None]:
    """Labels, attributes and edge attributes."""
    path = os.path.join(folder, NAMES)
    try:
        found = names_in(path)
        labels = found["label"]
        attributes = Vocabulary.hashed(manifest.hash_bits) if manifest.hash_bits else found["attribute"]
        edges = found.get("edge")
    except ModelFileError as error:
        raise damaged(error) from None
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the names are damaged ({error}); pack the corpus again") from None
    sizes = (len(labels), len(attributes), None if edges is None else len(edges), len(manifest.label_counts))
    if sizes != (manifest.labels, manifest.attributes, manifest.edges, manifest.labels):
        raise InputError(f"{path}: these are not the names of the manifest; pack the corpus again")
    return labels, attributes, edges
