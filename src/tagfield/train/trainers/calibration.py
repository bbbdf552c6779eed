"""Finding the learning rate of a stochastic recipe, as CRFsuite does (Bottou): short trials from zero weights.

sample of sentences ─▶ one pass from θ = 0 at each candidate rate ─▶ the rate with the lowest objective along the way
"""

import math
from dataclasses import replace

import numpy as np

from tagfield.bregman.joint import Joint
from tagfield.errors import InputError, TrainingError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.minibatch import trial_order
from tagfield.train.trainers.response_tables import set_responses
from tagfield.train.trainers.stochastic import StochasticTrainer


def calibrated_trainer(recipe: Stochastic, problem: Problem, rng: np.random.Generator) -> StochasticTrainer:
    """The trainer of a recipe, which finds its learning rate first if it has none."""
    if isinstance(recipe.f.generator, Joint):
        raise InputError(
            f"the generator {recipe.f.generator} couples all features, and a stochastic step sees those of one "
            "sentence; give batch as well"
        )
    recipe = recipe if recipe.rate else replace(recipe, rate=calibrate(recipe, problem, rng))
    return StochasticTrainer(recipe, problem, problem.start.copy())


def calibrate(recipe: Stochastic, problem: Problem, rng: np.random.Generator) -> float:
    """The rate λ̂ whose one pass over a sample, from θ = 0, has the lowest objective along the way.

    Candidates go up from `eta` by the factor `rate` while they beat θ = 0, until `candidates` of them have; then down
    from it, until as many again have. With so few sentences that no pass can show a gain along the way, the objective
    after the pass decides. With mini-batches it always does, for along a few steps there is little to see.
    """
    calibration = recipe.calibration
    recipe = replace(recipe, average=False)
    set_responses(kernels.Pass(), recipe, problem, 1)  # an invalid response must fail here, not as a bad rate
    sentences = problem.count
    order = rng.permutation(sentences)
    sample = order[: min(calibration.samples, sentences)].astype(np.int64)
    trial = trial_order(recipe, order, calibration.samples)
    untrained = problem.nll(problem.features.zeros(), sample, recipe.cost)
    if untrained <= 0:  # one label only, or no token: there is nothing to learn, and any rate will do
        return calibration.eta

    def attempt(rate: float, *, after: bool) -> float:
        try:
            trainer = StochasticTrainer(replace(recipe, rate=rate), problem, problem.features.zeros())
            along = trainer.run(trial)
        except (TrainingError, InputError):
            return math.inf
        if not after:
            return along
        penalty = problem.settings.c2 * len(sample) / max(1, sentences) * trainer.norm() ** 2
        return problem.nll(trainer.weights(), sample, recipe.cost) + penalty

    for after in (False, True) if recipe.minibatch == 1 else (True,):
        best, best_rate = math.inf, calibration.eta
        rate, rising, good = calibration.eta, True, 0
        for _ in range(calibration.max_trials):
            objective = attempt(rate, after=after)
            works = objective < untrained
            good += works
            if works and objective < best:
                best, best_rate = objective, rate
            enough = good >= calibration.candidates
            if enough and not rising:
                break
            if rising and works and not enough:
                rate *= calibration.rate
            elif rising:
                rate, rising, good = calibration.eta / calibration.rate, False, 0
            else:
                rate /= calibration.rate
        if math.isfinite(best):
            return best_rate
    raise TrainingError(
        f"no learning rate between {rate:g} and {calibration.eta:g} makes {recipe} better than no training on "
        f"{len(sample)} sequences; check the labels, or give a rate or another c2"
    )
