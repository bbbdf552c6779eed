"""Finding the rate of a stochastic recipe, as CRFsuite does (Bottou): short trials from zero weights.

sample of sentences ─▶ one pass from θ = 0 at each candidate rate ─▶ the rate with the lowest objective along the way
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from tagfield.dataset import Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels
from tagfield.train.partial import Limits
from tagfield.train.stochastic import StochasticTrainer, Update, set_response


@dataclass(frozen=True)
class Calibration:
    """How the rate is found when none is given (Bottou; the numbers are CRFsuite's)."""

    start: float = 0.1
    factor: float = 2.0
    samples: int = 1000
    candidates: int = 10
    trials: int = 20


def calibrate(
    corpus: kernels.Corpus,
    features: FeatureSet,
    update: Update,
    *,
    c2: float,
    rng: np.random.Generator,
    settings: Calibration | None = None,
    limits: Limits | None = None,
) -> float:
    """The rate λ̂ whose one pass over a sample, from θ = 0, has the lowest objective along the way.

    Candidates go up from `start` by `factor` while they beat θ = 0, then down from it; ten that do are compared. With
    so few sentences that no pass can show a gain along the way, the objective after the pass decides.
    """
    settings = settings or Calibration()
    update = replace(update, average=False)
    set_response(
        kernels.Pass(), update.response
    )  # what cannot be a response says so here, not as a rate that fails
    count = min(settings.samples, corpus.sentences)
    sample = rng.permutation(corpus.sentences)[:count].astype(np.int64)
    untrained = nll(corpus, features, features.zeros(), sample, limits)
    if untrained <= 0:  # one label only, or no token: there is nothing to learn, and any rate will do
        return settings.start

    def attempt(rate: float, *, after: bool) -> float:
        try:
            trainer = StochasticTrainer(corpus, features, update, c2=c2, rate=rate, limits=limits)
            along = trainer.run(sample)
        except (TrainingError, InputError):
            return math.inf
        if not after:
            return along
        penalty = c2 * count / max(1, corpus.sentences) * trainer.norm() ** 2
        return nll(corpus, features, trainer.weights(), sample, limits) + penalty

    for after in (False, True):
        best, best_rate = math.inf, settings.start
        rate, rising, good = settings.start, True, 0
        for _ in range(settings.trials):
            objective = attempt(rate, after=after)
            works = objective < untrained
            good += works
            if works and objective < best:
                best, best_rate = objective, rate
            if good >= settings.candidates:
                break
            if rising and works:
                rate *= settings.factor
            else:
                rate = settings.start / settings.factor if rising else rate / settings.factor
                rising = False
        if math.isfinite(best):
            return best_rate
    raise TrainingError(
        f"no rate between {rate:g} and {settings.start:g} makes {update} better than no training on "
        f"{count} sequences; check the labels, or give a rate or another c2"
    )


def nll(
    corpus: kernels.Corpus,
    features: FeatureSet,
    weights: Weights,
    order: Longs,
    limits: Limits | None = None,
) -> float:
    """The negative log-likelihood of some sentences under given weights."""
    nothing = kernels.Pass()
    nothing.rate = 0.0
    if limits is not None:
        nothing.set_limits(limits)
    nothing.run(corpus, features.field(weights.copy()), None, None, order)
    return nothing.loss
