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

from tagfield.dataset import UNKNOWN, Dataset, Longs
from tagfield.lattice import open_corpus
from tagfield.layout import Weights
from tagfield.native import kernels
from tagfield.train.problem import Problem

LEAST, MOST, SHARE = 100, 1000, 20


class LossMeter:
    """Measures the loss per token of weights, always on the same sentences.

    >>> import math
    >>> from tagfield.encode import encode_sequences
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
        data = problem.dataset if held_out is None else held_out
        unknown = np.bincount(_sentences(data)[data.labels == UNKNOWN], minlength=len(data)) > 0
        if held_out is None:
            size = min(len(data), MOST, max(LEAST, len(data) // SHARE))
            chosen = np.linspace(0, len(data) - 1, size).astype(np.int64)
        else:
            chosen = np.flatnonzero(~unknown)
        part = data.take(chosen)
        self._weight = part.weight  # [sentences of the sample]
        self._tokens = float(part.weight[_sentences(part)[part.labels != UNKNOWN]].sum())
        # Rules and unknown labels take a sum over paths, which a pass at rate 0 computes.
        summed = held_out is None and (problem.limits is not None or bool(unknown[chosen].any()))
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
        field, threads = self._problem.features.field(weights), self._problem.settings.team
        try:
            _, log_z, score = kernels.marginals(self._corpus, field, None, False, threads)
        except OverflowError:  # kernels may refuse such weights
            return math.inf
        with np.errstate(invalid="ignore"):
            lost = float(np.dot(log_z - score, self._weight))
        return math.inf if math.isnan(lost) else max(0.0, lost) / self._tokens


def _sentences(dataset: Dataset) -> Longs:
    """The sentence of each token [T]."""
    return np.repeat(np.arange(len(dataset)), np.diff(dataset.tokens))
