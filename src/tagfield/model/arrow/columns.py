"""Columns of Arrow → what a model reads: texts as strings, or words in the buffers where they are.

    string · large_string · string_view · dictionary of strings         ─▶ "text": a text in each row
    list · large_list · list_view · fixed_size_list of any of these     ─▶ "words": the tokens of a sentence in each row

Words are not copied where Arrow keeps them as (large) lists of (large) strings; other types are copied.
A null row stays a null row. A null token is an error: it has no features, and leaving it out would shift the labels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Longs
from tagfield.errors import InputError
from tagfield.native._text import ArrowWords

Kind: TypeAlias = Literal["text", "words"]
Flags: TypeAlias = NDArray[np.bool_]
TOKENS = 1 << 14  # that are encoded at once: their attributes take 240 to 500 bytes each
CHARACTERS = 1 << 18  # of text that are tokenized at once


def load_pyarrow() -> Any:
    """pyarrow; InputError with the command that installs it if it is missing."""
    try:
        import pyarrow
        import pyarrow.compute
    except ImportError as error:
        raise InputError(f"tag_arrow needs pyarrow ({error}); install it with: pip install 'tagfield[arrow]'") from None
    return pyarrow


def kind_of(type: Any, name: str) -> Kind:
    """What a column of this type holds.

    >>> pa = load_pyarrow()
    >>> kind_of(pa.string(), "a"), kind_of(pa.list_(pa.dictionary(pa.int8(), pa.large_string())), "a")
    ('text', 'words')
    >>> kind_of(pa.list_(pa.int64()), "ids")
    Traceback (most recent call last):
    tagfield.errors.InputError: column 'ids' holds list<item: int64>; give strings (text) or lists of strings (tokens)
    """
    plain = _storage(type)
    if _is_text(plain):
        return "text"
    if _is_list(plain) and _is_text(_storage(plain.value_type)):
        return "words"
    found = str(type).replace("element:", "item:")
    raise InputError(f"column {name!r} holds {found}; give strings (text) or lists of strings (tokens)")


@dataclass(frozen=True)
class Rows:
    """Some rows of a table: which of them are there, and their words or texts."""

    first: int  # the number of the first row
    valid: Flags  # [rows]
    words: ArrowWords | None = None
    texts: Sequence[str] = ()  # of the rows that are there

    def __len__(self) -> int:
        return len(self.valid)


def rows_of_words(columns: Sequence[tuple[str, Any]], first: int) -> Iterator[Rows]:
    """The rows of columns of words (name, array), in pieces of about `TOKENS` tokens.

    first: the number of the first row, for messages

    >>> pa = load_pyarrow()
    >>> [rows] = rows_of_words([("w", pa.array([["a", "b"], None, []]))], 0)
    >>> len(rows.words), rows.valid.tolist()
    (3, [True, False, True])
    """
    arrays = [(name, _validated(array, name)) for name, array in columns]
    valid = np.logical_and.reduce([_valid(array) for _, array in arrays])
    parts = [_parts(name, array, valid, first) for name, array in arrays]
    tokens = parts[0][1].astype(np.int64)
    at, end = 0, len(valid)
    while at < end:
        to = int(np.searchsorted(tokens, tokens[at] + TOKENS, side="right")) - 1
        to = min(end, max(to, at + 1))
        piece = [(name, rows[at : to + 1], words, text) for name, rows, words, text in parts]
        yield Rows(first + at, valid[at:to], ArrowWords(piece, first + at))
        at = to


def rows_of_text(name: str, array: Any, first: int) -> Iterator[Rows]:
    """The rows of a column of texts, in pieces of about `CHARACTERS`; see `rows_of_words`.

    >>> pa = load_pyarrow()
    >>> [(rows.texts, len(rows)) for rows in rows_of_text("t", pa.array(["Hi", None, "Bo"]), 0)]
    [(['Hi', 'Bo'], 3)]
    """
    array = _plain_text(_validated(array, name))
    lengths = load_pyarrow().compute.utf8_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    ends = np.cumsum(lengths.astype(np.int64) + 1)
    valid = _valid(array)
    at = 0
    while at < len(array):
        before = int(ends[at - 1]) if at else 0
        to = max(at + 1, int(np.searchsorted(ends, before + CHARACTERS, side="right")))
        texts = [text for text in array.slice(at, to - at).to_pylist() if text is not None]
        yield Rows(first + at, valid[at:to], texts=texts)
        at = to


def _storage(type: Any) -> Any:
    """The type below extension types."""
    pa = load_pyarrow()
    while isinstance(type, pa.BaseExtensionType):
        type = type.storage_type
    return type


def _named(type: Any, *tests: str) -> bool:
    """Whether one of pyarrow's tests of a type holds; older versions lack some of them."""
    types = load_pyarrow().types
    return any(getattr(types, test)(type) for test in tests if hasattr(types, test))


