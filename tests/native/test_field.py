"""The records that go to the kernels: Field and Limits, by their definition on every path, and what they refuse."""

from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.model.model import Model
from tagfield.native import kernels
from tagfield.train import Settings
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, Weights
from tests.support.naive import Problem, path_score, sentence_scores
from tests.support.strategies import dense_weights, encode, problems
from tests.support.tolerances import SINGLE


def drawn_weights(features: FeatureSet, seed: int) -> Weights:
    at, rng = features.coordinates(), np.random.default_rng(seed)
    weights = features.zeros()
    weights.state.reshape(-1)[at.state] = rng.normal(0, 2, len(at.state))
    weights.trans.reshape(-1)[at.trans] = rng.normal(0, 2, len(at.trans))
    return weights


@settings(max_examples=100, deadline=None)
@given(problems(labels=(1, 2, 3, 9), weighted=False), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_limits_leave_the_allowed_paths(problem: Problem, seed: int, masked: bool, ruled: bool) -> None:
    """tag, marginals and nbest, with a mask of labels, of transitions, both or none, against every path."""
    rng = np.random.default_rng(seed)
    L = problem.labels
    problem.sentences[:] = [sentence[:3] for sentence in problem.sentences]
    problem.gold[:] = [gold[:3] for gold in problem.gold]
    dataset = encode(problem).dataset
    corpus = open_corpus(dataset)
    features = feature_set(corpus, problem.attributes, L, "all")
    weights = drawn_weights(features, seed)
    labels = (rng.random((len(dataset.labels), L)) < 0.7).astype(np.uint8) if masked else None
    follow = (rng.random((L, L)) < 0.7).astype(np.uint8) if ruled else None
    field, limits = features.field(weights), kernels.Limits(labels, follow)
    given_limits = limits if masked or ruled else None
    ids, best = kernels.tag(corpus, field, given_limits)
    node, log_z, score = kernels.marginals(corpus, field, given_limits)
    nothing, alone, _ = kernels.marginals(corpus, field, given_limits, nodes=False, threads=2)
    paths, found, counts = kernels.nbest(corpus, field, 4, given_limits)
    assert nothing.shape == (0, L)
    theta = dense_weights(features, weights).map(np.float64)
    at = rank = 0
    for s, gold in enumerate(problem.gold):
        start, n = int(dataset.tokens[s]), len(gold)
        if not n:
            assert (best[s], log_z[s], score[s], counts[s]) == (0, 0, 0, 0)
            continue
        scores = sentence_scores(problem, s, theta)

        def allowed(path: tuple[int, ...], start: int = start) -> bool:
            fits = labels is None or all(labels[start + t, y] for t, y in enumerate(path))
            return fits and (follow is None or all(follow[pair] for pair in pairwise(path)))

        every = {path: path_score(scores, theta.trans, path) for path in product(range(L), repeat=n) if allowed(path)}
        if not every:
            assert best[s] == log_z[s] == alone[s] == score[s] == -np.inf
            assert counts[s] == 0
            assert not node[start : start + n].any()
            continue
        top = max(every.values())
        expected = top + np.log(sum(np.exp(v - top) for v in every.values()))
        assert best[s] == pytest.approx(top, abs=1e-3)
        assert every[tuple(ids[start : start + n].tolist())] == pytest.approx(top, abs=1e-3)
        assert log_z[s] == pytest.approx(expected, abs=1e-3)
        assert alone[s] == pytest.approx(log_z[s], abs=1e-4)
        assert score[s] == pytest.approx(every.get(tuple(gold), -np.inf), abs=1e-3)
        for t, y in product(range(n), range(L)):
            p = sum(np.exp(v - expected) for path, v in every.items() if path[t] == y)
            assert node[start + t, y] == pytest.approx(p, abs=10 * SINGLE)
            assert p or not node[start + t, y] or given_limits is None  # what is forbidden has exactly 0
        assert counts[s] == min(4, len(every))
        for value in sorted(every.values(), reverse=True)[: counts[s]]:
            assert found[rank] == pytest.approx(value, abs=1e-3)
            assert every[tuple(paths[at : at + n].tolist())] == pytest.approx(value, abs=1e-3)
            at, rank = at + n, rank + 1


@pytest.fixture
def corpus() -> kernels.Corpus:
    return open_corpus(encode_sequences([[["a"], ["b"]]], [["x", "y"]]).dataset)


@pytest.fixture
def features(corpus: kernels.Corpus) -> FeatureSet:
    return feature_set(corpus, 2, 2, "all")


def passes(corpus: kernels.Corpus, theta: kernels.Field, beside: kernels.Field) -> dict[str, Any]:
    order = np.zeros(1, np.int64)
    averaged = kernels.Pass()
    averaged.averaging = True
    return {
        "stochastic": lambda: kernels.Pass().run(corpus, theta, None, None, order),
        "averaged": lambda: averaged.run(corpus, theta, None, beside, order),
        "margin": lambda: kernels.margin_pass(corpus, theta, beside, order, 1, 1.0, True, 1.0),
        "arow": lambda: kernels.arow_pass(corpus, theta, beside, order, 1.0),
    }


@pytest.mark.parametrize("name", ["stochastic", "averaged", "margin", "arow"])
def test_a_pass_refuses_weights_that_are_read_only(corpus: kernels.Corpus, features: FeatureSet, name: str) -> None:
    for part in ("state", "trans"):
        frozen = features.zeros()
        getattr(frozen, part).flags.writeable = False
        fields = features.field(frozen), features.field(features.zeros())
        assert [field.writable for field in fields] == [False, True]
        kernels.tag(corpus, fields[0])
        for theta, beside in (fields, fields[::-1]):
            if name != "stochastic" or theta is fields[0]:
                with pytest.raises(ValueError, match="read-only, and this pass changes them; give it a copy"):
                    passes(corpus, theta, beside)[name]()
    good = [features.field(features.zeros()) for _ in range(2)]
    passes(corpus, good[0], good[1])[name]()


def test_a_mapped_model_is_a_field_without_a_copy(tmp_path: Path) -> None:
    encoded = encode_sequences([[["a"], ["b"]]], [["x", "y"]])
    Model.train(encoded, Settings("lbfgs")).save(tmp_path / "m")
    model = Model.load(tmp_path / "m")
    assert not model.field.writable
    assert np.shares_memory(model.field.state, model.weights.state)
    assert np.shares_memory(model.field.transitions, model.weights.trans)


def test_a_field_is_a_view_and_keeps_its_arrays_alive(corpus: kernels.Corpus, features: FeatureSet) -> None:
    weights = features.zeros()
    field = kernels.Field(
        kernels.Layout(2, 2, None, None), weights.state, weights.trans
    )  # nothing else holds this layout
    weights.state[0, 1] = 3.0
    assert kernels.tag(corpus, field)[1].tolist() == [3.0]
    del weights
    assert field.state[0, 1] == 3.0
    assert kernels.tag(corpus, field)[0].tolist() == [1, 0]


def test_a_field_converts_nothing(features: FeatureSet) -> None:
    good = features.zeros()
    for wrong in (
        Weights(good.state.astype(np.float64), good.trans),  # type: ignore[arg-type]
        Weights(good.state, good.trans.astype(np.float16)),  # type: ignore[arg-type]
        Weights(np.asfortranarray(good.state), good.trans),
        Weights(good.state, np.repeat(good.trans, 2, axis=1)[:, ::2]),
        Weights(good.state.tolist(), good.trans),
    ):
        with pytest.raises(InputError, match="they must be float32, or all float64, in C order"):
            features.field(wrong)


def test_limits_that_do_not_fit(corpus: kernels.Corpus, features: FeatureSet) -> None:
    field, ones = features.field(features.zeros()), np.ones((2, 2), np.uint8)
    for wrong in (np.ones((1, 2)), np.ones((3, 2)), np.ones((2, 3))):
        mask = wrong.astype(np.uint8)
        for limits in (kernels.Limits(mask, ones), kernels.Limits(ones, mask), kernels.Limits(follow=mask)):
            for call in (
                lambda limits=limits: kernels.tag(corpus, field, limits),
                lambda limits=limits: kernels.marginals(corpus, field, limits),
                lambda limits=limits: kernels.nbest(corpus, field, 2, limits),
            ):
                with pytest.raises(ValueError, match="the limits do not fit"):
                    call()
    for call in (kernels.tag, kernels.marginals, kernels.scores):
        with pytest.raises(ValueError, match="thread"):
            call(corpus, field, threads=0)


def test_limits_say_what_they_hold() -> None:
    labels, follow = np.eye(3, dtype=np.uint8), np.ones((3, 3), np.uint8)
    limits = kernels.Limits(labels, follow)
    assert (limits.labels == labels).all()
    assert (limits.follow == follow).all()
    assert kernels.Limits().labels is kernels.Limits().follow is None


def test_a_layout_cannot_change_after_it_was_checked() -> None:
    """The kernels read the rows without checking them again."""
    labels = [f"L{i}" for i in range(50)]  # so many that the rows are sparse
    model = Model.train(encode_sequences([[["a", label] for label in labels]], [labels]), Settings("sgd", epochs=1))
    assert model.features.first is not None
    assert model.features.column is not None
    for array in (model.features.first, model.features.column):
        with pytest.raises(ValueError, match="read-only"):
            array[-1] = 9999
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True
