"""Natural gradient descent on the whole corpus against its naive twin: Ẽ, and each step, taken or taken back."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_sequences
from tagfield.inference.lattice import open_corpus
from tagfield.train import Settings, train
from tagfield.train.problem.problem import Problem as TrainingProblem
from tagfield.train.trainers.objective import Objective
from tagfield.train.trainers.whole_corpus import empirical
from tagfield.weights.features import feature_set
from tagfield.weights.layout import FeatureSet
from tests.support.naive import Dense, Problem
from tests.support.naive_whole_corpus import GENERATORS, WholeCorpus
from tests.support.naive_whole_corpus import empirical as naive_empirical
from tests.support.strategies import dense_weights, encode, present, problems, to_dense
from tests.support.tolerances import ALGEBRA, NUMERIC, SINGLE

LABELS = (1, 2, 3, 8, 9, 17, 33, 40)  # beyond 32 the observed set is in sparse rows
CLEAR = 1e-8  # a step that turns the residual by half its length, give or take this, may be taken or not
FAR_FROM_ZERO = 1e-4  # of E/Ẽ: closer to 0 the entropy's log E and 1/E blow up what is rounded in E
LOSSES = [("B1", 0.0), ("B2", 0.0), ("B3", 0.0), ("B4", 0.0), ("B1", 0.5), ("B2", 1.0), ("B3", 1.0), ("B4", 0.3)]


def counted(problem: Problem, features: FeatureSet) -> Dense:
    """Ẽ as the trainer counts it."""
    found = empirical(encode(problem).dataset, features)
    return to_dense(features, *found.arrays())


@settings(max_examples=80, deadline=None)
@given(
    problems(labels=LABELS, edges=True), st.sampled_from(["all", "observed"]), st.sampled_from([1, 2]), st.booleans()
)
def test_the_empirical_counts_follow_the_definition(problem: Problem, kind: str, min_count: int, compact: bool) -> None:
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(
        corpus, problem.attributes, problem.labels, kind, min_count, edge_attributes=problem.edge_attributes
    )
    features = features.compact(features.zero)[0] if compact else features
    found, expected, mask = counted(problem, features), naive_empirical(problem), present(features)
    m = mask.flat().astype(bool)
    np.testing.assert_allclose(found.flat()[m], expected.flat()[m], rtol=ALGEBRA, atol=ALGEBRA)


def test_counts_are_float64_also_where_nothing_occurs() -> None:
    encoded = encode_sequences([[[], []]], [["X", "X"]], edges=[[[], ["e"]]], weights=[0.5])
    features = feature_set(open_corpus(encoded.dataset), 0, 1, "all", edge_attributes=1)
    found = empirical(encoded.dataset, features).arrays()
    assert [(array.dtype, array.sum()) for array in found] == [(np.float64, total) for total in (0.0, 0.5, 0.5)]


@settings(max_examples=120, deadline=None)
@given(
    problems(labels=LABELS, edges=True),
    st.sampled_from(["all", "observed"]),
    st.sampled_from(LOSSES),
    st.sampled_from([name for name in GENERATORS if name != "entropy"]),
    st.sampled_from([0.0, 0.1, 5.0]),
    st.sampled_from([None, 0.01, 1.0, 30.0]),
)
def test_steps_follow_the_twin(
    problem: Problem, kind: str, loss: tuple[str, float], generator: str, c2: float, rate: float | None
) -> None:
    follows(problem, kind, loss, generator, c2, rate)


@settings(max_examples=30, deadline=None)
@given(
    problems(labels=LABELS, values=False, edges=True),
    st.sampled_from([("B3", 0.0), ("B4", 0.0), ("B4", -0.5)]),
    st.sampled_from([0.1, 5.0]),
    st.sampled_from([0.01, 0.3]),
)
def test_entropy_follows_the_twin(problem: Problem, loss: tuple[str, float], c2: float, rate: float) -> None:
    """It needs E > 0 and Ẽ > 0, which observed features of counted sentences have."""
    problem = replace(problem, weights=[weight + 0.25 for weight in problem.weights])
    follows(problem, "observed", loss, "entropy", c2, rate)


def follows(
    problem: Problem, kind: str, loss: tuple[str, float], generator: str, c2: float, rate: float | None
) -> None:
    """Holds `train` against the twin for at most four steps, as far as each decision about a rate is clear."""
    assume(any(problem.sentences))
    corpus = open_corpus(encode(problem).dataset)
    features = feature_set(corpus, problem.attributes, problem.labels, kind, edge_attributes=problem.edge_attributes)
    twin = WholeCorpus(problem, present(features), *loss, generator, c2, 1.0 if rate is None else rate)
    objectives, expected = [], twin.theta
    for _ in range(4):
        objective, clear = twin.step()
        if clear < CLEAR or twin.lowest < FAR_FROM_ZERO:
            break
        objectives.append(objective)
        expected = twin.theta
    assume(objectives)
    chosen = Settings.of(
        "ngd",
        batch=True,
        features=kind,
        loss=loss[0],
        gamma=loss[1],
        generator=generator,
        c2=c2,
        rate=rate,
        epochs=len(objectives),
    )
    trained = train(encode(problem), chosen)
    within = NUMERIC if generator == "entropy" else ALGEBRA
    objectives_found = [epoch.objective for epoch in trained.history]
    assert objectives_found == pytest.approx(objectives, rel=within, abs=within)
    found = dense_weights(trained.features, trained.weights)
    size = max(1.0, float(np.abs(expected.flat()).max()))
    np.testing.assert_allclose(found.flat(), expected.flat(), atol=SINGLE * size)
    assert trained.history[-1].norm == pytest.approx(np.linalg.norm(expected.flat()), rel=within)


def test_where_there_is_nothing_to_gain_it_ends_at_once() -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]], []], [[0, 0], []], [1.0, 1.0], 2, 1)  # one label
    trained = train(encode(problem), Settings.of("ngd", batch=True, features="all", epochs=5))
    assert trained.converged
    assert trained.stop_reason == "nothing is left to change"
    assert not trained.history
    assert not trained.weights.state.any()


def test_without_a_frequent_feature_it_ends_without_an_epoch() -> None:
    labels = 40  # in sparse rows
    problem = Problem(
        [[[(y, 1.0)]] for y in range(labels)], [[y] for y in range(labels)], [1.0] * labels, labels, labels
    )
    trained = train(encode(problem), Settings.of("ngd", batch=True, min_count=2, epochs=5))
    assert trained.features.counts == (0, 0)
    assert trained.converged
    assert not trained.history


@pytest.mark.parametrize("generator", ["quadratic", "arctan:0.1", "erf:1", "softplus:2"])
@pytest.mark.parametrize("c2", [0.1, 10.0])
def test_it_ends_at_the_fixed_point_of_its_own_regulariser(generator: str, c2: float) -> None:
    """Where Cθ + f(u) = 0: with a penalty the likelihood falls on the last part of the way there."""
    encoded = encode_sequences([[["a"], ["b", "c"]], [["b"], ["a"]], [["c"]]] * 4, [["X", "Y"], ["Y", "X"], ["X"]] * 4)
    chosen = Settings.of("ngd", batch=True, generator=generator, features="all", c2=c2, epochs=5000)
    trained = train(encoded, chosen)
    assert trained.converged, trained.stop_reason
    problem = TrainingProblem.of(encoded, chosen)
    objective, count = Objective(problem), len(encoded)
    x = objective.pack(trained.weights)
    target = objective.pack(empirical(problem.dataset, problem.features)) / count
    u = (objective(x)[1] - 2 * c2 * x) / count
    left = 2 * c2 / count * x + chosen.recipe.f.direction(u + target, target)
    start = objective(np.zeros_like(x))[1] / count
    first = chosen.recipe.f.direction(start + target, target)
    assert np.linalg.norm(left) < 3e-5 * np.linalg.norm(first)  # delta, and weights in single precision


@pytest.mark.parametrize("generator", ["quadratic", "arctan:0.1"])
def test_the_whole_corpus_at_once_with_much_regularisation(generator):
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 5, [["X", "Y"], ["Y", "X"]] * 5)
    settings = Settings.of(recipe="ngd", generator=generator, batch=True, features="all", c2=100.0, epochs=500)
    trained = train(encoded, settings)
    if generator == "quadratic":
        best = train(encoded, Settings(recipe="lbfgs", features="all", c2=100.0, epochs=500)).best.objective
        assert trained.best.objective == pytest.approx(best, rel=1e-4)
    nll = trained.history[-1].objective - 100.0 * trained.history[-1].norm ** 2
    assert nll < 20 * np.log(2)  # what zero weights give for the 20 tokens
