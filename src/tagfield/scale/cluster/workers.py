"""The workers that hold the shares. Here they are in this process; ray_workers.py has those of a cluster.

    shares 0 … M−1 of the sentences ─▶ Workers.train(round) ─▶ a Change for each share, in order
                                    └▶ Workers.gradient(x)  ─▶ loss and gradient, summed over the shares by a fixed tree

A call returns the same bits, whichever worker holds which share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np

from tagfield.data.dataset import Dataset, Doubles, Longs
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.native._text import Vocabulary
from tagfield.scale.cluster.rounds import Change, Share
from tagfield.train.problem.limits import limits_of
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.settings import Settings
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.objective import CorpusGradient, Packing
from tagfield.weights.layout import FeatureSet, Weights

Sum: TypeAlias = tuple[float, Doubles]  # of a loss and its gradient


@dataclass(frozen=True)
class Task:
    """What every worker must know: the same for all shares."""

    features: FeatureSet
    settings: Settings  # with the learning rate that was found
    sentences: int  # of the whole corpus
    labels: Vocabulary
    rules: Rules | None = None
    class_weight: Doubles | None = None

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"features": replace(self.features)}  # without what it has cached

    def problem(self, dataset: Dataset) -> Problem:
        """The problem of one share; its penalty is that of the whole corpus, a part for each sentence."""
        return Problem(
            dataset,
            open_corpus(dataset, self.class_weight),
            Vocabulary(),
            self.features,
            self.features.zero,
            self.settings,
            None if self.rules is None else limits_of(self.rules, dataset, self.labels),
            sentences=self.sentences,
            class_weight=self.class_weight,
        )


@dataclass(frozen=True)
class Round:
    """A round of stochastic training: where all shares start from, and which part of the epoch it is."""

    scale: float  # θ = scale·θ̄
    t: float  # steps so far
    epoch: int  # from 1
    part: int  # from 0
    parts: int


class Workers(Protocol):
    """What works on the shares, in this process or on other machines."""

    shares: int

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        """The changes of one round, in the order of the shares."""

    def gradient(self, x: Doubles) -> Sum:
        """Σ NLL and its gradient at x, without the penalty."""


@dataclass(frozen=True)
class WorkersGradient:
    """All sentences of all workers, as a part of an objective (train/trainers/objective.py)."""

    workers: Workers

    def add(self, x: Doubles, gradient: Doubles, loss: float = 0.0) -> float:
        more, own = self.workers.gradient(x)
        gradient += own
        return loss + more


class Worker:
    """Some neighbouring shares, first … last − 1, in one process.

    datasets: a function from the number of a share to its sentences; it is asked once for each share
    """

    def __init__(self, task: Task, first: int, datasets: Sequence[Callable[[], Dataset]]) -> None:
        self._task, self.first, self._datasets = task, first, datasets
        self._problems: dict[int, Problem] = {}
        self._shares: dict[int, Share] = {}
        self._gradients: dict[int, CorpusGradient] = {}
        self._packing: Packing | None = None

    def problem(self, share: int) -> Problem:
        if share not in self._problems:
            self._problems[share] = self._task.problem(self._datasets[share - self.first]())
        return self._problems[share]

    def train(self, share: int, theta: Weights, squares: Weights | None, this: Round) -> Change:
        """One share's part of a round."""
        if share not in self._shares:
            recipe = self._task.settings.recipe
            assert isinstance(recipe, Stochastic)
            self._shares[share] = Share(self.problem(share), recipe)
        order = order_of(self._task.settings.seed, this, share, self.problem(share).corpus.sentences)
        return self._shares[share].run(theta, squares, this.scale, this.t, this.epoch, order)

    def gradient(self, x: Doubles, shares: int) -> list[Sum]:
        """Σ NLL and its gradient over the parts of the tree that this worker's shares make up; see `tree`."""
        parts = covered(0, shares, self.first, self.first + len(self._datasets))
        return [tree(*part, lambda low, high: self._of_share(low, x) if high - low == 1 else None) for part in parts]

    def _of_share(self, share: int, x: Doubles) -> Sum:
        if share not in self._gradients:
            problem = self.problem(share)
            self._packing = self._packing or Packing(problem.features)
            threads = problem.settings.thread_count
            self._gradients[share] = CorpusGradient(self._packing, problem.corpus, problem.limits, threads)
        gradient = np.zeros(len(x))
        return self._gradients[share].add(x, gradient), gradient


