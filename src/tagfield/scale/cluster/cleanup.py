"""Cleans up after a local cluster, even if the process that started it is killed.

    python cleanup.py FOLDER: waits for the end of standard input, which is held open by the process that started it;
    then ends the processes that have TAGFIELD_SESSION=FOLDER in their environment, and removes the folder

Ray's own processes end with that process, except for two agents that stay for a minute, and a folder in /tmp. This file
is run by its path and imports nothing of tagfield, so that it starts at once.
"""

import os
import shutil
import signal
import sys
import time
from pathlib import Path

SESSION = "TAGFIELD_SESSION"
SECONDS = 10.0  # for processes to end, before the folder is removed


def processes(folder: str) -> list[int]:
    """The processes of a session, where /proc tells; this one is not among them."""
    mark, found = f"{SESSION}={folder}".encode(), []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0") and int(entry.name) != os.getpid():
                found.append(int(entry.name))
        except OSError:  # it has ended, or is someone else's
            continue
    return found


def clean(folder: str) -> None:
    """Ends what is left of a session, and removes its folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> clean(folder)
    >>> os.path.exists(folder)
    False
    """
    deadline = time.monotonic() + SECONDS
    while (left := processes(folder)) and time.monotonic() < deadline:
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                continue
        time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.stdin.buffer.read()
    clean(sys.argv[1])
