"""Ties of the first gradient at c1: the same weights leave 0 as in CRFsuite, and so the same labels come out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.data.encode import encode_sequences
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.objective import Objective
from tagfield.train.trainers.ties import chain, settle_ties

sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed")


def corpus(labels: int, sentences: int, seed: int) -> tuple[list, list]:
    """Few words, so that each occurs in many places and with many labels: sums of tens of equal numbers."""
    rng = np.random.default_rng(seed)
    X = [
        [{"w": f"w{rng.integers(40)}", "v": f"v{rng.integers(9)}"} for _ in range(rng.integers(1, 30))]
        for _ in range(sentences)
    ]
    y = [[f"L{(int(x['w'][1:]) + int(rng.integers(3))) % labels}" for x in row] for row in X]
    return X, y


def added_up(problem: Problem, k: int) -> float:
    """An entry of the gradient at zero weights, one token after another, by vectors of all labels."""
    data, at, L = problem.dataset, problem.features.coordinates(), problem.features.labels

    def plain_sum(numbers: list[float]) -> float:
        total = 0.0
        for x in numbers:
            total += x
        return total

    terms, seen = [], 0.0
    sizes = data.slot_sizes()
    for s in range(len(data)):
        n = int(data.tokens[s + 1] - data.tokens[s])
        forward, backward, scale = np.zeros((n, L)), np.zeros((n, L)), np.zeros(n)
        for t in range(n):
            now = np.ones(L) if t == 0 else np.array([plain_sum(forward[t - 1]) for _ in range(L)])
            scale[t] = 1.0 / plain_sum(now)
            forward[t] = now * scale[t]
        for t in reversed(range(n)):
            ahead = np.ones(L) if t + 1 == n else np.array([plain_sum(backward[t + 1]) for _ in range(L)])
            backward[t] = ahead * scale[t]
        y = data.labels[data.tokens[s] : data.tokens[s + 1]]
        weight = float(data.weight[s])
        if k >= len(at.state):
            i, j = at.before[k - len(at.state)], at.after[k - len(at.state)]
            seen += weight * sum(y[t - 1] == i and y[t] == j for t in range(1, n))
            terms.append(weight * plain_sum([forward[t, i] * backward[t + 1, j] for t in range(n - 1)]))
            continue
        found = []
        for d in range(data.slots[s], data.slots[s + 1]):
            end = int(data.occurrences[s] + data.stop[d])
            for i in range(end - int(sizes[d]), end):
                value = 1.0 if data.value is None else float(data.value[i])
                if data.attribute[d] == at.attribute[k]:
                    found.append((int(data.position[i]), value))
        for t, value in sorted(found, key=lambda pair: pair[0]):
            seen += weight * value * bool(y[t] == at.label[k])
            terms.append(forward[t, at.label[k]] * backward[t, at.label[k]] * (1.0 / scale[t]) * value * weight)
    total = -seen
    for term in terms:
        total += term
    return total


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32 - 1), st.booleans())
def test_every_entry_follows_the_twin(labels: int, sentences: int, seed: int, valued: bool) -> None:
    rng = np.random.default_rng(seed)
    X = [
        [{f"w{rng.integers(3)}": float(rng.choice([0.5, 2.0])) if valued else 1.0} for _ in range(rng.integers(1, 7))]
        for _ in range(sentences)
    ]
    y = [[f"L{rng.integers(labels)}" for _ in row] for row in X]
    problem = Problem.of(encode_sequences(X, y), Settings("lbfgs", features="all"))
    _, gradient = Objective(problem)(np.zeros(sum(problem.features.counts)))
    for k, value in enumerate(gradient.tolist()):
        again = gradient.copy()
        assert settle_ties(problem, again, abs(value)) >= 1
        assert again[k] == added_up(problem, k)
        assert again == pytest.approx(gradient, abs=1e-12)


@pytest.mark.parametrize("c1", [0.1, 0.2, 0.25])
def test_the_same_weights_leave_zero_as_in_crfsuite(c1: float) -> None:
    X, y = corpus(20, 200, 1)
    given = {"c1": c1, "c2": 0.1, "max_iterations": 1, "all_possible_transitions": True, "all_possible_states": True}
    ours, theirs = (cls("lbfgs", **given).fit(X, y) for cls in (CRF, sklearn_crfsuite.CRF))
    moved = theirs.training_log_.last_iteration["active_features"]
    assert ours.training_log_.last_iteration["active_features"] == moved
    assert moved < ours.training_log_.featgen_num_features


def test_a_run_with_ties_ends_where_crfsuites_ends() -> None:
    X, y = corpus(20, 300, 2)
    given = {"c1": 0.1, "c2": 0.1, "max_iterations": 60, "all_possible_transitions": True}
    ours, theirs = (cls("lbfgs", **given).fit(X, y) for cls in (CRF, sklearn_crfsuite.CRF))
    rows, others = (crf.training_log_.iterations for crf in (ours, theirs))
    assert [row["active_features"] for row in rows] == [row["active_features"] for row in others]
    assert [row["loss"] for row in rows] == pytest.approx([row["loss"] for row in others], rel=1e-7)


def test_ties_are_few_and_training_with_unknown_labels_has_none() -> None:
    X, y = corpus(20, 100, 3)
    problem = Problem.of(encode_sequences(X, y), Settings("lbfgs", features="observed"))
    _, gradient = Objective(problem)(np.zeros(sum(problem.features.counts)))
    before = gradient.copy()
    assert 0 < settle_ties(problem, gradient, 0.95) < len(gradient) / 2
    assert (gradient != before).any()
    partly = Problem.of(encode_sequences(X, [[None, *row[1:]] for row in y]), Settings("lbfgs", features="observed"))
    assert settle_ties(partly, before.copy(), 0.95) == 0


def test_probabilities_of_a_long_chain_are_uniform() -> None:
    p, q = chain(5000, 7)
    assert p == pytest.approx(np.full(5000, 1 / 7), rel=1e-12)
    assert q == pytest.approx(4999 / 49, rel=1e-12)
