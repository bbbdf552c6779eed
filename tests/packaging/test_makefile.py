"""The Makefile names tests that exist, and sets the project up in steps that do not repeat each other."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_every_test_that_a_target_runs_exists() -> None:
    named = re.findall(r"(?<![\w/])(?:tests|scripts|benchmarks|examples|requirements)/[\w/.-]+", MAKEFILE)
    assert len(named) > 20
    assert [path for path in named if not (ROOT / path).exists()] == []


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
