"""tune(): cross-validation of candidates in rounds, on all cores.

    files ─▶ one Encoded per template ─▶ folds ─▶ rounds of runs, in threads (the kernels release the GIL) ─▶ Tuning
                                                   └─▶ State: every finished run, saved at once

A run depends on its candidate, its fold and the seed alone, and a round is decided when all its runs are there. So
the result does not depend on the number of threads, nor on how often the tuning was stopped and resumed.
"""

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tagfield import __version__
from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import PathLike
from tagfield.data.text.templates.parsing import EXTENDED
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError
from tagfield.scale.tuning.candidates import SETTINGS, Candidate, candidates
from tagfield.scale.tuning.folds import deal, figure_for, run
from tagfield.scale.tuning.result import Row, Tuning
from tagfield.scale.tuning.rounds import plan, runs
from tagfield.scale.tuning.state import State, fingerprint

__all__ = ["Progress", "Tuning", "tune"]

BUDGET, FOLDS = 60, 5
CHARACTERS = "segmentation"  # the preset for characters; the others are for words


@dataclass(frozen=True)
class Progress:
    """The state of the tuning after each run, for a callback."""

    done: int  # runs, those of an earlier tuning included
    total: int
    candidate: Candidate
    fold: int
    figure: float  # in %; NaN if the candidate could not be trained


OnRun: TypeAlias = Callable[[Progress], None]


