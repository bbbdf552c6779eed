"""SIGKILL at drawn moments of what acknowledges work: a page that labels, a tuning, a training on a cluster.

    python -m tests.faults.kills annotate|tune|train SEED ROUNDS ─▶ a JSON line for each finding, and one with the count

Each function returns what it found to be wrong, one string for each finding. A round starts the real command in a
process of its own, kills it, and looks at what is left; the last round is not killed and must end as if no other had
been.
"""

import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from tagfield import Model, read
from tagfield.data.labels.schemes import Chunk, labels_of
from tagfield.system.storage import load_tensors
from tests.support.annotation import TEXTS, Annotation
from tests.support.service import PATIENCE

Sentences = list[tuple[list[str], list[str]]]  # words and labels
TEXT = "".join(f"word{k % 7} {'B-X' if k % 3 else 'O'}\n" + ("\n" if k % 4 == 3 else "") for k in range(240))
LONGEST = 900.0  # seconds of a command, on a machine that is busy
STEP = 0.002  # seconds between two looks at a file


class Labeller(threading.Thread):
    """A client that labels and takes back as fast as it can; `done` is acknowledged, and `next` may be done too."""

    def __init__(self, service: Annotation, done: Sentences, drawn: random.Random) -> None:
        super().__init__(daemon=True)
        self.service, self.done, self.drawn = service, done, drawn
        self.next: Sentences = done
        self.wrong = ""
        self.acknowledged = 0

    def run(self) -> None:
        gone = (OSError, EOFError, ValueError, http.client.HTTPException)  # no answer, or one that is cut off
        with suppress(*gone):
            _, found = self.service.ask("next")
            while not self.wrong:
                found = self.step(found)

    def wait_for(self, count: int) -> None:
        """Until so many requests were acknowledged, or something is wrong."""
        until = time.monotonic() + PATIENCE
        while self.acknowledged < count and not self.wrong:
            assert time.monotonic() < until, "nothing was acknowledged"
            time.sleep(STEP)

    def step(self, found: dict[str, Any]) -> dict[str, Any]:
        sentence = found["sentence"]
        if sentence is None or (self.done and self.drawn.random() < 0.3):
            self.next = self.done[:-1]
            status, found = self.service.ask("undo")
        else:
            words = sentence["words"]
            spans = [Chunk(t, t + 1, self.drawn.choice(("PER", "LOC"))) for t in range(len(words)) if t % 2]
            self.next = [*self.done, (words, labels_of(spans, len(words), "bio"))]
            marks = [span._asdict() for span in spans]
            status, found = self.service.ask("label", key=sentence["key"], marks=marks)
        if status != 200:
            self.wrong = f"status {status}: {found}"
        elif found["state"]["labelled"] != len(self.next):
            self.wrong = f"{found['state']['labelled']} sentences are labelled, not {len(self.next)}"
        self.done, self.acknowledged = self.next, self.acknowledged + 1
        return found


def kill_annotate(seed: int, rounds: int, folder: Path) -> list[str]:
    """Label in a real server over HTTP; after each kill the file has what was acknowledged, and a restart knows it."""
    drawn, wrong = random.Random(seed), []
    texts, output = folder / "texts.txt", folder / "labelled.txt"
    texts.write_text("\n".join([*TEXTS, *(f"{text} Again {k} ." for k in range(9) for text in TEXTS)]) + "\n")
    done: Sentences = []
    for number in range(rounds + 1):
        service = Annotation(texts, "-o", output, "--labels", "PER,LOC")
        labeller = Labeller(service, done, random.Random(drawn.random()))
        labeller.start()
        if number == rounds:
            labeller.wait_for(2)
            labeller.wrong = labeller.wrong or "enough"
            labeller.join(PATIENCE)
            code = service.stop()
            wrong += [f"round {number}: exit code {code}"] * (code != 0)
        else:
            after, delay = drawn.randint(0, 3), drawn.random() * 0.5
            labeller.wait_for(after)
            time.sleep(delay)
            service.kill()
            labeller.join(PATIENCE)
        if labeller.wrong not in ("", "enough"):
            wrong.append(f"round {number}: {labeller.wrong}")
        found = _labelled(output)
        if found not in (labeller.done, labeller.next):
            wrong.append(f"round {number}: the file has {found}, but {labeller.done} was acknowledged")
        done = found
    return wrong


def _labelled(path: Path) -> Sentences:
    if not path.exists() or not path.read_bytes().strip():
        return []
    return [(list(s.words), list(map(str, s.labels or ()))) for s in read(path, columns="w y").sentences()]


