"""tag_arrow: a table, a batch, a column or a stream of batches → the same with the labels.

Table · RecordBatch · RecordBatchReader ─▶ with new columns        Array · ChunkedArray ─▶ its answers alone
anything with __arrow_c_stream__ (Polars, DuckDB, pandas) ─▶ Table, or ChunkedArray for a single column
"""

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from typing import Any, Protocol

import numpy as np

from tagfield.data.dataset import Ints, Longs
from tagfield.data.encoded import Encoded
from tagfield.data.text.tokenizer.tokenizer import Tokenizer, tokenize
from tagfield.errors import InputError, did_you_mean
from tagfield.inference.decoder import Decoder, check_threads
from tagfield.model.arrow import answers
from tagfield.model.arrow.columns import Kind, Rows, kind_of, load_pyarrow, rows_of_text, rows_of_words
from tagfield.model.text_tagging import Sentences, span_kind
from tagfield.native._text import ArrowWords

TEXT, WORDS = "text", "tokens"  # the columns that are read if none is named
ROWS = 1 << 17  # in a chunk of the new columns: their offsets have 32 bits
OUTPUTS: dict[Kind, tuple[str, ...]] = {"text": ("spans", "tokens"), "words": ("labels",)}


class Tagger(Protocol):
    """What is asked of a Model."""

    @property
    def label_names(self) -> tuple[str, ...]: ...
    @property
    def default_tokenizer(self) -> str: ...
    def label_ids(self, words: ArrowWords, rules: Any = None) -> tuple[Ints, Longs] | None: ...
    def read_words(self, X: Any) -> Encoded: ...
    def read_text(self, sentences: list[list[str]]) -> Encoded: ...
    def decoder(self, X: Any, *, rules: Any = None, threads: int = 1) -> Decoder: ...


@dataclass(frozen=True)
class Options:
    """What `Model.tag_arrow` is asked for."""

    column: str | Sequence[str] | None = None
    output: str | None = None
    name: str | None = None
    tokenizer: Tokenizer | None = None
    probabilities: bool | None = None
    rules: Any = None
    threads: int = 1

    @classmethod
    def of(cls, **given: Any) -> "Options":
        """Options by name.

        >>> Options.of(colum="text")
        Traceback (most recent call last):
        tagfield.errors.InputError: tag_arrow has no option 'colum'; did you mean 'column'?
        """
        names = [each.name for each in fields(cls)]
        for name in given:
            if name not in names:
                raise InputError(f"tag_arrow has no option {name!r}; {did_you_mean(name, names)}")
        return cls(**given)


def tag_arrow(model: Tagger, data: Any, options: Options) -> Any:
    """`Model.tag_arrow`, which says what the options mean."""
    pa = load_pyarrow()
    if isinstance(data, pa.RecordBatchReader):
        return _tag_stream(model, data, options)
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return _tag_column(model, data, options)
    if not isinstance(data, pa.Table | pa.RecordBatch):
        data = _imported(data)
        if isinstance(data, pa.ChunkedArray):
            return _tag_column(model, data, options)
    task = Task.of(model, data.schema, options)
    if isinstance(data, pa.RecordBatch):
        return _with_columns(data, task.fields, task.run(data, 0))
    found: list[list[Any]] = []
    first = 0
    for batch in data.select(task.columns).to_batches(max_chunksize=ROWS):
        found.append(task.run(batch, first))
        first += batch.num_rows
    columns = [pa.chunked_array([arrays[k] for arrays in found], f.type) for k, f in enumerate(task.fields)]
    return _with_columns(data, task.fields, columns)


