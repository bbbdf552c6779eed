"""train(): a model from a corpus, on the workers of a cluster.

    Encoded ─▶ Problem (features, rate) ─▶ Task, shares ─▶ RayWorkers ─▶ MixedTrainer or L-BFGS ─▶ fit ─▶ Trained

Shares are neighbouring sentences, and the bits of the model depend on their number, not on the number of workers that
hold them.
"""

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.data.text.sources import PathLike
from tagfield.errors import InputError, TrainingError
from tagfield.inference.constraints import Rules
from tagfield.scale.cluster.checkpoint import EVERY, Checkpoint
from tagfield.scale.cluster.mixed import MixedTrainer
from tagfield.scale.cluster.mixing import MIXES, Scheme
from tagfield.scale.cluster.ray_workers import InStore, OnDiskShare, RayWorkers
from tagfield.scale.cluster.session import LOCAL, STORE, at_least_one, open_session
from tagfield.scale.cluster.workers import Task, Workers, WorkersGradient, bounds, cut
from tagfield.system.memory import parse_size
from tagfield.train.loop.driver import WINDOW, fit
from tagfield.train.loop.ending import end
from tagfield.train.loop.held_out import fitting_dev, with_monitor
from tagfield.train.loop.history import OnEpoch, RunState
from tagfield.train.loop.trained import Parts, Trained
from tagfield.train.problem.on_disk import problem_of
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.recipes.preconditioners import AdaGrad
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.settings import Settings, settings_from
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.table import RECIPES
from tagfield.train.recipes.variants import Auto
from tagfield.train.trainers.quasi_newton import QuasiNewtonTrainer
from tagfield.train.trainers.trainer import Trainer


@dataclass(frozen=True)
class Started:
    """The workers are ready."""

    address: str | None
    workers: int
    shares: int
    seconds: float  # that starting it took


LBFGS_SHARES = 16  # a sum of so many parts has the same bits on 1 to 16 workers


def train(
    encoded: Encoded | Corpus | PathLike,
    settings: Settings | str | None = None,
    *,
    address: str | None = LOCAL,
    workers: int = 2,
    shares: int | None = None,
    mixes: int = MIXES,
    dev: Encoded | None = None,
    on_epoch: OnEpoch | None = None,
    rules: Rules | None = None,
    class_weight: ArrayLike | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = EVERY,
    on_start: Callable[[Started], None] | None = None,
) -> Trained:
    """Trains on the workers of a cluster, by a stochastic recipe or by lbfgs; `dev` is scored on this machine.

    encoded: encoded data, or a corpus on disk or its folder, which workers read themselves where it is large
    address: 'local' for processes on this machine, HOST:PORT of a Ray cluster's head node, or None for the connection
        that you have opened with ray.init()
    workers: processes, each with `settings.threads` threads, by default one
    shares: parts of the sentences; the model depends on their number, and not on `workers`. By default as many as there
        are workers, and 16 for lbfgs
    mixes: how often in an epoch the shares of a stochastic recipe mix their weights
    checkpoint: a folder; a run that is started again goes on from there
    checkpoint_seconds: how old a checkpoint must be before the next one is written within an epoch
    on_start: called when the workers are there, which takes seconds
    """
    settings = settings_from(settings)
    settings = replace(settings, threads=settings.threads or 1)  # each worker's; together they use the cores
    check_recipe(settings.recipe)
    workers, mixes = at_least_one("workers", workers), at_least_one("mixes", mixes)
    if not isinstance(encoded, Encoded | Corpus):
        encoded = Corpus.open(encoded)
    problem = posed(encoded, settings, rules, class_weight)
    if shares is None:
        shares = max(workers, LBFGS_SHARES) if isinstance(settings.recipe, QuasiNewton) else workers
    shares = min(at_least_one("shares", shares), problem.count)
    recipe = _ready(problem.settings.recipe, problem, np.random.default_rng(settings.seed))
    ready = replace(problem.settings, recipe=recipe)
    task = Task(problem.features, ready, problem.count, encoded.labels, rules, problem.class_weight)
    parts = None if problem.disk is not None else cut(problem.dataset, shares)
    data = sum(array.nbytes for part in parts or () for array in part.to_arrays().values())
    weights = sum(array.nbytes for array in problem.start.arrays())
    cpus, store = min(workers, shares) * settings.thread_count, STORE + 2 * data + 16 * weights
    began = time.perf_counter()
    with open_session(address, cpus=cpus, store=store) as ray:
        sources = [InStore(ray.put(part)) for part in parts] if parts else on_disk(problem, shares)
        with RayWorkers(ray, task, sources, workers, settings.thread_count) as ready_workers:
            if on_start is not None:
                on_start(Started(address, ready_workers.count, shares, time.perf_counter() - began))
            run = fingerprint(encoded, task, shares, mixes)
            found = None if checkpoint is None else Checkpoint(checkpoint, run, checkpoint_seconds)
            return run_on(ready_workers, problem, task, Scheme(mixes), encoded, dev, on_epoch, found)


