"""Class weights: tokens count by their label in the likelihood, and more of a heavy class is found."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.constraints import rules_of
from tagfield.train import Settings, train
from tagfield.train.loop.loss import LossMeter
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.objective import Objective
from tests.support import naive
from tests.support.strategies import dense_weights, encode, present, problems
from tests.support.tolerances import NUMERIC, PASSES
from tests.support.trainers import made, pose


@st.composite
def weighted(draw: st.DrawFn) -> tuple[naive.Problem, np.ndarray]:
    """A problem and class weights, some of which may be equal; all of them 1 would be none."""
    problem = draw(problems(labels=(2, 3, 9), empty=False))
    weight = st.sampled_from([0.05, 0.5, 2.0, 2.0, 20.0])
    return problem, np.array(draw(st.lists(weight, min_size=problem.labels, max_size=problem.labels)))


def weighted_difference(
    problem: naive.Problem, s: int, theta: naive.Dense, weight: np.ndarray
) -> tuple[float, naive.Dense]:
    """The loss of a sentence and its gradient, one token after another, each with its label fixed."""
    scores = naive.sentence_scores(problem, s, theta)
    free = naive.chain_in_logs(scores, theta.trans)
    expected = naive.counts(problem, s, free.node, free.pairs)
    loss, found = 0.0, expected.map(np.zeros_like)
    for t, y in enumerate(problem.gold[s]):
        fixed = scores.copy()
        fixed[t, np.arange(problem.labels) != y] = -1e6
        chain = naive.chain_in_logs(fixed, theta.trans)
        known = naive.counts(problem, s, chain.node, chain.pairs)
        loss += weight[y] * (free.log_z - chain.log_z)
        found = found.map(lambda u, e, k, w=weight[y]: u + w * (e - k), expected, known)
    return loss, found


@dataclass
class Weighted(naive.Stochastic):
    """The stochastic twin with class weights."""

    weight: np.ndarray | None = None

    def direction(self, s: int) -> tuple[float, naive.Dense]:
        assert self.weight is not None
        return weighted_difference(self.problem, s, self.theta, self.weight)


@settings(max_examples=40, deadline=None)
@given(weighted(), st.sampled_from([0.0, 1.0]), st.integers(0, 2**32 - 1))
def test_stochastic_passes_follow_the_twin(drawn: tuple[naive.Problem, np.ndarray], c2: float, seed: int) -> None:
    problem, weight = drawn
    trainer = made(encode(problem), Settings.of("sgd", rate=0.05, c2=c2, features="all"), class_weight=weight)
    features = trainer.problem.features
    count = len(problem.sentences)
    twin = Weighted(problem, present(features), lambda u: u, 0.05, 2 * c2 / count, weight=weight)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        order = rng.permutation(count)
        objective, loss = trainer.run(order), twin.run(order.tolist())
        penalty = c2 * float(np.sum(twin.theta.flat() ** 2))
        assert objective == pytest.approx(loss + penalty, rel=PASSES, abs=PASSES)
    size = max(1.0, float(np.abs(twin.theta.flat()).max()))
    np.testing.assert_allclose(dense_weights(features, trainer.weights()).flat(), twin.theta.flat(), atol=PASSES * size)


@settings(max_examples=60, deadline=None)
@given(weighted(), st.integers(0, 2**32 - 1), st.sampled_from([0.5, 3.0, 12.0]))
def test_the_objective_of_lbfgs_and_the_loss_follow_the_twin(
    drawn: tuple[naive.Problem, np.ndarray], seed: int, spread: float
) -> None:
    """With large weights some gold labels are nearly impossible."""
    problem, weight = drawn
    posed = pose(encode(problem), Settings("lbfgs", features="all", c2=0.0), class_weight=weight)
    objective = Objective(posed)
    weights = objective.weights(np.random.default_rng(seed).normal(scale=spread, size=objective.size))
    theta = dense_weights(posed.features, weights)
    value, gradient = objective(objective.pack(weights))
    total, expected = 0.0, theta.map(np.zeros_like)
    for s, w in enumerate(problem.weights):
        loss, u = weighted_difference(problem, s, theta, weight)
        total += w * loss
        expected = expected.map(lambda e, x, w=w: e + w * x, u)
    size = max(1.0, float(np.abs(expected.flat()).max()))
    assert value == pytest.approx(total, rel=NUMERIC, abs=NUMERIC)
    at = posed.features.coordinates()
    found = np.concatenate([expected.state[at.attribute, at.label], expected.trans[at.before, at.after]])
    np.testing.assert_allclose(gradient, found, atol=1e-5 * size)
    assert posed.nll(weights) == pytest.approx(value, rel=PASSES, abs=PASSES)
    tokens = sum(w * len(s) for w, s in zip(problem.weights, problem.sentences, strict=True))
    if tokens:
        assert LossMeter(posed)(weights) == pytest.approx(value / tokens, rel=PASSES, abs=PASSES)


def test_unknown_labels_and_rules_go_with_class_weights() -> None:
    """The gradient is that of the objective, by differences."""
    rng = np.random.default_rng(3)
    X = [[[f"w{rng.integers(5)}"] for _ in range(6)] for _ in range(8)]
    y = [["O", "B-X", "I-X", "O", "B-X", "O"] for _ in X]
    y = [[None if rng.random() < 0.3 else label for label in row] for row in y]
    encoded = encode_sequences(X, y)
    rules = rules_of("BIO", encoded.labels.strings())
    for kept in (None, rules):
        problem = Problem.of(encoded, Settings("lbfgs", features="all"), kept, class_weight=[1.0, 7.0, 3.0])
        objective = Objective(problem)
        x = rng.normal(size=objective.size)
        value, gradient = objective(x)
        assert problem.nll(objective.weights(x)) + objective.c2 * x @ x == pytest.approx(value, rel=1e-4)
        for k in rng.choice(len(x), 12, replace=False):
            step = np.zeros_like(x)
            step[k] = 1e-4
            slope = (objective(x + step)[0] - objective(x - step)[0]) / 2e-4
            assert gradient[k] == pytest.approx(slope, rel=1e-4, abs=1e-4)


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


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "adaptive", "default"])
def test_more_of_a_heavy_class_is_found(algorithm: str) -> None:
    (X, y), (more, answers) = skewed(300, 1), skewed(200, 2)
    options: dict[str, Any] = {"max_iterations": 12}
    recalls = {}
    for name, weight in {"none": None, "light O": {"O": 0.03}, "heavy O": {"O": 30.0}, "balanced": "balanced"}.items():
        crf = CRF(algorithm, class_weight=weight, **options).fit(X, y)
        recalls[name], _ = recall_and_precision(crf, more, answers)
    assert recalls["light O"] > recalls["none"] + 0.1
    assert recalls["balanced"] > recalls["none"] + 0.1
    assert recalls["heavy O"] <= recalls["none"]


def test_weights_of_1_change_nothing() -> None:
    X, y = skewed(60, 3)
    plain, ones, more = (
        CRF("lbfgs", class_weight=w, max_iterations=15).fit(X, y).state_features_
        for w in (None, {"O": 1.0}, {"RARE": 4.0})
    )
    assert ones == plain
    assert more != pytest.approx(plain, rel=1e-2)


def test_for_single_tokens_a_weight_is_a_number_of_copies() -> None:
    X = [[["all"]], [["all"]], [["all"]], [["all"]]]
    y = [["X"], ["X"], ["X"], ["Y"]]
    heavy = CRF(class_weight={"Y": 5.0}).fit(X, y).state_features_
    copied = CRF().fit(X + [[["all"]]] * 4, y + [["Y"]] * 4).state_features_
    assert heavy == pytest.approx(copied, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"generator": "auto"}, "does not apply to ngd with generator auto, which flattens large gradients"),
        ({"generator": "erf:2"}, "does not apply to ngd: .*, which flattens large gradients; use lbfgs"),
    ],
)
def test_responses_that_flatten_gradients_refuse(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CRF("ngd", class_weight={"O": 0.1}, **options).fit([[["a"], ["b"]]], [["O", "X"]])


@pytest.mark.parametrize("algorithm", ["pa", "ap", "arow"])
def test_algorithms_without_a_likelihood_refuse(algorithm: str) -> None:
    with pytest.raises(InputError, match=f"the likelihood of tokens; {algorithm} has none; use lbfgs"):
        CRF(algorithm, class_weight={"O": 0.1}).fit([[["a"], ["b"]]], [["O", "X"]])
    assert CRF(algorithm, class_weight={"O": 1.0}).fit([[["a"], ["b"]]], [["O", "X"]]).classes_


def test_streams_take_weights_too() -> None:
    (X, y), (more, answers) = skewed(300, 4), skewed(100, 5)
    plain, heavy = (CRF(class_weight=w).partial_fit(X, y) for w in (None, {"RARE": 20.0}))
    assert recall_and_precision(heavy, more, answers)[0] > recall_and_precision(plain, more, answers)[0] + 0.1


@pytest.mark.parametrize("weight", [[1.0], [1.0, 0.0], [1.0, np.inf], [1.0, -2.0], [[1.0, 1.0]]])
def test_weights_that_are_none_are_refused(weight: list) -> None:
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    with pytest.raises(InputError, match="class_weight must be 2 finite numbers above 0, one for each label"):
        train(encoded, Settings("lbfgs"), class_weight=weight)
