"""FittedModel: what a CRF has learned, with the labels as you write them.

    fit, load, a model file ─▶ Model ─────────────────┐
    partial_fit ─▶ LiveStream ─▶ Model, on first use ─┴─▶ FittedModel ─▶ predicting.py · weight_tables.py · files

Every fit, partial_fit and prune makes a new FittedModel, so nothing that was derived from the old weights stays.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tagfield.compat.pycrfsuite.tagger import Tagger
from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.modelfile import ModelFile
from tagfield.compat.sklearn.weight_tables import state_features, transition_features
from tagfield.data.encode import WordEncoder
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.model.info import labels_from_json, labels_to_json, rules_to_json
from tagfield.model.model import Model
from tagfield.train import Epoch, Settings
from tagfield.train.loop.streaming import Stream

if TYPE_CHECKING:
    from tagfield.compat.sklearn.predicting import Predictor


@dataclass(frozen=True)
class LiveStream:
    """A stream that partial_fit continues, and what it needs beside its weights."""

    stream: Stream
    settings: Settings
    template: Template | None
    words: WordEncoder | None  # of the template and the stream's vocabularies

    @classmethod
    def of(cls, stream: Stream, settings: Settings, template: Template | None) -> "LiveStream":
        words = None if template is None else WordEncoder(template, stream.attributes, stream.labels, stream.edges)
        return cls(stream, settings, template, words)


@dataclass(eq=False)
class FittedModel:
    """A model, or a live stream that has a model on request."""

    names: LabelNames
    classes: tuple[Any, ...]  # the labels as you write them, in the order of their ids
    saved_constraints: Any = None  # those of a model file, which apply if CRF(constraints=None)
    characters: bool = False  # tokens were strings, and their attributes characters
    epochs: tuple[Epoch, ...] = ()  # for training_log_
    seconds: tuple[float | None, float | None] = (None, None)  # to prepare the features, and to store the model
    model: Model | None = None  # None until a live stream is asked for it
    live: LiveStream | None = None
    log: Any = None  # the logparser of trainer_cls
    predictor: "Predictor | None" = field(default=None, init=False)  # these three are made on request
    tagger: Tagger | None = field(default=None, init=False)
    file: ModelFile | None = field(default=None, init=False)

    @classmethod
    def restored(cls, model: Model) -> "FittedModel":
        """The same from a model file, which has the labels and their types."""
        names, info = model.labels.strings(), model.info
        labels = names if info.get("labels") is None else labels_from_json(info["labels"], len(names))
        known = LabelNames.of(names, labels)
        return cls(known, tuple(labels), model.constraints, bool(info.get("characters")), model=model)

    def made(self, constraints: Any) -> Model:
        """The model; that of a live stream is made by the first call after partial_fit."""
        if self.model is None:
            assert self.live is not None
            self.model = self.named(
                Model.of_stream(self.live.stream, self.live.settings, self.live.template), constraints
            )
        return self.model

    def settled(self, constraints: Any, model: Model | None = None) -> "FittedModel":
        """The same without a live stream and what was made on request: for pickles, or with another model."""
        made = self.made(constraints) if model is None else model
        return replace(self, model=made, live=None)

    def named(self, model: Model, constraints: Any) -> Model:
        """The model with the labels and constraints in its info, for its file."""
        saved: dict[str, Any] = {"labels": None, "unsaved_labels": None}
        if any(type(label) is not str for label in self.classes):
            try:
                saved["labels"] = labels_to_json(list(self.classes))
            except InputError as error:  # Model.save raises it; a pickle can store every label
                saved["unsaved_labels"] = str(error)
        saved["constraints"] = rules_to_json(self.chosen_constraints(constraints), list(self.classes))
        saved["characters"] = self.characters or None
        info = {name: value for name, value in model.info.items() if name not in saved}
        return replace(model, info=info | {name: value for name, value in saved.items() if value is not None})

    def chosen_constraints(self, constraints: Any) -> Any:
        """CRF's argument, or those of the model file if it is None."""
        return self.saved_constraints if constraints is None else constraints

    def stream(self, settings: Settings) -> Stream:
        """The live stream, a saved one, or a new one that continues from the model."""
        if self.live is not None:
            return self.live.stream
        assert self.model is not None
        return self.model.to_stream(settings)

    @property
    def template(self) -> Template | None:
        if self.live is not None:
            return self.live.template
        assert self.model is not None
        return self.model.template

    @property
    def seen(self) -> int | None:
        """Number of sequences that partial_fit has seen; None if the model is of fit."""
        if self.live is not None:
            return self.live.stream.seen
        state = None if self.model is None else self.model.stream
        return None if state is None else int(state.numbers["offered"])

    @cached_property
    def state_features(self) -> dict[tuple[str, Any], float]:
        """{(attribute, label): weight} for weights other than 0."""
        assert self.model is not None
        return state_features(self.model, self.classes)

    @cached_property
    def transition_features(self) -> dict[tuple[Any, Any], float]:
        """{(from, to): weight} for weights other than 0."""
        assert self.model is not None
        return transition_features(self.model, self.classes)