def tune(
    data: Encoded | PathLike | Iterable[PathLike],
    *,
    template: PathLike | Sequence[PathLike] | None = None,
    reading: ReadOptions | None = None,
    budget: int = BUDGET,
    folds: int = FOLDS,
    seed: int = 0,
    workers: int | None = None,
    state: PathLike | None = None,
    resume: bool = False,
    settings: Sequence[Mapping[str, Any]] = SETTINGS,
    on_run: OnRun | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> Tuning:
    """Find the settings, and the template, that label held-out parts of the data best.

    data: training data: encoded, or the paths of files; never give the test data
    template: one or several templates to try, by default every preset that fits the files
    reading: how to read the files, as in `encode_files`
    budget: the maximum number of training runs
    folds: parts of the data; each candidate of the last round is trained on all but one, once for each
    seed: of the folds and of every training run; the same seed gives the same result
    workers: training runs at a time; by default one for each core
    state: a file for finished runs; with `resume`, they are not repeated
    settings: what to try, as options of `Settings.of`; {} is the default, which always takes part
    on_run: called with a Progress after each run
    stop: asked after each epoch; where it says True, tuning ends with what it has

    >>> from tagfield import Settings
    >>> from tagfield.data.encode import encode_sequences
    >>> X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 6, [["X", "Y"], ["Y", "X"]] * 6
    >>> tuning = tune(encode_sequences(X, y), budget=9, folds=3, settings=[{}, {"recipe": "pa"}])
    >>> tuning.best.saved() == Settings().saved(), tuning.sentence
    (True, 'use the default: accuracy 100.00 ± 0.00; nothing else that was tried is clearly better')
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    encoded = _encodings(data, template, reading or ReadOptions())
    first = next(iter(encoded.values()))
    if not first.labelled:
        raise InputError("tuning needs a label for every token")
    tried = candidates(tuple(encoded), seed, [dict(options) for options in settings])
    for each in tried:
        each.settings(seed)  # fail early on invalid options
    rounds = plan(budget, folds, len(tried))
    parts = deal(len(first), folds, seed)
    about = {"data": {name: fingerprint(each) for name, each in encoded.items()}}
    known = State.open(state, about | {"folds": folds, "seed": seed, "version": __version__}, resume=resume)
    alive, total = tried[: rounds[0].candidates], runs(rounds)
    team = _Team(encoded, parts, seed, workers or usable_cores(), known, stop)
    done = 0
    with team:
        for number, now in enumerate(rounds):
            before = rounds[number - 1].folds if number else 0
            jobs = [(candidate, fold) for fold in range(before, now.folds) for candidate in alive]
            for candidate, fold, figure in team.run(jobs):
                done += 1
                if on_run is not None:
                    on_run(Progress(done, total, candidate, fold, figure))
            if stop():
                break
            if number + 1 < len(rounds):
                alive = _better(alive, known, now.folds, rounds[number + 1].candidates)
    rows = [Row(each, known.figures(each, folds)) for each in tried if known.figures(each, folds)]
    finished = not stop()
    if finished:
        known.delete()
    return Tuning.of(rows, tried[0], figure_for(first), folds, finished)


def usable_cores() -> int:
    """The number of cores this process may use.

    >>> usable_cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _encodings(data: Any, template: PathLike | Sequence[PathLike] | None, reading: ReadOptions) -> dict[str, Encoded]:
    """The data, encoded once for each template; "" stands for data that needs none. The default's comes first."""
    if isinstance(data, Encoded):
        if template is not None:
            raise InputError("the data is encoded already, so a template has no effect; give the files instead")
        return {"": data}
    sources = open_inputs(data, reading.format, reading.encoding)  # once: standard input cannot be read twice
    reading = replace(reading, encoding=None)
    if template is not None:
        given: list[Any] = list(template) if isinstance(template, list | tuple) else [template]
        if not given or not all(isinstance(each, str | os.PathLike) for each in given):
            raise InputError("template must be the name of a preset, the path of a template file, or a list of them")
        names = [os.fspath(each) for each in given]
        return {name: encode_files(sources, template=name, reading=reading) for name in names}
    first = encode_files(sources, reading=reading)
    if first.template is None:
        return {"": first}
    chosen = first.template.name.removesuffix(EXTENDED)
    found = {chosen: first}
    makes = {replace(PRESETS[chosen], name="", columns=())}  # ner and pos differ in their names alone
    for name, preset in PRESETS.items():
        same = replace(preset, name="", columns=())
        if same in makes or CHARACTERS in (name, chosen):
            continue
        makes.add(same)
        try:
            found[name] = encode_files(sources, template=name, reading=reading)
        except InputError:  # a template for other columns
            continue
    return found


def _better(alive: list[Candidate], known: State, folds: int, count: int) -> list[Candidate]:
    """The default, which comes first, and those with the best means; in the order in which they came."""

    def mean(candidate: Candidate) -> float:
        figures = known.figures(candidate, folds)
        found = sum(figures) / len(figures) if figures else math.nan
        return -math.inf if math.isnan(found) else found

    ranked = sorted(alive[1:], key=mean, reverse=True)[: max(0, count - 1)]
    return [each for k, each in enumerate(alive) if k == 0 or each in ranked]


class _Team:
    """Threads that train; the results come in the order in which they are ready."""

    def __init__(
        self,
        encoded: Mapping[str, Encoded],
        folds: list[Any],
        seed: int,
        workers: int,
        known: State,
        stop: Callable[[], bool],
    ) -> None:
        self._encoded, self._folds, self._seed, self._known = encoded, folds, seed, known
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="tuning")
        self._asked, self._ended = stop, False

    def __enter__(self) -> "_Team":
        return self

    def __exit__(self, *_: object) -> None:
        self._ended = True  # after an error too, the runs that are under way end after their epoch
        self._pool.shutdown(cancel_futures=True)

    def _stopped(self) -> bool:
        return self._ended or self._asked()

    def _train(self, candidate: Candidate, fold: int) -> float | None:
        if self._stopped():
            return None
        settings = replace(candidate.settings(self._seed), threads=1)  # several train at once
        figure = run(self._encoded[candidate.template], self._folds, fold, settings, self._stopped)
        return None if self._stopped() else figure

    def run(self, jobs: list[tuple[Candidate, int]]) -> Iterable[tuple[Candidate, int, float]]:
        """Trains what is not known yet; yields every finished run, and ends early when asked to stop."""
        waiting: dict[Future[float | None], tuple[Candidate, int]] = {}
        for candidate, fold in jobs:
            there = self._known.get(candidate, fold)
            if there is not None:
                yield candidate, fold, there
            else:
                waiting[self._pool.submit(self._train, candidate, fold)] = (candidate, fold)
        while waiting:
            ready, _ = wait(waiting, timeout=0.2, return_when=FIRST_COMPLETED)
            for future in [each for each in waiting if each in ready]:  # in the order in which they were started
                candidate, fold = waiting.pop(future)
                figure = future.result()
                if figure is not None:
                    self._known.add(candidate, fold, figure)
                    yield candidate, fold, figure
