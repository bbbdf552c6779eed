"""Run the studies: in order, resumable, with a time estimate at the start and the time of each.

FOLDER/times.json    seconds of each study, added up over sessions
FOLDER/STUDY/        its results
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studies import minibatches
from studies.corpora import Corpus
from studies.curves import Curves, load_curves, run_curves
from studies.sensitivity import Cell, cells, run_grid
from studies.study_list import Study, studies
from tagfield.compare.compare import OnProgress, usable_cores
from tagfield.compare.results import Results, RunResult, load_results
from tagfield.compare.results_file import RESULTS_FILE
from tagfield.demo import addresses, write_columns
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

TIMES = "times.json"
GRID_EPOCHS, CURVE_EPOCHS = 6, 30
Say = Callable[[str], None]


@dataclass
class Findings:
    """The results so far."""

    results: dict[str, Results] = field(default_factory=dict)  # study → its runs
    grid: dict[Cell, RunResult] = field(default_factory=dict)
    curves: Curves = field(default_factory=dict)
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)  # study → a record of its own
    times: dict[str, float] = field(default_factory=dict)  # study → seconds


@dataclass(frozen=True)
class Step:
    """A study, or another computation that takes time."""

    name: str
    question: str
    seconds: float  # CPU, on the machine of study_list.SECONDS
    run: Callable[["Workspace"], None]


@dataclass(frozen=True)
class Workspace:
    """Data, folders and callbacks of a step."""

    corpora: Mapping[str, Corpus]
    data: Path | None  # the folder of their files
    home: Path
    small: bool
    workers: int | None
    on_progress: OnProgress | None
    say: Say


def steps(small: bool = False) -> list[Step]:
    """Every step, in order.

    >>> [step.name for step in steps()][-2:]
    ['curves', 'minibatches']
    """
    found = [Step(study.name, study.question, study.seconds, _runner(study)) for study in studies(small)]
    return [
        *found,
        Step("sensitivity", "How much do rate, c2 and the parameter of G matter?", 192 * GRID_EPOCHS * 0.14, _grid),
        Step("curves", "What becomes of the divergence itself?", 4 * CURVE_EPOCHS * 0.35, _curves),
        Step("minibatches", "What if a step sees several sentences?", 150.0, _minibatches),
    ]


def _runner(study: Study) -> Callable[[Workspace], None]:
    def run(work: Workspace) -> None:
        study.run(work.corpora[study.corpus], work.home, work.workers, work.on_progress, work.say)

    return run


def _grid(work: Workspace) -> None:
    train = work.corpora["conll2000"].read()[0]
    epochs = 2 if work.small else GRID_EPOCHS
    run_grid(train, work.home / "sensitivity", epochs=epochs, workers=work.workers, on_progress=work.on_progress)


def _curves(work: Workspace) -> None:
    data = work.corpora["conll2000"].read()
    run_curves(data, work.home / "curves", 3 if work.small else CURVE_EPOCHS, work.workers)


def _minibatches(work: Workspace) -> None:
    """On the files of the corpora; with `small`, on a built-in corpus that is written to a file."""
    out = work.home / "minibatches"
    if not work.small:
        minibatches.study(work.data or Path(), out, say=work.say)
        return
    home = out / "data" / "conll2000"
    home.mkdir(parents=True, exist_ok=True)
    with open(home / "train.txt", "w", encoding="utf-8") as file:
        write_columns(addresses(seed=1, train=60, test=0).train, file)
    minibatches.study(out / "data", out, corpora=("conll2000",), epochs=2)


def run_steps(work: Workspace, only: Sequence[str] = ()) -> None:
    """Run all steps or some of them; finished ones are only read."""
    every = steps(work.small)
    unknown = [name for name in only if name not in {step.name for step in every}]
    if unknown:
        raise InputError(f"no study named {unknown[0]!r}; choose from {', '.join(step.name for step in every)}")
    chosen = [step for step in every if not only or step.name in only]
    cores = work.workers or usable_cores()
    times = _times(work.home)
    left = sum(step.seconds for step in chosen if step.name not in times) / max(1, cores)
    if not work.small:
        work.say(
            f"{len(chosen)} studies on {cores} cores: about {left / 60:.0f} minutes if your cores are as fast as ours"
        )
    for step in chosen:
        work.say(f"{step.name}: {step.question}")
        with _timed(work.home, step.name):
            step.run(work)


def load_findings(home: Path, small: bool = False) -> Findings:
    """Read the results of a folder."""
    found = Findings(times=_times(home))
    for study in studies(small):
        if (home / study.name / RESULTS_FILE).is_file():
            found.results[study.name] = load_results(home / study.name)
    if (home / "sensitivity" / RESULTS_FILE).is_file():
        runs = {run.run.key: run for run in load_results(home / "sensitivity").runs}
        found.grid = {cell: runs[cell.run.key] for cell in cells() if cell.run.key in runs}
    found.curves = load_curves(home / "curves")
    if (path := home / "minibatches" / minibatches.FILE).is_file():
        found.extra["minibatches"] = json.loads(path.read_text())
    return found


def _times(home: Path) -> dict[str, float]:
    path = home / TIMES
    if not path.is_file():
        return {}
    found: dict[str, float] = json.loads(path.read_text())
    return found


@contextmanager
def _timed(home: Path, name: str) -> Iterator[None]:
    """Add the seconds of a step to times.json, also if it is interrupted."""
    start = time.monotonic()
    try:
        yield
    finally:
        home.mkdir(parents=True, exist_ok=True)
        times = _times(home)
        spent = time.monotonic() - start
        if name not in times or spent > 5:  # do not count the time to read finished results
            times[name] = round(times.get(name, 0.0) + spent, 1)
        with write_atomically(home / TIMES) as file:
            file.write(json.dumps(times, indent=1).encode())
