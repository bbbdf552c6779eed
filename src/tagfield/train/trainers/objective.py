"""The objective of the whole corpus and its gradient, in float64, on any number of threads.

    x [K] ─▶ CorpusGradient.add, for each part of the corpus: Σ NLL and E − Ẽ (native/kernel/gradient/gradient.hpp)
                 │
                 └─▶ Objective: + c2·‖x‖² ─▶ quasi_newton.py, whole_corpus.py

Where labels are unknown or rules forbid some paths, the loss is −log p(known labels) (limits.py). The number of threads
never changes a bit.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np

from tagfield.data.dataset import Doubles
from tagfield.native import kernels
from tagfield.train.problem.limits import Limits
from tagfield.train.problem.problem import Problem
from tagfield.weights.layout import FeatureSet, Weights


class Packing:
    """Where the K weights of an optimiser are: x holds those of the states, then transitions, then edges.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> problem = Problem.of(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings(features="all"))
    >>> packing = Packing(problem.features)
    >>> packing.size, packing.pack(problem.start).tolist()
    (8, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    """

    def __init__(self, features: FeatureSet) -> None:
        at = features.coordinates()
        self.features = features
        self.places = [at.state, at.trans, at.edge]  # of the features, in the arrays of the weights
        ends = np.cumsum([len(places) for places in self.places]).tolist()
        self.parts = [slice(start, end) for start, end in zip([0, *ends], ends, strict=False)]  # of x
        first = np.searchsorted(at.attribute, np.arange(features.attributes + 1)).astype(np.int64)
        edge_first = np.searchsorted(at.edge_attribute, np.arange(features.edge_attributes + 1)).astype(np.int64)
        cell = at.edge_before * features.zero.trans.shape[1] + at.edge_after
        self.rows = kernels.FeatureRows(features.labels, first, at.label.astype(np.int32), edge_first, cell)

    @property
    def size(self) -> int:
        """K."""
        return sum(len(places) for places in self.places)

    def pack(self, weights: Weights) -> Doubles:
        """The weights that exist, as x."""
        parts = zip(weights.arrays(), self.places, strict=False)
        return np.concatenate([array.reshape(-1)[places] for array, places in parts]).astype(np.float64)

    def weights(self, x: Doubles) -> Weights:
        """x in its blocks, as float32; a pair without a feature stays marked as such."""
        found = self.features.zeros()
        for array, places, part in zip(found.arrays(), self.places, self.parts, strict=False):
            array.reshape(-1)[places] = x[part] + 0.0
        return found


class Part(Protocol):
    """Some of the sentences, wherever they are."""

    def add(self, x: Doubles, gradient: Doubles, loss: float = 0.0) -> float:
        """Adds the gradient at x to `gradient`; returns `loss` plus the loss of these sentences."""


class CorpusGradient:
    """Σ NLL of the sentences of a corpus and its gradient, added to what is there: E − Ẽ without any penalty.

    A corpus may be a part of a larger one. Added part after part, in order, the parts give the bits of the whole, if
    each begins at a multiple of 8 sentences (`ALIGNMENT`). The number of threads never changes a bit.

    packing: where the weights are; one for all parts
    corpus: the sentences; their attributes and labels have the ids of the feature set
    limits: the paths that rules allow, for these sentences

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> problem = Problem.of(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings(features="all"))
    >>> part = CorpusGradient(Packing(problem.features), problem.corpus)
    >>> gradient = np.zeros(8)
    >>> round(part.add(np.zeros(8), gradient), 6), gradient.tolist()  # 2·log 2
    (1.386294, [-0.5, 0.5, 0.5, -0.5, 0.25, -0.75, 0.25, 0.25])
    """

    ALIGNMENT = kernels.BLOCK  # sentences that a kernel takes at a time

    def __init__(
        self, packing: Packing, corpus: kernels.Corpus, limits: Limits | None = None, threads: int = 1
    ) -> None:
        self._packing, self._limits, self.threads = packing, limits, threads
        self._packed = kernels.Packed(corpus, packing.rows)
        shape = packing.features.zero.trans.shape
        self._trans, self._grad_trans = np.full(shape, -0.0), np.zeros(shape)  # −0.0: no feature

    def add(self, x: Doubles, gradient: Doubles, loss: float = 0.0) -> float:
        """Adds the gradient at x to `gradient`; returns `loss` plus the loss of these sentences."""
        states, trans, edges = self._packing.parts
        places = self._packing.places[1]
        self._trans.reshape(-1)[places] = x[trans] + 0.0
        self._grad_trans.reshape(-1)[places] = gradient[trans]
        point = x[states], self._trans, x[edges]
        into = gradient[states], self._grad_trans, gradient[edges]
        loss = self._packed.add(*point, *into, self._limits, self.threads, loss)
        gradient[trans] = self._grad_trans.reshape(-1)[places]
        return loss


class Objective:
    """Σ NLL + c2·‖x‖² and its gradient, as functions of the weights that exist: states, then transitions, then edges.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    >>> value, _ = Objective(Problem.of(encoded, Settings(features="all")))(np.zeros(8))
    >>> round(value, 6)  # 2·log 2
    1.386294
    """

    def __init__(self, problem: Problem, parts: Sequence[Part] = ()) -> None:
        """parts: what adds the loss and the gradient, if not the problem's own sentences."""
        self._given = parts
        self.c2, self.threads = problem.settings.c2, problem.settings.thread_count
        self.packing = Packing(problem.features)
        self.size, self.pack, self.weights = self.packing.size, self.packing.pack, self.packing.weights
        self._disk = problem.disk
        if self._disk is None and not parts:
            self._whole = CorpusGradient(self.packing, problem.corpus, problem.limits, self.threads)

    def __call__(self, x: Doubles) -> tuple[float, Doubles]:
        gradient = np.empty(len(x))
        return self.at(x, gradient), gradient

    def at(self, x: Doubles, gradient: Doubles) -> float:
        """The value at x; `gradient` is overwritten with the gradient there."""
        square = kernels.scaled(x, 2 * self.c2, gradient, self.threads)  # the penalty's; the corpus adds to it
        nll = 0.0
        for part in self._parts():
            nll = part.add(x, gradient, nll)
        return nll + self.c2 * square

    def _parts(self) -> Iterator[Part]:
        """The corpus, or a window of it after another."""
        if self._given:
            yield from self._given
            return
        if self._disk is None:
            yield self._whole
            return
        for window in self._disk.windows():
            yield CorpusGradient(self.packing, window, threads=self.threads)


def dot(a: Doubles, b: Doubles, threads: int = 1) -> float:
    """a·b, the same bits on any number of threads.

    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return kernels.inner(a, b, threads)


def norm(a: Doubles) -> float:
    """‖a‖.

    >>> norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(dot(a, a))
