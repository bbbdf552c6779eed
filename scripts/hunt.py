#!/usr/bin/env python
"""python scripts/hunt.py [--seconds 3600] [--seed N] [--rounds N] [KIND …]: random rounds, kind by kind.

    tests/hunt/kinds.py ─▶ python -m tests.hunt.worker, a process for each kind in turn ─▶ table, exit code

Each kind gets its share of the time. A round that fails is a finding: its seed is printed, and
`python scripts/hunt.py KIND --seed SEED --rounds 1` repeats it. The exit code is 1 if there is one.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GRACE = 300  # seconds beyond its time that a process may take, on a busy machine
WIDTH = 12


def main() -> int:
    """Run the kinds, and print; 1 if there was a finding."""
    sys.path.insert(0, str(ROOT))
    from tests.hunt.kinds import KINDS

    parser = argparse.ArgumentParser(description="Try random models, wrong calls and races against the truth.")
    parser.add_argument("kinds", nargs="*", help=f"only these, of {', '.join(KINDS)}")
    parser.add_argument("--seconds", type=float, default=3600, help="time for all kinds together")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31, help="the seed of the first round")
    parser.add_argument("--rounds", type=int, default=0, help="end a kind after so many rounds")
    given = parser.parse_args()
    if unknown := set(given.kinds) - set(KINDS):
        parser.error(f"no kind named {', '.join(sorted(unknown))}; choose from {', '.join(KINDS)}")
    chosen = [kind for kind in KINDS if not given.kinds or kind in given.kinds]
    print(f"seed {given.seed}\n{'kind':{WIDTH}} {'rounds':>12} {'tried':>12}  findings", flush=True)
    findings, rounds, tried = [], 0, 0
    for kind in chosen:
        found = run(kind, given.seconds / len(chosen), given.seed, given.rounds)
        rounds, tried = rounds + found["rounds"], tried + found["tried"]
        findings += [(kind, seed, what) for seed, what in found["findings"]]
        print(f"{kind:{WIDTH}} {found['rounds']:12,} {found['tried']:12,}  {len(found['findings'])}", flush=True)
    print(f"{'all':{WIDTH}} {rounds:12,} {tried:12,}  {len(findings)}")
    for kind, seed, what in findings:
        print(f"\n{kind}, repeat with `python scripts/hunt.py {kind} --seed {seed} --rounds 1`:\n{what}")
    return int(bool(findings))


def run(kind: str, seconds: float, seed: int, rounds: int) -> dict:
    """What the process of a kind printed: a line before each round, and one after each finding."""
    command = [sys.executable, "-m", "tests.hunt.worker", kind, str(seconds), str(seed), str(rounds)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        printed = process.communicate(timeout=seconds + GRACE)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        printed = process.communicate()[0]
    lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    findings = [(line["seed"], line["finding"]) for line in lines if "finding" in line]
    last = lines[-1] if lines else {"seed": seed, "rounds": 0, "tried": 0}
    if process.returncode:
        findings.append((last["seed"], f"the process ended with {process.returncode} or hung in this round"))
    return {"rounds": last["rounds"], "tried": last["tried"], "findings": findings}


if __name__ == "__main__":
    sys.exit(main())
