"""What every part of the estimator stands on: a model with its labels, from fit or from a file, or an error."""

import os
from dataclasses import replace
from typing import Any, TypeVar

from sklearn.exceptions import NotFittedError

from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.estimator.labels import LabelNames
from tagfield.constraints import Rules
from tagfield.model import Model
from tagfield.train import Epoch, Settings
from tagfield.train.streaming import Stream

Self = TypeVar("Self", bound="Fitted")


class Fitted:
    """The record that fit leaves, and its file."""

    model_filename: Any
    classes_: list[Any]  # the labels, in the order in which they were first seen
    history_: list[dict[str, Any]]
    _names: LabelNames
    _model: Model | None = None  # None where a stream has learned more since
    _stream: Stream | None = None
    _stream_settings: Settings

    @property
    def model_(self) -> Model:
        """The model as it is now; after partial_fit it is made when it is first asked for."""
        if self._model is None and self._stream is not None:
            self._model = self._named(Model.of_stream(self._stream, self._stream_settings))
        if self._model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'model_'; call fit first")
        return self._model

    @model_.setter
    def model_(self, model: Model) -> None:
        self._model, self._stream = model, None

    @property
    def seen_(self) -> int:
        """Sequences that partial_fit has learned from."""
        if self._stream is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'seen_'; call partial_fit first")
        return self._stream.seen

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[misc, assignment]
        if self._stream is not None:
            state |= {"_model": self.model_, "_stream": None}
        return state

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
        self._names = names
        self.classes_ = names.labels(model.labels)
        self.model_ = self._named(model)
        self.__dict__.pop("_tagger", None)

    def _named(self, model: Model) -> Model:
        """The model with the labels as the caller knows them, where a file can hold those."""
        labels = self.classes_
        plain = all(isinstance(label, str | int | float) for label in labels)
        if plain and not all(isinstance(label, str) for label in labels):
            return replace(model, info={**model.info, "labels": labels})
        return model

    def _resumed_stream(self, settings: Settings) -> Stream | None:
        """The stream so far: the one that is under way, one that was saved, or one that goes on from a fitted model."""
        if self._stream is None and self._model is not None:
            self._stream = self._model.to_stream(settings)
        return self._stream

    def _learn(
        self, encoded: Encoded, settings: Settings, names: LabelNames, rules: Rules | None
    ) -> Epoch:
        stream = self._stream or Stream(encoded.attributes, encoded.labels, settings)
        epoch = stream.learn(encoded, settings, rules)
        if self._stream is None:
            self._names, self.classes_ = names, names.labels(encoded.labels)
        self._stream, self._stream_settings, self._model = stream, settings, None
        self.__dict__.pop("_tagger", None)
        return epoch

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
