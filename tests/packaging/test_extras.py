"""Extras are what tagfield imports only where it is used, and every advice to install one names one that exists."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.scripts import ROOT, pyproject

PACKAGE = ROOT / "src/tagfield"
MODULES = {"scikit-learn": "sklearn"}  # where a package and its module have different names
EXTRAS = {"plots", "sklearn", "arrow", "spacy", "cluster", "serve"}  # of users; the others are for developers
INDIRECT = {
    "httptools": "uvicorn imports it",
    "threadpoolctl": "scikit-learn brings it",
    "srsly": "spaCy brings it",
    "IPython": "only in a notebook, which has it",
    "eli5": "only when eli5 asks",
}
ADVICE = re.compile(r"tagfield\[([\w,]+)\]|'\.\[([\w,]+)\]'")


def names(requirements: list[str]) -> set[str]:
    """The modules of requirements such as "ray[data]>=2.9"."""
    found = {re.split(r"[^\w-]", line)[0] for line in requirements}
    return {MODULES.get(name, name) for name in found}


@cache
def imports(path: Path) -> list[tuple[str, bool]]:
    """The modules that a file imports, and whether that happens when the file itself is imported."""
    return list(_imports(path))


def _imports(path: Path) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {
        node
        for outer in ast.walk(tree)
        if isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef) or is_for_types(outer)
        for node in ast.walk(outer)
    }
    for node in ast.walk(tree):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module]
        yield from ((module.partition(".")[0], node not in inner) for module in modules)


def is_for_types(node: ast.AST) -> bool:
    """Whether it is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def foreign() -> dict[str, set[Path]]:
    """Every module of another package that tagfield imports, and where."""
    found: dict[str, set[Path]] = {}
    for path in PACKAGE.rglob("*.py"):
        for module, _ in imports(path):
            if module not in sys.stdlib_module_names and module != "tagfield":
                found.setdefault(module, set()).add(path)
    return found


def test_every_import_is_required_or_an_extra_and_every_requirement_is_imported() -> None:
    project = pyproject()["project"]
    extras = {name: names(lines) for name, lines in project["optional-dependencies"].items() if name in EXTRAS}
    assert set(extras) == EXTRAS
    required = names(project["dependencies"])
    known = required | set().union(*extras.values())
    assert set(foreign()) <= known | set(INDIRECT)
    assert known <= set(foreign()) | set(INDIRECT)
    assert not required & set().union(*extras.values())


def test_all_has_every_extra_of_users() -> None:
    (line,) = pyproject()["project"]["optional-dependencies"]["all"]
    assert set(line.removeprefix("tagfield[").removesuffix("]").split(",")) == EXTRAS


def test_an_extra_is_imported_in_functions_or_in_rooms_of_its_own() -> None:
    """Rooms that nothing imports before it is needed: the server, the plots, and what scikit-learn's classes are in."""
    rooms = {
        "sklearn": {"compat/sklearn/estimator.py", "compat/sklearn/install.py", "metrics.py"},
        "threadpoolctl": {"compat/sklearn/fitting.py"},
        "uvicorn": {"apps/serve/server.py"},
        "httptools": {"apps/serve/server.py"},
        "matplotlib": {"compare/plots.py", "compare/share_image.py"},
    }
    extras = set().union(*(names(pyproject()["project"]["optional-dependencies"][extra]) for extra in EXTRAS))
    for path in PACKAGE.rglob("*.py"):
        for module, at_once in imports(path):
            if at_once and module in extras | set(INDIRECT):
                assert path.relative_to(PACKAGE).as_posix() in rooms.get(module, set()), module


@pytest.mark.parametrize("folder", ["src", "docs", "examples", "scripts", ".github", "."])
def test_every_advice_names_an_extra(folder: str) -> None:
    known = set(pyproject()["project"]["optional-dependencies"])
    pattern = "*.md" if folder == "." else "**/*"
    for path in (ROOT / folder).glob(pattern):
        if path.suffix not in (".py", ".md", ".html", ".js", ".yml"):
            continue
        for match in ADVICE.finditer(path.read_text(encoding="utf-8")):
            assert set((match[1] or match[2]).split(",")) <= known, f"{path}: {match[0]}"
