"""Growing a feature set against its naive twin: attributes and labels are added, and no weight is lost or moved."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.train import Settings, train
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet, Weights, absent
from tests.support.naive import Problem
from tests.support.naive_growth import Sparse
from tests.support.naive_growth import grow as naive_grow
from tests.support.strategies import dense_weights, encode, learnable, present, problems

KINDS = st.sampled_from(["all", "observed"])


def grown(old: FeatureSet, weights: Weights, new: FeatureSet) -> tuple[FeatureSet, Weights]:
    """Through the package's door."""
    from tagfield.weights.features import grow

    return grow(old, weights, new)


def features_of(problem: Problem, kind: str, compact: bool) -> FeatureSet:
    features = feature_set(open_corpus(encode(problem).dataset), problem.attributes, problem.labels, kind)
    return features.compact(features.zero)[0] if compact else features


def drawn_weights(features: FeatureSet, rng: np.random.Generator) -> Weights:
    """A weight for each feature, some of them exactly 0."""

    def drawn(zero: np.ndarray) -> np.ndarray:
        values = rng.standard_normal(zero.shape).astype(np.float32) * (rng.random(zero.shape) < 0.8)
        return np.where(absent(zero), zero, np.float32(0) + values)

    return Weights(drawn(features.zero.state), drawn(features.zero.trans))


def named(features: FeatureSet, weights: Weights) -> Sparse:
    mask, dense = present(features), dense_weights(features, weights)
    return Sparse.of((mask.state, mask.trans), (dense.state, dense.trans))


@st.composite
def growing(draw: st.DrawFn) -> tuple[Problem, Problem]:
    """A corpus, and one whose vocabularies begin with those of the first; sometimes they are the same."""
    old = draw(problems(labels=(1, 2, 7, 8, 9, 31, 32, 33, 40)))
    labels = old.labels + draw(st.sampled_from([0, 1, 8]))
    new = draw(problems(labels=(labels,)))
    return old, replace(new, attributes=max(new.attributes, old.attributes))


@settings(max_examples=150, deadline=None)
@given(growing(), KINDS, KINDS, st.booleans(), st.integers(0, 2**32 - 1))
def test_growing_follows_the_twin(
    corpora: tuple[Problem, Problem], old_kind: str, new_kind: str, compact: bool, seed: int
) -> None:
    old, new = features_of(corpora[0], old_kind, compact), features_of(corpora[1], new_kind, False)
    weights = drawn_weights(old, np.random.default_rng(seed))
    before = weights.copy()
    features, found = grown(old, weights, new)
    assert (features.kind, features.attributes, features.labels) == (new_kind, new.attributes, new.labels)
    expected = naive_grow(named(old, before), named(new, new.zeros()))
    assert named(features, found) == expected
    assert features.counts == (len(expected.state), len(expected.trans))
    for zero, values in ((features.zero.state, found.state), (features.zero.trans, found.trans)):
        assert (absent(zero) == absent(values)).all()  # a weight and its mask agree, also in the padding
        assert not zero.any()
    for kept, was in ((weights.state, before.state), (weights.trans, before.trans)):
        assert kept.tobytes() == was.tobytes()
    assert not new.zero.trans.any()  # what went in is left alone
    assert features.layout is not None  # the kernels' door takes the rows


@pytest.mark.parametrize("labels", [32, 33])
def test_rows_become_sparse_where_labels_go_beyond_full_ones(labels: int) -> None:
    few = Problem([[[(0, 1.0)]]], [[1]], [1.0], 1, 3)
    many = Problem([[[(0, 1.0)], [(1, 1.0)]]], [[2, labels - 1]], [1.0], 2, labels)
    old = features_of(few, "observed", False)
    features, weights = grown(old, drawn_weights(old, np.random.default_rng(0)), features_of(many, "observed", False))
    assert (features.first is not None) == (labels > 32)
    assert sorted(named(features, weights).state) == [(0, 1), (0, 2), (1, labels - 1)]


def test_training_goes_on_from_the_weights_that_grew() -> None:
    """A passive–aggressive pass that makes no mistake changes nothing: what comes out is what `start` became."""
    small = learnable(40)
    first = train(encode(small), Settings.of("pa", pa_average=False, features="all", epochs=100))
    assert first.history[-1].objective == 0
    large = replace(small, attributes=small.attributes + 2, labels=small.labels + 7)
    chosen = Settings.of("pa", pa_average=False, features="observed", epochs=1)
    again = train(encode(large), chosen, start=(first.features, first.weights))
    assert again.history[0].objective == 0
    new = features_of(large, "observed", False)
    assert named(again.features, again.weights) == naive_grow(
        named(first.features, first.weights), named(new, new.zeros())
    )


@pytest.mark.parametrize("less", [{"attributes": 1}, {"labels": 1}])
def test_a_set_cannot_shrink(less: dict[str, int]) -> None:
    large = features_of(Problem([[[(0, 1.0)]]], [[0]], [1.0], 2, 2), "all", False)
    small = features_of(replace(Problem([[[(0, 1.0)]]], [[0]], [1.0], 2, 2), **less), "all", False)
    with pytest.raises(InputError, match="can only grow"):
        grown(large, large.zeros(), small)