def kill_tune(seed: int, rounds: int, folder: Path) -> list[str]:
    """Kill a tuning and resume it; no figure of the state is lost, and it chooses as if it had never been killed."""
    (folder / "data.txt").write_text(TEXT)
    given = ["tune", "data.txt", "--budget", "6", "--folds", "2", "--workers", "1", "-q"]
    _finish([*given, "-o", "whole.toml"], folder)
    drawn, wrong, state = random.Random(seed), [], folder / "best.toml.state"
    best, whole = folder / "best.toml", (folder / "whole.toml").read_bytes()
    known: dict[str, Any] = {}
    for number in range(rounds + 1):
        command = [*given, "-o", "best.toml", *(["--resume"] if state.exists() else [])]
        if number < rounds:
            _kill(command, folder, state, drawn)
        else:
            _finish(command, folder)
        if best.exists():  # it has ended, so the next round begins anew
            wrong += [f"round {number}: another choice than without kills"] * (best.read_bytes() != whole)
            best.unlink()
            state.unlink(missing_ok=True)
            known = {}
            continue
        found = json.loads(state.read_text())["runs"] if state.exists() else {}
        lost = [name for name, runs in known.items() for k in runs if found.get(name, {}).get(k) != runs[k]]
        wrong += [f"round {number}: the runs of {name} are lost or changed" for name in lost]
        known = found
    return wrong


def kill_train(seed: int, rounds: int, folder: Path) -> list[str]:
    """Kill a training on a Ray cluster of this machine; it goes on from its checkpoint and ends with the same bits."""
    (folder / "data.txt").write_text(TEXT)
    given = ["train", "data.txt", "--cluster", "local", "--workers", "1", "--shares", "2", "--epochs", "5", "-q"]
    _finish([*given, "-o", "whole", "--checkpoint", "other"], folder)
    drawn, wrong, state = random.Random(seed), [], folder / "checkpoints" / "checkpoint.safetensors"
    model, whole, epochs = folder / "model", _bits(folder / "whole"), 0
    command = [*given, "-o", "model", "--checkpoint", "checkpoints"]
    for number in range(rounds + 1):
        if number < rounds:
            _kill(command, folder, state, drawn)
        else:
            _finish(command, folder)
        found = len(json.loads(load_tensors(state)[1]["course"])["epochs"]) if state.exists() else 0
        wrong += [f"round {number}: the checkpoint has {found} epochs, not {epochs}"] * (found < epochs)
        epochs = found
        if model.exists():  # it has ended, so the next round begins anew
            wrong += [f"round {number}: other bits than without kills"] * (_bits(model) != whole)
            model.unlink()
            state.unlink()
            epochs = 0
    return wrong


def _bits(path: Path) -> bytes:
    model = Model.load(path)
    return b"".join(array.tobytes() for array in model.weights.arrays()) + repr(model.label_names).encode()


def _start(command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    """The command, in a session of its own, with a folder for Ray that has a short name."""
    ray = {"RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0"}
    return subprocess.Popen(
        [sys.executable, "-m", "tagfield", *command],
        cwd=folder,
        env=os.environ | ray,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _finish(command: list[str], folder: Path) -> None:
    process = _start(command, folder)
    said, _ = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, (command, said.decode(errors="replace"))


def _kill(command: list[str], folder: Path, state: Path, drawn: random.Random) -> None:
    """Start a command and kill it: soon after its start, or after a drawn number of changes of its file."""
    process = _start(command, folder)
    changes, delay = drawn.randint(0, 3), drawn.random() * drawn.choice((0.01, 0.1, 1.0))
    seen, last = 0, _stamp(state)
    until = time.monotonic() + LONGEST
    while seen < changes and process.poll() is None and time.monotonic() < until:
        now = _stamp(state)
        seen, last = seen + (now != last), now
        time.sleep(STEP)
    time.sleep(delay)
    process.kill()
    process.wait(PATIENCE)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)  # the processes of its own cluster, in the session of its own
    assert process.stdout is not None
    process.stdout.close()


def _stamp(path: Path) -> tuple[int, int] | None:
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_ino, found.st_mtime_ns
    return None


KILLS: dict[str, Callable[[int, int, Path], list[str]]] = {
    "annotate": kill_annotate,
    "tune": kill_tune,
    "train": kill_train,
}


def run(name: str, seed: int, rounds: int) -> list[str]:
    """What `rounds` kills of one of KILLS found to be wrong, in a folder of its own."""
    folder = Path(tempfile.mkdtemp(prefix="kills-", dir="/tmp"))  # a short path, for Ray's sockets
    try:
        return KILLS[name](seed, rounds, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Kill one command ROUNDS times."""
    name, seed, rounds = sys.argv[1:]
    found = run(name, int(seed), int(rounds))
    for wrong in found:
        print(json.dumps({"wrong": wrong}), flush=True)
    print(json.dumps({"kills": int(rounds), "findings": len(found)}))


if __name__ == "__main__":
    main()
