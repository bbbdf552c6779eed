"""The disk fills up, breaks or is read-only, or the process is killed, at drawn moments of everything that writes.

Afterwards each file is the old one or the new one, bit for bit, and a fault that does not kill is told in one sentence.

More of it: `python -m tests.faults.driver`, which this test runs with few rounds.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROUNDS = 8
LINUX = sys.platform.startswith("linux") and shutil.which("cc") is not None

needs_shim = pytest.mark.skipif(not LINUX, reason="the shim needs Linux and a C compiler")


@pytest.fixture(scope="session")
def shim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("shim") / "shim.so"
    source = Path(__file__).with_name("shim.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", made, source, "-ldl"], check=True)
    return made


def struck(shim: Path, seed: int, rounds: int, *names: str) -> tuple[list[str], dict[str, int]]:
    """What was found to be wrong, and how many operations each target has."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.faults.driver", str(shim), str(seed), str(rounds), *names],
        cwd=ROOT,
        env={**os.environ, "LD_PRELOAD": str(shim)},
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert run.returncode == 0, run.stderr
    *found, last = map(json.loads, run.stdout.splitlines())
    return [each["wrong"] for each in found], last["operations"]


@needs_shim
@pytest.mark.slow
@pytest.mark.parametrize(
    "names",
    [
        ("train", "train --log", "convert", "convert to items", "convert to brat", "demo-data"),
        ("pack", "pack --min-count"),
        ("tune", "responses", "Model.save", "Model.save of a stream", "write_errors_page"),
        ("CRF.save", "CRF.fit", "Dataset.save", "write", "annotate"),
    ],
    ids=["commands", "packing", "more", "methods"],
)
def test_each_file_is_the_old_one_or_the_new_one(shim: Path, names: tuple[str, ...]) -> None:
    found, operations = struck(shim, 7, ROUNDS, *names)
    assert found == []
    assert set(operations) == set(names)
    assert all(count >= 3 for count in operations.values())  # a file is created, written and renamed at least


@needs_shim
def test_the_shim_strikes(shim: Path, tmp_path: Path) -> None:
    """The n-th operation fails, and only in the folder."""
    code = (
        "import ctypes, sys\nfrom pathlib import Path\nlibrary = ctypes.CDLL(sys.argv[1])\nhome = Path(sys.argv[2])\n"
        "library.faults_arm(str(home / 'here').encode(), 2, 1, 28)\n"
        "(home / 'elsewhere').write_bytes(b'x')\n"
        "try:\n    (home / 'here').write_bytes(b'x')\nexcept OSError as error:\n    print(error.errno)\n"
    )
    command = [sys.executable, "-c", code, str(shim), str(tmp_path)]
    run = subprocess.run(command, env={**os.environ, "LD_PRELOAD": str(shim)}, capture_output=True, text=True)
    assert run.stdout == "28\n", run.stderr
    assert (tmp_path / "elsewhere").read_bytes() == b"x"
    assert (tmp_path / "here").read_bytes() == b""