@dataclass(frozen=True)
class Task:
    """A model, the columns that it reads, and the columns that it makes."""

    model: Tagger
    options: Options
    columns: list[str]
    kind: Kind
    tokens: bool  # of text: tokens instead of spans
    probabilities: bool
    fields: list[Any]  # pyarrow's

    @classmethod
    def of(cls, model: Tagger, schema: Any, options: Options) -> "Task":
        """Check the options against a schema."""
        pa = load_pyarrow()
        columns = _columns(schema, options.column)
        kinds = {kind_of(schema.field(name).type, name) for name in columns}
        kind: Kind = "words" if "words" in kinds else "text"
        if len(kinds) > 1 or (kind == "text" and len(columns) > 1):
            raise InputError(f"several columns must be lists of strings; name one column of text, not {columns}")
        spans = kind == "text" and span_kind(model.label_names) is not None
        output = options.output or (OUTPUTS[kind][0] if spans or kind == "words" else "tokens")
        if output not in OUTPUTS[kind]:
            offered = " or ".join(map(repr, OUTPUTS[kind]))
            what = "text" if kind == "text" else "tokens"
            raise InputError(f"output must be {offered} for a column of {what}, got {output!r}")
        name = options.name or output
        sure = (kind == "text") if options.probabilities is None else options.probabilities
        if kind == "text":
            made = [pa.field(name, answers.marks_type())]
        else:
            made = [pa.field(name, answers.labels_type())]
            second = f"{options.name}_probabilities" if options.name else "probabilities"
            made += [pa.field(second, answers.probabilities_type())] if sure else []
            if options.tokenizer is not None:
                raise InputError(
                    f"column {columns[0]!r} holds tokens already, so tokenizer has no effect; leave it out"
                )
        for each in made:
            if each.name in schema.names:
                raise InputError(
                    f"the table has a column {each.name!r} already; choose another name for it with name=…"
                )
        check_threads(options.threads)
        return cls(model, options, columns, kind, output == "tokens", sure, made)

    def run(self, batch: Any, first: int) -> list[Any]:
        """The new columns of a batch, whose first row has the number `first` in its table."""
        arrays = [(name, batch.column(name)) for name in self.columns]
        rows = rows_of_words(arrays, first) if self.kind == "words" else rows_of_text(*arrays[0], first)
        found = self._answers(rows)
        if self.kind == "words":
            return answers.columns_of_labels(found, self.model.label_names, self.probabilities)
        return [answers.column_of_marks(found)]

    def _answers(self, pieces: Iterator[Rows]) -> Iterator[Any]:
        """The new columns of each piece, in order; several threads take a piece each, or share the only one."""
        some, threads = list(islice(pieces, 2)), self.options.threads
        if len(some) < 2 or threads == 1:
            yield from (self._answer(each, threads) for each in chain(some, pieces))
            return
        with ThreadPoolExecutor(threads) as pool:
            waiting = deque(pool.submit(self._answer, each, 1) for each in some)
            for each in pieces:
                if len(waiting) > threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(self._answer, each, 1))
            while waiting:
                yield waiting.popleft().result()

    def _answer(self, rows: Rows, threads: int) -> Any:
        if rows.words is not None:
            found = None if self.probabilities else self.model.label_ids(rows.words, self.options.rules)
            if found is not None:
                return answers.Labels(found[0], None, np.diff(found[1]), rows.valid)
            encoded = self.model.read_words(rows.words)
            with _Within(self.columns[0], rows):
                return answers.of_words(self._decoder(encoded, threads), rows.valid, self.probabilities)
        sentences = self._sentences(rows)
        encoded = self.model.read_text(sentences.words())
        with _Within(self.columns[0], rows):
            decoder = self._decoder(encoded, threads)
            how = {"tokens": self.tokens, "probabilities": self.probabilities}
            return answers.of_text(decoder, self.model.label_names, sentences, rows.valid, **how)

    def _decoder(self, encoded: Encoded, threads: int) -> Decoder:
        return self.model.decoder(encoded, rules=self.options.rules, threads=threads)

    def _sentences(self, rows: Rows) -> Sentences:
        tokenizer = self.options.tokenizer or self.model.default_tokenizer
        numbers = (rows.first + rows.valid.nonzero()[0]).tolist()
        offsets = []
        for number, text in zip(numbers, rows.texts, strict=True):
            try:
                offsets.append(tokenize(text, tokenizer))
            except InputError as error:
                raise InputError(f"column {self.columns[0]!r}, row {number}: {error}") from None
        return Sentences(list(rows.texts), offsets)


