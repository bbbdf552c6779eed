"""Scripts of the folder scripts/ as modules, and the files of the project."""

import sys
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    """scripts/NAME.py, imported under a name of its own: there is a package `wheel`, too."""
    folder = str(ROOT / "scripts")
    if folder not in sys.path:
        sys.path.append(folder)  # scripts import each other
    spec = spec_from_file_location(f"tagfield_script_{name}", ROOT / f"scripts/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pyproject() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
