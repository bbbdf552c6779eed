"""make scale: more cores, more labels, more text, more machines, one table after the other.

Usage: scale.py FOLDER [--quick] [--only NAME,…], with train.txt and test.txt of CoNLL-2000 in FOLDER. Each table is a
script of its own, which runs in a process of its own. A script that fails is named at the end, and the exit code is 1.
"""

import argparse
import subprocess
import sys
import time
from pathlib import Path

SCRIPTS = {  # name: what its table shows
    "threads": "Epochs of stochastic training on one thread and on two",
    "labels": "22, 50, 200 and 450 labels",
    "corpus": "A corpus 1, 16 and 64 times as long, in memory and on disk",
    "lbfgs": "L-BFGS on the large feature set",
    "single": "One sentence a call, and tagging from lists",
    "arrow": "Tables of Arrow",
    "cluster": "1, 2 and 4 workers of a cluster",
}


def main() -> int:
    """Run the scripts; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quick", action="store_true", help="every row once, to check that it runs")
    parser.add_argument("--only", default="", help=f"some of {', '.join(SCRIPTS)}, separated by commas")
    given = parser.parse_args()
    chosen = given.only.split(",") if given.only else list(SCRIPTS)
    if unknown := [name for name in chosen if name not in SCRIPTS]:
        parser.error(f"no table named {', '.join(unknown)}; choose from {', '.join(SCRIPTS)}")
    failed = []
    for name in chosen:
        print(f"\n## {SCRIPTS[name]}\n", flush=True)
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py")), str(given.folder)]
        start = time.perf_counter()
        command += ["--quick"] if given.quick else []
        if subprocess.run(command, check=False).returncode:
            failed.append(name)
        print(f"\n{name}.py took {time.perf_counter() - start:.0f} s", file=sys.stderr)
    if failed:
        print(f"scale.py: {', '.join(failed)} failed", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
