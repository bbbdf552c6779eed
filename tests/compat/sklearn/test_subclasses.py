"""Subclasses of CRF, and objects with methods of their own: what they override is what counts."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from tagfield import CRF, InputError
from tests.support.chains import tagged

X, Y = tagged(20)


class Extended(CRF):
    def __init__(self, extra: int, **others: Any) -> None:
        super().__init__(**others)
        self.extra = extra


class Nested(Extended):
    def __init__(self, more: int = 0, **others: Any) -> None:
        super().__init__(**others)
        self.more = more


def test_arguments_that_are_passed_on_are_used() -> None:
    plain = CRF(c1=1.0, c2=0.05, max_iterations=7).fit(X, Y)
    for made in (Extended(3, c1=1.0, c2=0.05, max_iterations=7), Nested(2, extra=3, c1=1.0, c2=0.05, max_iterations=7)):
        assert made.fit(X, Y).state_features_ == plain.state_features_
        assert made.get_params()["c1"] == 1.0
        assert made.get_params()["extra"] == 3
        again = clone(made)
        assert (again.extra, again.c1, again.max_iterations) == (3, 1.0, 7)
        assert again.set_params(c2=0.5).c2 == 0.5
    stream = Extended(3, algorithm="u2.g1", rate=0.5).partial_fit(X, Y)
    assert stream.state_features_ == CRF("u2.g1", rate=0.5).partial_fit(X, Y).state_features_
    search = GridSearchCV(Nested(1, extra=3, max_iterations=5), {"c1": [0.0, 5.0], "more": [1, 2]}, cv=2).fit(X, Y)
    assert search.best_params_["c1"] == 0.0
    assert search.best_estimator_.extra == 3


def test_a_subclass_without_kwargs_has_its_own_arguments_only() -> None:
    class Small(CRF):
        def __init__(self, c2: float = 0.5) -> None:
            super().__init__(c2=c2, max_iterations=3)

    assert set(Small().get_params()) == {"c2"}
    assert Small().fit(X, Y).n_iter_ == 3


def test_predict_and_score_use_an_overridden_predict_single() -> None:
    class Shouting(CRF):
        def predict_single(self, xseq: Any, known: Any = None) -> list[Any]:
            return [label.lower() for label in super().predict_single(xseq, known)]

        def predict_marginals_single(self, xseq: Any, known: Any = None) -> list[Any]:
            return [{"any": sum(row.values())} for row in super().predict_marginals_single(xseq, known)]

    crf = Shouting(c2=0.1).fit(X, Y)
    plain = CRF(c2=0.1).fit(X, Y)
    assert crf.predict(X) == [[label.lower() for label in row] for row in plain.predict(X)]
    assert crf.predict([X[0]], known=[{0: "O"}])[0][0] == "o"
    assert crf.predict(iter(X)).shape == (len(X),)
    assert crf.predict_marginals(X[:1])[0][0].keys() == {"any"}
    assert crf.score(X, Y) == 0.0  # no label is in lower case
    with pytest.raises(InputError, match="X is None"):
        crf.predict(None)
    crf = CRF(c2=0.1).fit(X, Y)
    crf.predict_single = lambda xseq: ["O"] * len(xseq)  # of the object, not of its class
    assert crf.predict(X[:2]) == [["O"] * len(x) for x in X[:2]]


def test_score_uses_an_overridden_predict() -> None:
    class AllO(CRF):
        def predict(self, X: Any, known: Any = None) -> list[list[Any]]:
            return [["O"] * len(x) for x in X]

    crf = AllO(c2=0.1).fit(X, Y)
    flat = [label for row in Y for label in row]
    assert crf.score(X, Y) == pytest.approx(flat.count("O") / len(flat))
    partly = [[None, *row[1:]] for row in Y]
    rest = [label for row in Y for label in row[1:]]
    assert crf.score(X, partly) == pytest.approx(rest.count("O") / len(rest))
    weights = np.arange(len(X))
    expected = np.average([label == "O" for label in flat], weights=np.repeat(weights, list(map(len, Y))))
    assert crf.score(X, Y, sample_weight=weights) == pytest.approx(expected)
    with pytest.raises(InputError, match=r"y\[0\] has 1 labels, but predict returned"):
        crf.score(X, [["O"], *Y[1:]])
    with pytest.raises(InputError, match="but predict returned 19 sequences"):
        crf.score(X[1:], Y)


def test_score_is_the_same_with_and_without_the_detour() -> None:
    class Same(CRF):
        def predict(self, X: Any, known: Any = None) -> list[list[Any]]:
            return super().predict(X, known)

    y = [[None if t == 1 else label.encode() for t, label in enumerate(row)] for row in Y]
    assert Same(c2=2.0).fit(X, y).score(X, y) == CRF(c2=2.0).fit(X, y).score(X, y)


def test_a_subclass_may_call_the_tagger() -> None:
    """As sklearn-crfsuite's own methods do."""

    class Asking(CRF):
        def predict_single(self, xseq: Any, known: Any = None) -> list[Any]:
            return self.tagger_.tag(xseq)

        def predict_marginals_single(self, xseq: Any, known: Any = None) -> list[Any]:
            self.tagger_.set(xseq)
            labels = self.tagger_.labels()
            return [{label: self.tagger_.marginal(label, t) for label in labels} for t in range(len(xseq))]

    plain, asking = CRF(c2=0.1).fit(X, Y), Asking(c2=0.1).fit(X, Y)
    assert asking.predict(X) == plain.predict(X)
    assert asking.predict_marginals(X[:3]) == plain.predict_marginals(X[:3])
    assert asking.score(X, Y) == plain.score(X, Y)
