"""Training on a corpus on disk compared with memory: CoNLL-2000 several times over; time per token and peak memory.

    python -m benchmarks.corpus CONLL2000 [TIMES …]

text × TIMES ─▶ tagfield pack ─▶ one epoch by windows of 64 MB   ┐
             ─▶ encode_files ──▶ one epoch in memory             ┴─▶ ns per token of an epoch, peak memory

Each figure comes from a process of its own. The peak in memory includes the text and its encoding, which is what a user
of `tagfield train FILE` needs; that of a packed corpus is weights and windows.
"""

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
WINDOW = "64MB"
EPOCHS = 2


def rows(conll2000: Path, times: tuple[int, ...] = TIMES) -> list[dict[str, Any]]:
    """A row for each size and each way of training."""
    found = []
    text = (conll2000 / "train.txt").read_bytes()
    folder = Path(tempfile.mkdtemp(prefix="tagfield-bench-"))
    try:
        for count in times:
            file, packed = folder / "text.txt", folder / "corpus"
            with file.open("wb") as out:
                for _ in range(count):
                    out.write(text)
            found.append({"times": count, "what": "pack", **_measured("pack", file, packed)})
            found.append({"times": count, "what": "memory", **_measured("memory", file)})
            found.append({"times": count, "what": "disk", **_measured("disk", packed)})
            shutil.rmtree(packed)
    finally:
        shutil.rmtree(folder)
    return found


def _measured(what: str, *paths: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.corpus", f"--{what}", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def _child(what: str, paths: list[str]) -> dict[str, Any]:
    """One measurement, in this process."""
    from tagfield import Corpus, Settings, encode_files, pack
    from tagfield.train import train

    begin = time.perf_counter()
    if what == "pack":
        corpus = pack(paths[0], paths[1], template="chunking")
        seconds, tokens = time.perf_counter() - begin, corpus.tokens
    else:
        data = encode_files(paths[0], template="chunking") if what == "memory" else Corpus.open(paths[0])
        trained = train(data, Settings.of("sgd", features="all", rate=0.1, epochs=EPOCHS), window=WINDOW)
        ends = [0.0, *(epoch.seconds for epoch in trained.history)]
        seconds, tokens = min(b - a for a, b in pairwise(ends)), data.tokens
    return {"tokens": tokens, "ns_per_token": 1e9 * seconds / tokens, "peak_mb": _peak() / 1e6}


def _peak() -> float:
    """The most physical memory that this process has had."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024.0 * int(line.split()[1])
    return 0.0


def main() -> None:
    """Print a table, or one measurement."""
    first, *rest = sys.argv[1:]
    if first.startswith("--"):
        print(json.dumps(_child(first[2:], rest)))
        return
    print(f"{'tokens':>12} {'':8} {'ns/token':>9} {'peak MB':>8}")
    for row in rows(Path(first), tuple(map(int, rest)) or TIMES):
        print(f"{row['tokens']:12,} {row['what']:8} {row['ns_per_token']:9.0f} {row['peak_mb']:8.0f}")


if __name__ == "__main__":
    main()
