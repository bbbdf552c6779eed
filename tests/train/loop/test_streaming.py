"""A stream against its naive twin, and against itself cut into other parts."""

import itertools
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Encoded, encode_sequences
from tagfield.errors import InputError, TrainingError
from tagfield.inference.constraints import rules_of
from tagfield.model.model import Model
from tagfield.native._text import Vocabulary
from tagfield.train import Settings, train
from tagfield.train.loop.streaming import Stream
from tagfield.train.trainers import stochastic as stochastic_module
from tagfield.weights.layout import Weights
from tests.support.bregman_table import EXACT_RECIPES
from tests.support.naive import Dense, Problem
from tests.support.naive_stream import Streamed, nothing
from tests.support.strategies import dense_weights, encode, problems
from tests.support.tolerances import PASSES

VARIANTS: dict[str, dict[str, Any]] = {
    "sgd": {"recipe": "sgd"},
    "u2.g1": {"recipe": "u2.g1"},
    "adaptive": {"recipe": "adaptive"},
    "averaged": {"recipe": "adaptive", "average": True},
    "annealed": {"recipe": "u2.g1p", "anneal": 1.0, "average": True},
    "on states": {"recipe": "u2.g2", "respond": "states", "metric": "adaptive"},
    "counted": {"recipe": "ngd", "loss": "U6", "generator": "gd:5"},
    "all pairs": {"recipe": "u1.g1", "features": "all"},
    "all transitions": {"recipe": "adaptive", "transitions": "all", "c2": 0.0},
}


def words(count: int, seed: int = 0, labels: int = 4) -> tuple[list[Any], list[list[str]]]:
    rng = np.random.default_rng(seed)
    X = [[[f"w{rng.integers(50)}", f"v{rng.integers(9)}"] for _ in range(rng.integers(1, 7))] for _ in range(count)]
    return X, [[f"y{int(token[0][1:]) % labels}" for token in x] for x in X]


def learned(X: Any, y: Any, cuts: list[int], options: dict[str, Any], rules: Any = None, edges: Any = None) -> Stream:
    """A stream that came in parts which end at `cuts`."""
    told = Settings.of(**options)
    stream = Stream(Vocabulary(), Vocabulary([f"y{i}" for i in range(4)]), told, Vocabulary() if edges else None)
    for start, end in itertools.pairwise([0, *cuts, len(X)]):
        known: dict[str, Any] = {"attributes": stream.attributes, "labels": stream.labels, "grow": True}
        if edges:
            known |= {"edges": edges[start:end], "edge_attributes": stream.edges}
        stream.learn(encode_sequences(X[start:end], y[start:end], **known), told, rules)
    return stream


def looking(X: Any) -> list[list[list[str]]]:
    """Edge attributes for some sequences, which come as late as the words do."""
    return [[[f"e{token[0]}"] for token in x] if s % 3 else [[] for _ in x] for s, x in enumerate(X)]


def bits(stream: Stream, options: dict[str, Any]) -> tuple[Any, ...]:
    attributes, features, weights, edges = stream.learned(Settings.of(**options))
    state = [array.tobytes() for _, array in sorted(stream.state.arrays.items())]
    numbers = sorted(stream.state.numbers.items())
    kept = [array.tobytes() for array in weights.arrays()]
    names = attributes.strings(), None if edges is None else edges.strings()
    return (names, features.counts, features.edge_count, kept, state, numbers)


@pytest.mark.parametrize(
    "variant", [pytest.param(name, marks=[pytest.mark.slow] * (name == "counted")) for name in VARIANTS]
)
@pytest.mark.parametrize("looks", [False, True], ids=["", "with edge attributes"])
def test_the_result_does_not_depend_on_how_the_stream_is_cut(
    variant: str, looks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stochastic_module, "STREAM_EPOCH", 20)  # so that annealing and averaging take turns
    options = VARIANTS[variant]
    X, y = words(60)
    edges = looking(X) if looks else None
    whole = bits(learned(X, y, [], options, edges=edges), options)
    assert bits(learned(X, y, list(range(1, 60)), options, edges=edges), options) == whole

    @settings(max_examples=5 if looks else 15, deadline=None)
    @given(st.sets(st.integers(1, 59)))
    def same(cuts: set[int]) -> None:
        assert bits(learned(X, y, sorted(cuts), options, edges=edges), options) == whole

    same()


def test_a_part_that_fails_leaves_edge_weights_as_they_were() -> None:
    X, y = words(20)
    edges, options = looking(X), {"recipe": "sgd", "features": "all"}
    stream = learned(X, y, [], options, edges=edges)
    before = bits(stream, options)
    known = {"attributes": stream.attributes, "labels": stream.labels, "edge_attributes": stream.edges}
    part = encode_sequences(X[1:2] * 2, y[1:2] * 2, edges=edges[1:2] * 2, **known)
    assert part.dataset.edge_slots is not None
    slots = part.dataset.edge_slots
    huge = replace(slots, value=np.full(len(slots.position), 3e38, np.float32))
    with pytest.raises(TrainingError, match="left the range of numbers"):
        stream.learn(replace(part, dataset=replace(part.dataset, edge_slots=huge)), Settings.of(**options, rate=1e30))
    assert bits(stream, options) == before


