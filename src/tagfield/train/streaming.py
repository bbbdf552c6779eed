"""Learning from a stream: sequences come one call at a time, and the optimiser goes on where it was.

    Encoded part ─▶ rows for new attributes ─▶ Problem ─▶ StochasticTrainer.resume(state) ─▶ one pass ─▶ state

What is learned does not depend on how the stream is cut into calls: the same sequences in the same order give the same
bits. So nothing here looks at the size of a part. Sequences are taken in the order given. Features come when a
sequence first shows them. The L2 penalty is shared by all sequences so far (native/kernel/stochastic.hpp), and what
other recipes do once an epoch (annealing, averaging anew) is done every 1,000 sequences.

A call costs what its own sequences cost. Rows of weights are added at the end of arrays that double in size.
"""

from dataclasses import replace
from typing import Any

import numpy as np

from tagfield._text import Vocabulary
from tagfield.constraints import Rules
from tagfield.dataset import Dataset, Floats, Longs
from tagfield.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.lattice import open_corpus
from tagfield.layout import ABSENT, LANES, FeatureSet, Weights
from tagfield.train.history import Epoch
from tagfield.train.limits import limits_of
from tagfield.train.options import Stochastic
from tagfield.train.problem import Problem
from tagfield.train.settings import Settings
from tagfield.train.stochastic import NUMBERS, StochasticTrainer, kept_weights
from tagfield.train.trainer import State, arrays_of, weights_of

# Learning rates where none is given, without and with AdaGrad: a stream has no sample to calibrate on. Chosen after
# 2,000 sentences of CoNLL-2000 and of WNUT-17, by chunk F1 on 700 other sentences of their training parts.
RATE, ADAGRAD_RATE = 0.2, 0.4