class LocalWorkers:
    """Workers in this process, one share after the other: what a cluster computes, without a cluster.

    >>> from tagfield.data.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> problem = Problem.of(encoded, Settings.of("lbfgs", features="all"))
    >>> workers = LocalWorkers(Task(problem.features, problem.settings, 2, encoded.labels), cut(problem.dataset, 2))
    >>> value, gradient = workers.gradient(np.zeros(problem.features.size))
    >>> round(value, 6)  # 4·log 2
    2.772589
    """

    def __init__(self, task: Task, datasets: Sequence[Dataset]) -> None:
        self.shares = len(datasets)
        self._worker = Worker(task, 0, [lambda dataset=dataset: dataset for dataset in datasets])  # type: ignore[misc]

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        return [self._worker.train(share, theta, squares, this) for share in range(self.shares)]

    def gradient(self, x: Doubles) -> Sum:
        return self._worker.gradient(x, self.shares)[0]


def bounds(sentences: int, shares: int) -> list[int]:
    """The first sentence of each share, and the end: neighbours stay together.

    >>> bounds(10, 4)
    [0, 2, 5, 7, 10]
    """
    return [sentences * share // shares for share in range(shares + 1)]


def cut(dataset: Dataset, shares: int) -> list[Dataset]:
    """The shares of a dataset."""
    at = bounds(len(dataset), shares)
    return [dataset.take(np.arange(low, high)) for low, high in pairwise(at)]


def order_of(seed: int, this: Round, share: int, sentences: int) -> Longs:
    """The sentences of a share that a round takes, in order: a part of the share's own shuffle of the epoch.

    >>> parts = [order_of(0, Round(1.0, 0.0, 1, part, 2), 0, 5) for part in (0, 1)]
    >>> sorted(np.concatenate(parts).tolist())
    [0, 1, 2, 3, 4]
    """
    shuffled = np.random.default_rng([seed, this.epoch, share]).permutation(sentences).astype(np.int64)
    return shuffled[sentences * this.part // this.parts : sentences * (this.part + 1) // this.parts]


def tree(low: int, high: int, known: Callable[[int, int], Sum | None]) -> Sum:
    """The sum of the shares low … high − 1, by halves: ((0 + 1) + (2 + 3)), so the bits do not depend on the workers.

    known: the sum of a part of the tree, where it is known; of each single share it must be

    >>> tree(0, 3, lambda low, high: (float(low), np.array([1.0])) if high - low == 1 else None)
    (3.0, array([3.]))
    """
    found = known(low, high)
    if found is not None:
        return found
    middle = (low + high) // 2
    (loss, gradient), (more, other) = tree(low, middle, known), tree(middle, high, known)
    return loss + more, np.add(gradient, other, out=gradient if gradient.flags.writeable else None)


def covered(low: int, high: int, first: int, last: int) -> list[tuple[int, int]]:
    """The largest parts of the tree over low … high − 1 that lie within first … last − 1.

    >>> covered(0, 8, 0, 8), covered(0, 8, 2, 4), covered(0, 8, 1, 5)
    ([(0, 8)], [(2, 4)], [(1, 2), (2, 4), (4, 5)])
    """
    if first <= low and high <= last:
        return [(low, high)] if low < high else []
    if last <= low or high <= first:
        return []
    middle = (low + high) // 2
    return covered(low, middle, first, last) + covered(middle, high, first, last)
