"""Feature sets against counting by hand, minimum counts that include their number, and what the checks turn away."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_files, encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem as Posed
from tagfield.weights.features import feature_set
from tagfield.weights.layout import LANES, Weights, absent
from tests.support.corpus import TRAIN, needs_corpus
from tests.support.naive import Problem
from tests.support.strategies import dense_weights, edge_slots, encode, present, problems


def by_hand(problem: Problem) -> tuple[Counter[tuple[int, int]], Counter[tuple[int, int]]]:
    """How often each (attribute, label) pair and each transition occurs; values do not matter."""
    pairs: Counter[tuple[int, int]] = Counter()
    edges: Counter[tuple[int, int]] = Counter()
    for sentence, gold in zip(problem.sentences, problem.gold, strict=True):
        edges.update(pairwise(gold))
        for token, y in zip(sentence, gold, strict=True):
            pairs.update((a, y) for a, _ in token)
    return pairs, edges


@settings(max_examples=100, deadline=None)
@given(problems(labels=(1, 2, 7, 8, 9, 32, 33, 40), values=False), st.integers(0, 4))
def test_observed_pairs_are_those_that_occur_often_enough(problem: Problem, minimum: int) -> None:
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, "observed", minimum)
    pairs, edges = by_hand(problem)
    mask = present(features)
    least = max(1, minimum)
    assert set(zip(*(i.tolist() for i in np.nonzero(mask.state)), strict=True)) == {
        pair for pair, count in pairs.items() if count >= least
    }
    assert set(zip(*(i.tolist() for i in np.nonzero(mask.trans)), strict=True)) == {
        edge for edge, count in edges.items() if count >= least
    }
    assert features.counts == (int(mask.state.sum()), int(mask.trans.sum()))
    assert (features.first is None) == (problem.labels <= 32)
    assert (
        kernels.count_attributes(corpus, problem.attributes)
        == [sum(count for (a, _), count in pairs.items() if a == b) for b in range(problem.attributes)]
    ).all()


@settings(max_examples=50, deadline=None)
@given(problems(labels=(1, 2, 8, 9, 33)))
def test_all_is_every_pair(problem: Problem) -> None:
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, "all")
    assert features.counts == (problem.attributes * problem.labels, problem.labels**2)
    assert present(features).flat().all()
    assert features.layout.blocks == len(features.zero.state)


@settings(max_examples=50, deadline=None)
@given(problems(labels=(2, 8, 9, 31)), st.integers(0, 2**32 - 1))
def test_compact_rows_are_the_same_model(problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, "observed")
    weights = features.zeros()
    for array in (weights.state, weights.trans):
        array[~absent(array)] = rng.standard_normal(int((~absent(array)).sum()))
    compact, same = features.compact(weights)
    assert compact.counts == features.counts
    assert compact.first is not None
    assert (dense_weights(compact, same).flat() == dense_weights(features, weights).flat()).all()
    assert compact.compact(same) == (compact, same)  # nothing more to do
    tags = [kernels.tag(corpus, f.field(w))[0] for f, w in ((features, weights), (compact, same))]
    assert (tags[0] == tags[1]).all()


def slots_of(dataset: Dataset) -> list[dict[int, list[tuple[int, float]]]]:
    """For every sentence its attributes, each with the positions and values of its one slot."""
    value = np.ones(len(dataset.position)) if dataset.value is None else dataset.value
    found = []
    for s in range(len(dataset)):
        found.append({})
        start = base = int(dataset.occurrences[s])
        for d in range(dataset.slots[s], dataset.slots[s + 1]):
            end = base + int(dataset.stop[d])
            assert int(dataset.attribute[d]) not in found[-1]
            found[-1][int(dataset.attribute[d])] = [
                (int(dataset.position[n]), float(value[n])) for n in range(start, end)
            ]
            start = end
    return found


@settings(max_examples=100, deadline=None)
@given(problems(), st.data())
def test_attributes_that_are_left_out_leave_no_trace(problem: Problem, data: st.DataObject) -> None:
    keep = np.array([data.draw(st.booleans()) for _ in range(problem.attributes)])
    dataset = encode(problem).dataset
    found = dataset.keep_attributes(keep)
    open_corpus(found)
    new = (np.cumsum(keep) - 1).tolist()
    assert slots_of(found) == [{new[a]: where for a, where in slots.items() if keep[a]} for slots in slots_of(dataset)]
    assert found.tokens is dataset.tokens
    assert found.labels is dataset.labels
    assert [getattr(found, name).dtype for name in ("slots", "occurrences")] == [np.int64] * 2
    assert [getattr(found, name).dtype for name in ("attribute", "stop", "position")] == [np.int32] * 3


def test_a_minimum_count_includes_its_number() -> None:
    X = [[["a", "b"], ["a", "c"], ["a"]], [["b"]]]
    encoded = encode_sequences(X, [["x", "x", "y"], ["x"]])  # a: 3 (2 with x), b: 2 with x, c: 1
    for kind, minimum, names, states, edges in (
        ("all", 1, "abc", 6, 4),
        ("all", 2, "ab", 4, 4),
        ("all", 3, "a", 2, 4),
        ("all", 4, "", 0, 4),
        ("observed", 1, "abc", 4, 2),
        ("observed", 2, "abc", 2, 0),
        ("observed", 3, "abc", 0, 0),
    ):
        problem = Posed.of(encoded, Settings(features=kind, min_count=minimum))
        assert problem.attributes.strings() == list(names)
        assert problem.features.counts == (states, edges)


@needs_corpus
def test_conll_counts() -> None:
    encoded = encode_files(TRAIN)
    assert Posed.of(encoded, Settings(features="observed")).features.counts == (452_610, 145)
    assert sum(Posed.of(encoded, Settings(features="all")).features.counts) == 7_385_312
    encoded = encode_files(TRAIN, template="crfpp")
    problem = Posed.of(encoded, Settings(features="all", min_count=3))  # crf_learn -f 3
    assert len(problem.attributes) == 76_328
    assert sum(problem.features.counts) == 1_679_700


def test_an_unknown_set() -> None:
    corpus = open_corpus(encode_sequences([[["a"]]], [["x"]]).dataset)
    for kinds in (("most",), ("all", 1, "most")):
        with pytest.raises(InputError, match="no feature set named 'most'; choose observed or all"):
            feature_set(corpus, 1, 1, *kinds)
    for name, more in (("features", ", auto"), ("transitions", "")):
        with pytest.raises(InputError, match=f"^{name} must be one of observed, all{more}; got 'most'$"):
            Settings(**{name: "most"})


def test_absent_is_minus_zero_alone() -> None:
    numbers = np.array([0.0, -0.0, 1e-45, -1e-45, np.nan, -1.0], np.float32)
    assert absent(numbers).tolist() == [False, True, False, False, False, False]


@pytest.mark.parametrize(
    ("first", "column", "message"),
    [
        ([0, 1, 2], None, "do not fit the attributes"),
        ([0, 1], [0], "do not fit the attributes"),
        ([0, 1, 1], [0, 1], "do not span"),
        ([1, 1, 2], [0, 1], "do not span"),
        ([0, 3, 2], [0, 1], "not ascending"),
        ([0, -1, 2], [0, 1], "not ascending"),
        ([0, 2, 2], [1, 0], "not ascending labels"),
        ([0, 2, 2], [1, 1], "not ascending labels"),
        ([0, 1, 2], [0, 2], "not ascending labels"),
        ([0, 1, 2], [0, 65535], "not ascending labels"),
    ],
)
def test_layouts_that_would_leave_the_arrays(first: list[int], column: list[int] | None, message: str) -> None:
    blocks = None if column is None else np.array(column, np.uint16)
    with pytest.raises(ValueError, match=message):
        kernels.Layout(2, 16, np.array(first, np.int64), blocks)


def test_layouts_without_labels_or_with_too_many() -> None:
    for attributes, labels in ((1, 0), (1, -1), (1, 65536 * LANES + 1), (-1, 2), (1 << 41, 2)):
        with pytest.raises(ValueError, match="layout"):
            kernels.Layout(attributes, labels, None, None)


SMALLEST, LARGEST = -(2**63), 2**63 - 1


@settings(max_examples=100, deadline=None)
@given(problems(labels=(1, 2, 7, 8, 9, 33), edges=True), st.integers(0, 3), st.sampled_from([None, "all", "observed"]))
def test_edge_features_exist_as_transitions_do(problem: Problem, minimum: int, transitions: str | None) -> None:
    corpus = open_corpus(encode(problem).dataset)
    E, L = problem.edge_attributes, problem.labels
    features = feature_set(corpus, problem.attributes, L, "observed", minimum, transitions, E)
    triples: Counter[tuple[int, int, int]] = Counter()
    for sentence, gold in zip(problem.edges, problem.gold, strict=False):
        for t in range(1, len(gold)):
            triples.update((e, gold[t - 1], gold[t]) for e, _ in sentence[t])
    observed = {triple for triple, count in triples.items() if count >= max(1, minimum)}
    every = {(e, i, j) for e in range(E) for i in range(L) for j in range(L)}
    expected = every if transitions == "all" else observed
    there = present(features).edge
    assert set(zip(*(i.tolist() for i in np.nonzero(there)), strict=True)) == expected
    assert features.edge_count == len(expected)
    assert features.size == sum(features.counts) + len(expected)
    assert features.layout.edge_blocks == (0 if features.zero.edge is None else len(features.zero.edge))
    counts = [sum(count for (e, _, _), count in triples.items() if e == one) for one in range(E)]
    assert kernels.count_edges(corpus, E).tolist() == counts
    edges, blocks = features.zero.edge, features.layout.blocks
    needed = sum(array.nbytes for array in features.zero.arrays())
    known = {"blocks": blocks, "edge_blocks": 0 if edges is None else len(edges)}
    assert features.bytes_needed(problem.attributes, L, E, **known) == needed
    if transitions == "all":
        assert features.bytes_needed(problem.attributes, L, E, blocks=blocks) == needed


def test_a_minimum_frequency_leaves_out_rare_edge_attributes() -> None:
    """With all features it counts attributes, with observed ones triples; the vocabulary follows."""
    edges = [[[], [(0, 1.0), (1, 1.0)], [(0, 1.0)]]]
    problem = Problem([[[(0, 1.0)]] * 3], [[0, 0, 1]], [1.0], 1, 2, edges, 2)
    every = Posed.of(encode(problem), Settings(features="all", min_count=2))
    assert every.edges is not None
    assert every.edges.strings() == ["e:0"]
    assert (every.features.edge_attributes, every.features.edge_count) == (1, 4)
    assert every.dataset.edge_slots is not None
    assert every.dataset.edge_slots.attribute.tolist() == [0]
    observed = Posed.of(encode(problem), Settings(features="observed", min_count=2))
    assert observed.edges is not None
    assert (len(observed.edges), observed.features.edge_count) == (2, 0)


def test_edge_attributes_without_names() -> None:
    encoded = encode(Problem([[[(0, 1.0)]] * 2], [[0, 1]], [1.0], 1, 2, [[[], [(1, 1.0)]]], 2))
    with pytest.raises(InputError, match="has 2 edge attributes, but 0 names for them"):
        Posed.of(replace(encoded, edges=None), Settings())


def test_edge_weights_beyond_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tagfield.system.memory.room_left", lambda: 1e4)
    corpus = open_corpus(encode(Problem([[[(0, 1.0)]] * 2], [[0, 1]], [1.0], 1, 2, [[[], [(1, 1.0)]]], 2)).dataset)
    with pytest.raises(InputError, match=r"1,000 edge attributes × 2² labels needs about"):
        feature_set(corpus, 1, 2, "observed", 1, "all", 1000)
    assert feature_set(corpus, 1, 2, "observed", 1, None, 1000).edge_count == 1


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        *(("tokens", i, v) for i in (0, 1, 2) for v in (-1, 5, SMALLEST, LARGEST)),
        *(("slots", i, v) for i in (0, 1, 2) for v in (-1, 9, SMALLEST, LARGEST)),
        *(("occurrences", i, v) for i in (0, 1, 2) for v in (-1, 9, SMALLEST, LARGEST)),
        *(("attribute", i, v) for i in (0, -1) for v in (-1, -(2**31), 2**31 - 1)),
        *(("place", i, v) for i in (0, -1) for v in (2, 2 | 1 << 15, 2**16 - 1)),
        *(("labels", i, v) for i in (0, -1) for v in (-2, -(2**31), 2**31 - 1)),
    ],
)
def test_a_dataset_that_would_leave_its_arrays(name: str, at: int, value: int) -> None:
    good = encode_sequences([[["a", "b"], ["a"]], [["c"], ["a"]]], [["x", "y"], ["y", "x"]]).dataset
    open_corpus(good)
    array = getattr(good, name).copy()
    array[at] = value
    with pytest.raises(InputError, match="the dataset is inconsistent"):
        open_corpus(replace(good, **{name: array}))


@pytest.mark.parametrize(
    ("name", "at", "value"),
    [
        *(("slots", i, v) for i in (0, 1, 2) for v in (-1, 9, SMALLEST, LARGEST)),
        *(("occurrences", i, v) for i in (0, 1, 2) for v in (-1, 9, SMALLEST, LARGEST)),
        *(("attribute", i, v) for i in (0, -1) for v in (-1, -(2**31), 2**31 - 1)),
        *(("stop", i, v) for i in (0, -1) for v in (-1, 9, -(2**31), 2**31 - 1)),
        *(("position", i, v) for i in (0, -1) for v in (-1, 0, 2, -(2**31), 2**31 - 1)),
    ],
)
def test_edge_slots_that_would_leave_their_arrays(name: str, at: int, value: int) -> None:
    """Position 0 has no transition, so no edge attribute may stand there."""
    good = encode_sequences([[["a", "b"], ["a"]], [["c"], ["a"]]], [["x", "y"], ["y", "x"]]).dataset
    slots = edge_slots([[[], [(0, 1.0), (2, 2.0)]], [[], [(1, 1.0)]]])
    assert open_corpus(replace(good, edge_slots=slots)).edge_attributes == 3
    array = getattr(slots, name).copy()
    array[at] = value
    with pytest.raises(InputError, match="the dataset is inconsistent"):
        open_corpus(replace(good, edge_slots=replace(slots, **{name: array})))
    with pytest.raises(InputError, match="the dataset is inconsistent"):
        open_corpus(replace(good, edge_slots=replace(slots, **{name: array[:-1]})))
    with pytest.raises(InputError, match="the dataset is inconsistent"):
        open_corpus(replace(good, edge_slots=replace(slots, value=np.ones(1, np.float32))))


@pytest.mark.parametrize(
    ("edges", "first", "column", "message"),
    [
        (1, [0, 1, 2], None, "do not fit the edge attributes"),
        (2, [0, 1, 2], [0, 0], "do not fit the edge attributes"),
        (1, [0, 1, 1], [0, 1], "do not span"),
        (1, [0, 3, 2], [0, 1], "not ascending"),
        (1, [0, 1, 2], [0, 1], "not ascending labels"),
        (-1, [0], [], "that many edge attributes"),
        (1 << 41, None, None, "that many edge attributes"),
    ],
)
def test_edge_rows_that_would_leave_the_arrays(edges: int, first: Any, column: Any, message: str) -> None:
    rows = None if first is None else np.array(first, np.int64), None if column is None else np.array(column, np.uint16)
    with pytest.raises(ValueError, match=message):
        kernels.Layout(1, 2, None, None, edges, *rows)


def test_edge_weights_that_do_not_fit_their_layout() -> None:
    problem = Problem([[[(0, 1.0)]] * 2], [[0, 1]], [1.0], 1, 2, [[[], [(1, 1.0)]]], 2)
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, 1, 2, "all", edge_attributes=2)
    zero = features.zeros()
    assert zero.edge is not None
    for wrong in (None, zero.edge[:1], zero.edge[:, :4].copy()):
        with pytest.raises(ValueError, match="the edge weights do not fit the layout"):
            features.field(replace(zero, edge=wrong))
    without = feature_set(corpus, 1, 2, "all", edge_attributes=1)
    with pytest.raises(ValueError, match="edge attributes that the layout does not have"):
        kernels.Pass().run(corpus, without.field(without.zeros()), None, None, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="more edge attributes"):
        kernels.count_edges(corpus, 1)
    with pytest.raises(ValueError, match="does not fit those sizes"):
        kernels.observed_edges(corpus, 1, 2, 1)


def test_a_dataset_whose_arrays_do_not_fit_together() -> None:
    good = encode_sequences([[["a", "b"], ["a"]], [["c"], ["a"]]], [["x", "y"], ["y", "x"]]).dataset
    bad: list[Dataset] = [
        replace(good, **{name: getattr(good, name)[:-1]})
        for name in ("tokens", "slots", "occurrences", "attribute", "place", "labels", "weight")
    ]
    bad += [
        replace(good, value=np.ones(2, np.float32)),
        replace(good, weight=good.weight[:, None]),
        replace(good, tokens=good.tokens[:0], slots=good.slots[:0], occurrences=good.occurrences[:0]),
    ]
    for dataset in bad:
        with pytest.raises(InputError, match="the dataset is inconsistent"):
            open_corpus(dataset)


def test_weights_that_do_not_fit_their_layout() -> None:
    corpus = open_corpus(encode_sequences([[["a"], ["b"]]], [["x", "y"]]).dataset)
    features = feature_set(corpus, 2, 2, "all")
    zero = features.zeros()
    for wrong in (
        Weights(zero.state[:1], zero.trans),
        Weights(zero.state, zero.trans[:1]),
        Weights(zero.state[:, :4].copy(), zero.trans),
        Weights(zero.state, zero.trans[:, :2].copy()),
    ):
        with pytest.raises(ValueError, match="do not fit the layout"):
            features.field(wrong)
    with pytest.raises(ValueError, match="attributes that the layout does not have"):
        kernels.tag(corpus, kernels.Field(kernels.Layout(1, 2, None, None), zero.state[:1], zero.trans))
