"""Options: one line for each, where it is a field of a frozen record. Everything else is read off that line.

average: bool = option(False, "Keep the running mean of the weights.", group=STOCHASTIC)
    │
    ├─▶ check            the range and the type, in the words of the caller
    ├─▶ options_of       every option of a record and of the records inside it, by name
    ├─▶ with_options     a record with some of them changed
    └─▶ documented       a line in help(); the command line and docs/options.md read the same Option
"""

import math
from collections.abc import Hashable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import MISSING, dataclass, field, fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar, get_args

from tagfield.errors import InputError, shown
from tagfield.system.checks import flag, number, whole

T = TypeVar("T")
KEY = "option"
_called: ContextVar[Mapping[str, str] | None] = ContextVar("called", default=None)  # the caller's names of fields
LARGEST = 2**31 - 1  # whole number, where an option names no other


@dataclass(frozen=True)
class Option:
    """What there is to know about an option, apart from its default."""

    help: str  # one sentence; it makes sense alone
    group: str = ""  # the panel of the command line
    name: str = ""  # in Settings.of and on the command line, where it is not the field's
    crf: str = ""  # CRF's argument, where it is not `name`
    low: float | None = None  # the least value
    above: float | None = None  # what the value must exceed
    high: float | None = None  # the largest value
    choices: Mapping[str, Any] | None = None  # what can be written, and what it stands for
    usual: str = ""  # the default in words, where the field's own says little
    metavar: str = ""
    applies: tuple[str, ...] = ()  # families of recipes it is for, where it is a field of Settings

    def check(self, called: str, value: Any, kind: type) -> Any:
        """The value as the field holds it, or an InputError that names it as the caller does.

        >>> Option("Pairs that are kept.", low=1).check("num_memories", 0, int)
        Traceback (most recent call last):
        tagfield.errors.InputError: num_memories must be at least 1, got 0
        """
        if self.choices is not None:
            return self._choice(called, value)
        if kind is bool:
            return flag(called, value)
        if kind in (int, float):
            value = whole(called, value) if kind is int else number(called, value)
            self._range(called, value, math.inf if kind is float else LARGEST)
        return value

    def _choice(self, called: str, value: Any) -> Any:
        assert self.choices is not None
        if isinstance(value, str) and value in self.choices:
            return self.choices[value]
        if any(value is known for known in self.choices.values()):
            return value
        if is_dataclass(value) and type(value) in {type(known) for known in self.choices.values()}:
            return value
        offered = ", ".join(self.choices)
        raise InputError(f"{called} must be one of {offered}; got {shown(value)}")

    def _range(self, called: str, value: float, most: float) -> None:
        if self.low is not None and not value >= self.low:
            words = "at least" if self.low else "≥"
            raise InputError(f"{called} must be {words} {self.low:g}, got {value:g}")
        if self.above is not None and not value > self.above:
            raise InputError(f"{called} must be above {self.above:g}, got {value:g}")
        high = most if self.high is None else self.high
        if value > high or (math.isinf(value) and self.high is None):
            limit = "a finite number" if math.isinf(high) else f"at most {high:.10g}"
            raise InputError(f"{called} must be {limit}, got {value:g}")


def option(default: Any, help: str | Option, **about: Any) -> Any:
    """A field of a frozen record that is an option: its default, one sentence, and what is allowed."""
    made = help if isinstance(help, Option) else Option(help, **about)
    return field(default=default, metadata={KEY: made})


def nested(default: Any = MISSING) -> Any:
    """A field that holds a record with options of its own."""
    return field(default=default, metadata={"nested": True})


@dataclass(frozen=True)
class Found:
    """An option of a record: where it is, what it is, and its value."""

    name: str
    path: tuple[str, ...]  # field names, from the record inwards
    option: Option
    kind: type
    optional: bool  # whether None is allowed
    value: Any

    @property
    def crf(self) -> str:
        return self.option.crf or self.name


def options_of(record: Any) -> dict[str, Found]:
    """Every option of a record (or of a class of records, with its defaults), those inside it included, by name."""
    return {found.name: found for found in _walk(record, ())}


