"""Which Python tagfield runs in: the main interpreter, with the global lock.

    sub-interpreter           NumPy and the native modules keep their state once per process: ImportError
    free-threaded Python      importing the native modules switches the lock on again, with Python's own warning;
                              where it is forced off (PYTHON_GIL=0, -X gil=0): ImportError

The lock guards vocabularies and encoders while Python objects are read. The kernels release it, so threads that tag or
train run side by side with it.
"""

import os
import sys
from importlib import import_module


def require_supported() -> None:
    """Raise ImportError where tagfield cannot run.

    >>> require_supported()
    """
    if not in_main_interpreter():
        raise ImportError(
            "tagfield cannot run in a sub-interpreter, because NumPy cannot either; import it in the main interpreter, "
            "or start processes with multiprocessing (under mod_wsgi: WSGIApplicationGroup %{GLOBAL})"
        )
    if lock_forced_off():
        raise ImportError(
            "tagfield needs Python's global interpreter lock; start Python without PYTHON_GIL=0 and -X gil=0"
        )


def in_main_interpreter() -> bool:
    """Whether this is the first interpreter of the process; True where Python has no way to tell.

    >>> in_main_interpreter()
    True
    """
    for name in ("_interpreters", "_xxsubinterpreters"):  # Python 3.13 and later, Python 3.12 and earlier
        try:
            module = import_module(name)
        except ImportError:
            continue
        return bool(module.get_current() == module.get_main())
    return True


def lock_forced_off() -> bool:
    """Whether a free-threaded Python runs with its lock forced off.

    >>> lock_forced_off()
    False
    """
    if getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    given = sys._xoptions.get("gil", None if sys.flags.ignore_environment else os.environ.get("PYTHON_GIL"))
    return given == "0"
