"""A program that uses pycrfsuite, run as it is and on tagfield, each in a process of its own."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

SWITCH = 'import sys, tagfield.pycrfsuite; sys.modules["pycrfsuite"] = tagfield.pycrfsuite\n'
INSTALL = "import tagfield; tagfield.install_as_pycrfsuite()\n"


def run(program: str, folder: Path, switch: str = "") -> Any:
    """What the program prints last, as JSON; `switch` goes before its first line."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", switch + program],
        capture_output=True,
        cwd=folder,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def both(program: str, folder: Path, switch: str = SWITCH) -> tuple[Any, Any]:
    """The results with python-crfsuite and with tagfield."""
    return run(program, folder / "theirs"), run(program, folder / "ours", switch)
