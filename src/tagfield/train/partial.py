"""The marginal likelihood: sequences whose labels are known only in part, and label sets with rules.

    −log p(known | x) = log Z − log Z_known        Z_known sums the paths that agree with what is known

With rules (tagfield/constraints.py) both sums are over allowed paths only. With every label known and no rules this is
the usual likelihood, at twice its price. With unknown labels it is not convex: the start matters. Here are the limits
that rules put on a dataset, and the objective of L-BFGS; a stochastic pass does the same one sentence at a time
(native/kernel/unknown.hpp).
"""

from typing import TypeAlias

import numpy as np

from tagfield._text import Vocabulary
from tagfield.constraints import Rules
from tagfield.dataset import UNKNOWN, Dataset, Doubles
from tagfield.errors import InputError
from tagfield.features import FeatureSet
from tagfield.native import kernels
from tagfield.train.batch import Objective

Limits: TypeAlias = kernels.Limits


def check_limits(limits: Limits, dataset: Dataset, corpus: kernels.Corpus, features: FeatureSet) -> None:
    """An InputError where no allowed path agrees with the known labels of a sequence."""
    unknown = dataset.labels == UNKNOWN
    if not unknown.any() or limits.labels is None:
        return
    agrees = np.arange(features.labels) == dataset.labels[:, None]
    both = kernels.Limits(limits.labels & (agrees | unknown[:, None]), limits.follow)
    _, score = kernels.tag(corpus, features.field(features.zero), both)
    if np.isneginf(score).any():
        sequence = int(np.flatnonzero(np.isneginf(score))[0])
        raise InputError(
            f"y[{sequence}]: the constraints allow no path through its known labels; correct them, or train "
            "without constraints"
        )


def limits_of(
    rules: Rules | None,
    dataset: Dataset,
    corpus: kernels.Corpus,
    features: FeatureSet,
    labels: Vocabulary,
) -> Limits | None:
    """The limits of rules, once the known labels are seen to keep to them; None where there are no rules."""
    if rules is None:
        return None
    rules.check_gold(dataset, labels.strings())
    limits = rules.limits(dataset.tokens)
    check_limits(limits, dataset, corpus, features)
    return limits


class PartialObjective(Objective):
    """Σ −log p(known labels) + c2·‖x‖² and its gradient.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> data = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
    >>> data.labels[1] = -1
    >>> corpus = open_corpus(data)
    >>> value, _ = PartialObjective(corpus, feature_set(corpus, 2, 2, "all"), c2=0.0, threads=1)(np.zeros(8))
    >>> round(value, 6)  # log 2: one label of two is known
    0.693147
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        *,
        c2: float,
        threads: int,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(corpus, features, c2=c2, threads=threads)
        self._limits = limits

    def _nll(self, x: Doubles, gradient: Doubles, grad_trans: Doubles) -> float:
        return self._packed.partial_gradient(x, self._trans, self._limits, gradient, grad_trans, self.threads)