class Stream:
    """What has been learned from a stream so far. `attributes` grows as sequences are encoded with it.

    >>> from tagfield.encode import encode_sequences
    >>> stream = Stream(Vocabulary(), Vocabulary(["X", "Y"]), Settings("adaptive"))
    >>> for x, y in [("a", "X"), ("b", "Y"), ("c", "Y")]:
    ...     part = encode_sequences([[[x]]], [[y]], attributes=stream.attributes, labels=stream.labels, grow=True)
    ...     epoch = stream.learn(part, Settings("adaptive"))
    >>> stream.seen, len(stream.attributes)
    (3, 3)
    """

    def __init__(self, attributes: Vocabulary, labels: Vocabulary, settings: Settings) -> None:
        self.attributes, self.labels = attributes, labels
        self._blocks = -(-len(labels) // LANES)
        trans = np.full((len(labels), self._blocks * LANES), ABSENT, np.float32)
        nothing = Weights(np.empty((0, LANES), np.float32), trans[:0])
        numbers = dict.fromkeys(("offered", *NUMBERS), 0.0) | {"scale": 1.0}
        arrays = arrays_of(theta=Weights(nothing.state, trans), squares=nothing, rest=nothing)
        self._state = State(arrays, numbers)
        self._kind = "observed"  # of the features so far
        self._broken = False
        self._settle(settings)

    def _settle(self, settings: Settings) -> None:
        """Gives every pair a feature where the settings ask for all of them, also where earlier ones did not."""
        settings = decided(settings)
        theta, size = weights_of(self._state, "theta"), len(self.labels)
        if (settings.transitions or settings.features) == "all":
            theta.trans[:, :size] += np.float32(0)  # −0.0 + 0 is +0.0: a feature
        if settings.features == "all" != self._kind and theta.state.size:
            theta.state.reshape(-1, self._blocks * LANES)[:, :size] += np.float32(0)
        row = np.full((self._blocks, LANES), ABSENT, np.float32)
        row.reshape(-1)[: size if settings.features == "all" else 0] = 0
        self._row, self._kind = row, settings.features  # a fresh row of weights

    @classmethod
    def after(
        cls,
        attributes: Vocabulary,
        labels: Vocabulary,
        settings: Settings,
        features: FeatureSet,
        weights: Weights,
        seen: int,
    ) -> "Stream":
        """A stream that goes on from weights that were trained on `seen` sequences."""
        made = cls(attributes, labels, settings)
        at = features.coordinates()
        state, edges = at.values(weights)
        rows = np.tile(made._row.reshape(-1), (features.attributes, 1))
        rows[at.attribute, at.label] = state
        trans = weights_of(made._state, "theta").trans
        trans[at.before, at.after] = edges
        found = arrays_of(theta=Weights(rows.reshape(-1, LANES), trans))
        made._state = State({**made._state.arrays, **found}, {**made._state.numbers, "t": float(seen)})
        made._kind = "observed"
        made._settle(settings)
        return made

    @classmethod
    def resumed(cls, attributes: Vocabulary, labels: Vocabulary, settings: Settings, state: State) -> "Stream":
        """A stream that goes on from a state that was saved."""
        made = cls(attributes, labels, settings)
        made._state, made._kind = state.copy(), "observed"
        made._settle(settings)
        return made

    @property
    def seen(self) -> int:
        """Sequences learned from so far."""
        return int(self._state.numbers["offered"])

    @property
    def state(self) -> State:
        """Everything that the next part depends on; its arrays are the stream's own."""
        return self._state

    def learn(self, encoded: Encoded, settings: Settings, rules: Rules | None = None) -> Epoch:
        """One pass over the next part of the stream, in its own order."""
        settings = decided(settings)
        recipe = settings.recipe
        if not isinstance(recipe, Stochastic):
            raise InputError(f"{recipe} cannot learn from a stream; use a stochastic recipe")
        if self._broken:
            raise TrainingError("the weights of this stream left the range of numbers in an earlier call; start anew")
        recipe = replace(recipe, rate=recipe.rate or (RATE if recipe.metric is None else ADAGRAD_RATE))
        dataset = encoded.dataset
        if dataset.value is None:  # the kernel has another loop for values, whose last bits may differ
            dataset = replace(dataset, value=np.ones(len(dataset.position), np.float32))
        limits = None if rules is None else limits_of(rules, dataset, self.labels)
        self._settle(settings)
        state = self._grown(self._state)
        theta = weights_of(state, "theta")
        # The features that exist are marked in the weights themselves, so these stand for both.
        features = FeatureSet(settings.features, len(self.attributes), len(self.labels), None, None, theta)  # type: ignore[arg-type]
        problem = Problem(
            dataset, open_corpus(dataset), self.attributes, features, theta, settings, limits, in_stream=True
        )
        trainer = StochasticTrainer(recipe, problem, theta)
        trainer.resume(state)
        before = self._touched(state, dataset)
        try:
            loss = trainer.run(np.arange(len(encoded), dtype=np.int64))
        except BaseException:
            self._put_back(state, before, trainer.state())
            raise
        self._state = trainer.state()
        return Epoch(1, loss, 0.0, rate=recipe.rate, best=True)

    def _touched(self, state: State, dataset: Dataset) -> tuple[Longs, dict[str, Any]]:
        """The rows that a part of the stream can change, and what they hold."""
        attributes = np.unique(dataset.attribute).astype(np.int64)
        rows = (attributes[:, None] * self._blocks + np.arange(self._blocks)).reshape(-1)
        held = {
            name: array[rows] if name.endswith(".state") else array.copy()
            for name, array in state.arrays.items()
            if array.size
        }
        return rows, held

    def _put_back(self, state: State, before: tuple[Longs, dict[str, Any]], after: State) -> None:
        """Undoes a pass that failed, unless it folded the scale into all weights, which is rare."""
        rows, held = before
        for name, array in held.items():
            state.arrays[name][rows if name.endswith(".state") else slice(None)] = array
        self._state = state
        self._broken = after.numbers["scale"] > state.numbers["scale"]

    def learned(self, settings: Settings) -> tuple[Vocabulary, FeatureSet, Weights]:
        """The attributes, features and weights as they are now; copies, which further learning does not change."""
        settings, found = decided(settings), kept_weights(self._state)
        attributes = self.attributes.subset(np.arange(len(found.state) // self._blocks))
        features = FeatureSet(settings.features, len(attributes), len(self.labels), None, None, found)  # type: ignore[arg-type]
        return attributes, *features.compact(found)

    def _grown(self, state: State) -> State:
        """The state with a row for each attribute that is new."""
        rows = len(self.attributes) * self._blocks
        arrays = dict(state.arrays)
        for name, fresh in (("theta", self._row), ("squares", None), ("rest", None)):
            array = arrays[f"{name}.state"]
            if len(array) or name == "theta":
                arrays[f"{name}.state"] = _extended(array, rows, fresh)
        return State(arrays, state.numbers)


def decided(settings: Settings) -> Settings:
    """The settings of a stream: `auto` means observed features, since it is unknown how many attributes will come.

    >>> decided(Settings()).features
    'observed'
    """
    return replace(settings, features="observed") if settings.features == "auto" else settings


def _extended(array: Floats, rows: int, fresh: Floats | None) -> Floats:
    """The array with more rows: a longer view of the buffer behind it, or of a new one of twice the size."""
    have = len(array)
    if have >= rows:
        return array
    buffer = array.base
    if not (isinstance(buffer, np.ndarray) and len(buffer) >= rows and buffer.flags.writeable):
        buffer = np.zeros((max(2 * rows, 1024), LANES), np.float32)
        buffer[:have] = array
    buffer[have:rows] = 0 if fresh is None else np.tile(fresh, ((rows - have) // len(fresh), 1))
    return buffer[:rows]
