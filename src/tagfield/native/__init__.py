"""The compiled modules: `_text` reads and encodes, `kernels` computes.

CMake compiles the kernels for several instruction sets; `kernels` is the fastest build that this processor supports.
Set TAGFIELD_CPU=base|avx2|avx512 to choose one yourself, for example in tests. One build always gives the
same bits; two builds may differ in the last digits.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

from tagfield.errors import InputError

if TYPE_CHECKING:
    from tagfield.native import _kernels_base as kernels
else:

    def __getattr__(name):
        if name != "kernels":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        base = import_module("tagfield.native._kernels_base")
        runs = base.supported_levels()
        level = os.environ.get("TAGFIELD_CPU") or runs[-1]
        if level not in runs:
            raise InputError(f"this processor does not support TAGFIELD_CPU={level}; choose one of {', '.join(runs)}")
        globals()["kernels"] = base if level == "base" else import_module(f"tagfield.native._kernels_{level}")
        return globals()["kernels"]


__all__ = ["kernels"]