@pytest.mark.parametrize("name", ["sgd", "u2.g1"])
@pytest.mark.parametrize("kind", ["observed", "all"])
def test_a_stream_follows_its_twin(name: str, kind: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(problems(labels=(1, 2, 3, 9, 33), edges=True), st.booleans(), st.sampled_from([0.0, 0.1, 1.0]), st.data())
    def follows(problem: Problem, adaptive: bool, c2: float, data: st.DataObject) -> None:
        told = Settings.of(name, metric="adaptive" if adaptive else "flat", rate=0.1, c2=c2, features=kind)
        encoded = encode(problem)
        stream = Stream(encoded.attributes, encoded.labels, told, encoded.edges)
        present = nothing(problem.attributes, problem.labels, problem.edge_attributes)
        if kind == "all":
            present = present.map(np.logical_not)
        f = np.vectorize(EXACT_RECIPES[name], otypes=[float])
        twin = Streamed(problem, present, f, 0.1, 2 * c2, adaptive=adaptive, observe=kind == "observed")
        count = len(problem.sentences)
        for _ in range(data.draw(st.integers(1, 3))):
            assert stream.learn(encoded, told).objective == pytest.approx(
                twin.run(list(range(count))), rel=PASSES, abs=PASSES
            )
        _, features, weights, _ = stream.learned(told)
        found: Dense = dense_weights(features, weights)
        size = max(1.0, float(np.abs(twin.theta.flat()).max()))
        np.testing.assert_allclose(found.flat(), twin.theta.flat(), rtol=PASSES, atol=PASSES * size)
        assert features.size == int(twin.present.flat().sum())

    follows()


def test_no_rate_turns_the_weights_around() -> None:
    X, y = words(30)
    for rate in (0.5, 5.0):
        assert np.isfinite(learned(X, y, [1, 2, 3], {"recipe": "sgd", "rate": rate, "c2": 1.0}).state.numbers["scale"])


def test_a_call_costs_what_its_own_sequences_cost() -> None:
    """Against itself in the same run: with 400 times as many attributes, a call takes less than twice as long."""
    told = Settings("adaptive")

    def stream_with(attributes: int) -> Stream:
        stream = Stream(Vocabulary([f"old{i}" for i in range(attributes)]), Vocabulary(["A", "B"]), told)
        stream.learn(part(stream, 0), told)
        return stream

    def part(stream: Stream, k: int) -> Encoded:
        known = {"attributes": stream.attributes, "labels": stream.labels, "grow": True}
        return encode_sequences([[[f"new{k}", "x"], ["y"]]], [["A", "B"]], **known)

    small, large = stream_with(1_000), stream_with(400_000)
    times: dict[int, list[float]] = {0: [], 1: []}
    for k in range(1, 200):
        for which, stream in enumerate((small, large)):
            start = time.perf_counter()
            stream.learn(part(stream, k), told)
            times[which].append(time.perf_counter() - start)
    assert np.median(times[1]) < 2 * np.median(times[0])


def test_a_stream_goes_on_from_a_trained_model() -> None:
    X, y = words(80)
    encoded = encode_sequences(X, y, labels=Vocabulary([f"y{i}" for i in range(4)]))
    for kind in ("observed", "all"):
        told = Settings.of("adaptive", features=kind)
        model = Model.of(encoded, train(encoded, Settings("lbfgs", features=kind, epochs=30)))
        before = model.evaluate(model.encode(X, y)).accuracy
        stream = model.to_stream(told)
        assert stream.state.numbers["t"] == 80
        known = {"attributes": stream.attributes, "labels": stream.labels, "grow": True}
        stream.learn(encode_sequences([[["new", "w1"]]], [["y1"]], **known), told)
        after = Model.of_stream(stream, told)
        assert after.evaluate(after.encode(X, y)).accuracy > before - 0.05  # one sentence does not undo eighty
        assert len(after.attributes) == len(model.attributes) + 1
        assert "new" not in model.attributes.strings()


def test_unknown_labels_and_rules_in_a_stream() -> None:
    X, y = words(40)
    rules = rules_of(lambda before, after: (before, after) != ("y0", "y1"), [f"y{i}" for i in range(4)])
    kept = [(x, labels) for x, labels in zip(X, y, strict=True) if ("y0", "y1") not in itertools.pairwise(labels)]
    X, y = [x for x, _ in kept], [[None, *labels[1:]] for _, labels in kept]
    options = {"recipe": "u2.g1"}
    assert bits(learned(X, y, [3, 9], options, rules), options) == bits(learned(X, y, [], options, rules), options)
    with pytest.raises(InputError, match=r"y\[0\]\[1\] is 'y1' after 'y0', which the constraints forbid"):
        learned([[["a"], ["b"]]], [["y0", "y1"]], [], options, rules)


def test_what_cannot_stream_says_so() -> None:
    stream = Stream(Vocabulary(), Vocabulary(["y0"]), Settings("adaptive"))
    encoded = encode_sequences([[["a"]]], [["y0"]], attributes=stream.attributes, labels=stream.labels, grow=True)
    with pytest.raises(InputError, match="lbfgs cannot learn from a stream"):
        stream.learn(encoded, Settings("lbfgs"))
    huge = replace(encoded, dataset=replace(encoded.dataset, value=np.array([3e38], np.float32)))
    stream.learn(huge, Settings.of("sgd", rate=1e30))
    with pytest.raises(TrainingError, match="the weights left the range of numbers"):
        stream.learn(huge, Settings.of("sgd", rate=1e30))


def test_what_a_stream_has_learned_is_a_copy() -> None:
    X, y = words(30)
    stream = learned(X, y, [], {"recipe": "adaptive", "features": "all"})
    told = Settings("adaptive", features="all")
    attributes, features, weights, _ = stream.learned(told)
    before = Weights(weights.state.copy(), weights.trans.copy())
    known = {"attributes": stream.attributes, "labels": stream.labels, "grow": True}
    stream.learn(encode_sequences([[["w1", "fresh"]]], [["y3"]], **known), told)
    assert (len(attributes), features.attributes) == (len(stream.attributes) - 1, len(stream.attributes) - 1)
    np.testing.assert_array_equal(weights.state, before.state)
    np.testing.assert_array_equal(weights.trans, before.trans)
