"""A corpus several times as long, in memory and on disk, next to python-crfsuite: time per token and peak memory.

Usage: corpus.py FOLDER [TIMES …] [--quick], with train.txt of CoNLL-2000 in FOLDER.

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
from itertools import pairwise
from pathlib import Path
from typing import Any

TIMES = (1, 16, 64)
PEER = 16  # it would take ten minutes and ten gigabytes for more
WINDOW = "64MB"
EPOCHS = 3
NAMES = {
    "pack": "tagfield pack",
    "memory": "in memory",
    "disk": f"on disk, windows of {WINDOW}",
    "peer": "python-crfsuite, in memory",
}


def rows(folder: Path, times: list[int], what: str = "") -> list[dict[str, Any]]:
    """The figures of each size and each way of training; `what` names some of NAMES, separated by commas."""
    found, text = [], (folder / "train.txt").read_bytes()
    scratch = Path(tempfile.mkdtemp(prefix="tagfield-bench-"))
    try:
        for count in times:
            file, packed = scratch / "text.txt", scratch / "corpus"
            with file.open("wb") as out:
                for _ in range(count):
                    out.write(text)
            for name in what.split(",") if what else NAMES:
                if name != "peer" or count <= PEER:
                    paths = [packed] if name == "disk" else [file, packed] if name == "pack" else [file]
                    found.append({"times": count, "what": name, **_measured(name, *paths)})
            shutil.rmtree(packed, ignore_errors=True)
    finally:
        shutil.rmtree(scratch)
    return found


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
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("times", type=int, nargs="*", help=f"how many times over [default: {TIMES}]")
    parser.add_argument("--quick", action="store_true", help="once over, without python-crfsuite")
    given = parser.parse_args()
    times = given.times or ([1] if given.quick else list(TIMES))
    print("| CoNLL-2000 | | ns per token | peak memory | times python-crfsuite's speed |")
    print("| --- | --- | --- | --- | --- |")
    found = rows(given.folder, times, "pack,memory,disk" if given.quick else "")
    theirs = [row["ns_per_token"] for row in found if row["what"] == "peer"]  # the last one stands for longer corpora
    at_count = {row["times"]: row["ns_per_token"] for row in found if row["what"] == "peer"}
    for row in found:
        faster = ""
        if theirs and row["what"] in ("memory", "disk"):
            faster = f"{at_count.get(row['times'], theirs[-1]) / row['ns_per_token']:.1f}"
        size = f"{row['times']} ×, {row['tokens']:,} tokens"
        print(f"| {size} | {NAMES[row['what']]} | {row['ns_per_token']:.0f} | {row['peak_mb']:,.0f} MB | {faster} |")


if __name__ == "__main__":
    if sys.argv[1:] and sys.argv[1].removeprefix("--") in NAMES:
        print(json.dumps(_child(sys.argv[1][2:], sys.argv[2:])))
    else:
        main()
