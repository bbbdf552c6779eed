"""What every part of the estimator stands on: a model with its labels, from fit or from a file, or an error."""

import os
from dataclasses import replace
from typing import Any, TypeVar

from sklearn.exceptions import NotFittedError

from tagfield.errors import InputError
from tagfield.estimator.labels import LabelNames
from tagfield.model import Model

Self = TypeVar("Self", bound="Fitted")


class Fitted:
    """The record that fit leaves, and its file."""

    model_filename: Any
    model_: Model
    classes_: list[Any]  # the labels, in the order in which they were first seen
    history_: list[dict[str, Any]]
    _names: LabelNames

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model to a file without pickle, whole or not at all; `CRF.load` and `Model.load` read it.

        Labels that are strings, numbers or booleans come back as they were; others as strings.

        >>> import tempfile
        >>> from tagfield import CRF
        >>> path = tempfile.mkdtemp() + "/small.tagfield"
        >>> CRF().fit([[["a"], ["b"]]], [[1, 2]]).save(path)
        >>> CRF.load(path).predict([[["b"], ["a"]]])
        [[2, 1]]
        """
        self._check_fitted()
        self.model_.save(path)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """An estimator that predicts with a model from a file. Its arguments are the defaults, not the file's."""
        loaded = cls()
        loaded._restore(Model.load(path))
        return loaded

    def _restore(self, model: Model) -> None:
        names = model.labels.strings()
        labels = model.info.get("labels")
        if not isinstance(labels, list) or len(labels) != len(names):
            labels = names
        self._keep(model, LabelNames.of(names, labels))
        self.history_ = []

    def _keep(self, model: Model, names: LabelNames) -> None:
        labels = names.labels(model.labels)
        plain = all(isinstance(label, str | int | float) for label in labels)
        if plain and not all(isinstance(label, str) for label in labels):
            model = replace(model, info={**model.info, "labels": labels})
        self.model_ = model
        self._names = names
        self.classes_ = labels
        self.__dict__.pop("_tagger", None)

    def _check_fitted(self) -> None:
        if hasattr(self, "model_"):
            return
        if self.model_filename is not None and os.path.isfile(self.model_filename):
            self._restore(Model.load(self.model_filename))
            return
        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
            "using this estimator."
        )


def check_folder(path: Any) -> None:
    """An error where a file cannot be written after training, because its folder is not there.

    >>> check_folder(None)
    """
    folder = "" if path is None else os.path.dirname(os.fspath(path))
    if folder and not os.path.isdir(folder):
        raise InputError(f"model_filename: there is no folder {folder!r}; make it first")
