#!/usr/bin/env python
"""python scripts/sanitize.py address|thread [--kernels LEVEL] [--part] [pytest's arguments]: tests on a sanitizer.

    native/ ─▶ CMake, -fsanitize ─▶ build/sanitize/*.so ─┐
    src/tagfield ────────────────────────────────────────┴─▶ build/sanitize/site ─▶ pytest ─▶ build/sanitize/reports

A sanitizer ends the process in which it finds something. It reports to a file, because pytest captures standard error
and loses it when the process dies. The files are printed at the end. The exit code is 1 if a test fails or if there is
a report, which may come from any process that a test started.

--kernels takes native (the best build for this processor), all, or one build by name: base, avx2, avx512. Only these
are compiled. --part is for CI: it compiles in a third of the time, in folders of its own, and where the sanitizer
cannot run it prints one line and exits with 0.
"""

import argparse
import ctypes
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OPTIONS = "abort_on_error=1 "  # faulthandler then prints Python's stack, which names the test
LEVELS = ("base", "avx2", "avx512")


@dataclass(frozen=True)
class Sanitizer:
    """How to build and run with it."""

    flag: str  # of -fsanitize
    folder: Path
    libraries: tuple[str, ...]  # preloaded: they must be there before the first exception
    options: dict[str, str]  # environment variable ─▶ options; the interpreter itself leaks, so leaks do not count
    modules: tuple[str, ...] = ("_text", "_kernels", "_testing")
    compiler_options: str = ""

    def part(self) -> "Sanitizer":
        """What --part compiles: the kernels. _text starts no threads, and `make test` fuzzes it with sanitizers."""
        if self.flag == "thread":
            return replace(self, modules=("_kernels",))
        # Without optimisation and debug information it compiles in half the time; UBSan still names the line, and
        # AddressSanitizer the function.
        folder = self.folder.with_name("sanitize-part")
        return replace(self, folder=folder, modules=("_kernels", "_testing"), compiler_options="-O0 -g0")


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
    parser.add_argument("--kernels", default="native", choices=("native", "all", *LEVELS), help="builds of the kernels")
    parser.add_argument("--part", action="store_true", help="compile quickly, and skip what this machine cannot run")
    given, tests = parser.parse_known_args()
    sanitizer = SANITIZERS[given.sanitizer].part() if given.part else SANITIZERS[given.sanitizer]
    if given.sanitizer == "thread":
        keep_addresses()
    missing = why_not(sanitizer)
    if missing:
        print(f"sanitize: NO TEST RAN with {sanitizer.flag}: {missing}", flush=True)
        return 0 if given.part else 1
    build(sanitizer, given.kernels)
    flags = ["-n", "auto", "--dist", "worksteal", "-m", "not slow", "-p", "no:cacheprovider"]
    code = run_tests(sanitizer, [*flags, "--hypothesis-profile=sanitize", *tests], sanitizer.folder / "reports")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{sanitizer.flag}: {used.ru_utime:.0f} s of user CPU time, {used.ru_stime:.0f} s of the system's")
    return code


def keep_addresses() -> None:
    """Have Linux load programs at fixed addresses: GCC 12's ThreadSanitizer refuses those that newer kernels draw."""
    if sys.platform == "linux":
        ctypes.CDLL(None).personality(0x0040000)  # ADDR_NO_RANDOMIZE; child processes inherit it


def why_not(sanitizer: Sanitizer) -> str:
    """Why the sanitizer cannot run here, or nothing: its libraries, a small program, and Python with them preloaded."""
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        return f"there is no compiler {compiler}"
    absent = [f"lib{name}" for name in sanitizer.libraries if not Path(library(name)).is_absolute()]
    if absent:
        return f"{compiler} has no {', '.join(absent)}"
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program"
        command = [compiler, f"-fsanitize={sanitizer.flag}", "-x", "c++", "-", "-o", str(program)]
        tried = [(command, {**os.environ}), ([str(program)], {**os.environ})]
        tried.append(([sys.executable, "-c", "import threading"], environment(sanitizer)))
        for command, variables in tried:
            done = subprocess.run(
                command, env=variables, input="int main() {}", capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                said = next(iter(done.stderr.strip().splitlines()), f"exit code {done.returncode}")
                return f"{Path(command[0]).name} fails with it: {said}"
    return ""


def build(sanitizer: Sanitizer, kernels: str) -> None:
    """Compile the modules, and put them into a copy of the package."""
    folder, tools = sanitizer.folder, Path(sys.executable).parent
    settings = {
        "CMAKE_MAKE_PROGRAM": tools / "ninja",
        "CMAKE_BUILD_TYPE": "Release",
        "TAGFIELD_KERNELS": "native" if kernels == "native" else "all",
        "TAGFIELD_TESTING": "ON",
        "TAGFIELD_SANITIZE": sanitizer.flag,
        "Python_EXECUTABLE": sys.executable,
    }
    if sanitizer.compiler_options:  # the last ones, so that they win
        rule = f"<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> {sanitizer.compiler_options} -o <OBJECT> -c <SOURCE>"
        settings["CMAKE_CXX_COMPILE_OBJECT"] = rule
    defined = [f"-D{name}={value}" for name, value in settings.items()]
    configure = [tools / "cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *defined]
    configured = subprocess.run(configure, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(configured, end="", flush=True)
    chosen = configured.partition("Builds of the kernels: ")[2].splitlines()[0].split(";")
    levels = [kernels] if kernels in LEVELS else chosen
    modules = [f"{name}_{level}" for name in sanitizer.modules for level in levels if name != "_text"]
    modules += ["_text"] * ("_text" in sanitizer.modules)
    jobs = ["-j", str(os.cpu_count() or 1)]
    subprocess.run([tools / "cmake", "--build", folder, *jobs, "--target", *modules], check=True)
    site = folder / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src/tagfield", site / "tagfield", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    copied = [built for module in modules for built in folder.glob(f"{module}.*so")]  # not what earlier runs left there
    installed = find_spec("tagfield.native._text")
    if "_text" not in modules and installed and installed.origin:
        copied.append(Path(installed.origin))
    for module in copied:
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
