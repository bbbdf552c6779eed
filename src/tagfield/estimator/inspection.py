"""What a fitted CRF is made of: its weights by name, its size, its log; sklearn-crfsuite's attributes.

Before fit these raise NotFittedError, as scikit-learn's estimators do, where sklearn-crfsuite's are None.
"""

from collections import Counter
from typing import Any

import numpy as np

from tagfield.constraints import rules_of
from tagfield.estimator.fitted import Fitted
from tagfield.estimator.parameters import number_of
from tagfield.estimator.records import TrainingLog
from tagfield.estimator.tagger import Tagger
from tagfield.explain import Explanation, SizeReport, explain
from tagfield.model import Model


class Inspection(Fitted):
    """The attributes of CRF that tell what it learned."""

    constraints: Any
    _tagger: Tagger

    @property
    def attributes_(self) -> list[str]:
        """The attributes that have a weight."""
        self._check_fitted()
        return self.model_.attributes.strings()

    @property
    def num_attributes_(self) -> int:
        self._check_fitted()
        return len(self.model_.attributes)

    @property
    def state_features_(self) -> dict[tuple[str, Any], float]:
        """{(attribute, label): weight}, without weights of 0."""
        self._check_fitted()
        state = self.model_.weights.state.reshape(-1)
        places = np.flatnonzero(state)
        found = (*self.model_.features.locate(places), state[places])
        names, labels = self.attributes_, self.classes_
        return {(names[a], labels[y]): w for a, y, w in zip(*(x.tolist() for x in found), strict=True)}

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """{(from, to): weight}, without weights of 0."""
        self._check_fitted()
        labels = self.classes_
        trans = self.model_.weights.transitions()
        return {(labels[i], labels[j]): float(trans[i, j]) for i, j in zip(*np.nonzero(trans), strict=True)}

    @property
    def size_(self) -> int:
        """Bytes of the model's arrays, which is what its file holds."""
        return self.size_report().bytes

    @property
    def training_log_(self) -> TrainingLog:
        """The passes of the last fit, as python-crfsuite's log parser gives them."""
        self._check_fitted()
        return TrainingLog(self.history_, getattr(self, "generated_", sum(self.model_.features.counts)))

    @property
    def tagger_(self) -> Tagger:
        """The model behind python-crfsuite's Tagger's methods; the same object until the next fit."""
        self._check_fitted()
        if "_tagger" not in self.__dict__:
            self._tagger = Tagger(self)
        return self._tagger

    def top_features(self, n: int = 20, label: Any = None) -> list[tuple[str, Any, float]]:
        """The n state features with the largest weights by size, as (attribute, label, weight).

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> [(attribute, label) for attribute, label, _ in crf.top_features(1, label="Y")]
        [('b', 'Y')]
        """
        chosen = Counter(
            {key: abs(w) for key, w in self.state_features_.items() if label is None or key[1] == label}
        )
        weights = self.state_features_
        return [(*key, weights[key]) for key, _ in chosen.most_common(n)]

    def top_transitions(self, n: int = 20) -> list[tuple[Any, Any, float]]:
        """The n transitions with the largest weights by size, as (from, to, weight)."""
        weights = self.transition_features_
        chosen = Counter({key: abs(w) for key, w in weights.items()})
        return [(*key, weights[key]) for key, _ in chosen.most_common(n)]

    def explain(self, xseq: Any, t: int) -> Explanation:
        """Why the token at position t of a sequence gets its label, and what separates it from the runner-up.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.1).fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> why = crf.explain([["a"], ["b"]], 1)
        >>> why.label, why.runner_up, abs(sum(amount for _, amount in why.separates) - why.difference) < 1e-9
        ('Y', 'X', True)
        """
        self._check_fitted()
        return explain(self.model_, xseq, t, self.classes_, rules_of(self.constraints, self.classes_))

    def size_report(self) -> SizeReport:
        """How large the model is, and where its bytes go."""
        self._check_fitted()
        return SizeReport.of(self.model_)

    def prune(self, threshold: float = 0.0) -> "Inspection":
        """Takes out weights of at most `threshold` by size, and the attributes that then have none; returns itself.

        With the threshold 0, no prediction changes: only zeros, such as c1 leaves, are taken out.
        """
        self._check_fitted()
        self.model_ = self.model_.pruned(number_of("threshold", threshold))
        return self


def without_zeros(model: Model) -> Model:
    """The model without attributes whose every weight is 0, such as c1 leaves; as CRFsuite does.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]], [["X", "Y"]]), Settings("lbfgs", c1=0.6))
    >>> len(model.attributes), len(without_zeros(model).attributes)
    (2, 0)
    """
    alive, _ = model.features.locate(np.flatnonzero(model.weights.state))
    return model if len(np.unique(alive)) == len(model.attributes) else model.pruned()
