"""Checks of single values; `called` is the argument's name for messages."""

import math
from numbers import Real
from typing import Any, TypeVar

from tagfield.errors import InputError, shown

T = TypeVar("T")


def number(called: str, value: Any) -> float:
    """A number, or an InputError that names what was given.

    >>> number("c2", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{called} must be a number, got {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"{called} must be a finite number, got one of {len(str(value))} digits") from None


def whole(called: str, value: Any) -> int:
    """The same for whole numbers.

    >>> whole("period", 10.0)
    10
    """
    found = number(called, value)
    if not math.isfinite(found) or found != found // 1:
        raise InputError(f"{called} must be a whole number, got {shown(value)}")
    return int(value)


def flag(called: str, value: Any) -> bool:
    """True or False, or an InputError that names what was given.

    >>> flag("average", 1)
    True
    """
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    if isinstance(value, Real) and value in (0, 1):
        return bool(value)
    raise InputError(f"{called} must be True or False, got {shown(value)}")


def not_none(called: str, value: T | None, advice: str) -> T:
    """The value, or an InputError that says what to pass instead of None.

    >>> not_none("X", None, "pass a list of sequences")
    Traceback (most recent call last):
    tagfield.errors.InputError: X is None; pass a list of sequences
    """
    if value is None:
        raise InputError(f"{called} is None; {advice}")
    return value
