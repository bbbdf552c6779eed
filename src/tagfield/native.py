"""Chooses the build of the kernels for this machine.

The same C++ is built for several instruction sets (CMakeLists.txt); the best one that this processor runs is
imported as `kernels`. TAGFIELD_CPU=base|avx2|avx512 forces a choice, for tests and for comparing machines: results
are bit for bit the same on one build, and may differ in the last digits between builds.
"""

import os
from importlib import import_module
from typing import TYPE_CHECKING

from tagfield.errors import InputError

if TYPE_CHECKING:
    from tagfield import _kernels_base as kernels
else:

    def _load():
        base = import_module("tagfield._kernels_base")
        runs = base.supported_levels()
        level = os.environ.get("TAGFIELD_CPU") or runs[-1]
        if level not in runs:
            raise InputError(
                f"TAGFIELD_CPU={level} cannot run on this processor; choose one of {', '.join(runs)}"
            )
        return base if level == "base" else import_module(f"tagfield._kernels_{level}")

    kernels = _load()

__all__ = ["kernels"]
