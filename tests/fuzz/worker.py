"""python -m tests.fuzz.worker SECONDS SEED CURRENT NAME…: feeds mutated inputs to some doors, in turn, and prints JSON.

    pool of inputs ─▶ mutate ─▶ door ─▶ outcome: what it told or raised, without its details
         ▲                                │
         └──────── kept if it is new ◀────┘

CURRENT is a file that always has the name and the input being read, for the case that the process dies.
"""

import json
import random
import re
import sys
import time
import traceback
import warnings
from collections.abc import Callable

from tagfield.errors import TagfieldError
from tests.fuzz.doors import NATIVE, PYTHON, seeds_of
from tests.fuzz.mutate import mutate

SLOW = 20.0  # seconds of one processor for one small input
_DETAILS = re.compile(r"['\"].*['\"]|[0-9]+|[^\x00-\x7f]+", re.DOTALL)  # from the first quote to the last


class Fuzzer:
    """One door: its pool of inputs, and what came of it."""

    def __init__(self, name: str, seed: str, note: Callable[[str, bytes], None]) -> None:
        self.rng = random.Random(f"{seed} {name}")  # the same inputs in the same order, whoever shares the process
        self.name, self.note = name, note
        self.door = {**NATIVE, **PYTHON}[name]
        self.pool = seeds_of(name) or [b""]
        self.waiting = list(self.pool)
        self.inputs, self.outcomes = 0, set[str]()
        self.finding: tuple[str, bytes] | None = None

    def step(self) -> None:
        """Try one input."""
        data = self.waiting.pop() if self.waiting else mutate(self.rng.choice(self.pool), self.pool, self.rng)
        self.note(self.name, data)
        self.inputs += 1
        start = time.process_time()
        try:
            outcome = _plain("read", self.door(data) or "")
        except TagfieldError as error:
            outcome = _plain(type(error).__name__, str(error))
        except BaseException:
            self.finding = traceback.format_exc(), data
            return
        if time.process_time() - start > SLOW:
            self.finding = f"took {time.process_time() - start:.0f} seconds", data
        if outcome not in self.outcomes:
            self.outcomes.add(outcome)
            self.pool.append(data)


def _plain(kind: str, told: str) -> str:
    """An outcome without names and numbers, so that there are not too many."""
    return f"{kind} {_DETAILS.sub('', told)[:300]}"


def main(seconds: float, seed: str, current: str, names: list[str]) -> None:
    """Fuzz some doors for some seconds; stop a door at its first finding."""
    warnings.simplefilter("ignore")
    with open(current, "wb", buffering=0) as file:

        def note(name: str, data: bytes) -> None:
            file.seek(0)
            file.write(f"{name} {len(data)}\n".encode() + data)

        fuzzers = [Fuzzer(name, seed, note) for name in names]
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(not each.finding for each in fuzzers):
            for each in fuzzers:
                if not each.finding:
                    each.step()
    for each in fuzzers:
        what, data = each.finding or ("", b"")
        found = {"name": each.name, "inputs": each.inputs, "coverage": len(each.outcomes)}
        print(json.dumps({**found, "finding": what, "data": data.hex()}))


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:])
