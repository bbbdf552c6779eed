"""The weights, the size and the training log of a fitted CRF, under sklearn-crfsuite's names.

Before fit the properties are None, as in sklearn-crfsuite, and the methods raise NotFittedError.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tagfield.compat.sklearn.fitted import Fitted
from tagfield.compat.sklearn.spelling import Spelling
from tagfield.compat.sklearn.tagger import Tagger
from tagfield.data.text.records import WORD
from tagfield.data.text.templates.template import LABEL
from tagfield.model.explain import SizeReport, explain
from tagfield.model.explanation import Explanation
from tagfield.system.checks import number, whole
from tagfield.train.loop.training_log import TrainingLog, iterations_of


class Inspection(Fitted):
    """The properties and methods of CRF that show what it learned."""

    _tagger: Tagger

    @property
    def attributes_(self) -> list[str] | None:
        """The attributes that have a weight."""
        return self.model_.attributes.strings() if self._find_model() else None

    @property
    def num_attributes_(self) -> int | None:
        """Number of attributes that have a weight."""
        return len(self.model_.attributes) if self._find_model() else None

    @property
    def state_features_(self) -> dict[tuple[str, Any], float] | None:
        """{(attribute, label): weight} for weights other than 0."""
        return self._state_features if self._find_model() else None

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float] | None:
        """{(from, to): weight} for weights other than 0."""
        return self._transition_features if self._find_model() else None

    @property
    def size_(self) -> int | None:
        """Size of the model's arrays and metadata in bytes, as in its file; size_report() has the arrays alone."""
        return self.model_.size if self._find_model() else None

    @property
    def training_log_(self) -> TrainingLog | None:
        """The passes of the last fit, in the format of python-crfsuite's log parser.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]], [[["a"]]], [["X"]])
        >>> crf.training_log_.last_iteration["scores"]["X"].f1, crf.training_log_.iterations[0]["linesearch_trials"]
        (1.0, 2)
        """
        if not self._find_model():
            return None
        iterations = iterations_of(self._epochs, self.model_.labels.strings(), self._names.label)
        return TrainingLog(
            iterations, getattr(self, "generated_", self.model_.features.size), *self._preparing_and_storing
        )

    @property
    def tagger_(self) -> Tagger | None:
        """An object with the methods of python-crfsuite's Tagger; the same one until the next fit."""
        if not self._find_model():
            return None
        if "_tagger" not in self.__dict__:
            self._tagger = Tagger(self)
        return self._tagger

    @cached_property
    def _state_features(self) -> dict[tuple[str, Any], float]:
        self._check_fitted()
        state = self.model_.weights.state.reshape(-1)
        places = np.flatnonzero(state)
        found = (*self.model_.features.locate(places), state[places])
        names, labels = self.model_.attributes.strings(), self._classes
        return {(names[a], labels[y]): w for a, y, w in zip(*(x.tolist() for x in found), strict=True)}

    @cached_property
    def _transition_features(self) -> dict[tuple[Any, Any], float]:
        self._check_fitted()
        labels = self._classes
        trans = self.model_.weights.transitions()
        return {(labels[i], labels[j]): float(trans[i, j]) for i, j in zip(*np.nonzero(trans), strict=True)}

    def top_features(self, n: int = 20, label: Any = None) -> list[tuple[str, Any, float]]:
        """The n state features with the largest absolute weights, as (attribute, label, weight).

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> [(attribute, label) for attribute, label, _ in crf.top_features(1, label="Y")]
        [('b', 'Y')]
        """
        weights = self._state_features
        chosen = Counter({key: abs(w) for key, w in weights.items() if label is None or key[1] == label})
        return [(*key, weights[key]) for key, _ in chosen.most_common(whole("n", n))]

    def top_transitions(self, n: int = 20) -> list[tuple[Any, Any, float]]:
        """The n transitions with the largest absolute weights, as (from, to, weight)."""
        weights = self._transition_features
        chosen = Counter({key: abs(w) for key, w in weights.items()})
        return [(*key, weights[key]) for key, _ in chosen.most_common(whole("n", n))]

    def explain(self, xseq: Any, t: int, *, expected: Any = None, words: Sequence[str] | None = None) -> Explanation:
        """Show why the token at position t gets its label rather than the second-best one, or the expected one.

        words: the words of the sequence, to show with the explanation; with a template they are known

        >>> from tagfield import CRF
        >>> crf = CRF(c2=0.1).fit([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3)
        >>> why = crf.explain([["a"], ["b"]], 1)
        >>> why.label, why.runner_up, abs(sum(amount for _, amount in why.separates) - why.difference) < 1e-9
        ('Y', 'X', True)
        """
        self._check_fitted()
        model = self.model_
        X = [xseq] if model.template is not None else Spelling(long=self._characters).read([xseq])
        encoded = model.encode(X) if model.template is None else model.encode_words(X)
        if words is None and model.template is not None and isinstance(xseq, list | tuple):
            columns = [role for role in model.template.columns if role != LABEL]
            at = columns.index(WORD) if WORD in columns else 0
            words = [token if isinstance(token, str) else str(token[at]) for token in xseq]
        rules = self._rules(self._classes)
        return explain(model, encoded, t, self._classes, rules, expected=expected, words=words)

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
