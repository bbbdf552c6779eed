"""python -m tests.hunt.worker KIND SECONDS SEED ROUNDS: rounds of one kind, with the seeds SEED, SEED + 1, …

A line of JSON before each round says where it is, so that a crash or a hang is known by its seed. A finding gets a line
of its own, and after MOST of them the worker ends.
"""

import faulthandler
import json
import sys
import time
import traceback
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.hunt.kinds import KINDS

MOST = 5  # findings
HANGS = 240  # seconds for one round


def main(kind: str, seconds: float, seed: int, most_rounds: int) -> None:
    """Rounds until the time is over."""
    end, rounds, tried, findings = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < end and findings < MOST and (not most_rounds or rounds < most_rounds):
        _tell(seed=seed, rounds=rounds, tried=tried)
        faulthandler.dump_traceback_later(HANGS, exit=True, file=sys.__stderr__)
        try:
            tried += KINDS[kind](seed)
        except Exception:
            findings += 1
            _tell(seed=seed, rounds=rounds + 1, tried=tried, finding=traceback.format_exc(limit=-6))
        seed, rounds = seed + 1, rounds + 1
    faulthandler.cancel_dump_traceback_later()
    _tell(seed=seed, rounds=rounds, tried=tried)


def _tell(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with TemporaryDirectory():
        main(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
