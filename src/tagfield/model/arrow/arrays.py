"""A decoder's answers → Arrow arrays, without a Python object for a label.

    words   label ids ─▶ list<string>, and if asked for P(label | sentence) ─▶ list<float>
    text    spans, or tokens ─▶ list<struct<start, end, label, text, probability>>

Offsets count characters of the text, as those of `tagfield.TaggedText` do.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from tagfield.data.dataset import Floats, Ints, Longs
from tagfield.inference.decoder import Decoder
from tagfield.model.answers import answers, span_kind
from tagfield.model.arrow.columns import Flags, load_pyarrow
from tagfield.model.sentences import Sentences

_JOINED = ("ids", "lengths", "valid")


def labels_type() -> Any:
    """The type of the labels of words: list<string>."""
    pa = load_pyarrow()
    return pa.list_(pa.string())


def probabilities_type() -> Any:
    """The type of the probabilities of labels: list<float>."""
    pa = load_pyarrow()
    return pa.list_(pa.float32())


def marks_type() -> Any:
    """The type of spans and tokens of text.

    >>> str(marks_type().value_type)
    'struct<start: int32, end: int32, label: string, text: string, probability: double>'
    """
    pa = load_pyarrow()
    whole = [(name, pa.int32()) for name in ("start", "end")]
    return pa.list_(pa.struct([*whole, ("label", pa.string()), ("text", pa.string()), ("probability", pa.float64())]))


class Labels(NamedTuple):
    """The labels of some rows of words."""

    ids: Ints  # [T]
    probability: Floats | None  # [T]  P(label | sentence)
    lengths: Longs  # [rows]
    valid: Flags  # [rows]


def of_words(decoder: Decoder, valid: Flags, probabilities: bool) -> Labels:
    """The labels of rows of words, and their probabilities if they are wanted."""
    lengths = np.diff(decoder.tokens)
    if not probabilities:
        return Labels(decoder.best(), None, lengths, valid)
    found = decoder.best_with_probabilities()
    return Labels(found.labels, found.token, lengths, valid)


def columns_of_labels(pieces: Iterable[Labels], names: Sequence[str], probabilities: bool) -> list[Any]:
    """The column of labels, and that of their probabilities if they are wanted.

    >>> some = Labels(np.array([1, 0], np.int32), None, np.array([2, 0]), np.array([True, False]))
    >>> columns_of_labels([some], ["X", "Y"], False)[0].to_pylist()
    [['Y', 'X'], None]
    """
    pa = load_pyarrow()
    every = [Labels(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.int64), np.empty(0, bool)), *pieces]
    ids, lengths, valid = (np.concatenate([getattr(each, name) for each in every]) for name in _JOINED)
    coded = pa.DictionaryArray.from_arrays(pa.array(ids), pa.array(names, pa.string()))
    columns = [_lists(labels_type(), coded.dictionary_decode(), lengths, valid)]
    if probabilities:
        sure = np.concatenate([each.probability for each in every if each.probability is not None])
        columns.append(_lists(probabilities_type(), pa.array(sure), lengths, valid))
    return columns


def of_text(
    decoder: Decoder, names: Sequence[str], sentences: Sentences, valid: Flags, *, tokens: bool, probabilities: bool
) -> Any:
    """The spans of texts, or their tokens; `valid` has an entry for each row, `sentences` a text for each valid one."""
    marks: list[tuple[Any, ...]] = []  # the fields of each struct
    ends = [0]
    found = answers(decoder, names, None if tokens else span_kind(names), probabilities=probabilities)
    for text, each in zip(sentences.texts, sentences.offsets, strict=True):
        for offsets in each:
            answer = next(found)
            if tokens:
                sure: Sequence[float | None] = [None] * len(offsets) if answer.sure is None else answer.sure
                for (start, end), i, p in zip(offsets, answer.labels, sure, strict=True):
                    marks.append((start, end, names[i], text[start:end], p))
            else:
                for label, begin, after, p in answer.chunks:
                    start, end = offsets[begin][0], offsets[after - 1][1]
                    marks.append((start, end, label, text[start:end], p))
        ends.append(len(marks))
    lengths = np.zeros(len(valid), np.int64)
    lengths[valid] = [end - start for start, end in pairwise(ends)]
    fields = list(marks_type().value_type)
    columns = zip(*marks, strict=True) if marks else [()] * len(fields)
    columns = [load_pyarrow().array(column, each.type) for column, each in zip(columns, fields, strict=True)]
    structs = load_pyarrow().StructArray.from_arrays(columns, fields=fields)
    return _lists(marks_type(), structs, lengths, valid)


def column_of_marks(pieces: Iterable[Any]) -> Any:
    """The column of spans or tokens, from the arrays of `of_text`."""
    return load_pyarrow().concat_arrays([load_pyarrow().array([], marks_type()), *pieces])


def _lists(type: Any, values: Any, lengths: Longs, valid: Flags) -> Any:
    pa = load_pyarrow()
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    mask = None if valid.all() else pa.array(~valid)
    return pa.ListArray.from_arrays(pa.array(offsets), values, type=type, mask=mask)
