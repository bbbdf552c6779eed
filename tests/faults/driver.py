"""Runs everything that writes with faults at drawn moments, one forked child for each; started with the shim preloaded.

python -m tests.faults.driver SHIM SEED ROUNDS [NAME …] ─▶ a JSON line for each finding, and one with the counts
"""

import ctypes
import errno
import json
import os
import random
import shutil
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from tests.faults.targets import TARGETS, TEXT, Target

NOTHING, FAIL, SHORT, KILL_BEFORE, KILL_AFTER, TERMINATE, SLOW = range(7)
USAGE = 2
ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT, errno.EACCES, errno.EFBIG)


class Case:
    """A target with a folder of old files, and one of the files that a run without faults makes of them."""

    def __init__(self, name: str, target: Target, home: Path, shim: ctypes.CDLL) -> None:
        self.name, self.target, self.home, self.shim = name, target, home, shim
        for folder in ("given", "old", "new", "out"):
            (home / folder).mkdir(parents=True)
        (home / "given" / "data.txt").write_text(TEXT)
        (home / "given" / "other.txt").write_text(TEXT.replace("word", "else"))
        code, self.operations = self.run(home / "new")
        assert code == 0, (name, (home / "said").read_text())
        for module in (home / "imported").read_text().split():  # once here, and not in each child
            with suppress(ImportError):
                import_module(module)
        for path in self.files(home / "new"):
            other = home / "old" / path
            other.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(home / "new" / path, other)  # as an older file of the same kind
            if target.whole is None or "model" not in path:
                other.write_bytes(b"an older file\n" if "model" not in path else b"12345678{}")

    def files(self, folder: Path) -> list[str]:
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def run(self, folder: Path, at: int = 0, kind: int = NOTHING, number: int = 0) -> tuple[int, int]:
        """Exit code (negative: the signal), and how many operations there were."""
        counted = self.home / "seen"
        child = os.fork()
        if child == 0:
            code = 70
            try:
                said = os.open(self.home / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(said, 1), os.dup2(said, 2)
                self.shim.faults_arm(str(folder).encode(), at, kind, number)
                code = self.target.act(self.home / "given", folder)
                self.shim.faults_disarm()
                counted.write_text(str(self.shim.faults_seen()))
                (self.home / "imported").write_text("\n".join(sys.modules))
                sys.stdout.flush(), sys.stderr.flush()
            finally:
                self.shim.faults_disarm()
                os._exit(code)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status), int(counted.read_text()) if counted.exists() else 0

    def strike(self, drawn: random.Random) -> str:
        """One run with a fault; what is wrong with what it left, or ""."""
        kind = drawn.choice((FAIL, FAIL, SHORT, KILL_BEFORE, KILL_AFTER, TERMINATE, SLOW))
        at, number = drawn.randint(1, max(1, self.operations)), drawn.choice(ERRORS)
        fresh, out = drawn.random() < 0.4, self.home / "out"
        shutil.rmtree(out)
        if fresh:
            out.mkdir()
        else:
            shutil.copytree(self.home / "old", out)
        code, _ = self.run(out, at, kind, number)
        said = (self.home / "said").read_text()
        what = f"{self.name}, operation {at} of {self.operations}, fault {kind}, error {number}, exit code {code}: "
        if "Traceback" in said or code == 70:
            return what + said
        killed = kind in (KILL_BEFORE, KILL_AFTER, TERMINATE)
        if code < 0 and not killed:
            return what + "it crashed"
        left = [path for path in self.files(out) if path.rpartition("/")[2].startswith(".tagfield-")]
        if left and not killed:
            return what + f"it left {left}"
        if left and killed:  # the next run removes what the killed one left
            again, _ = self.run(out)
            more = [path for path in self.files(out) if path.rpartition("/")[2].startswith(".tagfield-")]
            if more and again != USAGE:  # 2: a tuning that was stopped asks for --resume
                return what + f"after it, exit code {again} and {more} were left"
        for path in self.files(out):
            wrong = self.look(path, must_be_new=code == 0 and path in self.files(self.home / "new"))
            if wrong:
                return what + f"{path} {wrong}"
        return ""

    def look(self, path: str, *, must_be_new: bool) -> str:
        """What is wrong with a file after a fault: it must be the old one or the new one."""
        found, old, new = (self.home / folder / path for folder in ("out", "old", "new"))
        if not must_be_new and old.exists() and found.read_bytes() == old.read_bytes():
            return ""
        if new.exists() and found.read_bytes() == new.read_bytes():
            return ""
        if self.target.whole is None:
            return "is neither the old file nor the new one"
        try:
            return "" if self.target.whole(found) else "is not whole"
        except Exception as error:
            return f"is not whole: {error}"


def main() -> None:
    """Strike each target ROUNDS times."""
    shim, seed, rounds, *names = sys.argv[1:]
    library = ctypes.CDLL(shim)
    drawn = random.Random(int(seed))
    counts = {}
    for name in names or TARGETS:
        home = Path(tempfile.mkdtemp(prefix="faults-"))
        try:
            case = Case(name, TARGETS[name], home, library)
            counts[name] = case.operations
            for _ in range(int(rounds)):
                wrong = case.strike(drawn)
                if wrong:
                    print(json.dumps({"wrong": wrong}), flush=True)
        finally:
            shutil.rmtree(home)
    print(json.dumps({"operations": counts, "runs": int(rounds) * len(counts)}))


if __name__ == "__main__":
    main()