class _Within:
    """Says which rows an error of decoding is about: it knows sequences by their place among those."""

    def __init__(self, column: str, rows: Rows) -> None:
        self.where = f"column {column!r}, rows {rows.first} to {rows.first + len(rows) - 1}"

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, InputError):
            raise kind(f"{self.where}: {error}") from None


def _columns(schema: Any, column: str | Sequence[str] | None) -> list[str]:
    """The names of the columns to read; InputError if one of them is not there, or there twice."""
    names = list(schema.names)
    if column is None:
        found = [name for name in (TEXT, WORDS) if name in names] or (names if len(names) == 1 else [])
        if not found:
            raise InputError(f"name the column to tag, such as column={names[0] if names else 'text'!r}")
        wanted = found[:1]
    else:
        wanted = [column] if isinstance(column, str) else list(column)
    if not wanted:
        raise InputError("column is an empty list; name the columns to tag")
    for name in wanted:
        if names.count(name) != 1:
            advice = "rename one of them" if name in names else did_you_mean(name, names)
            has = f"{names.count(name)} columns" if name in names else "no column"
            raise InputError(f"the table has {has} named {name!r}; {advice}")
    return wanted


def _with_columns(data: Any, fields: Sequence[Any], columns: Sequence[Any]) -> Any:
    """The table or batch with more columns."""
    schema = _with_fields(data.schema, fields)
    return type(data).from_arrays([*data.columns, *columns], schema=schema)


def _with_fields(schema: Any, fields: Sequence[Any]) -> Any:
    for each in fields:
        schema = schema.append(each)
    return schema


def _tag_column(model: Tagger, data: Any, options: Options) -> Any:
    """The answers for one column, as an array or chunks like the given ones."""
    pa = load_pyarrow()
    if options.column is not None or options.name is not None:
        raise InputError("a single column has no name; leave column and name out, or give the whole table")
    task = Task.of(model, pa.schema([pa.field(TEXT, data.type)]), replace(options, column=TEXT))
    if len(task.fields) > 1:
        raise InputError("probabilities of tokens need a column of their own; give the whole table")
    if isinstance(data, pa.Array):
        return task.run(pa.record_batch([data], [TEXT]), 0)[0]
    found, first = [], 0
    for chunk in data.chunks:
        found += task.run(pa.record_batch([chunk], [TEXT]), first)
        first += len(chunk)
    return pa.chunked_array(found, task.fields[0].type)


def _tag_stream(model: Tagger, reader: Any, options: Options) -> Any:
    """The batches of a stream, each tagged when it is asked for."""
    pa = load_pyarrow()
    task = Task.of(model, reader.schema, options)

    def batches() -> Iterator[Any]:
        first = 0
        for batch in reader:
            yield _with_columns(batch, task.fields, task.run(batch, first))
            first += batch.num_rows

    return pa.RecordBatchReader.from_batches(_with_fields(reader.schema, task.fields), batches())


def _imported(data: Any) -> Any:
    """Arrow data of another library, as a Table, or as a ChunkedArray if it is a single column."""
    pa = load_pyarrow()
    if not hasattr(data, "__arrow_c_stream__"):
        raise InputError(
            f"tag_arrow takes a table of pyarrow or an object with __arrow_c_stream__, got {type(data).__name__}; "
            "for lists of words use tag_words, for texts tag_text"
        )
    try:
        return pa.RecordBatchReader.from_stream(data).read_all()
    except pa.ArrowException as error:
        try:
            return pa.chunked_array(data)
        except pa.ArrowException:
            raise InputError(f"the Arrow data of this {type(data).__name__} cannot be read: {error}") from None
