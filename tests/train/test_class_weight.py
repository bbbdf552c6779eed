"""Class weights: a handicap of log w while weights are learned, in every trainer; more of a heavy class is found."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings, train
from tagfield.train.loss import LossMeter
from tagfield.train.objective import Objective
from tagfield.train.options import Margin, Perceptron
from tagfield.train.problem import class_offset
from tests.support import naive
from tests.support.naive_arow import Arow
from tests.support.strategies import dense_weights, encode, problems
from tests.support.strategies import present as present_in
from tests.support.tolerances import NUMERIC, PASSES
from tests.support.trainers import made, pose

WEIGHTS = st.floats(0.05, 20.0)


@st.composite
def weighted(draw: st.DrawFn) -> tuple[naive.Problem, np.ndarray]:
    """A problem, with the offsets of class weights, and the weights."""
    problem = draw(problems(labels=(2, 3, 9), empty=False))
    weight = np.array(draw(st.lists(WEIGHTS, min_size=problem.labels, max_size=problem.labels)))
    return replace(problem, offset=tuple(class_offset(weight, problem.labels))), weight


def same(features, found, expected: naive.Dense) -> None:
    size = max(1.0, float(np.abs(expected.flat()).max()))
    np.testing.assert_allclose(dense_weights(features, found).flat(), expected.flat(), atol=PASSES * size)


@settings(max_examples=40, deadline=None)
@given(weighted(), st.sampled_from([0.0, 1.0]), st.integers(0, 2**32 - 1))
def test_stochastic_passes_follow_the_twin(drawn: tuple[naive.Problem, np.ndarray], c2: float, seed: int) -> None:
    problem, weight = drawn
    trainer = made(encode(problem), Settings.of("sgd", rate=0.1, c2=c2, features="all"), class_weight=weight)
    features = trainer.problem.features
    count = len(problem.sentences)
    twin = naive.Stochastic(problem, present_in(features), lambda u: u, 0.1, 2 * c2 / count)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        order = rng.permutation(count)
        objective = trainer.run(order)
        penalty = lambda: c2 * float(np.sum(twin.theta.flat() ** 2))  # noqa: E731
        assert objective == pytest.approx(twin.run(order.tolist()) + penalty(), rel=PASSES, abs=PASSES)
    same(features, trainer.weights(), twin.theta)


@settings(max_examples=60, deadline=None)
@given(weighted(), st.sampled_from(["pa", "ap", "arow"]), st.data())
def test_error_driven_passes_follow_the_twins(
    drawn: tuple[naive.Problem, np.ndarray], name: str, data: st.DataObject
) -> None:
    problem, weight = drawn
    recipe = {"pa": Margin(averaging=False), "ap": Perceptron(), "arow": RECIPES["arow"]}[name]
    trainer = made(encode(problem), Settings(recipe, features="all"), class_weight=weight)
    features = trainer.problem.features
    present = present_in(features)
    twin = (
        Arow(problem, present, present.map(lambda m: 0.0 * m), 1.0, 1.0)
        if name == "arow"
        else naive.Margin(problem, present, 1 if name == "pa" else 3, 1.0, True)
    )
    for s in data.draw(st.lists(st.integers(0, len(problem.sentences) - 1), min_size=1, max_size=6)):
        if not twin.is_clear(s):
            break
        assert trainer.run(np.array([s])) == pytest.approx(twin.run([s]), rel=PASSES, abs=PASSES)
    expected = {"pa": "theta", "ap": "average", "arow": "mean"}[name]
    found = getattr(twin, expected)
    same(features, trainer.weights(), found() if callable(found) else found)


@settings(max_examples=30, deadline=None)
@given(weighted(), st.integers(0, 2**32 - 1))
def test_the_objective_of_lbfgs_and_the_loss_follow_the_twin(
    drawn: tuple[naive.Problem, np.ndarray], seed: int
) -> None:
    problem, weight = drawn
    posed = pose(encode(problem), Settings("lbfgs", features="all", c2=0.0), class_weight=weight)
    objective = Objective(posed)
    x = np.random.default_rng(seed).normal(size=objective.size)
    weights = objective.weights(x)
    theta = dense_weights(posed.features, weights)
    value, gradient = objective(objective.pack(weights))
    assert value == pytest.approx(naive.nll(problem, theta), rel=NUMERIC, abs=NUMERIC)
    assert posed.nll(weights) == pytest.approx(value, rel=PASSES, abs=PASSES)
    k = int(np.argmax(np.abs(gradient)))
    step = np.zeros_like(x)
    step[k] = 1e-5
    slope = (objective(x + step)[0] - objective(x - step)[0]) / 2e-5
    assert objective(x)[1][k] == pytest.approx(slope, rel=1e-4, abs=1e-4)
    tokens = sum(w * len(s) for w, s in zip(problem.weights, problem.sentences, strict=True))
    if tokens:
        assert LossMeter(posed)(weights) == pytest.approx(value / tokens, rel=PASSES, abs=PASSES)


def skewed(sentences: int, seed: int) -> tuple[list, list]:
    """One token in twelve is RARE, and three words in four that mark it are O just as often."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(sentences):
        labels = np.where(rng.random(8) < 1 / 12, "RARE", "O")
        clear = rng.random(8) < 0.25
        X.append(
            [
                {"w": f"{label}{rng.integers(3)}" if sure else f"any{rng.integers(3)}", "near": f"n{rng.integers(4)}"}
                for label, sure in zip(labels, clear, strict=True)
            ]
        )
        y.append(labels.tolist())
    return X, y


