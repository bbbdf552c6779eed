#!/usr/bin/env python
"""python scripts/sdist.py [-o dist] [--install]: build the source distribution and check its contents.

    sources ─▶ build ─▶ DIST/*.tar.gz ─▶ the files in git, except sdist.exclude of pyproject.toml
                             └─▶ --install: built and installed without a network, then scripts/smoke.py

--install compiles everything, which takes minutes. Where the system allows it (`unshare`, as root on Linux) there is no
network at all; elsewhere pip is told to use none.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build/release"
MADE = {"PKG-INFO"}
LARGEST = 10_000_000  # bytes


def main(arguments: Sequence[str] | None = None) -> int:
    """Build and check; return 1 with an error message if a check fails."""
    parser = argparse.ArgumentParser(description="Build the source distribution, and check what is in it.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", help="folder for it")
    parser.add_argument("--install", action="store_true", help="also build and install it without a network")
    given = parser.parse_args(arguments)
    made = build(given.output)
    wrong = problems(made, tracked_files())
    for problem in wrong:
        print(f"sdist.py: {made.name}: {problem}", file=sys.stderr)
    if wrong:
        return 1
    print(f"{made.name}: {made.stat().st_size / 1e6:.2f} MB, {len(files_of(made))} files", flush=True)
    return install(made) if given.install else 0


def build(output: Path) -> Path:
    """The archive that the build backend of pyproject.toml makes."""
    output.mkdir(parents=True, exist_ok=True)
    code = "import sys; from scikit_build_core.build import build_sdist; print(build_sdist(sys.argv[1]))"
    command = [sys.executable, "-c", code, str(output.resolve())]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout
    return output / told.splitlines()[-1]


def problems(made: Path, tracked: set[str]) -> list[str]:
    """What is wrong with an archive, given the files that git knows: one sentence each."""
    found = []
    inside = files_of(made)
    wanted = {name for name in tracked if not name.startswith(excluded())}
    if made.stat().st_size >= LARGEST:
        found.append(f"it has {made.stat().st_size:,} bytes, and may have at most {LARGEST:,}")
    if absent := sorted(wanted - inside):
        found.append(f"it lacks {', '.join(absent[:5])}{' …' if len(absent) > 5 else ''}")
    if strange := sorted(inside - wanted - MADE):
        found.append(f"it has {', '.join(strange[:5])}{' …' if len(strange) > 5 else ''}, which git does not know")
    return found


def excluded() -> tuple[str, ...]:
    """The folders that pyproject.toml leaves out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    return tuple(f"{name}/" for name in settings["sdist"]["exclude"])


def files_of(made: Path) -> set[str]:
    """The files of an archive, without the folder that they are all in."""
    with tarfile.open(made) as archive:
        names = [PurePosixPath(member.name) for member in archive if not member.isdir()]
    return {name.relative_to(name.parts[0]).as_posix() for name in names}


def tracked_files() -> set[str]:
    """The files that git knows and that are there."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True, check=True).stdout.decode()
    return {name for name in listed.split("\0") if name and (ROOT / name).exists()}


def install(made: Path) -> int:
    """Build the archive in a virtualenv that has what the build needs, without a network, and run the smoke tests."""
    bare = WORK / "offline"
    python = str(bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(bare)], check=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    hashed = ["--require-hashes", "--only-binary", ":all:", "-r"]
    for name in ("build.txt", "serve.txt"):  # what builds it, and what it requires
        subprocess.run([*pip, *hashed, str(ROOT / "requirements" / name)], check=True)
    cut = ["unshare", "--net"] if shutil.which("unshare") and os.geteuid() == 0 else []
    path = os.pathsep.join([str(Path(python).parent), os.environ["PATH"]])
    offline = [*cut, *pip, "--no-index", "--no-build-isolation", str(made)]
    subprocess.run(offline, check=True, env={**os.environ, "PATH": path})
    return subprocess.run([*cut, python, "-I", str(ROOT / "scripts/smoke.py")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
