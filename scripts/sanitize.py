#!/usr/bin/env python
"""python scripts/sanitize.py address|thread [--kernels all] [pytest's arguments]: tests on sanitized native modules.

    native/ ─▶ CMake, -fsanitize ─▶ build/sanitize/*.so ─┐
    src/tagfield ────────────────────────────────────────┴─▶ build/sanitize/site ─▶ pytest ─▶ build/sanitize/reports

A sanitizer ends the process in which it finds something. It reports to a file, because pytest captures standard error
and loses it when the process dies. The files are printed at the end. The exit code is 1 if a test fails or if there is
a report, which may come from any process that a test started.
"""

import argparse
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = "abort_on_error=1 "  # faulthandler then prints Python's stack, which names the test


@dataclass(frozen=True)
class Sanitizer:
    """How to build and run with it."""

    flag: str  # of -fsanitize
    folder: Path
    libraries: tuple[str, ...]  # preloaded: they must be there before the first exception
    options: dict[str, str]  # environment variable ─▶ options; the interpreter itself leaks, so leaks do not count


SANITIZERS = {
    "address": Sanitizer(
        "address,undefined",
        ROOT / "build/sanitize",
        ("asan.so", "ubsan.so"),
        {"ASAN_OPTIONS": OPTIONS + "detect_leaks=0", "UBSAN_OPTIONS": OPTIONS + "print_stacktrace=1"},
    ),
    "thread": Sanitizer(
        "thread",
        ROOT / "build/threads",
        ("tsan.so",),
        {"TSAN_OPTIONS": OPTIONS + "halt_on_error=1 second_deadlock_stack=1"},
    ),
}


def main() -> int:
    """Build, test, print."""
    parser = argparse.ArgumentParser(description="Run tests on sanitized native modules.", allow_abbrev=False)
    parser.add_argument("sanitizer", choices=SANITIZERS)
    parser.add_argument("--kernels", default="native", choices=("native", "all"), help="builds of the kernels")
    given, tests = parser.parse_known_args()
    sanitizer = SANITIZERS[given.sanitizer]
    build(sanitizer, given.kernels)
    flags = ["-n", "auto", "--dist", "worksteal", "-m", "not slow", "-p", "no:cacheprovider"]
    code = run_tests(sanitizer, [*flags, "--hypothesis-profile=sanitize", *tests], sanitizer.folder / "reports")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{sanitizer.flag}: {(used.ru_utime + used.ru_stime) / 60:.1f} minutes of CPU")
    return code


def build(sanitizer: Sanitizer, kernels: str) -> None:
    """Compile the modules, and put them into a copy of the package."""
    folder, tools = sanitizer.folder, Path(sys.executable).parent
    settings = {
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "CMAKE_BUILD_TYPE": "Release",
        "TAGFIELD_KERNELS": kernels,
        "TAGFIELD_TESTING": "ON",
        "TAGFIELD_SANITIZE": sanitizer.flag,
        "Python_EXECUTABLE": sys.executable,
    }
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    subprocess.run([tools / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *defined], check=True)
    subprocess.run([tools / "cmake", "--build", folder, "-j", str(os.cpu_count() or 1)], check=True)
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src/tagfield", site / "tagfield", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for module in folder.glob("*.so"):
        shutil.copy2(module, site / "tagfield/native")
    code = "import tagfield.native as native; print(native.kernels.__file__)"
    command = [sys.executable, "-c", code]
    found = subprocess.check_output(command, env=environment(sanitizer), cwd=ROOT, text=True).strip()
    if not Path(found).is_relative_to(site):
        raise SystemExit(f"sanitize: Python imports {found}, which is not in {site}")
    print(f"the kernels under test: {found}", flush=True)


def environment(sanitizer: Sanitizer, reports: Path | None = None) -> dict[str, str]:
    """The variables under which Python runs the sanitized modules. Reports go to a folder, or to standard error."""
    made = {**os.environ, "LD_PRELOAD": " ".join(map(library, (*sanitizer.libraries, "stdc++.so.6")))}
    made["PYTHONPATH"] = os.pathsep.join(map(str, (ROOT / "scripts/sanitized", sanitizer.folder / "site")))
    for name, options in sanitizer.options.items():
        made[name] = (
            options if reports is None else f"{options} log_path={reports}/report"
        )  # and the number of the process
    return made


def library(name: str) -> str:
    """The compiler's path to a library."""
    command = [os.environ.get("CXX", "c++"), f"-print-file-name=lib{name}"]
    return subprocess.check_output(command, text=True).strip()


def run_tests(sanitizer: Sanitizer, arguments: list[str], reports: Path) -> int:
    """Run pytest, then print every report that a process left; 1 if a test failed or if there is one."""
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir(parents=True)
    # pytest -n would take one thread for each process, and a race needs two.
    variables = {"OMP_NUM_THREADS": "2", **environment(sanitizer, reports)}
    failed = subprocess.run([sys.executable, "-m", "pytest", *arguments], env=variables, check=False).returncode
    found = sorted(reports.iterdir())
    for report in found:
        print(f"\n{report}:\n{report.read_text(errors='replace')}")
    print(f"{sanitizer.flag}: {len(found)} reports; exit code of pytest: {failed}", flush=True)
    return int(bool(found) or failed != 0)


if __name__ == "__main__":
    sys.exit(main())