def _is_text(type: Any) -> bool:
    if _named(type, "is_dictionary"):
        type = type.value_type
    return _named(type, "is_string", "is_large_string", "is_string_view", "is_null")


def _is_list(type: Any) -> bool:
    return _named(type, "is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")


def _validated(array: Any, name: str) -> Any:
    """The array without its extension type, if its buffers hold together: they may come from anywhere."""
    pa = load_pyarrow()
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    try:
        array.validate(full=True)
    except pa.ArrowException as error:
        raise InputError(f"column {name!r}: the Arrow data is damaged: {error}") from None
    return array


def _plain_text(array: Any) -> Any:
    pa = load_pyarrow()
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if _named(array.type, "is_string", "is_large_string"):
        return array
    try:
        return array.cast(pa.large_string())
    except pa.ArrowNotImplementedError:  # early versions with string_view cannot cast it
        return pa.array(array.to_pylist(), pa.large_string())


def _valid(array: Any) -> Flags:
    if not array.null_count:
        return np.ones(len(array), bool)
    found: Flags = array.is_valid().to_numpy(zero_copy_only=False)
    return found


def _parts(name: str, array: Any, valid: Flags, first: int) -> tuple[str, Any, Any, Any]:
    """The name of a list column, and its three buffers: offsets of rows, offsets of words, bytes."""
    values = _plain_text(array.values)
    plain = _named(array.type, "is_list", "is_large_list")
    if plain and valid.all():
        rows = array.offsets.to_numpy()
    else:  # a null row may have words below it, and views may lie in any order: one row after the other
        if plain:
            offsets = array.offsets.to_numpy()
            starts, lengths = offsets[:-1], np.diff(offsets)
        elif _named(array.type, "is_fixed_size_list"):
            size = array.type.list_size
            starts, lengths = (array.offset + np.arange(len(array))) * size, np.full(len(array), size)
        else:
            starts, lengths = array.offsets.to_numpy(), array.sizes.to_numpy()
        rows = np.zeros(len(array) + 1, np.int64)
        np.cumsum(np.where(valid, lengths, 0), out=rows[1:])
        chosen = np.repeat(starts - rows[:-1], np.diff(rows)) + np.arange(rows[-1])
        values = values.take(load_pyarrow().array(chosen))
    if values.null_count:
        _refuse_null_tokens(name, rows, values, first)
    _, offsets, text = values.buffers()
    width = np.dtype(np.int64 if _named(values.type, "is_large_string") else np.int32)
    words = _array(offsets, width)[values.offset : values.offset + len(values) + 1]
    return name, rows, words if len(words) else np.zeros(1, width), _array(text, np.dtype(np.uint8))


def _refuse_null_tokens(name: str, rows: Longs, values: Any, first: int) -> None:
    used = np.flatnonzero(~_valid(values)[rows[0] : rows[-1]])
    if not len(used):
        return
    at = int(used[0]) + int(rows[0])
    row = int(np.searchsorted(rows, at, side="right")) - 1
    raise InputError(
        f"column {name!r}, row {first + row}, token {at - int(rows[row])} is null; leave the token out, or write '_'"
    )


def _array(buffer: Any, type: np.dtype[Any]) -> NDArray[Any]:
    """A view of a buffer, which it keeps alive."""
    if buffer is None or buffer.size < type.itemsize:
        return np.empty(0, type)
    return np.frombuffer(buffer, type, buffer.size // type.itemsize)
