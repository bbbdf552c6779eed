"""The compiled modules: `_text` reads and encodes, `kernels` computes.

CMake compiles the same C++ for several instruction sets; `kernels` is the fastest build that this processor supports.
Set TAGFIELD_CPU=base|avx2|avx512 to choose one yourself, for example in tests. One build always gives the
same bits; two builds may differ in the last digits. A wheel has all of them, an editable install only the best one for
its machine (CMakeLists.txt, TAGFIELD_KERNELS).
"""

import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from tagfield.errors import InputError
from tagfield.native._text import supported_levels

HOW_TO_BUILD_ALL = "build the others with TAGFIELD_KERNELS=all in the environment of pip install"


def built_levels() -> list[str]:
    """The builds of the kernels that are installed and that this processor supports, the fastest last."""
    return [level for level in supported_levels() if find_spec(f"tagfield.native._kernels_{level}")]


if TYPE_CHECKING:
    from tagfield.native import _kernels_base as kernels
else:

    def __getattr__(name):
        if name != "kernels":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        runs, built = supported_levels(), built_levels()
        if not built:
            raise ImportError(f"no kernels for this processor ({', '.join(runs)}) are installed; {HOW_TO_BUILD_ALL}")
        level = os.environ.get("TAGFIELD_CPU") or built[-1]
        if level not in runs:
            raise InputError(f"this processor does not support TAGFIELD_CPU={level}; choose one of {', '.join(runs)}")
        if level not in built:
            raise InputError(
                f"the kernels of TAGFIELD_CPU={level} are not installed, only {', '.join(built)}; {HOW_TO_BUILD_ALL}"
            )
        globals()["kernels"] = import_module(f"tagfield.native._kernels_{level}")
        return globals()["kernels"]


__all__ = ["built_levels", "kernels", "supported_levels"]
