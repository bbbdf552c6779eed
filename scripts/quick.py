"""A contributor's loop, in under a minute: lint, types, and the tests of what changed since a commit.

    changed files ─▶ src/tagfield/a/b.py   tests/a/test_b.py, and tests of room a that import tagfield.a.b
                  ─▶ tests/a/test_b.py     itself
                  ─▶ native/               tests/native

`make quick` compares with the last commit; `make quick QUICK_FLAGS="--base main"` with a branch. Slow tests are left to
`make thorough`.
"""

import argparse
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("lint-imports",), ("mypy",))


def changed(base: str) -> list[Path]:
    """The files that differ from a commit, and those that git does not know yet."""
    commands = (["git", "diff", "--name-only", base], ["git", "ls-files", "--others", "--exclude-standard"])
    lines = "".join(subprocess.check_output(command, cwd=ROOT, text=True) for command in commands).splitlines()
    return [Path(line) for line in dict.fromkeys(lines) if (ROOT / line).exists()]


def tests_of(path: Path) -> list[Path]:
    """The test files that a changed file calls for."""
    if path.parts[0] == "native":
        return sorted((ROOT / "tests/native").glob("test_*.py"))
    if path.parts[0] == "tests":
        return [ROOT / path] if path.name.startswith("test_") else []
    if path.parts[:2] != ("src", "tagfield") or path.suffix != ".py":
        return []
    room = ROOT / "tests" / Path(*path.parts[2:-1])
    module = ".".join(path.with_suffix("").parts[1:])
    near = [test for test in sorted(room.glob("test_*.py")) if module in test.read_text(encoding="utf-8")]
    twin = room / f"test_{path.name}"
    return [twin, *near] if twin.exists() else near


def main() -> int:
    """Run the checks, then the tests; the exit code is 0 if all pass."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--base", default="HEAD", help="commit to compare with; default: HEAD")
    base = parser.parse_args().base
    running = [subprocess.Popen([str(BIN / name), *rest], cwd=ROOT) for name, *rest in CHECKS]
    tests = list(dict.fromkeys(test for path in changed(base) for test in tests_of(path)))
    print(f"{len(tests)} test files for what changed since {base}", flush=True)
    failed = False
    if tests:
        command = [sys.executable, "-m", "pytest", "-n", "auto", "-m", "not slow", *map(str, tests)]
        failed = subprocess.run(command, cwd=ROOT, check=False).returncode != 0
    codes = [check.wait() for check in running]
    return int(failed or any(codes))


if __name__ == "__main__":
    sys.exit(main())
