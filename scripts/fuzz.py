#!/usr/bin/env python
"""python scripts/fuzz.py [--seconds 60] [--seed N] [--sanitized] [NAME …]: run every fuzz target at once.

    native/fuzz/NAME.cpp ─▶ clang++ -fsanitize=fuzzer,address,undefined ─▶ build/fuzz/NAME ─┐
    tests/fuzz/doors.py ─▶ tests/fuzz/worker.py, a few processes ───────────────────────────┼─▶ table, exit code
    tests/fuzz/described.py ─▶ schemathesis, where `make schemathesis` installed it ────────┘

libFuzzer keeps interesting inputs in build/fuzz/corpus for the next run. An input that fails is written to
build/fuzz/findings, and the exit code is 1: fix the code, and put the input into tests/fuzz/crashes/NAME, where every
later test run reads it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD, FINDINGS = ROOT / "build/fuzz", ROOT / "build/fuzz/findings"
FLAGS = ["-std=gnu++17", "-O1", "-g", "-fno-omit-frame-pointer", "-Wall", "-Wextra", "-Wno-psabi", "-Inative"]
FLAGS += ["-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=undefined"]
GRACE = 120  # seconds beyond its time that a process may take, on a busy machine
MEMORY = 2048  # MB for one input
SCHEMATHESIS = "schemathesis"  # the target that is a program of others


@dataclass
class Row:
    """One line of the table."""

    name: str
    inputs: int
    coverage: str
    finding: str = ""


def main() -> int:
    """Build, run, and print; 1 if there was a finding."""
    parser = argparse.ArgumentParser(description="Feed random inputs to everything that reads files.")
    parser.add_argument("names", nargs="*", help="only these targets")
    parser.add_argument("--seconds", type=float, default=60, help="time for each target; all run at once")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**31, help="the same seed gives the same inputs")
    parser.add_argument("--sanitized", action="store_true", help="Python with the modules of `make sanitize`")
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests.fuzz.described import MISSING, PROGRAM, Run
    from tests.fuzz.doors import NATIVE, PYTHON

    targets = [*NATIVE, *PYTHON, SCHEMATHESIS]
    if unknown := set(given.names) - set(targets):
        parser.error(f"no target named {', '.join(sorted(unknown))}; choose from {', '.join(targets)}")
    chosen = [name for name in (*NATIVE, *PYTHON) if not given.names or name in given.names]
    FINDINGS.mkdir(parents=True, exist_ok=True)
    native = build([name for name in chosen if name in NATIVE])
    doors = [name for name in chosen if name not in native]
    described = None
    if not given.names or SCHEMATHESIS in given.names:
        if PROGRAM.exists():
            described = Run(given.seconds, given.seed)
        else:
            print(MISSING, flush=True)
    started = [start_native(name, given.seconds, given.seed) for name in native]
    groups = [group for k in range(4) if (group := doors[k::4])]
    workers = [start_worker(k, group, given.seconds, given.seed, given.sanitized) for k, group in enumerate(groups)]
    rows = [end_native(name, process, given.seconds) for name, process in zip(native, started, strict=True)]
    for group, (process, current) in zip(groups, workers, strict=True):
        rows += end_worker(group, process, current, given.seconds)
    if described is not None:
        found = described.end(given.seconds + GRACE)
        rows.append(Row(SCHEMATHESIS, found.requests, f"{found.operations} operations", found.finding))
    return report(rows)


def build(names: list[str]) -> list[str]:
    """The targets that Clang could build; says so if there is no Clang."""
    clang = shutil.which("clang++")
    if not names or clang is None:
        if names:
            print("no clang++, so the readers in C++ are fuzzed through Python only; scripts/install-clang installs it")
        return []
    headers = max(
        path.stat().st_mtime for folder in ("text", "kernel", "fuzz") for path in (ROOT / "native" / folder).iterdir()
    )
    stale = [name for name in names if not (BUILD / name).exists() or (BUILD / name).stat().st_mtime < headers]
    waiting, running = list(stale), dict[str, subprocess.Popen[bytes]]()
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            name = waiting.pop()
            command = [clang, *FLAGS, f"native/fuzz/{name}.cpp", "-o", str(BUILD / name)]
            running[name] = subprocess.Popen(command, cwd=ROOT)
        name, process = next(iter(running.items()))
        if process.wait():
            raise SystemExit(f"fuzz: native/fuzz/{name}.cpp does not compile")
        del running[name]
    return names


def start_native(name: str, seconds: float, seed: int) -> subprocess.Popen[bytes]:
    """Run a target of libFuzzer, on its own corpus and the seeds."""
    corpus = BUILD / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    given = [folder for kind in ("seeds", "crashes") if (folder := ROOT / "tests/fuzz" / kind / name).is_dir()]
    limits = [
        f"-max_total_time={seconds:.0f}",
        "-timeout=60",
        f"-rss_limit_mb={MEMORY}",
        "-print_final_stats=1",
        f"-seed={seed}",
    ]
    place = f"-artifact_prefix={FINDINGS}/{name}-"
    with open(BUILD / f"{name}.log", "wb") as log:
        return subprocess.Popen([BUILD / name, *limits, place, corpus, *given], cwd=BUILD, stdout=log, stderr=log)


def end_native(name: str, process: subprocess.Popen[bytes], seconds: float) -> Row:
    """What libFuzzer's log says."""
    code = wait(process, seconds)
    log = (BUILD / f"{name}.log").read_text(errors="replace")
    counts, covered = re.findall(r"^#(\d+)\t", log, re.MULTILINE), re.findall(r"cov: (\d+)", log)
    row = Row(name, int(counts[-1]) if counts else 0, f"{covered[-1] if covered else 0} edges")
    if code:
        told = re.findall(r"(?:ERROR: |SUMMARY: |fuzz: |runtime error: |Test unit written to ).*", log)
        row.finding = "\n".join(told) or f"exit code {code}; see {BUILD / name}.log"
    return row