def _walk(record: Any, path: tuple[str, ...]) -> Iterator[Found]:
    for each in fields(record):
        value = each.default if isinstance(record, type) else getattr(record, each.name)
        about = each.metadata.get(KEY)
        here = (*path, each.name)
        if about is not None:
            kind, optional = _kind(each.type)  # type: ignore[arg-type]  # a type is hashable
            optional = optional or each.default is None  # the record itself puts something in its place
            yield Found(about.name or each.name, here, about, kind, optional, value)
        if is_dataclass(value) and (about is not None or each.metadata.get("nested")):
            yield from _walk(value, here)


@cache
def _kind(annotation: Hashable) -> tuple[type, bool]:
    """The type of a field's value, and whether it may be None."""
    parts = get_args(annotation)
    several = [part for part in parts if part is not type(None)] or [annotation]
    kind = several[0] if len(several) == 1 else object
    return kind if isinstance(kind, type) else object, type(None) in parts


def with_options(record: T, values: Mapping[str, Any], called: Mapping[str, str] | None = None) -> T:
    """The record with some options changed; `called` are the caller's names for them, for messages."""
    if not values:
        return record
    there, names = options_of(record), called or {}
    changed: T = _changed(record, {there[name].path: (names.get(name, name), value) for name, value in values.items()})
    return changed


def _changed(record: Any, values: Mapping[tuple[str, ...], tuple[str, Any]]) -> Any:
    """The record with the named values at some paths; each record inside it changes at once: one may only fit another.

    The record checks its fields when it is made, and calls them by the caller's names.
    """
    top = {path[0]: value for path, (_, value) in values.items() if len(path) == 1}
    for name in {path[0] for path in values if len(path) > 1}:
        inner = {path[1:]: value for path, value in values.items() if path[0] == name and len(path) > 1}
        top[name] = _changed(top.get(name, getattr(record, name)), inner)
    before = _called.set({path[0]: called for path, (called, _) in values.items() if len(path) == 1})
    try:
        return replace(record, **top)
    finally:
        _called.reset(before)


def check_record(record: Any) -> None:
    """Checks every option of a record, once, when it is made: for `__post_init__`. Defaults need no check."""
    called = _called.get() or {}
    for each in fields(record):
        value = getattr(record, each.name)
        about = None if value is each.default else each.metadata.get(KEY)
        if about is not None:
            kind, optional = _kind(each.type)  # type: ignore[arg-type]  # a type is hashable
            if not (value is None and optional):
                object.__setattr__(record, each.name, about.check(called.get(each.name, each.name), value, kind))


def plain_values(record: Any) -> dict[str, Any]:
    """The options of a record as plain values, for a file; what has no plain value is given by its name."""
    return {found.name: _plain(found) for found in options_of(record).values()}


def _plain(found: Found) -> Any:
    for text, value in (found.option.choices or {}).items():
        if value is found.value or (type(value) is type(found.value) and is_dataclass(value)):
            return text
    value = found.value
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def default_text(found: Found) -> str:
    """The default of an option, for people.

    >>> @dataclass(frozen=True)
    ... class Steps:
    ...     average: bool = option(False, "Keep the running mean.")
    >>> default_text(options_of(Steps)["average"])
    'False'
    """
    if found.option.usual:
        return found.option.usual
    value = _plain(found)
    return f"{value:g}" if isinstance(value, float) else str(value)


def documented(record: type[T]) -> type[T]:
    """Adds a line for each option to the docstring of a record, before its example."""
    lines = [
        f"    {found.path[0]}{f' ({found.name} in Settings.of)' if found.name != found.path[0] else ''}: "
        f"{found.option.help} Default: {default_text(found)}."
        for found in _walk(record, ())
        if len(found.path) == 1
    ]
    text, mark, example = (record.__doc__ or "").partition("\n    >>>")
    record.__doc__ = text.rstrip() + "\n\n" + "\n".join(lines) + "\n" + (f"{mark}{example}" if mark else "    ")
    return record
