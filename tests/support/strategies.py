"""Drawn chains and tiny corpora, named by their axes."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tagfield.data.dataset import Dataset, Slots
from tagfield.data.encode import Encoded, Vocabulary, encode_sequences
from tagfield.weights.layout import LANES, FeatureSet, Weights, absent
from tests.support.naive import Dense, Problem, Token

RANGES = [0.0, 1.0, 30.0, 300.0, 1000.0]
ACROSS_BLOCKS = [5, 7, 8, 9, 16, 17, 24, 25, 32, 33, 40]


@st.composite
def small_chains(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores [T, L] and transitions [L, L], T to 6 and L to 4, each number in a drawn range or all in one."""
    length, labels = draw(st.integers(1, 6)), draw(st.integers(1, 4))

    def array(shape: tuple[int, int]) -> np.ndarray:
        if draw(st.booleans()):
            top = draw(st.sampled_from(RANGES))
            return draw(hnp.arrays(np.float64, shape, elements=st.floats(-top, top, width=32)))
        mixed = st.one_of(*(st.floats(-top, top, width=32) for top in RANGES))
        return draw(hnp.arrays(np.float64, shape, elements=mixed))

    return array((length, labels)), array((labels, labels))


@st.composite
def wide_chains(draw: st.DrawFn, lengths: st.SearchStrategy[int] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Chains whose labels fill some blocks of eight, or nearly; every array with its own range, or mixed."""
    length = draw(st.integers(1, 12) if lengths is None else lengths)
    labels = draw(st.sampled_from(ACROSS_BLOCKS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))

    def array(shape: tuple[int, int]) -> np.ndarray:
        if draw(st.booleans()):
            top: float | np.ndarray = draw(st.sampled_from(RANGES))
        else:
            top = rng.choice(RANGES, size=shape)
        return (rng.uniform(-1, 1, shape) * top).astype(np.float32).astype(np.float64)

    return array((length, labels)), array((labels, labels))


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    labels: Sequence[int] = (1, 2, 3, 4),
    weighted: bool = True,
    values: bool | None = None,
    empty: bool = True,
    edges: bool = False,
) -> Problem:
    """Corpora of 1 to 4 sentences; attributes repeat within a sentence and within a token. `edges`: maybe with edge
    attributes, in some sentences or in all."""
    L, A = draw(st.sampled_from(labels)), draw(st.integers(1, 5))
    valued = draw(st.booleans()) if values is None else values
    # in 64ths: `encode` adds a third mention of an attribute to the second, and the sum must be exact in float32
    value = st.integers(-128, 128).map(lambda k: k / 64) if valued else st.just(1.0)
    sentences, gold = [], []
    for _ in range(draw(st.integers(1, 4))):
        length = draw(st.integers(0 if empty else 1, 5))
        token = st.lists(st.tuples(st.integers(0, A - 1), value), max_size=4)
        sentences.append(draw(st.lists(token, min_size=length, max_size=length)))
        gold.append(draw(st.lists(st.integers(0, L - 1), min_size=length, max_size=length)))
    weight = st.floats(0, 3, width=16) if weighted else st.just(1.0)
    weights = draw(st.lists(weight, min_size=len(sentences), max_size=len(sentences)))
    if not edges or draw(st.booleans()):
        return Problem(sentences, gold, weights, A, L)
    E = draw(st.integers(1, 3))
    looks = st.lists(st.tuples(st.integers(0, E - 1), value), max_size=2, unique_by=lambda pair: pair[0])
    some = [draw(st.sampled_from([looks, looks, looks, st.just([])])) for _ in sentences]  # of a sentence: its tokens'
    looked = [[draw(token) for _ in sentence] for sentence, token in zip(sentences, some, strict=True)]
    return Problem(sentences, gold, weights, A, L, looked, E)


def learnable(count: int, seed: int = 0) -> Problem:
    """The label is the first attribute's remainder by 3; a second attribute says nothing."""
    rng = np.random.default_rng(seed)
    words = [rng.integers(12, size=rng.integers(1, 8)).tolist() for _ in range(count)]
    sentences = [[[(w, 1.0), (12 + int(rng.integers(3)), 1.0)] for w in ws] for ws in words]
    return Problem(sentences, [[w % 3 for w in ws] for ws in words], [1.0] * count, 15, 3)


def noisy(count: int = 30) -> Problem:
    """Learnable, with one label in six wrong, so that nothing separates it."""
    clean, rng = learnable(count), np.random.default_rng(9)
    gold = [[y if rng.random() > 1 / 6 else int(rng.integers(3)) for y in path] for path in clean.gold]
    return replace(clean, gold=gold)


def encode(problem: Problem) -> Encoded:
    """The problem through the package's own door, ids as they are.

    A token can name an attribute twice: flat as `f:0` and nested as {"f": {"0": …}}; a list names it any number
    of times, with the value 1.
    """
    X: list[list[object]] = []
    for sentence in problem.sentences:
        X.append([])
        for token in sentence:
            if all(value == 1 for _, value in token):
                X[-1].append([f"f:{a}" for a, _ in token])
                continue
            flat: dict[str, object] = {}
            nested: dict[str, float] = {}
            for a, value in token:
                if f"f:{a}" not in flat:
                    flat[f"f:{a}"] = value
                else:
                    nested[str(a)] = nested.get(str(a), 0.0) + value
            X[-1].append(flat | ({"f": nested} if nested else {}))
    encoded = encode_sequences(
        X,
        [[f"y{y}" for y in path] for path in problem.gold],
        weights=problem.weights,
        attributes=Vocabulary(f"f:{a}" for a in range(problem.attributes)),
        labels=Vocabulary(f"y{y}" for y in range(problem.labels)),
    )
    if not problem.edges:
        return encoded
    names = Vocabulary(f"e:{e}" for e in range(problem.edge_attributes))
    return replace(encoded, dataset=replace(encoded.dataset, edge_slots=edge_slots(problem.edges)), edges=names)


def edge_slots(edges: list[list[Token]]) -> Slots:
    """The slots of edge attributes by sentence and token: ordered by where each is first seen, void at position 0."""
    slots, occurrences = [0], [0]
    attribute: list[int] = []
    stop: list[int] = []
    places: list[tuple[int, float]] = []
    for sentence in edges:
        found: dict[int, list[tuple[int, float]]] = {}
        for t, token in enumerate(sentence):
            for e, value in token:
                found.setdefault(e, []).append((t, value))
        for e, own in found.items():
            attribute.append(e)
            places += own
            stop.append(len(places) - occurrences[-1])
        slots.append(len(attribute))
        occurrences.append(len(places))
    values = np.array([value for _, value in places], np.float32)
    made = Slots(
        np.array(slots, np.int64),
        np.array(occurrences, np.int64),
        np.array(attribute, np.int32),
        np.array(stop, np.int32),
        np.array([t for t, _ in places], np.int32),
        None if (values == 1).all() else values,
    )
    return made.keep_occurrences(made.position > 0)


def listed(slots: Slots | None, dataset: Dataset) -> list[list[Token]]:
    """Attribute ids and values of each sentence and token, in order."""
    tokens = np.diff(dataset.tokens).tolist()
    if slots is None:
        return [[[] for _ in range(n)] for n in tokens]
    found: list[list[Token]] = []
    for s, n in enumerate(tokens):
        found.append([[] for _ in range(n)])
        at = int(slots.occurrences[s])
        for d in range(int(slots.slots[s]), int(slots.slots[s + 1])):
            while at < slots.occurrences[s] + slots.stop[d]:
                value = 1.0 if slots.value is None else float(slots.value[at])
                found[-1][slots.position[at]].append((int(slots.attribute[d]), value))
                at += 1
        found[-1] = [sorted(token) for token in found[-1]]
    return found


def to_dense(features: FeatureSet, state: np.ndarray, trans: np.ndarray, edge: np.ndarray | None = None) -> Dense:
    """Blocks of a layout as [A, L], [L, L] and [E, L, L]; 0 where there is no block."""
    dense = np.zeros((features.attributes, features.blocks_per_row, LANES), state.dtype)
    if features.first is None:
        dense[:] = state.reshape(dense.shape)
    else:
        dense[np.repeat(np.arange(features.attributes), np.diff(features.first)), features.column] = state
    rows = dense.reshape(features.attributes, features.blocks_per_row * LANES)
    L = features.labels
    if edge is None or not features.edge_attributes:
        return Dense(rows[:, :L], trans[:, :L], np.zeros((features.edge_attributes, L, L), state.dtype))
    looked = np.zeros((features.edge_attributes * L, features.blocks_per_row, LANES), state.dtype)
    if features.edge_first is None:
        looked[:] = edge.reshape(looked.shape)
    else:
        looked[np.repeat(np.arange(len(looked)), np.diff(features.edge_first)), features.edge_column] = edge
    return Dense(rows[:, :L], trans[:, :L], looked.reshape(features.edge_attributes, L, -1)[:, :, :L])


def from_dense(features: FeatureSet, dense: Dense) -> Weights:
    """The other way, into the layout's shapes, 0 in the padding."""
    full = np.zeros((features.attributes, features.blocks_per_row * LANES))
    full[:, : features.labels] = dense.state
    blocks = full.reshape(features.attributes, features.blocks_per_row, LANES)
    if features.first is not None:
        owner = np.repeat(np.arange(features.attributes), np.diff(features.first))
        blocks = blocks[owner, features.column]
    trans = np.zeros((features.labels, features.blocks_per_row * LANES))
    trans[:, : features.labels] = dense.trans
    edge = None
    if features.edge_attributes:
        looked = np.zeros((features.edge_attributes * features.labels, features.blocks_per_row * LANES))
        looked[:, : features.labels] = dense.edge.reshape(-1, features.labels)
        edge = looked.reshape(-1, LANES)
        if features.edge_first is not None:
            owner = np.repeat(np.arange(len(looked)), np.diff(features.edge_first))
            edge = looked.reshape(len(looked), -1, LANES)[owner, features.edge_column]
    return Weights(blocks.reshape(-1, LANES).copy(), trans, edge)  # type: ignore[arg-type]


def present(features: FeatureSet) -> Dense:
    """Masks of the features that exist."""
    return to_dense(features, *(~absent(array) for array in features.zero.arrays()))


def dense_weights(features: FeatureSet, weights: Weights) -> Dense:
    return to_dense(features, *weights.arrays())