def start_worker(
    k: int, names: list[str], seconds: float, seed: int, sanitized: bool
) -> tuple[subprocess.Popen[bytes], Path]:
    """Run a process for some of the doors."""
    current = FINDINGS / f"current-{k}"
    environment = dict(os.environ)
    if sanitized:
        from sanitize import SANITIZERS
        from sanitize import environment as environment_of

        if not (SANITIZERS["address"].folder / "site").is_dir():
            raise SystemExit("fuzz: --sanitized needs the modules of `make sanitize`; run that first")
        environment = environment_of(SANITIZERS["address"])
    command = [sys.executable, "-m", "tests.fuzz.worker", str(seconds), str(seed), str(current), *names]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE), current


def end_worker(names: list[str], process: subprocess.Popen[bytes], current: Path, seconds: float) -> list[Row]:
    """What a worker printed; if it died, the input that it was reading is the finding."""
    try:
        printed = process.communicate(timeout=seconds + GRACE)[0]
    except subprocess.TimeoutExpired:
        process.kill()
        printed = process.communicate()[0]
    rows = []
    for line in printed.decode().splitlines():
        found = json.loads(line)
        rows.append(Row(found["name"], found["inputs"], f"{found['coverage']} outcomes", found["finding"]))
        if found["finding"]:
            rows[-1].finding += f"\nthe input is {keep(found['name'], bytes.fromhex(found['data']))}"
    if process.returncode or len(rows) < len(names):
        head, _, data = current.read_bytes().partition(b"\n")
        name, _, size = head.decode().partition(" ")
        place = keep(name, data[: int(size or 0)])
        rows += [Row(each, 0, "unknown") for each in names if each not in {row.name for row in rows}]
        died = next((row for row in rows if row.name == name), rows[0])
        died.finding = f"the process ended with {process.returncode} or hung; the input is {place}"
    current.unlink(missing_ok=True)
    return rows


def keep(name: str, data: bytes) -> Path:
    """Store an input that broke something."""
    place = FINDINGS / f"{name}-{time.time_ns()}"
    place.write_bytes(data)
    return place


def wait(process: subprocess.Popen[bytes], seconds: float) -> int:
    """The exit code of a process; one that goes on for too long is ended."""
    try:
        return process.wait(seconds + GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def report(rows: list[Row]) -> int:
    """Print the table, and each finding in full."""
    print(f"{'name':16} {'inputs':>12}  {'coverage':16} findings")
    for row in rows:
        print(f"{row.name:16} {row.inputs:12,}  {row.coverage:16} {1 if row.finding else 0}")
    print(f"{'all':16} {sum(row.inputs for row in rows):12,}  {'':16} {sum(bool(row.finding) for row in rows)}")
    for row in rows:
        if row.finding:
            print(f"\n{row.name}: {row.finding}")
    return int(any(row.finding for row in rows))


if __name__ == "__main__":
    sys.exit(main())
