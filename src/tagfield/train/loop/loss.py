"""The loss per token: what falls when a model gets better, whatever the recipe minimises.

    held-out data, or a fixed sample of the training data ─▶ LossMeter ─▶ −Σ log p(y | x) / tokens of the kept weights

The objective along a pass is that of weights which were changing, with a penalty that only plain gradients have. With
averaging, a response or AdaGrad it may rise while the model improves. So this figure is reported instead, and the
stopping rule watches it for those recipes (`Trainer.watches_loss`). Plain sgd, lbfgs and batch keep their objective.

The sample is a twentieth of the sentences, between 100 and 1,000, evenly spaced, so it draws nothing from the random
stream. On CoNLL-2000 measuring it takes 1 to 3 % of an epoch.
"""

import math

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import UNKNOWN, Dataset, Longs
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.weights.layout import Weights

LEAST, MOST, SHARE = 100, 1000, 20


class LossMeter:
    """Measures the loss per token of weights, always on the same sentences.

    >>> import math
    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> problem = Problem.of(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("sgd"))
    >>> LossMeter(problem)(problem.start) == math.log(2)  # zero weights, two labels
    True
    """

    def __init__(self, problem: Problem, held_out: Dataset | None = None) -> None:
        """held_out: Data with the attribute ids of the problem; without it, the meter takes a sample of the problem's.

        A held-out sentence with a label that is unknown to the model has no probability and is left out.
        """
        self.held_out = held_out is not None
        self._problem = problem
        if held_out is None:
            size = min(problem.count, MOST, max(LEAST, problem.count // SHARE))
            chosen = np.linspace(0, problem.count - 1, size).astype(np.int64)
            part = problem.data.take(chosen)
        else:
            chosen = np.flatnonzero(~_unknown(held_out))
            part = held_out.take(chosen)
        self._weight = part.weight  # [sentences of the sample]
        self._tokens = float(part.weight[_sentences(part)[part.labels != UNKNOWN]].sum())
        # Rules and unknown labels take a sum over paths, which a pass at rate 0 computes.
        summed = held_out is None and (problem.limits is not None or bool(_unknown(part).any()))
        self._summed = chosen if summed else None
        self._corpus = open_corpus(part, problem.class_weight)

    def __call__(self, weights: Weights) -> float | None:
        """−Σ log p(y | x) / tokens; infinite if the weights are beyond the range of numbers, None without a token."""
        if not self._tokens:
            return None
        if self._summed is not None:
            return self._problem.nll(weights, self._summed) / self._tokens
        if self._problem.class_weight is not None:
            return self._problem.nll(weights, corpus=self._corpus) / self._tokens
        field, threads = self._problem.features.field(weights), self._problem.settings.thread_count
        try:
            _, log_z, score = kernels.marginals(self._corpus, field, None, False, threads)
        except OverflowError:  # kernels may refuse such weights
            return math.inf
        with np.errstate(invalid="ignore"):
            lost = float(np.dot(log_z - score, self._weight))
        return math.inf if math.isnan(lost) else max(0.0, lost) / self._tokens


def _unknown(dataset: Dataset) -> NDArray[np.bool_]:
    """Whether a sentence has a token whose label is not known [S]."""
    return np.bincount(_sentences(dataset)[dataset.labels == UNKNOWN], minlength=len(dataset)) > 0


def _sentences(dataset: Dataset) -> Longs:
    """The sentence of each token [T]."""
    return np.repeat(np.arange(len(dataset)), np.diff(dataset.tokens))
