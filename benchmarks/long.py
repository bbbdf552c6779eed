"""A corpus of 100 million tokens: packing it, and epochs by windows next to epochs in memory.

Usage: long.py [TOKENS] [--text FILE]; FILE keeps the synthetic text for another time.

    zipf ─▶ text ─▶ pack, 2^22 hashed attributes ─▶ epochs by windows of 256 MB   ┐
                                                 ─▶ epochs in memory, if it fits  ├─▶ ns per token, peak memory

Plain SGD, one thread, each row in a process of its own. Peaks include the weights, whose size stands beside them.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

from corpus import _peak

BITS, WINDOW, EPOCHS = 22, "256MB", 2
NAMES = {"pack": "tagfield pack", "disk": f"epochs on disk, windows of {WINDOW}", "memory": "epochs in memory"}


def measured(what: str, *paths: str) -> dict[str, Any]:
    """One row, in this process."""
    from tagfield import Corpus, Settings, pack
    from tagfield.train import train

    begin = time.perf_counter()
    if what == "pack":
        corpus = pack(paths[0], paths[1], template="chunking", hash_bits=BITS)
        seconds, size = time.perf_counter() - begin, corpus.disk_bytes
    else:
        corpus = Corpus.open(paths[0])
        settings = Settings.of("sgd", rate=0.1, c2=0.0, epochs=EPOCHS, threads=1)
        trained = train(corpus.encoded() if what == "memory" else corpus, settings, window=WINDOW)
        ends = [0.0, *(epoch.seconds for epoch in trained.history)]
        seconds, size = min(b - a for a, b in pairwise(ends)), trained.weights.state.nbytes
    return {"tokens": corpus.tokens, "seconds": seconds, "bytes": size, "peak": _peak()}


def main() -> None:
    """Print a table, each row as soon as it is measured."""
    from timing import head, row
    from zipf import batches

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokens", type=lambda text: int(text.replace("_", "")), nargs="?", default=100_000_000)
    parser.add_argument("--text", type=Path, help="keep the text here, and use what is there")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tagfield-bench-") as scratch:
        text, packed = given.text or Path(scratch, "text.txt"), str(Path(scratch, "corpus"))
        if not text.exists():
            with text.open("w") as out:
                out.writelines(batches(given.tokens))
        print(f"text: {text.stat().st_size / 1e9:.2f} GB", file=sys.stderr)
        head("synthetic corpus", "ns per token", "peak memory", "of it weights, or bytes a token on disk")
        for what, name in NAMES.items():
            paths = [str(text), packed] if what == "pack" else [packed]
            done = subprocess.run(
                [sys.executable, __file__, f"--{what}", *paths], stdout=subprocess.PIPE, text=True, check=False
            )
            if done.returncode:
                row(name, "does not fit", "", "")
                continue
            found = json.loads(done.stdout.splitlines()[-1])
            size = (
                f"{found['bytes'] / found['tokens']:.0f} bytes" if what == "pack" else f"{found['bytes'] / 1e6:,.0f} MB"
            )
            ns = 1e9 * found["seconds"] / found["tokens"]
            row(f"{found['tokens']:,} tokens: {name}", f"{ns:.0f}", f"{found['peak'] / 1e6:,.0f} MB", size)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if sys.argv[1:] and sys.argv[1].removeprefix("--") in NAMES:
        from tagfield.errors import MemoryLimitError

        try:
            print(json.dumps(measured(sys.argv[1][2:], *sys.argv[2:])))
        except MemoryLimitError as error:
            sys.exit(str(error))
    else:
        main()
