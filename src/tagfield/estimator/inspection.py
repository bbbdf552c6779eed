"""The weights, the size and the training log of a fitted CRF, under sklearn-crfsuite's names.

Before fit they raise NotFittedError, as in scikit-learn; in sklearn-crfsuite they are None.
"""

from collections import Counter
from typing import Any

import numpy as np

from tagfield.constraints import rules_of
from tagfield.estimator.fitted import Fitted
from tagfield.estimator.tagger import Tagger
from tagfield.explain import Explanation, SizeReport, explain
from tagfield.train.fields import number, whole
from tagfield.train.training_log import TrainingLog, iterations_of


class Inspection(Fitted):
    """The properties and methods of CRF that show what it learned."""

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
        """{(attribute, label): weight} for weights other than 0."""
        self._check_fitted()
        state = self.model_.weights.state.reshape(-1)
        places = np.flatnonzero(state)
        found = (*self.model_.features.locate(places), state[places])
        names, labels = self.attributes_, self.classes_
        return {(names[a], labels[y]): w for a, y, w in zip(*(x.tolist() for x in found), strict=True)}

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """{(from, to): weight} for weights other than 0."""
        self._check_fitted()
        labels = self.classes_
        trans = self.model_.weights.transitions()
        return {(labels[i], labels[j]): float(trans[i, j]) for i, j in zip(*np.nonzero(trans), strict=True)}

    @property
    def size_(self) -> int:
        """Size of the model's arrays in bytes, in memory and in its file."""
        return self.size_report().bytes

    @property
    def training_log_(self) -> TrainingLog:
        """The passes of the last fit, in the format of python-crfsuite's log parser.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]], [[["a"]]], [["X"]])
        >>> crf.training_log_.last_iteration["scores"]["X"].f1, crf.training_log_.iterations[0]["linesearch_trials"]
        (1.0, 2)
        """
        self._check_fitted()
        iterations = iterations_of(self._epochs, self.model_.labels.strings(), self._names.label)
        return TrainingLog(
            iterations, getattr(self, "generated_", sum(self.model_.features.counts)), *self._preparing_and_storing
        )

    @property
    def tagger_(self) -> Tagger:
        """An object with the methods of python-crfsuite's Tagger; the same one until the next fit."""
        self._check_fitted()
        if "_tagger" not in self.__dict__:
            self._tagger = Tagger(self)
        return self._tagger

    def top_features(self, n: int = 20, label: Any = None) -> list[tuple[str, Any, float]]:
        """The n state features with the largest absolute weights, as (attribute, label, weight).

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> [(attribute, label) for attribute, label, _ in crf.top_features(1, label="Y")]
        [('b', 'Y')]
        """
        chosen = Counter({key: abs(w) for key, w in self.state_features_.items() if label is None or key[1] == label})
        weights = self.state_features_
        return [(*key, weights[key]) for key, _ in chosen.most_common(whole("n", n))]

    def top_transitions(self, n: int = 20) -> list[tuple[Any, Any, float]]:
        """The n transitions with the largest absolute weights, as (from, to, weight)."""
        weights = self.transition_features_
        chosen = Counter({key: abs(w) for key, w in weights.items()})
        return [(*key, weights[key]) for key, _ in chosen.most_common(whole("n", n))]

    def explain(self, xseq: Any, t: int) -> Explanation:
        """Show why the token at position t gets its label rather than the second-best one.

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.1).fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> why = crf.explain([["a"], ["b"]], 1)
        >>> why.label, why.runner_up, abs(sum(amount for _, amount in why.separates) - why.difference) < 1e-9
        ('Y', 'X', True)
        """
        self._check_fitted()
        model = self.model_
        encoded = model.encode([xseq]) if model.template is None else model.encode_words([xseq])
        return explain(model, encoded, t, self.classes_, rules_of(self.constraints, self.classes_))

    def size_report(self) -> SizeReport:
        """The size of the model, by its parts."""
        self._check_fitted()
        return SizeReport.of(self.model_)

    def prune(self, threshold: float = 0.0) -> "Inspection":
        """Remove weights of absolute value ≤ `threshold`, and attributes that have no weight left; returns self.

        With threshold 0 predictions do not change: only weights of 0 are removed, such as c1 produces.
        """
        self._check_fitted()
        self.model_ = self.model_.pruned(number("threshold", threshold))
        return self
