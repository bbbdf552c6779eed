"""A search by Python's `re` that can be ended: in a process of its own.

    expression, text ─▶ line of JSON ─▶ process: re.search ─▶ 0 or 1
                          └─ no answer for SECONDS ─▶ the process is killed, SlowExpression

`re` keeps the interpreter's lock while it searches, so neither a thread nor a signal can end it. Only expressions that
no automaton can follow, and that may take very long, are searched here.
"""

import atexit
import json
import os
import subprocess
import sys
import threading

from tagfield.errors import InputError

SECONDS = 5.0  # for one text
PROGRAM = """
import json, re, sys
for line in sys.stdin:
    expression, text = json.loads(line)
    print(int(re.search(expression, text) is not None), flush=True)
"""

_lock = threading.Lock()
_processes: dict[int, subprocess.Popen[bytes]] = {}  # by the process that started them: a fork must not share a pipe


class SlowExpression(InputError):
    """An expression took too long for a cell; an encoder that holds this cell cannot be used again."""


def slow_search(expression: str, text: str) -> bool:
    r"""Whether `re` finds the expression in the text; SlowExpression if that takes longer than SECONDS.

    >>> slow_search(r"(\w+)-\1", "bye-bye")
    True
    """
    with _lock:
        process = _processes.get(os.getpid()) or _start()
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(SECONDS, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps([expression, text]).encode() + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        finally:
            timer.cancel()
        if not answer:
            _end()
    if not answer:
        raise SlowExpression(
            f"the regular expression {expression!r:.200} took longer than {SECONDS:g} s for a cell of {len(text):,} "
            "characters; write it without nested repeats, or without backreferences and look-arounds"
        )
    return answer.strip() == b"1"


def _start() -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", "-c", PROGRAM]
    made = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    _processes[os.getpid()] = made
    return made


def _renew() -> None:
    global _lock
    _lock = threading.Lock()  # another thread may have held it during the fork


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@atexit.register
def _end() -> None:
    process = _processes.pop(os.getpid(), None)
    if process is not None:
        process.kill()
        process.communicate()
