"""The marginal likelihood: sequences whose labels are known only in part, and label sets with rules.

    −log p(known | x) = log Z − log Z_known        Z_known sums the paths that agree with what is known

With rules (tagfield/constraints.py) both sums are over allowed paths only. With every label known and no rules this is
the usual likelihood, at twice its price. With unknown labels it is not convex: the start matters.
"""

import numpy as np
from numpy.typing import NDArray

from tagfield.constraints import Rules
from tagfield.dataset import Dataset, Doubles
from tagfield.features import FeatureSet
from tagfield.native import kernels
from tagfield.train.batch import Objective

FORBIDDEN = -1e30  # the kernels' PAD


class PartialObjective(Objective):
    """Σ −log p(known labels) + c2·‖x‖² and its gradient.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> data = encode_sequences([[["a"], ["b"]]], [["X", "Y"]]).dataset
    >>> data.labels[1] = -1
    >>> corpus = open_corpus(data)
    >>> value, _ = PartialObjective(corpus, feature_set(corpus, 2, 2, "all"), data, c2=0.0, threads=1)(np.zeros(8))
    >>> round(value, 6)  # log 2: one label of two is known
    0.693147
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        dataset: Dataset,
        *,
        c2: float,
        threads: int,
        rules: Rules | None = None,
    ) -> None:
        super().__init__(corpus, features, c2=c2, threads=threads)
        self._allowed: NDArray[np.uint8] | None = None
        self._forbidden: NDArray[np.bool_] | None = None
        if rules is not None:
            labels, tokens = features.labels, dataset.tokens
            filled = np.diff(tokens) > 0
            self._allowed = np.ones((int(tokens[-1]), labels), np.uint8)
            self._allowed[tokens[:-1][filled]] &= rules.start.astype(np.uint8)
            self._allowed[tokens[1:][filled] - 1] &= rules.end.astype(np.uint8)
            self._forbidden = np.zeros(features.zero.trans.shape, bool)
            self._forbidden[:, :labels] = ~rules.follow

    def _nll(self, x: Doubles, gradient: Doubles, grad_trans: Doubles) -> float:
        trans = self._trans
        if self._forbidden is not None:
            trans = np.where(self._forbidden, FORBIDDEN, trans)
        return self._packed.partial_gradient(x, trans, self._allowed, gradient, grad_trans, self.threads)
