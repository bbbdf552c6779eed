"""Tests of chunk F1: against all swaps of sentences, the paired t test, and chunks counted in each sentence."""

from itertools import product
from statistics import mean, stdev

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from tagfield.compare.chunk_significance import compare_chunks
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.results import RunResult
from tagfield.compare.worker_process import perform
from tagfield.data.encode import encode_sequences
from tagfield.evaluate import evaluate


def naive_f1(gold: float, predicted: float, correct: float) -> float:
    return 2 * correct / (gold + predicted) if gold + predicted else 0.0


counts = st.tuples(st.integers(1, 3), st.integers(0, 3)).flatmap(
    lambda pair: st.integers(0, min(pair)).map(lambda correct: (*pair, correct))
)
systems = st.lists(counts, min_size=2, max_size=8)


@given(systems, st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_the_p_over_sentences_is_near_the_share_of_all_swaps(one: list[tuple[int, int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    other = [(g, p, int(rng.integers(0, min(g, p) + 1))) for g, p, _ in one]

    def apart(swaps: tuple[int, ...]) -> float:
        sides = ([b if s else a for a, b, s in zip(one, other, swaps, strict=True)],
                 [a if s else b for a, b, s in zip(one, other, swaps, strict=True)])  # fmt: skip
        first, second = (naive_f1(*map(sum, zip(*side, strict=True))) for side in sides)
        return abs(first - second)

    seen = apart((0,) * len(one))
    exact = mean(apart(swaps) >= seen - 1e-12 for swaps in product((0, 1), repeat=len(one)))
    arrays = [np.array(each).T[None] for each in (one, other)]
    found = compare_chunks(*arrays, rounds=4000)
    assert found.by_sentences == pytest.approx(exact, abs=0.05)
    assert found.by_seeds is None
    assert found.chunks == sum(g for g, _, _ in one)


def test_points_and_p_over_seeds_are_those_of_each_seeds_f1() -> None:
    rng = np.random.default_rng(0)
    gold = np.full(30, 2)
    one, other = (np.stack([np.stack([gold, gold, rng.integers(0, 3, 30)]) for _ in range(4)]) for _ in range(2))
    differences = [
        naive_f1(*(int(x) for x in a.sum(axis=1))) - naive_f1(*(int(x) for x in b.sum(axis=1)))
        for a, b in zip(one, other, strict=True)
    ]
    found = compare_chunks(one, other, rounds=500)
    assert found.points == pytest.approx(100 * mean(differences))
    value = mean(differences) / (stdev(differences) / 2)
    assert found.by_seeds == pytest.approx(2 * student.sf(abs(value), 3))
    assert found.low < found.points < found.high


def test_a_run_keeps_the_chunks_of_each_sentence() -> None:
    X = [[["a"], ["b"], ["c"]], [["b"], ["c"]], [["a"], ["a"], ["c"]]]
    y = [["B-X", "I-X", "O"], ["B-X", "O"], ["O", "B-X", "O"]]
    data, lines = encode_sequences(X, y), []
    perform(PlannedRun("sgd", "all", 0), Plan(epochs=1), data, data, lines.append)
    kept = RunResult(PlannedRun("sgd", "all", 0), [], lines[-1]).chunks
    assert kept is not None
    assert kept.shape == (3, 3)
    assert kept[0].tolist() == [1, 1, 1]
    chunks = lines[-1]["test"]["chunks"]
    assert 2 * kept[2].sum() / (kept[0].sum() + kept[1].sum()) == pytest.approx(chunks["f1"])
    bare = encode_sequences(X, [["A", "B", "C"], ["B", "C"], ["A", "A", "C"]])
    perform(PlannedRun("sgd", "all", 0), Plan(epochs=1), bare, bare, lines.append)
    assert RunResult(PlannedRun("sgd", "all", 0), [], lines[-1]).chunks is None
    assert evaluate([["A"]], [["A"]]).chunks is None
