"""scikit-learn's own checks, on CRF as it is and on CRF as a classifier of table rows; every deviation with its reason.

CRF takes sequences, so its tags say that it takes no table, and scikit-learn then runs few checks. To run the others,
`RowCRF` makes each row of a table a sequence of one token, with an attribute for each column.
"""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import SkipTestWarning
from sklearn.utils import estimator_checks
from sklearn.utils.validation import check_array, check_is_fitted

from tagfield import CRF

COLUMNS = "an attribute is known by its name, not by its column: a token may have any number, also unseen ones"
DEVIATIONS = {"check_n_features_in_after_fitting": COLUMNS, "check_n_features_in": COLUMNS}


class RowCRF(CRF):
    """One token for each row."""

    partial_fit = None  # what it would need to know about tables is not CRF's

    def __sklearn_tags__(self) -> Any:
        return BaseEstimator.__sklearn_tags__(self)

    def _more_tags(self) -> dict:  # scikit-learn before 1.6; it adds them to those of CRF
        return {"X_types": ["2darray"]}

    @staticmethod
    def _sequences(X: Any) -> list:
        return [[{f"x{j}": float(v) for j, v in enumerate(row)}] for row in check_array(X)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "RowCRF":
        if y is None:
            raise ValueError("requires y to be passed, but the target y is None")
        sequences = self._sequences(X)
        if sample_weight is not None and not np.asarray(sample_weight).any():
            raise ValueError("every sample weight is zero")
        super().fit(sequences, [[label] for label in np.asarray(y).ravel()], sample_weight=sample_weight)
        return self

    def predict(self, X: Any, known: Any = None) -> Any:
        check_is_fitted(self)
        return np.array([row[0] for row in super().predict(self._sequences(X))])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        return float(np.mean(self.predict(X) == np.ravel(y)))


def checks(estimator: CRF) -> Iterator[tuple[Any, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        if hasattr(estimator_checks, "estimator_checks_generator"):
            yield from estimator_checks.estimator_checks_generator(estimator)
        else:  # scikit-learn before 1.6
            yield from estimator_checks.check_estimator(estimator, generate_only=True)


def name_of(check: Any) -> str:
    return getattr(check, "func", check).__name__


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator", [CRF(max_iterations=5), RowCRF(max_iterations=20)], ids=["CRF", "RowCRF"])
def test_scikit_learns_checks(estimator: CRF) -> None:
    ran, failed = set(), {}
    for instance, check in checks(estimator):
        name = name_of(check)
        try:
            check(instance)
            ran.add(name)
        except pytest.skip.Exception:
            continue
        except Exception as error:
            if type(error).__name__ == "SkipTest":
                continue
            ran.add(name)
            failed[name] = f"{type(error).__name__}: {error}"
    surprising = {name: message for name, message in failed.items() if name not in DEVIATIONS}
    assert surprising == {}
    if isinstance(estimator, RowCRF):
        stale = {name for name in DEVIATIONS if name in ran and name not in failed}
        assert stale == set()
        assert len(ran) > 30
