"""A corpus several times as long, in memory and on disk, next to python-crfsuite: time per token and peak memory.

Usage: corpus.py FOLDER [TIMES …] [--quick] [--peer N], with train.txt of CoNLL-2000 in FOLDER.

    text × TIMES ─▶ tagfield pack ─▶ epochs by windows of 64 MB   ┐
                 ─▶ encode_files ──▶ epochs in memory             ├─▶ ns per token of an epoch, peak memory
                 ─▶ python-crfsuite's l2sgd, up to PEER times     ┘

Plain SGD with every feature, one thread. Each figure comes from a process of its own. The peak in memory includes the
text and its encoding, which is what `tagfield train FILE` needs; that of a packed corpus is weights and windows.
Packing is a time of its own, on all cores.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

TIMES = (1, 16, 64)
PEER = 16  # it would take ten minutes and ten gigabytes for more
WINDOW = "64MB"
EPOCHS = 3
NAMES = {  # in this order, since the others are compared with the first
    "peer": "python-crfsuite, in memory",
    "pack": "tagfield pack",
    "memory": "in memory",
    "disk": f"on disk, windows of {WINDOW}",
}


def rows(folder: Path, times: list[int], what: list[str], peer: int) -> Iterator[dict[str, Any]]:
    """The figures of each size and each way of training, as they are measured; `what` names some of NAMES,
    and `peer` says up to how many times over python-crfsuite trains."""
    text = (folder / "train.txt").read_bytes()
    scratch = Path(tempfile.mkdtemp(prefix="tagfield-bench-"))
    try:
        for count in times:
            file, packed = scratch / "text.txt", scratch / "corpus"
            with file.open("wb") as out:
                for _ in range(count):
                    out.write(text)
            for name in what:
                if name != "peer" or count <= peer:
                    paths = [packed] if name == "disk" else [file, packed] if name == "pack" else [file]
                    yield {"times": count, "what": name, **_measured(name, *paths)}
            shutil.rmtree(packed, ignore_errors=True)
    finally:
        shutil.rmtree(scratch)


def _measured(what: str, *paths: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, f"--{what}", *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def _child(what: str, paths: list[str]) -> dict[str, Any]:
    """One measurement, in this process."""
    if what == "peer":
        return _peer(Path(paths[0]))
    from tagfield import Corpus, Settings, encode_files, pack
    from tagfield.train import train

    begin = time.perf_counter()
    if what == "pack":
        corpus = pack(paths[0], paths[1], template="chunking")
        seconds, tokens = time.perf_counter() - begin, corpus.tokens
    else:
        data = encode_files(paths[0], template="chunking") if what == "memory" else Corpus.open(paths[0])
        settings = Settings.of("sgd", features="all", rate=0.1, epochs=EPOCHS, threads=1)
        trained = train(data, settings, window=WINDOW)
        ends = [0.0, *(epoch.seconds for epoch in trained.history)]
        seconds, tokens = min(b - a for a, b in pairwise(ends)), data.tokens
    return {"tokens": tokens, "ns_per_token": 1e9 * seconds / tokens, "peak_mb": _peak() / 1e6}


def _peer(file: Path) -> dict[str, Any]:
    """The same with python-crfsuite: an epoch as its log has it."""
    import peer

    sentences = peer.read(file)
    tokens = sum(map(len, sentences))
    trainer = peer.trainer(sentences)
    del sentences
    seconds = peer.epoch_seconds("l2sgd", True, EPOCHS)(trainer)
    return {"tokens": tokens, "ns_per_token": 1e9 * seconds / tokens, "peak_mb": _peak() / 1e6}


def _peak() -> float:
    """The most physical memory that this process has had."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024.0 * int(line.split()[1])
    return 0.0


def main() -> None:
    """Print a table, each row as soon as it is measured."""
    from timing import head, row  # what the processes that are measured do without

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("times", type=int, nargs="*", help=f"how many times over [default: {TIMES}]")
    parser.add_argument("--quick", action="store_true", help="once over, without python-crfsuite")
    parser.add_argument("--peer", type=int, default=PEER, help="python-crfsuite up to so many times over [default: 16]")
    given = parser.parse_args()
    times = given.times or ([1] if given.quick else list(TIMES))
    head("CoNLL-2000", "", "ns per token", "peak memory", "times python-crfsuite's speed")
    theirs = None  # of the last corpus that it trained on, which stands for longer ones
    for found in rows(given.folder, times, list(NAMES), 0 if given.quick else given.peer):
        ns, what = found["ns_per_token"], found["what"]
        theirs = ns if what == "peer" else theirs
        faster = f"{theirs / ns:.1f}" if theirs and what in ("memory", "disk") else ""
        size = f"{found['times']} ×, {found['tokens']:,} tokens"
        row(size, NAMES[what], f"{ns:.0f}", f"{found['peak_mb']:,.0f} MB", faster)


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].removeprefix("--") in NAMES:
        print(json.dumps(_child(sys.argv[1][2:], sys.argv[2:])))
    else:
        main()
