"""`import tagfield` takes a small part of the time of `import numpy`; seconds would depend on the machine."""

import re
import subprocess
import sys

ROUNDS = 5
LARGEST = 0.5  # of NumPy's time; it takes 0.1 to 0.2


def import_time(module: str) -> int:
    """Microseconds that importing a module takes in a new Python, without the start of Python itself."""
    command = [sys.executable, "-X", "importtime", "-c", f"import {module}"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.findall(rf"\|\s*(\d+) \| {module}$", told, re.MULTILINE)
    return int(found[-1])


def test_it_takes_a_part_of_what_numpy_takes() -> None:
    rounds = [(import_time("tagfield"), import_time("numpy")) for _ in range(ROUNDS)]
    ours, theirs = (min(times) for times in zip(*rounds, strict=True))
    assert ours < LARGEST * theirs
