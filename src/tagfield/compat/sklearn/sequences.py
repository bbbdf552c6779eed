"""Results for several sequences: lists that can do what sklearn-crfsuite's arrays can.

    SequenceList   one entry for each sequence     [['D', 'N'], ['D']]
    TokenList      one entry for each token         ['D', 'N']
    Matches        what a == b gives: an array, and its truth is that of comparing two lists

sklearn-crfsuite returned lists up to version 0.3.6, and returns arrays of objects since 0.5. Scripts use both: they
append, compare and write JSON, or call .tolist(), .flatten(), .shape and (y == y_pred).all(). These lists do all of it.
"""

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Matches(np.ndarray[Any, Any]):
    """An array of comparisons. `if matches:` asks whether the two lists are equal, as it does for lists.

    >>> matches = SequenceList([["A", "B"]]) == [["A", "C"]]
    >>> matches.tolist(), bool(matches), bool(matches.any())
    ([[True, False]], False, True)
    """

    _equal: bool | None  # None for arrays that NumPy makes of this one: they have NumPy's truth

    def __array_finalize__(self, obj: Any) -> None:
        self._equal = None

    def __bool__(self) -> bool:
        return bool(np.asarray(self)) if self._equal is None else self._equal


class TokenList(list[Any]):
    """A list with one entry for each token of a sequence; also has the attributes and methods of an array.

    >>> row = TokenList(["D", "N"])
    >>> bool(row == ["D", "N"]), row.tolist(), row.shape, (row == ["D", "V"]).sum().item()
    (True, ['D', 'N'], (2,), 1)
    """

    def tolist(self) -> list[Any]:
        """Plain lists, as the method of an array makes them."""
        return list(self)

    def _array(self) -> Array:
        return np.fromiter(self, object, len(self))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("a list becomes an array only by a copy")
        made = self._array()
        return made if dtype is None else made.astype(dtype)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions get arrays; see `joinable` for those that join several."""
        if func is np.concatenate and args and isinstance(args[0], list | tuple):
            args = (joinable(args[0]), *args[1:])
        return func(*map(_as_array, args), **{name: _as_array(value) for name, value in kwargs.items()})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._array(), name)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(super().__getitem__(index))
        if isinstance(index, tuple | list | np.ndarray) or index is Ellipsis:
            return self._array()[index]
        return super().__getitem__(index)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, True)

    def __ne__(self, other: object) -> Any:
        return self._compared(other, False)

    __hash__ = None

    def _compared(self, other: object, equal: bool) -> Any:
        if not isinstance(other, list | tuple):
            return NotImplemented
        each = [_same(one, two) for one, two in zip(self, other, strict=False)]
        same = isinstance(other, list) and len(self) == len(other) and all(each)
        several = isinstance(self, SequenceList) and all(isinstance(entry, list | np.ndarray) for entry in other)
        try:
            found = np.asarray(self._array() == (SequenceList(other) if several else TokenList(other))._array(), bool)
        except ValueError:  # shapes that do not fit
            found = np.array(each if len(self) == len(other) else same)
        made: Any = np.asarray(found == equal).view(Matches)
        made._equal = same is equal
        return made


class SequenceList(TokenList):
    """A list with one list for each sequence; its array has two dimensions if all sequences have the same length.

    y[0] can do what an array can, too. Iterating gives plain lists, because seqeval refuses subclasses of list.

    >>> y = SequenceList([["A"], ["A", "B"]])
    >>> bool(y == [["A"], ["A", "B"]]), y.tolist(), np.concatenate([y, SequenceList([["B"]])]).tolist()
    (True, [['A'], ['A', 'B']], [['A'], ['A', 'B'], ['B']])
    >>> SequenceList([["1", "2"], ["3", "4"]]).astype(int).sum().item()
    10
    """

    def __init__(self, rows: Iterable[Iterable[Any]] = ()) -> None:
        super().__init__(row if isinstance(row, list) else list(row) for row in rows)

    def tolist(self) -> list[Any]:
        """Plain lists, as the method of an array makes them."""
        return [list(row) for row in self]

    def rows(self) -> Array:
        """An array of lists, whatever their lengths."""
        return np.fromiter(self.tolist(), object, len(self))

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        if type(found) is list:
            self[index] = found = TokenList(found)  # stored, so that what is done to it lasts
        return found

    def _array(self) -> Array:
        lengths = {len(row) for row in self}
        if len(lengths) != 1:
            return self.rows()
        [length] = lengths
        return np.fromiter(chain.from_iterable(self), object, len(self) * length).reshape(len(self), length)


def joinable(parts: Iterable[Any]) -> list[Any]:
    """Arrays that NumPy can join: cross_val_predict joins the predictions of its folds.

    The arrays of two folds differ in their dimensions if the sequences of one happen to have the same length; then all
    become arrays of lists.

    >>> [part.ndim for part in joinable([SequenceList([["A", "B"]]), SequenceList([["A"], ["A", "B"]])])]
    [1, 1]
    """
    parts = list(parts)
    arrays = list(map(_as_array, parts))
    if len({np.shape(array)[1:] for array in arrays}) == 1:
        return arrays
    return [part.rows() if isinstance(part, SequenceList) else part for part in parts]


def _as_array(value: Any) -> Any:
    return value._array() if isinstance(value, TokenList) else value


def _same(one: Any, other: Any) -> bool:
    return bool(list(one) == list(other) if isinstance(one, list) and isinstance(other, list | tuple) else one == other)
