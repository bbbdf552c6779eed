"""The base of the estimator: the fitted model and its labels, loading and saving."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sklearn.exceptions import NotFittedError

from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.modelfile import ModelFile
from tagfield.data.dataset import Doubles
from tagfield.data.encode import AUTO, Encoded, WordEncoder
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.model.model import Model
from tagfield.model.saved_values import labels_from_json, labels_to_json, rules_for, rules_to_json
from tagfield.train import Epoch, Settings
from tagfield.train.loop.streaming import Stream

DERIVED = ("_tagger", "_modelfile", "_state_features", "_transition_features")  # made of the model when asked for
Self = TypeVar("Self", bound="Fitted")


class Fitted:
    """A fitted model and its file."""

    model_filename: Any
    keep_tempfiles: bool
    template: Any
    constraints: Any
    history_: list[dict[str, Any]]
    _epochs: Sequence[Epoch] = ()  # what training_log_ tells
    _preparing_and_storing: tuple[float | None, float | None] = (None, None)  # seconds
    _names: LabelNames
    _classes: list[Any]
    _file_constraints: Any = None  # those of a model file, which apply where `constraints` is None
    _characters: bool = False  # whether tokens were strings, and their characters attributes
    _modelfile: ModelFile
    _model: Model | None = None  # None if partial_fit has learned more since
    _stream: Stream | None = None
    _stream_settings: Settings
    _stream_template: Template | None
    _stream_words: WordEncoder | None = None  # of the stream's template and vocabularies

    @property
    def model_(self) -> Model:
        """The fitted model; after partial_fit it is created on first access."""
        if self._model is None and self._stream is not None:
            made = Model.of_stream(self._stream, self._stream_settings, self._stream_template)
            self._model = self._named(made)
        if self._model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'model_'; call fit first")
        return self._model

    @model_.setter
    def model_(self, model: Model) -> None:
        self._model, self._stream = model, None
        self._forget()

    @property
    def classes_(self) -> list[Any] | None:
        """The labels, in order of first occurrence; None before fit."""
        return list(self._classes) if self._find_model() else None  # a copy, for scripts that remove "O" from it

    @property
    def modelfile(self) -> ModelFile:
        """The file of the model, under sklearn-crfsuite's name; see `ModelFile.name`."""
        if "_modelfile" in self.__dict__:
            return self._modelfile
        model = self._named(self.model_) if self._has_model() else None
        made = ModelFile(self.model_filename, model, keep=self.keep_tempfiles)
        if model is not None:
            self._modelfile = made
        return made

    @property
    def seen_(self) -> int:
        """Number of sequences that partial_fit has seen."""
        if self._stream is not None:
            return self._stream.seen
        if self._model is not None and self._model.stream is not None:
            return int(self._model.stream.numbers["offered"])
        raise AttributeError(f"{type(self).__name__!r} object has no attribute 'seen_'; call partial_fit first")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        for name in ("_stream_words", *DERIVED):
            state.pop(name, None)
        if self._stream is not None:
            state |= {"_model": self.model_, "_stream": None}
            state.pop("_stream_settings", None)
            state.pop("_stream_template", None)
        return state

    def save(self, path: str | os.PathLike[str], format: str = "tagfield") -> None:
        """Save the model to a file, without pickle; `CRF.load` and `Model.load` read it.

        format: 'tagfield', or 'crfsuite', 'crfpp' or 'wapiti' for that program; see `Model.save`

        The file keeps the constraints, and the labels as they are: strings, numbers, booleans or tuples of them. Labels
        of other types raise InputError. A failed write leaves no partial file.

        >>> import tempfile
        >>> from tagfield import CRF
        >>> path = tempfile.mkdtemp() + "/small.tagfield"
        >>> CRF().fit([[["a"], ["b"]]], [[1, 2]]).save(path)
        >>> CRF.load(path).predict([[["b"], ["a"]]])
        [[2, 1]]
        """
        self._check_fitted()
        self._named(self.model_).save(path, format)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Load a CRF from a file. It predicts with the saved model; its arguments are the defaults.

        Only `template` and `constraints` are the model's: a model of words, also one that `tagfield train` saved, reads
        words.
        """
        loaded = cls()
        loaded._restore(Model.load(path))
        loaded.template = loaded.model_.template
        loaded.constraints, loaded._file_constraints = loaded._file_constraints, None
        return loaded

    def _restore(self, model: Model) -> None:
        names, info = model.labels.strings(), model.info
        labels = names if info.get("labels") is None else labels_from_json(info["labels"], len(names))
        self._file_constraints = model.constraints
        self._characters = bool(info.get("characters"))
        self._keep(model, LabelNames.of(names, labels))
        self.history_ = []
        self._epochs = []

    def _keep(self, model: Model, names: LabelNames) -> None:
        self._names = names
        self._classes = names.labels(model.labels)
        self.model_ = self._named(model)

    def _forget(self) -> None:
        """Drop what was made of the model before."""
        for name in DERIVED:
            self.__dict__.pop(name, None)

    def _rules(self, labels: list[Any]) -> Rules | None:
        """The rules for a label set, by `constraints` or, where that is None, by those of the model file."""
        return rules_for(self._constraints(), labels)

    def _constraints(self) -> Any:
        return self._file_constraints if self.constraints is None else self.constraints

    def _named(self, model: Model) -> Model:
        """The model with the user's labels and constraints in its info, for its file."""
        labels = self._classes
        saved: dict[str, Any] = {"labels": None, "unsaved_labels": None, "constraints": None, "characters": None}
        if any(type(label) is not str for label in labels):
            try:
                saved["labels"] = labels_to_json(labels)
            except InputError as error:  # Model.save raises it; a pickle can store every label
                saved["unsaved_labels"] = str(error)
        saved["constraints"] = rules_to_json(self._constraints(), labels)
        saved["characters"] = self._characters or None
        info = {name: value for name, value in model.info.items() if name not in saved}
        return replace(model, info=info | {name: value for name, value in saved.items() if value is not None})

    def _resumed_stream(self, settings: Settings) -> Stream | None:
        """The current stream, a saved one, or a new one that continues from a fitted model."""
        if self._stream is None and self._model is not None:
            return self._model.to_stream(settings)
        return self._stream

    def _learn(
        self,
        stream: Stream,
        encoded: Encoded,
        settings: Settings,
        names: LabelNames,
        rules: Rules | None,
        class_weight: Doubles | None,
    ) -> Epoch:
        epoch = stream.learn(encoded, settings, rules, class_weight)
        if not self._has_model():
            self._names, self._classes = names, names.labels(encoded.labels)
        self._stream, self._stream_settings, self._model = stream, settings, None
        if self._stream_words is None or self._stream_words.attributes is not stream.attributes:
            template = self._stream_template = encoded.template
            made = None if template is None else WordEncoder(template, stream.attributes, stream.labels, stream.edges)
            self._stream_words = made
        self._forget()
        return epoch

    def _chosen_template(self, continues: bool) -> Template | str | None:
        """The template of `template=`, or AUTO; training that continues from a model keeps the model's."""
        auto = isinstance(self.template, str) and self.template == AUTO
        given = None if self.template is None or auto else load_template(self.template)
        if not continues:
            return AUTO if auto else given
        before = self.model_.template if self._stream is None else self._stream_template
        if auto and before is None:
            raise InputError("the fitted model has no template, so it cannot continue with words; fit anew")
        if given is None:
            return before
        if before is None or given.with_columns(before.columns) != before:
            had = "no template" if before is None else f"template {before.name}"
            raise InputError(f"the fitted model has {had}, so it cannot continue with template {given.name}; fit anew")
        return before

    def _find_model(self) -> bool:
        """Whether there is a model: one that was fitted, or one in the file, which is then loaded."""
        if not self._has_model() and self.model_filename is not None and os.path.isfile(self.model_filename):
            self._restore(Model.load(self.model_filename))
        return self._has_model()

    def _has_model(self) -> bool:
        """Whether `model_` exists; unlike hasattr, this does not make the model of a stream."""
        return self._model is not None or self._stream is not None

    def _check_fitted(self) -> None:
        if self._find_model():
            return
        raise NotFittedError(
            f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
            "using this estimator."
        )


def check_folder(path: Any) -> None:
    """Raise InputError before training if the folder of the model file does not exist.

    >>> check_folder(None)
    """
    try:
        folder = "" if path is None else os.path.dirname(os.fspath(path))
    except TypeError:
        raise InputError(f"model_filename must be a path, got {path!r}") from None
    if folder and not os.path.isdir(folder):
        raise InputError(f"model_filename: no folder named {folder!r}; create it first")
