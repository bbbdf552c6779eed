"""pack(): files of any size ─▶ a folder of shards, in bounded memory, on all cores.

    pieces ─▶ threads: encode, each with vocabularies of its own ─▶ in the order of the input: join the vocabularies,
    renumber ─▶ shards of at most `shard_size` ─▶ finish: rare attributes out, one form for all shards ─▶ manifest

Ids follow the order of the input, no matter which thread encoded a piece, so the files are the same bytes for any
number of threads, and the ids are those of `encode_files`. A shard is whole pieces, so a piece is small beside a shard.

During packing, the folder holds the shards so far (raw-*) with the names that are new in each (new-*), and
packing.json. A stopped run resumes after the last whole shard, if the files and the options are the same.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from tagfield.data.corpus.corpus import Corpus
from tagfield.data.corpus.finishing import finish
from tagfield.data.corpus.joining import join
from tagfield.data.corpus.piece_encoder import EncodedPiece, PieceEncoder
from tagfield.data.corpus.pieces import PIECE, Piece, read_pieces
from tagfield.data.corpus.shards import save_shard
from tagfield.data.corpus.state import Packing
from tagfield.data.dataset import Dataset, Slots
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary
from tagfield.system.memory import check_fits, parse_size

SHARD_SIZE = "64MB"
SMALLEST = 1e6  # bytes of a shard
PIECES = 32  # a shard takes at least this many times the bytes of a piece of text, which grows some 8 times
FEW, NAME = 1 << 20, 60.0  # with fewer attributes the memory of their names is not checked; bytes of a name
GROWTH = 2.0  # bytes for each letter of the names when they outgrow their array


@dataclass(frozen=True)
class Progress:
    """How far packing has come."""

    pieces: int
    text: int  # bytes of text so far
    sentences: int
    tokens: int
    attributes: int


@dataclass(frozen=True)
class PackOptions:
    """How to pack: what changes the result."""

    min_count: int = 1  # attributes that occur less often are left out
    hash_bits: int = 0  # 0 keeps the names of attributes; else an attribute is a row of 2^bits, by the hash of its name
    shard_size: float = 64e6  # bytes

    def check(self) -> None:
        """Raise InputError for numbers out of range."""
        if self.min_count < 1:
            raise InputError(f"min_count must be at least 1, got {self.min_count}")
        if self.hash_bits and not 8 <= self.hash_bits <= 30:
            raise InputError(f"hash_bits must be between 8 and 30, got {self.hash_bits}")
        if self.hash_bits and self.min_count > 1:
            raise InputError(
                "min_count needs the names of attributes, which hash_bits does not keep; leave one of them out"
            )
        if self.shard_size < SMALLEST:
            raise InputError(f"shard_size must be at least {SMALLEST / 1e6:g}MB, got {self.shard_size:,.0f} bytes")

    @property
    def piece(self) -> int:
        """Bytes of text that are encoded at a time."""
        return max(1000, min(PIECE, int(self.shard_size / PIECES)))


def pack(
    paths: PathLike | Iterable[PathLike],
    output: PathLike,
    *,
    template: Template | PathLike | None = None,
    reading: ReadOptions | None = None,
    min_count: int = 1,
    hash_bits: int = 0,
    shard_size: str | float = SHARD_SIZE,
    threads: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Corpus:
    """Pack files into a folder that `Model.train` and `tagfield train` read by windows; returns the corpus.

    paths: files of any format that `encode_files` reads; `-` is standard input
    output: the folder, which is created; a stopped run resumes there
    template, reading: as in `encode_files`
    min_count: leave out attributes that occur less often
    hash_bits: keep no names: an attribute is one of 2^hash_bits rows, by the hash of its name
    shard_size: the size of a file at most, in bytes or as "64MB"; JSON, CSV, brat and spaCy files are never cut
    threads: how many of them encode; None takes all cores

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("The D\\ndog N\\n\\nBark V\\n")
    >>> pack(folder / "a.txt", folder / "corpus", template="words").label_counts
    (1, 1, 1)
    """
    several = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    options = PackOptions(min_count, hash_bits, parse_size(shard_size))
    options.check()
    reading = reading or ReadOptions()
    chosen = None if template is None else load_template(template, reading.columns, reading.add)
    state = Packing.begin(os.fspath(output), several, reading, chosen, options)
    if not state.done:
        with state.locked():
            _Packer(state, several, reading, chosen, options, threads or os.cpu_count() or 1).run(on_progress)
    return Corpus.open(output)


class _Packer:
    def __init__(
        self,
        state: Packing,
        paths: list[str],
        reading: ReadOptions,
        template: Template | None,
        options: PackOptions,
        threads: int,
    ) -> None:
        self._state, self._paths, self._reading = state, paths, reading
        self._template, self._options, self._threads = template, options, threads
        self._attributes, self._labels, self._edges = state.names(options.hash_bits)
        self._waiting: list[Dataset] = []  # of the next shard
        self._size = 0
        self._letters = 0 if options.hash_bits else self._attributes.to_arrays()[0].nbytes  # bytes of all names

    def run(self, on_progress: Callable[[Progress], None] | None) -> None:
        done = self._state.pieces
        sentences, tokens = self._state.sentences, self._state.tokens
        pieces = read_pieces(self._paths, self._reading, self._options.piece)
        first = next(pieces, None)
        if first is None:
            raise InputError(f"{self._paths[0]}: the file holds no sequence")
        encoder = PieceEncoder(first, self._reading, self._template, self._options.hash_bits)
        text = 0
        for number, (piece, encoded) in enumerate(self._encoded(encoder, first, pieces, done), start=done + 1):
            data = self._renumbered(encoded)
            grown = sum(array.nbytes for array in data.to_arrays().values())
            if self._waiting and self._size + grown > self._options.shard_size:
                self._write(number - 1)
            self._waiting.append(data)
            self._size += grown
            text += len(piece.source.text)
            sentences, tokens = sentences + len(data), tokens + int(data.tokens[-1])
            if on_progress is not None:
                on_progress(Progress(number, text, sentences, tokens, len(self._attributes)))
            done = number
        if self._waiting:
            self._write(done)
        if not sentences:
            raise InputError(f"{self._paths[0]}: the file holds no sequence")
        finish(self._state, self._attributes, self._labels, self._edges, encoder, self._options.min_count)

    def _encoded(
        self, encoder: PieceEncoder, first: Piece, rest: Iterator[Piece], skip: int
    ) -> Iterator[tuple[Piece, EncodedPiece]]:
        """The pieces behind the first `skip` ones, encoded, in their order; few more than threads at a time."""
        running: deque[tuple[Piece, Future[EncodedPiece]]] = deque()
        with ThreadPoolExecutor(self._threads, "tagfield-pack") as pool:
            try:
                for number, piece in enumerate(_chain(first, rest)):
                    form = encoder.form_of(piece)
                    if number < skip:
                        continue
                    running.append((piece, pool.submit(encoder.encode, piece, form)))
                    if len(running) > self._threads:
                        done, future = running.popleft()
                        yield done, future.result()
                while running:
                    done, future = running.popleft()
                    yield done, future.result()
            finally:
                for _, future in running:
                    future.cancel()

    def _renumbered(self, piece: EncodedPiece) -> Dataset:
        """The dataset of a piece with the ids of the whole corpus."""
        data = piece.dataset
        labels = self._labels.join(piece.labels)
        if len(labels):
            data = replace(data, labels=labels[data.labels])
        if not self._options.hash_bits:
            self._check_names()
            known, length = len(self._attributes), np.diff(piece.attributes.to_arrays()[1])
            ids = self._attributes.join(piece.attributes)
            self._letters += int(length[ids >= known].sum())
            data = data.renumbered(ids)
        if data.edge_slots is not None and piece.edges is not None:
            if self._edges is None:
                self._edges = Vocabulary()
            edges: Slots = data.edge_slots
            ids = self._edges.join(piece.edges)
            data = replace(
                data, edge_slots=replace(edges, attribute=ids[edges.attribute] if len(ids) else edges.attribute)
            )
        return data

    def _check_names(self) -> None:
        """Raise MemoryLimitError before the names outgrow the memory: a vocabulary doubles its arrays as it grows."""
        known = len(self._attributes)
        if known > FEW or self._letters > NAME * FEW:
            check_fits(
                max(NAME * known, GROWTH * self._letters),
                f"{self._paths[0]}: room for more names than the {known:,} attributes so far",
                "keep no names (--hash-bits 22), or use a template with fewer patterns",
            )

    def _write(self, pieces: int) -> None:
        data = join(self._waiting)
        self._waiting, self._size = [], 0
        self._state.add(save_shard(self._state.folder, self._state.next_file, data, pieces), self._names())

    def _names(self) -> tuple[Vocabulary, Vocabulary, Vocabulary | None]:
        return self._attributes, self._labels, self._edges


def _chain(first: Piece, rest: Iterator[Piece]) -> Iterator[Piece]:
    yield first
    yield from islice(rest, None)
