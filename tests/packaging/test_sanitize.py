"""`make sanitize` shows what a sanitizer found, and in which test: real bugs, compiled here."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.scripts import script

sanitize = script("sanitize")

BUGS = """
#include <thread>
extern "C" int beyond(int n) { int* p = new int[n]; int read = p[n]; delete[] p; return read; }
extern "C" int overflow(int n) { return n + 2147483647; }
extern "C" int race(int n) {
  std::thread one([&] { for (int k = 0; k < 1000; ++k) ++n; }), two([&] { for (int k = 0; k < 1000; ++k) ++n; });
  one.join(), two.join();
  return n;
}
"""
TESTS = """
import ctypes, subprocess, sys

def test_itself():
    ctypes.CDLL({library!r}).{bug}(5)

def test_in_a_process():
    code = "import ctypes; ctypes.CDLL({library!r}).{bug}(5)"
    subprocess.run([sys.executable, "-c", code], capture_output=True)
"""


@pytest.mark.parametrize(
    ("name", "bug", "found"),
    [
        ("address", "beyond", "heap-buffer-overflow"),
        ("address", "overflow", "signed integer overflow"),
        ("thread", "race", "data race"),
    ],
)
def test_a_report_is_printed_with_the_test(
    name: str, bug: str, found: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sanitizer = sanitize.SANITIZERS[name]
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None or not all(map(os.path.isabs, map(sanitize.library, sanitizer.libraries))):
        pytest.skip(f"{compiler} has no -fsanitize={sanitizer.flag}")
    (tmp_path / "bugs.cpp").write_text(BUGS)
    made = str(tmp_path / "bugs.so")
    flags = ["-O1", "-g1", "-shared", "-fPIC", f"-fsanitize={sanitizer.flag}", "-fno-sanitize-recover=undefined"]
    subprocess.run([compiler, *flags, str(tmp_path / "bugs.cpp"), "-o", made], check=True)
    tests = tmp_path / "test_bugs.py"
    tests.write_text(TESTS.format(library=made, bug=bug))

    arguments = ["-n", "1", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tests)]
    assert sanitize.run_tests(sanitizer, arguments, tmp_path / "reports") == 1
    shown = capfd.readouterr().out
    assert "crashed while running 'test_bugs.py::test_itself'" in shown
    assert "1 failed, 1 passed" in shown  # the second does not look at what became of its process
    assert f"{sanitizer.flag}: 2 reports" in shown
    reports = shown.partition("reports/report.")[2].split("reports/report.")
    assert [bool(re.search(rf"{found}.*bugs\.cpp:\d", report, re.DOTALL)) for report in reports] == [True, True]


def test_without_a_report_the_exit_code_is_0(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    sanitizer = sanitize.Sanitizer("none", tmp_path, (), {})
    tests = tmp_path / "test_nothing.py"
    tests.write_text("def test_nothing():\n    pass\n")
    arguments = ["-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tests)]
    assert sanitize.run_tests(sanitizer, arguments, tmp_path / "reports") == 0
    assert "none: 0 reports; exit code of pytest: 0" in capfd.readouterr().out


@pytest.mark.parametrize(("flags", "code"), [([], 1), (["--part"], 0)])  # who asks for it whole wants to know
def test_a_compiler_without_the_sanitizer_says_so(
    flags: list[str], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\necho "${1#-print-file-name=}"\n')  # the answer of a compiler that has no such file
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr("sys.argv", ["sanitize.py", "address", *flags])
    assert sanitize.main() == code
    said = f"sanitize: NO TEST RAN with address,undefined: {compiler} has no libasan.so, libubsan.so\n"
    assert capfd.readouterr().out == said


def test_a_sanitizer_that_cannot_start_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\ncase "$1" in -print*) echo "/lib/x";; *) echo "no -fsanitize" >&2; exit 1;; esac\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert sanitize.why_not(sanitize.SANITIZERS["thread"]) == "c++ fails with it: no -fsanitize"
