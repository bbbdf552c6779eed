"""Stochastic natural gradient descent: one sentence, one response, one sparse step.

    order (seeded) ─▶ scores ─▶ marginals ─▶ u = E − Ẽ ─▶ f(u) ─▶ θ̄ −= λ_t/((1−Cλ_t) z) · f(u),  z *= 1 − Cλ_t

The loop is native (native/kernel/stochastic.hpp); what it is told each epoch is here. The rate follows Bottou,
λ_t = λ̂/(1 + λ̂Ct), with C = 2·c2/N, which makes c2 mean what it means in CRFsuite: Σ NLL + c2·‖θ‖².
"""

import math
from dataclasses import dataclass

import numpy as np

from tagfield.bregman.responses import Response
from tagfield.bregman.tables import ResponseTable
from tagfield.dataset import Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import FeatureSet, Weights
from tagfield.native import kernels


@dataclass(frozen=True)
class Calibration:
    """How the rate is found when none is given (Bottou; the numbers are CRFsuite's)."""

    start: float = 0.1
    factor: float = 2.0
    samples: int = 1000
    candidates: int = 10
    trials: int = 20


class StochasticTrainer:
    """Weights that one pass after another improves.

    >>> from tagfield.bregman.responses import recipe
    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> trainer = StochasticTrainer(corpus, feature_set(corpus, 2, 2, "all"), recipe("u2.g1"), c2=0.1, rate=0.1)
    >>> first = trainer.run(np.arange(2))
    >>> trainer.run(np.arange(2)) < first
    True
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        response: Response,
        *,
        c2: float,
        rate: float,
        start: Weights | None = None,
    ) -> None:
        self.corpus = corpus
        self.features = features
        self.c2 = c2
        self.response = response
        self._theta = features.zeros() if start is None else start.copy()
        self._pass = kernels.Pass()
        self._pass.rate = rate
        self._pass.decay = 2 * c2 / max(1, corpus.sentences)
        self._epoch = 0
        if self._pass.decay * rate >= 1:
            raise InputError(
                f"a rate of {rate:g} with c2={c2:g} on {corpus.sentences} sequences would turn the weights "
                "around; give a smaller rate"
            )
        set_response(self._pass, response.table())

    @property
    def rate(self) -> float:
        return self._pass.rate

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the objective along the pass, with the penalty."""
        self._epoch += 1
        nothing = (self._theta.state[:0], self._theta.trans[:0])
        self._pass.run(
            self.corpus,
            self.features.layout,
            [(self._theta.state, self._theta.trans), nothing, nothing],
            order,
        )
        objective = self._pass.loss + self.c2 * len(order) / max(1, self.corpus.sentences) * self.norm() ** 2
        if self._pass.failed >= 0 or not math.isfinite(objective):
            where = f" at sequence {self._pass.failed}" if self._pass.failed >= 0 else ""
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers{where} ({self.response}, rate "
                f"{self.rate:g}); nothing was saved. Give a smaller rate or a larger c2, or scale large values down"
            )
        return objective

    def norm(self) -> float:
        """‖θ‖."""
        squares = kernels.squared_norm(self._theta.state) + kernels.squared_norm(self._theta.trans)
        return self._pass.scale * math.sqrt(squares)

    def directions(self) -> Weights:
        """Weights up to a positive factor, without a copy: enough for the best path."""
        return self._theta

    def weights(self, out: Weights | None = None) -> Weights:
        """θ = z·θ̄, as a copy; into `out` where it is given."""
        out = out or self._theta.copy()
        np.multiply(self._theta.state, np.float32(self._pass.scale), out=out.state)
        np.multiply(self._theta.trans, np.float32(self._pass.scale), out=out.trans)
        return out


def set_response(target: kernels.Pass, table: ResponseTable) -> None:
    """Hands a response table to a native pass; a linear one with slope 1 needs no table at all."""
    if table.linear and table.slope == 1.0:
        return
    low_linear = table.low_linear
    target.set_response(
        table.cells, table.tails, table.bits, table.odd, low_linear, table.low_edge, table.high_edge
    )


def calibrate(
    corpus: kernels.Corpus,
    features: FeatureSet,
    response: Response,
    *,
    c2: float,
    rng: np.random.Generator,
    settings: Calibration | None = None,
) -> float:
    """The rate λ̂ whose one pass over a sample, from θ = 0, has the lowest objective along the way.

    Candidates go up from `start` by `factor` while they beat θ = 0, then down from it; ten that do are compared. With
    so few sentences that no pass can show a gain along the way, the objective after the pass decides.
    """
    settings = settings or Calibration()
    count = min(settings.samples, corpus.sentences)
    sample = rng.permutation(corpus.sentences)[:count].astype(np.int64)
    untrained = nll(corpus, features, features.zeros(), sample)

    def attempt(rate: float, *, after: bool) -> float:
        try:
            trainer = StochasticTrainer(corpus, features, response, c2=c2, rate=rate)
            along = trainer.run(sample)
        except (TrainingError, InputError):
            return math.inf
        if not after:
            return along
        penalty = c2 * count / max(1, corpus.sentences) * trainer.norm() ** 2
        return nll(corpus, features, trainer.weights(), sample) + penalty

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
        f"no rate between {rate:g} and {settings.start:g} makes {response} better than no training on "
        f"{count} sequences; check the labels, or give a rate or another c2"
    )


def nll(corpus: kernels.Corpus, features: FeatureSet, weights: Weights, order: Longs) -> float:
    """The negative log-likelihood of some sentences under given weights."""
    nothing = kernels.Pass()
    nothing.rate = 0.0
    weights = weights.copy()
    empty = (weights.state[:0], weights.trans[:0])
    nothing.run(corpus, features.layout, [(weights.state, weights.trans), empty, empty], order)
    return nothing.loss
