"""The Makefile names tests that exist, and sets the project up in steps that do not repeat each other."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_test_that_a_target_runs_exists() -> None:
    named = re.findall(r"(?<![\w/])(?:tests|scripts|benchmarks|examples|requirements)/[\w/.-]+", MAKEFILE)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize(("target", "testing"), [("demo", "OFF"), ("build", "OFF"), ("tools", "ON"), ("test", "ON")])
def test_a_fresh_clone_compiles_once(target: str, testing: str, tmp_path: Path) -> None:
    for name in ("pyproject.toml", "CMakeLists.txt", "scripts/dependencies.py", "native/one.cpp"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    told = subprocess.run(
        ["make", "-n", target], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    compiled = [line for line in told if line.endswith(" -e .")]
    assert [line.split()[0] for line in compiled] == [f"TAGFIELD_TESTING={testing}"]


def test_ci_runs_both_halves_and_a_part_of_the_sanitizers() -> None:
    commands = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-3:]
    assert commands == ["make test", "make thorough", "make sanitize-part"]
    halves = re.findall(r'pytest \$\(PYTEST_FLAGS\) -m "([^"]+)"', MAKEFILE)
    assert halves == ["not slow", "slow or hypothesis"]


def listed(*extras: str) -> list[str]:
    command = [sys.executable, str(ROOT / "scripts/dependencies.py"), *extras]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_the_demo_installs_no_tools_of_developers() -> None:
    demo = listed("build", "plots", "serve")
    assert "matplotlib>=3.8" in demo
    assert any(line.startswith("nanobind") for line in demo)
    assert not any(line.startswith(("pytest", "ruff", "ray", "spacy", "playwright")) for line in demo)


def test_requirements_of_an_extra_within_an_extra_are_listed() -> None:
    assert {"matplotlib>=3.8", "scikit-learn>=1.4", "pyarrow>=16"} <= set(listed("dev"))
    assert not any(line.startswith("tagfield") for line in listed("dev"))
