"""What every part of the estimator stands on: a model, its labels, and an error where there is none yet."""

from typing import Any

from sklearn.exceptions import NotFittedError

from tagfield.estimator.labels import LabelNames
from tagfield.model import Model


class Fitted:
    """The record that fit leaves."""

    model_: Model
    classes_: list[Any]  # the labels, in the order in which they were first seen
    history_: list[dict[str, Any]]
    _names: LabelNames

    def _check_fitted(self) -> None:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
