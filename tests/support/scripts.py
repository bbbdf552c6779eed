"""Scripts of the folder scripts/ as modules, and the files of the project."""

import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    """scripts/NAME.py, imported; scripts import each other by their names."""
    folder = str(ROOT / "scripts")
    if folder not in sys.path:
        sys.path.append(folder)
    return import_module(name)


def pyproject() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
