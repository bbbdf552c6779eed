"""Learning from few sentences: a model in milliseconds.

    labelled sentences ─────────────▶ train from scratch ─▶ Model
    a model + labelled sentences ───▶ go on from its weights ─▶ Model

From scratch, everything is trained anew after each sentence. That takes 10 to 60 ms for up to 200 sentences, and gives
a better model than a stream (`partial_fit`), which sees each sentence once. The settings are the default of `tagfield
train` but for three: no cost for wrong labels, since what matters here are honest probabilities, more passes, and no
second training to calibrate and prune, which would double the time.
benchmarks/annotate.py compares them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tagfield.data.encode import WordEncoder
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.native._text import Vocabulary
from tagfield.train import Settings
from tagfield.weights.layout import FeatureSet

Cells = Sequence[tuple[str, ...]]

SCRATCH = Settings.of(cost=0.0, epochs=10, calibrate=False, prune=0.0)
STREAM = Settings.of("adaptive", features="all", c2=0.1, rate=0.1)  # at the usual 0.4, ten sentences spoil a good model
MADE = "annotated"  # in a model's info: how many sentences it was trained on here


@dataclass(frozen=True)
class Learning:
    """How to get a model from labelled sentences.

    start: a model to begin with, whose training data is not at hand

    >>> from tagfield.data.text.templates.presets import load_template
    >>> learning = Learning(load_template("ner"))
    >>> model = learning.learn([[("Anna",), ("left",)], [("It",), ("left",)]], [["B-PER", "O"], ["O", "O"]])
    >>> model.tag_words([[("Anna",), ("left",)]])
    [['B-PER', 'O']]
    """

    template: Template
    start: Model | None = None

    def learn(self, sentences: Sequence[Cells], labels: Sequence[Sequence[str]]) -> Model:
        """The model of these sentences; there must be one at least."""
        if self.start is None:
            made = Model.train_words(sentences, labels, template=self.template, settings=SCRATCH, progress=False)
        else:
            made = _go_on(self.start, sentences, labels)
        return replace(made, info={**made.info, MADE: len(sentences)})


def _go_on(start: Model, sentences: Sequence[Cells], labels: Sequence[Sequence[str]]) -> Model:
    """The start after one pass over the sentences; more passes made good models worse."""
    model = with_labels(start, list(dict.fromkeys(y for each in labels for y in each)))
    stream = model.to_stream(STREAM)
    assert model.template is not None
    encoder = WordEncoder(model.template, stream.attributes, stream.labels, stream.edges)
    stream.learn(encoder.encode(sentences, labels, grow=True), STREAM)
    made = Model.of_stream(stream, STREAM, model.template)
    kept: dict[str, Any] = {name: start.info[name] for name in ("scheme", "constraints") if name in start.info}
    return replace(made, stream=None, info={**made.info, **kept})


def with_labels(model: Model, labels: Sequence[str]) -> Model:
    """The model with further labels, whose weights are 0.

    >>> model = Model.train_words([["to", "be"]], [["TO", "VB"]])
    >>> with_labels(model, ["VB", "NN"]).label_names
    ('TO', 'VB', 'NN')
    """
    known = model.label_names
    names = [*known, *(y for y in labels if y not in set(known))]
    if len(names) == len(known):
        return model
    if model.edges is not None:
        raise InputError("the model's transitions look at the input, so it cannot get new labels; start without it")
    at = model.features.coordinates()
    state, linked = at.values(model.weights.single())
    features, weights = FeatureSet.from_triples(
        len(model.attributes), len(names), (at.attribute, at.label, state), (at.before, at.after, linked)
    )
    return Model(Vocabulary(names), model.attributes, features, weights, model.template, model.info)
