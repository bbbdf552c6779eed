"""The search for a learning rate: it ends with the best of what it tried, and it can be told what to try."""

import math

import numpy as np
import pytest

from tagfield.errors import InputError, TrainingError
from tagfield.train import RECIPES, Settings
from tagfield.train.trainers import calibration
from tagfield.train.trainers.calibration import calibrate
from tagfield.train.trainers.stochastic import StochasticTrainer
from tests.support.bregman_table import PAPER
from tests.support.naive import Problem
from tests.support.strategies import encode
from tests.support.trainers import made, pose


@pytest.mark.parametrize("name", PAPER)
def test_calibration_chooses_the_best_of_what_it_tried(name: str) -> None:
    rng = np.random.default_rng(5)
    sentences = [[[(int(rng.integers(6)), 1.0)] for _ in range(4)] for _ in range(30)]
    gold = [[token[0][0] % 3 for token in sentence] for sentence in sentences]
    problem = Problem(sentences, gold, [1.0] * 30, 6, 3)
    posed = pose(encode(problem), Settings(name, features="all"))
    chosen = calibrate(RECIPES[name], posed, np.random.default_rng(7))
    sample = np.random.default_rng(7).permutation(30).astype(np.int64)  # all 30 fit into the sample

    def along(rate: float) -> float:
        try:
            return made(encode(problem), Settings.of(name, rate=rate, features="all")).run(sample)
        except (InputError, TrainingError):
            return math.inf

    tried = [0.1 * 2.0**k for k in range(-12, 8)]
    objectives = {rate: along(rate) for rate in tried}
    best = min(objectives, key=objectives.get)
    assert chosen == pytest.approx(best)
    assert objectives[best] < posed.nll(posed.features.zeros(), sample)


@pytest.mark.parametrize(
    ("options", "tried"),
    [
        ({"calibration_eta": 0.5, "calibration_max_trials": 1}, {0.5}),
        ({"calibration_eta": 0.01, "calibration_candidates": 2}, {0.01, 0.02}),
        ({"calibration_eta": 0.01, "calibration_rate": 3.0, "calibration_candidates": 2}, {0.01, 0.03}),
    ],
)
def test_it_tries_what_it_is_told_to(options: dict[str, float], tried: set[float]) -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]] * 20, [[0, 1]] * 20, [1.0] * 20, 2, 2)
    settings = Settings.of("sgd", features="all", c2=0.1, **options)
    found = calibrate(settings.recipe, pose(encode(problem), settings), np.random.default_rng(0))
    assert any(found == pytest.approx(rate) for rate in tried)


def test_it_draws_the_sample_that_it_is_told_to() -> None:
    """Only the first sentence can be learnt from; a sample of one finds it, or finds nothing to learn."""
    problem = Problem([[[(0, 1.0)]], [], [], []], [[0], [], [], []], [1.0] * 4, 1, 2)
    settings = Settings.of("sgd", features="all", c2=0.1, calibration_samples=1, calibration_eta=0.3)
    posed, found = pose(encode(problem), settings), {}
    for seed in range(20):
        sample = int(np.random.default_rng(seed).permutation(4)[0])
        found[sample] = calibrate(settings.recipe, posed, np.random.default_rng(seed))
    assert set(found) == {0, 1, 2, 3}
    assert found[1] == found[2] == found[3] == 0.3  # without a token any rate will do
    assert found[0] != 0.3


def test_smaller_rates_are_tried_however_many_larger_ones_work(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem([[[(0, 1.0)], [(1, 1.0)]]] * 20, [[0, 1]] * 20, [1.0] * 20, 2, 2)
    settings = Settings.of("sgd", features="all", c2=0.1, calibration_eta=0.01, calibration_candidates=3)
    tried: list[float] = []

    class Noted(StochasticTrainer):
        def __init__(self, recipe, problem, start):  # type: ignore[no-untyped-def]
            tried.append(recipe.rate)
            super().__init__(recipe, problem, start)

    monkeypatch.setattr(calibration, "StochasticTrainer", Noted)
    calibrate(settings.recipe, pose(encode(problem), settings), np.random.default_rng(0))
    assert tried == pytest.approx([0.01, 0.02, 0.04, 0.005, 0.0025, 0.00125])
