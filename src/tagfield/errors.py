"""The exceptions of tagfield, as a tree.

    TagfieldError
    ├── InputError (also a ValueError)    the data, a template or an argument is wrong
    │   └── MemoryLimitError              it needs more memory than may be used
    ├── ModelFileError                    a model file is truncated, corrupt or not a tagfield model
    ├── OutputError                       a file could not be written; the old file is unchanged
    └── TrainingError                     training diverged; nothing was saved

    UnknownAttributesWarning (a UserWarning)    a model knows hardly any attribute of its input

A message is one or two sentences: what was found, where (file, line or sequence index), and what to do.
Commands print the message; cli/shared/exit_codes.py has the exit codes.
"""

import difflib
from collections.abc import Iterable


class TagfieldError(Exception):
    """The base class of every error that tagfield raises."""


class InputError(TagfieldError, ValueError):
    """Data, a template or an argument is wrong."""


class MemoryLimitError(InputError):
    """Something needs more memory than may be used. The message says how much, and what would fit."""


class ModelFileError(TagfieldError):
    """A model file is truncated, corrupt or not a tagfield model."""


class OutputError(TagfieldError):
    """A file could not be written; the old file is unchanged."""


class TrainingError(TagfieldError):
    """Training diverged to numbers that are not finite. The message names the epoch; nothing was saved."""


class UnknownAttributesWarning(UserWarning):
    """A model knows hardly any attribute of its input, so its labels mean little."""


def did_you_mean(name: object, offered: Iterable[str], most: int = 30, *, otherwise: str | None = None) -> str:
    """The end of a message about an unknown name: the nearest one, or else what to do, by default to choose from all.

    >>> did_you_mean("lbgfs", ["sgd", "lbfgs"]), did_you_mean("x", ["sgd", "lbfgs"])
    ("did you mean 'lbfgs'?", 'choose one of sgd, lbfgs')
    >>> did_you_mean("x", ["sgd", "lbfgs"], otherwise="see docs/recipes.md")
    'see docs/recipes.md'
    """
    names = list(offered)
    close = nearest(name, names)
    if close or otherwise is not None:
        return f"did you mean {close!r}?" if close else str(otherwise)
    more = f" … and {len(names) - most} more" if len(names) > most else ""
    return f"choose one of {', '.join(names[:most])}{more}"


def shown(value: object, most: int = 80) -> str:
    """A value for a message: its repr, shortened; its type if the repr fails, as it does for deeply nested lists.

    >>> shown([1, 2]), shown("x" * 100, 10)
    ('[1, 2]', "'xxxxxxxx…")
    """
    try:
        text = repr(value)
    except Exception:  # a repr may do anything
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= most else f"{text[: most - 1]}…"


def nearest(name: object, offered: Iterable[str]) -> str:
    """The offered name that looks most like this one, or ""; the first of equals.

    >>> nearest("B-PRE", ["B-PER", "O"]), nearest("x", ["O"])
    ('B-PER', '')
    """
    names, text = list(offered), str(name)
    lower = {each.lower(): each for each in names}
    if text.lower() in lower:
        return lower[text.lower()]
    close = set(difflib.get_close_matches(text, names, len(names) or 1))
    found = (each for each in names if each in close)
    return max(found, key=lambda each: difflib.SequenceMatcher(None, each, text).ratio(), default="")


def needs_sklearn(what: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error for a missing scikit-learn, which says how to install it; another missing module stays as it is.

    >>> needs_sklearn("CRF", ModuleNotFoundError(name="sklearn"))
    ModuleNotFoundError("CRF needs scikit-learn; install it with: pip install 'tagfield[sklearn]'")
    """
    if error.name is None or error.name.partition(".")[0] not in ("sklearn", "threadpoolctl"):
        return error
    advice = f"{what} needs scikit-learn; install it with: pip install 'tagfield[sklearn]'"
    return ModuleNotFoundError(advice, name=error.name)
