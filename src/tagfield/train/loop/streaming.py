"""Learning from a stream: sequences come one call at a time, and the optimiser goes on where it was.

    Encoded part ─▶ rows for new attributes ─▶ Problem ─▶ StochasticTrainer.resume(state) ─▶ one pass ─▶ state

What is learned does not depend on how the stream is cut into calls: the same sequences in the same order give the same
bits. So nothing here looks at the size of a part. Sequences are taken in the order given. Features come when a
sequence first shows them. The L2 penalty is shared by all sequences so far (native/kernel/pass/stochastic.hpp), and
what other recipes do once an epoch (annealing, averaging anew) is done every 1,000 sequences.

A call costs what its own sequences cost. Rows of weights are added at the end of arrays that double in size.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.dataset import Dataset, Floats
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.native._text import Vocabulary
from tagfield.train.loop.history import Epoch
from tagfield.train.problem.class_weight import read_class_weight
from tagfield.train.problem.limits import limits_of
from tagfield.train.problem.problem import Problem, check_names
from tagfield.train.recipes.settings import Settings
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.stochastic import NUMBERS, StochasticTrainer, kept_weights
from tagfield.train.trainers.trainer import State, arrays_of, weights_of
from tagfield.weights.layout import ABSENT, LANES, FeatureSet, Weights

# Learning rate if none is given, without a preconditioner (with one: `Preconditioner.stream_rate`), since a stream has
# no sample to calibrate on. Chosen after 2,000 sentences of CoNLL-2000 and of WNUT-17, by chunk F1 on 700 other
# sentences of their training parts.
RATE = 0.2


class Learned(NamedTuple):
    """What a stream has learned."""

    attributes: Vocabulary
    features: FeatureSet
    weights: Weights
    edges: Vocabulary | None


class Stream:
    """What has been learned from a stream so far. `attributes` and `edges` grow as sequences are encoded with them.

    >>> from tagfield.data.encode import encode_sequences
    >>> stream = Stream(Vocabulary(), Vocabulary(["X", "Y"]), Settings("adaptive"))
    >>> for x, y in [("a", "X"), ("b", "Y"), ("c", "Y")]:
    ...     part = encode_sequences([[[x]]], [[y]], attributes=stream.attributes, labels=stream.labels, grow=True)
    ...     epoch = stream.learn(part, Settings("adaptive"))
    >>> stream.seen, len(stream.attributes)
    (3, 3)
    """

    def __init__(
        self, attributes: Vocabulary, labels: Vocabulary, settings: Settings, edges: Vocabulary | None = None
    ) -> None:
        """edges: the edge attributes; None if the stream has none."""
        self.attributes, self.labels, self.edges = attributes, labels, edges
        self._row_blocks = -(-len(labels) // LANES)  # of an attribute's row; an edge attribute has L of them
        trans = np.full((len(labels), self._row_blocks * LANES), ABSENT, np.float32)
        empty = np.empty((0, LANES), np.float32)
        nothing = Weights(empty, trans[:0], None if edges is None else empty)
        numbers = dict.fromkeys(("offered", *NUMBERS), 0.0) | {"scale": 1.0}
        arrays = arrays_of(theta=Weights(empty, trans, nothing.edge), squares=nothing, rest=nothing)
        self._state = State(arrays, numbers)
        self._kind = self._edge_kind = "observed"  # of the features so far
        self._broken = False
        self.temperature = 1.0  # what a model of this stream divides its weights by
        self._settle(settings)

    def _settle(self, settings: Settings) -> None:
        """Gives every pair a feature where the settings ask for all of them, also where earlier ones did not."""
        settings = decided(settings)
        theta, size = weights_of(self._state, "theta"), len(self.labels)
        linked = settings.transitions or settings.features
        if linked == "all":
            theta.trans[:, :size] += np.float32(0)  # −0.0 + 0 is +0.0: a feature
        for array, kind, was in ((theta.state, settings.features, self._kind), (theta.edge, linked, self._edge_kind)):
            if array is not None and kind == "all" != was and array.size:
                array.reshape(-1, self._row_blocks * LANES)[:, :size] += np.float32(0)
        self._kind, self._edge_kind = settings.features, linked
        self._fresh = {  # new weights of an attribute and of an edge attribute, by the array that they extend
            "state": self._fresh_rows(1, settings.features),
            "edge": self._fresh_rows(size, linked),
        }

    def _fresh_rows(self, rows: int, kind: str) -> Floats:
        fresh = np.full((rows, self._row_blocks * LANES), ABSENT, np.float32)
        fresh[:, : len(self.labels) if kind == "all" else 0] = 0
        return fresh.reshape(-1, LANES)

    @classmethod
    def after(
        cls,
        attributes: Vocabulary,
        labels: Vocabulary,
        settings: Settings,
        features: FeatureSet,
        weights: Weights,
        seen: int,
        edges: Vocabulary | None = None,
    ) -> "Stream":
        """A stream that goes on from weights that were trained on `seen` sequences."""
        made = cls(attributes, labels, settings, edges)
        at, width = features.coordinates(), made._row_blocks * LANES
        state, linked = at.values(weights)
        rows = np.tile(made._fresh["state"].reshape(-1), (features.attributes, 1))
        rows[at.attribute, at.label] = state
        trans = weights_of(made._state, "theta").trans
        trans[at.before, at.after] = linked
        looked = None
        if edges is not None:
            looked = np.tile(made._fresh["edge"].reshape(-1, width), (features.edge_attributes, 1))
            looked[at.edge_attribute * len(labels) + at.edge_before, at.edge_after] = at.edge_values(weights)
            looked = looked.reshape(-1, LANES)
        found = arrays_of(theta=Weights(rows.reshape(-1, LANES), trans, looked))
        made._state = State({**made._state.arrays, **found}, {**made._state.numbers, "t": float(seen)})
        made._kind = made._edge_kind = "observed"
        made._settle(settings)
        return made

    @classmethod
    def resumed(
        cls,
        attributes: Vocabulary,
        labels: Vocabulary,
        settings: Settings,
        state: State,
        edges: Vocabulary | None = None,
    ) -> "Stream":
        """A stream that goes on from a state that was saved."""
        made = cls(attributes, labels, settings, edges)
        made._state = State({**made._state.arrays, **state.copy().arrays}, dict(state.numbers))
        made._kind = made._edge_kind = "observed"
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

    def learn(
        self, encoded: Encoded, settings: Settings, rules: Rules | None = None, class_weight: ArrayLike | None = None
    ) -> Epoch:
        """One pass over the next part of the stream, in its own order."""
        settings = decided(settings)
        recipe = settings.recipe
        if not isinstance(recipe, Stochastic):
            raise InputError(f"{recipe} cannot learn from a stream; use a stochastic recipe")
        if not recipe.streams:
            raise InputError(f"{recipe} cannot learn from a stream; use another metric, such as adaptive")
        if self._broken:
            raise TrainingError("the weights of this stream left the range of numbers in an earlier call; start anew")
        usual = RATE if recipe.preconditioner is None else recipe.preconditioner.stream_rate
        recipe = replace(recipe, rate=recipe.rate or usual)
        dataset = encoded.dataset
        if dataset.value is None:  # the kernel has another loop for values, whose last bits may differ
            dataset = replace(dataset, value=np.ones(len(dataset.place), np.float32))
        limits = None if rules is None else limits_of(rules, dataset, self.labels)
        self._settle(settings)
        state = self._grown(self._state)
        theta = weights_of(state, "theta")
        weight = read_class_weight(class_weight, len(self.labels), recipe, self.edges)
        corpus = open_corpus(dataset, weight)
        check_names(corpus, self.labels, self.attributes, self.edges)
        problem = Problem(
            dataset,
            corpus,
            self.attributes,
            self._features(settings, theta),
            theta,
            settings,
            limits,
            in_stream=True,
            class_weight=weight,
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

    def _features(self, settings: Settings, theta: Weights) -> FeatureSet:
        """Full rows; the features that exist are marked in the weights themselves."""
        sizes = len(theta.state) // self._row_blocks, len(self.labels)
        edges = 0 if theta.edge is None else len(theta.edge) // len(self._fresh["edge"])
        return FeatureSet(settings.features, *sizes, None, None, theta, edges)  # type: ignore[arg-type]

    def _touched(self, state: State, dataset: Dataset) -> list[tuple[str, Any, Any]]:
        """The rows that a part of the stream can change, and what they hold: (array, rows, contents)."""
        edges = dataset.attribute[:0] if dataset.edge_slots is None else dataset.edge_slots.attribute
        rows: dict[str, Any] = {"trans": slice(None)}
        for part, ids in (("state", dataset.attribute), ("edge", edges)):
            size = len(self._fresh[part])
            rows[part] = (np.unique(ids).astype(np.int64)[:, None] * size + np.arange(size)).reshape(-1)
        held = [(name, rows[name.rpartition(".")[2]], array) for name, array in state.arrays.items() if array.size]
        return [(name, own, array[own].copy()) for name, own, array in held]

    def _put_back(self, state: State, before: list[tuple[str, Any, Any]], after: State) -> None:
        """Undoes a pass that failed, unless it folded the scale into all weights, which is rare."""
        for name, rows, array in before:
            state.arrays[name][rows] = array
        self._state = state
        self._broken = after.numbers["scale"] > state.numbers["scale"]

    def learned(self, settings: Settings) -> Learned:
        """The attributes, features and weights as they are now; copies, which further learning does not change."""
        settings, found = decided(settings), kept_weights(self._state)
        features = self._features(settings, found)
        attributes = self.attributes.subset(np.arange(features.attributes))
        edges = None if self.edges is None else self.edges.subset(np.arange(features.edge_attributes))
        if not features.edge_attributes:
            features, found = replace(features, marks=replace(found, edge=None)), replace(found, edge=None)
        return Learned(attributes, *features.compact(found), edges)

    def _grown(self, state: State) -> State:
        """The state with rows for each attribute that is new."""
        arrays = dict(state.arrays)
        for part, names in (("state", self.attributes), ("edge", self.edges)):
            for name in ("theta", "squares", "rest"):
                array = arrays.get(f"{name}.{part}")
                if array is None or names is None or not (len(array) or name == "theta"):
                    continue
                fresh = self._fresh[part]
                added = fresh if name == "theta" else None
                arrays[f"{name}.{part}"] = _extended(array, len(names) * len(fresh), added)
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
    if not (
        isinstance(buffer, np.ndarray) and buffer.ndim == 2 and len(buffer) >= rows and buffer.flags.writeable
    ):  # arrays on cache lines have a flat one
        buffer = np.zeros((max(2 * rows, 1024), LANES), np.float32)
        buffer[:have] = array
    buffer[have:rows] = 0 if fresh is None else np.tile(fresh, ((rows - have) // len(fresh), 1))
    return buffer[:rows]