def recall_and_precision(crf: CRF, X: list, y: list) -> tuple[float, float]:
    pairs = [(a, b) for row, found in zip(y, crf.predict(X), strict=True) for a, b in zip(row, found, strict=True)]
    right = sum(a == b == "RARE" for a, b in pairs)
    return right / sum(a == "RARE" for a, _ in pairs), right / max(1, sum(b == "RARE" for _, b in pairs))


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "u2.g1", "adaptive", "default", "pa", "arow", "ap"])
def test_more_of_a_heavy_class_is_found(algorithm: str) -> None:
    (X, y), (more, answers) = skewed(300, 1), skewed(200, 2)
    options = {"max_iterations": 12}
    recalls = {}
    for name, weight in {"none": None, "light O": {"O": 0.03}, "heavy O": {"O": 30.0}, "balanced": "balanced"}.items():
        crf = CRF(algorithm, class_weight=weight, **options).fit(X, y)
        recalls[name], _ = recall_and_precision(crf, more, answers)
    assert recalls["light O"] > recalls["none"] + 0.1
    assert recalls["balanced"] > recalls["none"] + 0.1
    assert recalls["heavy O"] <= recalls["none"]


def test_only_ratios_matter_and_equal_weights_change_nothing() -> None:
    X, y = skewed(60, 3)
    plain, ones, twice, by_four = (
        CRF("lbfgs", class_weight=w, max_iterations=15).fit(X, y).state_features_
        for w in (None, {"O": 1.0}, {"O": 0.5, "RARE": 1.0}, {"O": 2.0, "RARE": 4.0})
    )
    assert ones == plain
    assert twice == pytest.approx(by_four, rel=1e-4, abs=1e-6)
    assert twice != pytest.approx(plain, rel=1e-2)


def test_a_bias_that_nothing_holds_back_is_the_log_of_the_weight() -> None:
    """Without regularisation, and with one attribute for all tokens, class weights shift scores by log w."""
    y = [["X"], ["X"], ["X"], ["Y"]]
    options = {"c2": 0.0, "max_iterations": 200, "epsilon": 1e-9, "delta": 1e-12, "all_possible_states": True}
    scores = []
    for weight in (None, {"Y": 5.0}):
        crf = CRF("lbfgs", class_weight=weight, **options).fit([[["all"]]] * 4, y)
        found = crf.state_features_
        scores.append(found["all", "Y"] - found["all", "X"])
    assert scores[1] - scores[0] == pytest.approx(np.log(5.0), abs=1e-4)


def test_streams_take_weights_too() -> None:
    (X, y), (more, answers) = skewed(300, 4), skewed(100, 5)
    plain, heavy = (CRF(class_weight=w).partial_fit(X, y) for w in (None, {"RARE": 20.0}))
    assert recall_and_precision(heavy, more, answers)[0] > recall_and_precision(plain, more, answers)[0] + 0.1


@pytest.mark.parametrize("weight", [[1.0], [1.0, 0.0], [1.0, np.inf], [1.0, -2.0], [[1.0, 1.0]]])
def test_weights_that_are_none_are_refused(weight: list) -> None:
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(InputError, match="class_weight must be 2 finite numbers above 0, one for each label"):
        train(encoded, Settings("lbfgs"), class_weight=weight)
