"""flatten, importable as in sklearn-crfsuite: `from tagfield.utils import flatten`."""

from collections.abc import Iterable
from itertools import chain
from typing import TypeVar

Entry = TypeVar("Entry")

__all__ = ["flatten"]


def flatten(y: Iterable[Iterable[Entry]]) -> list[Entry]:
    """The entries of all lists in one list.

    >>> flatten([["D", "N"], ["V"]])
    ['D', 'N', 'V']
    """
    return list(chain.from_iterable(y))
