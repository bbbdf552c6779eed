"""Running the studies: in order, resumable, with an estimate at the start and the time that each took.

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
from studies.studies import Study, studies
from tagfield.compare.compare import OnProgress, usable_cores
from tagfield.compare.ledger import RESULTS_FILE
from tagfield.compare.results import Results, RunResult, load_results
from tagfield.demo import addresses, write_columns
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

TIMES = "times.json"
GRID_EPOCHS, CURVE_EPOCHS = 6, 30
Say = Callable[[str], None]


@dataclass
class Findings:
    """All that has been found so far."""

    results: dict[str, Results] = field(default_factory=dict)  # study → its runs
    grid: dict[Cell, RunResult] = field(default_factory=dict)
    curves: Curves = field(default_factory=dict)
    extra: dict[str, dict[str, Any]] = field(default_factory=dict)  # study → a record of its own
    times: dict[str, float] = field(default_factory=dict)  # study → seconds


@dataclass(frozen=True)
class Step:
    """A part of the article that takes time: a study, or another computation."""

    name: str
    question: str
    seconds: float  # CPU, on the machine of studies.SECONDS
    run: Callable[["Desk"], None]


@dataclass(frozen=True)
class Desk:
    """What a step works with."""

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


def _runner(study: Study) -> Callable[[Desk], None]:
    def run(desk: Desk) -> None:
        study.run(desk.corpora[study.corpus], desk.home, desk.workers, desk.on_progress, desk.say)

    return run


def _grid(desk: Desk) -> None:
    train = desk.corpora["conll2000"].read()[0]
    epochs = 2 if desk.small else GRID_EPOCHS
    run_grid(train, desk.home / "sensitivity", epochs=epochs, workers=desk.workers, on_progress=desk.on_progress)


def _curves(desk: Desk) -> None:
    data = desk.corpora["conll2000"].read()
    run_curves(data, desk.home / "curves", 3 if desk.small else CURVE_EPOCHS, desk.workers)


def _minibatches(desk: Desk) -> None:
    """On the files of the corpora; in small on a built-in corpus, written to a file."""
    out = desk.home / "minibatches"
    if not desk.small:
        minibatches.study(desk.data or Path(), out, say=desk.say)
        return
    home = out / "data" / "conll2000"
    home.mkdir(parents=True, exist_ok=True)
    with open(home / "train.txt", "w", encoding="utf-8") as file:
        write_columns(addresses(seed=1, train=60, test=0).train, file)
    minibatches.study(out / "data", out, corpora=("conll2000",), epochs=2)


def run_steps(desk: Desk, only: Sequence[str] = ()) -> None:
    """Runs the steps, or only some of them; a step that has finished before takes a moment."""
    every = steps(desk.small)
    unknown = [name for name in only if name not in {step.name for step in every}]
    if unknown:
        raise InputError(f"no study named {unknown[0]!r}; choose from {', '.join(step.name for step in every)}")
    chosen = [step for step in every if not only or step.name in only]
    cores = desk.workers or usable_cores()
    times = _times(desk.home)
    left = sum(step.seconds for step in chosen if step.name not in times) / max(1, cores)
    if not desk.small:
        desk.say(
            f"{len(chosen)} studies on {cores} cores: about {left / 60:.0f} minutes, where a core is as fast as ours"
        )
    for step in chosen:
        desk.say(f"{step.name}: {step.question}")
        with _timed(desk.home, step.name):
            step.run(desk)


def load_findings(home: Path, small: bool = False) -> Findings:
    """What the folder has."""
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
    """Adds the seconds of a step to times.json when it has ended, if only for a while."""
    start = time.monotonic()
    try:
        yield
    finally:
        home.mkdir(parents=True, exist_ok=True)
        times = _times(home)
        spent = time.monotonic() - start
        if name not in times or spent > 5:  # reading what is finished is no work
            times[name] = round(times.get(name, 0.0) + spent, 1)
        with write_atomically(home / TIMES) as file:
            file.write(json.dumps(times, indent=1).encode())
