"""The marginal likelihood: sequences whose labels are known only in part, and label sets with rules.

    −log p(known | x) = log Z − log Z_known        Z_known sums the paths that agree with what is known

With rules (tagfield/constraints.py) both sums are over allowed paths only. With every label known and no rules this is
the usual likelihood, at twice its price. With unknown labels it is not convex: the start matters. Here are the limits
that rules put on a dataset, and the objective of L-BFGS; a stochastic pass does the same one sentence at a time
(native/kernel/unknown.hpp).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tagfield._text import Vocabulary
from tagfield.constraints import FORBIDDEN, IMPOSSIBLE, Rules
from tagfield.dataset import UNKNOWN, Dataset, Doubles
from tagfield.errors import InputError
from tagfield.features import FeatureSet
from tagfield.native import kernels
from tagfield.train.batch import Objective


@dataclass(frozen=True)
class Limits:
    """What paths training may sum over."""

    labels: NDArray[np.uint8]  # [T, L]: which labels a token may have
    follow: NDArray[np.uint8]  # [L, L]: from, to

    @staticmethod
    def of(rules: Rules, dataset: Dataset) -> "Limits":
        """The limits of a dataset.

        >>> from tagfield.constraints import rules_of
        >>> from tagfield.encode import encode_sequences
        >>> data = encode_sequences([[["a"], ["b"]]], [["O", "B-X"]]).dataset
        >>> Limits.of(rules_of("BIO", ["O", "B-X", "I-X"]), data).labels.tolist()
        [[1, 1, 0], [1, 1, 1]]
        """
        return Limits(rules.allowed(dataset.tokens), rules.follow.astype(np.uint8))

    def check(self, dataset: Dataset, corpus: kernels.Corpus, features: FeatureSet) -> None:
        """An InputError where no allowed path agrees with the known labels of a sequence."""
        unknown = dataset.labels == UNKNOWN
        if not unknown.any():
            return
        agrees = np.arange(features.labels) == dataset.labels[:, None]
        allowed = self.labels & (agrees | unknown[:, None])
        zero = features.zeros()
        trans = np.where(self.forbidden(features), FORBIDDEN, zero.trans)
        _, score = kernels.decode(corpus, features.layout, zero.state, trans, allowed, 1)
        if (score < IMPOSSIBLE).any():
            sequence = int(np.flatnonzero(score < IMPOSSIBLE)[0])
            raise InputError(
                f"y[{sequence}]: the constraints allow no path through its known labels; correct them, or train "
                "without constraints"
            )

    def forbidden(self, features: FeatureSet) -> NDArray[np.bool_]:
        """Which transitions are forbidden, in the layout of their weights."""
        out = np.zeros(features.zero.trans.shape, bool)
        out[:, : features.labels] = self.follow == 0
        return out


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
    limits = Limits.of(rules, dataset)
    limits.check(dataset, corpus, features)
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
        self._allowed = None if limits is None else limits.labels
        self._forbidden = None if limits is None else limits.forbidden(features)

    def _nll(self, x: Doubles, gradient: Doubles, grad_trans: Doubles) -> float:
        trans = self._trans
        if self._forbidden is not None:
            trans = np.where(self._forbidden, float(FORBIDDEN), trans)
        return self._packed.partial_gradient(x, trans, self._allowed, gradient, grad_trans, self.threads)