def posed(
    encoded: Encoded | Corpus, settings: Settings, rules: Rules | None, class_weight: ArrayLike | None
) -> Problem:
    """The problem; a large corpus on disk stays there, whatever the recipe, since its gradient is a sum over shares."""
    asked = settings
    if isinstance(settings.recipe, QuasiNewton):
        asked = replace(settings, recipe=RECIPES["sgd"], c1=0.0)
    problem = problem_of(encoded, asked, rules, None, class_weight, parse_size(WINDOW))
    decided = problem.settings
    recipe = settings.recipe if asked is not settings else decided.recipe  # with its rate, where the data decides it
    settings = replace(settings, recipe=recipe, features=decided.features, transitions=decided.transitions)
    return replace(problem, settings=settings)


def on_disk(problem: Problem, shares: int) -> Sequence[OnDiskShare]:
    """The shares of a corpus that stays on disk."""
    disk = problem.disk
    assert disk is not None
    path, ends = os.path.abspath(disk.source.path), bounds(problem.count, shares)
    return [OnDiskShare(path, first, last, disk.ids, disk.edge_ids) for first, last in pairwise(ends)]


def run_on(
    workers: Workers,
    problem: Problem,
    task: Task,
    scheme: Scheme,
    encoded: Encoded | Corpus,
    dev: Encoded | None = None,
    on_epoch: OnEpoch | None = None,
    checkpoint: Checkpoint | None = None,
) -> Trained:
    """Trains with workers, wherever they are."""
    settings, recipe = with_monitor(task.settings, encoded.labels, dev), task.settings.recipe
    problem = replace(problem, settings=settings)
    state, run = (None if checkpoint is None else checkpoint.load()) or (None, RunState())

    def make(rng: np.random.Generator) -> Trainer:
        trainer: Trainer
        if isinstance(recipe, QuasiNewton):
            trainer = QuasiNewtonTrainer(recipe, problem, [WorkersGradient(workers)])
        else:
            assert isinstance(recipe, Stochastic)
            trainer = mixed = MixedTrainer(recipe, problem, workers, scheme)
            if checkpoint is not None:
                mixed.after_mix = lambda: checkpoint.save_if_due(mixed.state, run)
        if state is not None:
            trainer.resume(state)
        return trainer

    save = None if checkpoint is None else checkpoint.save
    trained = fit(problem, make, encoded, dev=dev, on_epoch=on_epoch, run=run, save=save)
    if run.fell_back and run.kept is None:
        reason = run.reason.partition(";")[0]
        raise TrainingError(f"{reason}; nothing was saved. Give a smaller rate, or mix more often")
    trained = end(trained, problem, fitting_dev(dev, problem))
    return replace(trained, parts=Parts(workers.shares, 0 if isinstance(recipe, QuasiNewton) else scheme.mixes))


def check_recipe(recipe: Recipe) -> None:
    """Raise InputError for a recipe that cannot be divided.

    >>> from tagfield.train import RECIPES
    >>> check_recipe(RECIPES["pa"])
    Traceback (most recent call last):
    tagfield.errors.InputError: pa does not train on a cluster; use lbfgs or a stochastic recipe such as adaptive
    """
    if not isinstance(recipe, Stochastic | Auto | QuasiNewton):
        name = f"{recipe.name}{recipe.suffix}"
        raise InputError(f"{name} does not train on a cluster; use lbfgs or a stochastic recipe such as adaptive")
    if isinstance(recipe, Stochastic) and recipe.minibatch > 1:
        raise InputError("minibatch does not apply on a cluster: its shares are mixed by steps of one sequence")
    if isinstance(recipe, Stochastic) and not isinstance(recipe.preconditioner, AdaGrad | None):
        raise InputError(f"{recipe} does not train on a cluster; use the metric adaptive or flat")
    if isinstance(recipe, Stochastic) and recipe.generators is not None:
        raise InputError("generators does not apply on a cluster, whose workers do not know the names of attributes")


def _ready(recipe: Recipe, problem: Problem, rng: np.random.Generator) -> Recipe:
    """The recipe with its learning rate, which is found on this machine."""
    if isinstance(recipe, QuasiNewton) or (isinstance(recipe, Stochastic) and recipe.rate):
        return recipe
    return recipe.trainer(problem, rng).recipe


def fingerprint(encoded: Encoded | Corpus, task: Task, shares: int, mixes: int) -> dict[str, Any]:
    """What a checkpoint must agree on: the same data, settings and shares."""
    tokens = encoded.tokens if isinstance(encoded, Corpus) else len(encoded.gold)
    sizes = {"sentences": len(encoded), "tokens": tokens, "attributes": len(encoded.attributes)}
    settings = {name: value for name, value in task.settings.to_dict().items() if name not in ("threads", "epochs")}
    return {**sizes, "labels": encoded.labels.strings(), "shares": shares, "mixes": mixes, **settings}
