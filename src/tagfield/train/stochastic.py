"""Stochastic natural gradient descent: one sentence, one response, one sparse step.

    order (seeded) ─▶ scores ─▶ marginals ─▶ u = E − Ẽ ─▶ f(u) ─▶ θ̄ −= λ_t/((1−Cλ_t) z) · f(u),  z *= 1 − Cλ_t

The loop is native (native/kernel/stochastic.hpp); what it is told each epoch is here. The rate follows Bottou,
λ_t = λ̂/(1 + λ̂Ct), with C = 2·c2/N, which makes c2 mean what it means in CRFsuite: Σ NLL + c2·‖θ‖².
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from tagfield.bregman.responses import Response
from tagfield.dataset import Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import ABSENT, FeatureSet, Weights, absent
from tagfield.native import kernels
from tagfield.train.partial import Limits


@dataclass(frozen=True)
class Update:
    """What happens to u = E − Ẽ of one sentence before the step: a response, a metric, where, and averaging.

    response    f(u)
    states_only transitions keep the linear response: on data where one label dominates, much of a saturating
                response's bias comes through features that every sentence has
    adaptive    divide f(u) by √S + floor, S the running sum of f(u)² of that weight
    average     train on, but keep the mean of the weights after every sentence: of the second half of the first
                epoch, and then, forgetting that, of all from the second epoch on
    anneal      epoch e responds with f(κu)/κ · s^(κ−1), where κ = 1/e^anneal and s = f′(0): f at first, u in the end,
                so that training becomes plain gradient descent at the same rate
    """

    response: Response
    states_only: bool = False
    adaptive: bool = False
    average: bool = False
    anneal: float = 0.0
    floor: float = 1e-3

    def response_of(self, epoch: int) -> Response:
        """What the response has become by that epoch, counted from 1.

        >>> from tagfield.bregman.responses import recipe
        >>> update = Update(recipe("u2.g1p"), anneal=1.0)
        >>> [round(update.response_of(epoch).slope, 2) for epoch in (1, 2, 1000)]
        [10.0, 3.16, 1.0]
        """
        if not self.anneal or epoch == 1:
            return self.response
        kappa = epoch**-self.anneal
        changed = self.response.annealed(kappa)
        # With the slope of f alone, f(κu)/κ would end as gradient descent at s times the rate that was calibrated.
        steep = self.response.slope if self.response.depends_on_u_alone else 1.0
        return replace(changed, scale=changed.scale * steep ** (kappa - 1)) if steep > 1 else changed

    def __str__(self) -> str:
        words = [str(self.response)]
        words += ["on states"] if self.states_only else []
        words += ["adaptive"] if self.adaptive else []
        words += ["averaged"] if self.average else []
        words += [f"annealed by {self.anneal:g}"] if self.anneal else []
        return ", ".join(words)


class StochasticTrainer:
    """Weights that one pass after another improves.

    >>> from tagfield.bregman.responses import recipe
    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> from tagfield.lattice import open_corpus
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> corpus = open_corpus(encoded.dataset)
    >>> update = Update(recipe("u2.g1"))
    >>> trainer = StochasticTrainer(corpus, feature_set(corpus, 2, 2, "all"), update, c2=0.1, rate=0.1)
    >>> first = trainer.run(np.arange(2))
    >>> trainer.run(np.arange(2)) < first
    True
    """

    def __init__(
        self,
        corpus: kernels.Corpus,
        features: FeatureSet,
        update: Update,
        *,
        c2: float,
        rate: float,
        start: Weights | None = None,
        limits: Limits | None = None,
        sentences: int | None = None,
    ) -> None:
        """`sentences` is how many c2 is for, where the corpus is only a part of the data."""
        self.corpus = corpus
        self.features = features
        self.c2 = c2
        self.update = update
        self.nll = math.inf  # along the last pass
        self._theta = features.zeros() if start is None else start.copy()
        nothing = Weights(self._theta.state[:0], self._theta.trans[:0])
        self._squares = self._like_theta() if update.adaptive else nothing
        self._rest = nothing
        self._pass = kernels.Pass()
        self._pass.rate = rate
        self._pass.decay = 2 * c2 / max(1, sentences or corpus.sentences)
        self._pass.adaptive = update.adaptive
        self._pass.floor = update.floor
        self._pass.respond_edges = not update.states_only
        self._epoch = 0
        if self._pass.decay * rate >= 1:
            raise InputError(
                f"a rate of {rate:g} with c2={c2:g} on {corpus.sentences} sequences would turn the weights "
                "around; give a smaller rate"
            )
        set_response(self._pass, update.response)
        if limits is not None:
            self._pass.set_limits(limits.labels, limits.follow)

    def _like_theta(self) -> Weights:
        return Weights(np.zeros_like(self._theta.state), np.zeros_like(self._theta.trans))

    @property
    def rate(self) -> float:
        return self._pass.rate

    @property
    def monitor(self) -> float:
        """What should fall from pass to pass.

        For plain gradients this is the objective, which they minimise. Transformed ones have another regulariser (the
        paper's section 3.5), so it is the likelihood alone.
        """
        plain = self.update.response.generator.linear and not self.update.adaptive
        return self.nll + self._penalty() if plain else self.nll

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the objective along the pass, with the penalty."""
        self._epoch += 1
        if self.update.anneal and self._epoch > 1:
            set_response(self._pass, self.update.response_of(self._epoch))
        self.nll = 0.0
        self._share = min(1.0, len(order) / max(1, self.corpus.sentences))
        if self.update.average and self._epoch <= 2:
            # Counting the first epoch's weights into a long average costs 0.05 points of accuracy on CoNLL-2000.
            early = len(order) // 2 if self._epoch == 1 else 0
            self._run(order[:early])
            order = order[early:]
            self._rest = self._like_theta()
            self._pass.averaging, self._pass.summed_scale, self._pass.averaged = True, 0.0, 0
        self._run(order)
        objective = self.nll + self._penalty()
        if self._pass.failed >= 0 or not math.isfinite(objective):
            where = f" at sequence {self._pass.failed}" if self._pass.failed >= 0 else ""
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers{where} ({self.update}, rate "
                f"{self.rate:g}); nothing was saved. Give a smaller rate or a larger c2, or scale large values down"
            )
        return objective

    def _run(self, order: Longs) -> None:
        if self._pass.failed < 0:
            arrays = [(w.state, w.trans) for w in (self._theta, self._squares, self._rest)]
            self._pass.run(self.corpus, self.features.layout, arrays, order)
            self.nll += self._pass.loss

    def _penalty(self) -> float:
        return self.c2 * self._share * self.norm() ** 2

    def norm(self) -> float:
        """‖θ‖, before averaging."""
        squares = kernels.squared_norm(self._theta.state) + kernels.squared_norm(self._theta.trans)
        return self._pass.scale * math.sqrt(squares)

    def directions(self) -> Weights:
        """The weights up to a positive factor, which is enough for the best path; a copy only if averaged."""
        return self.weights() if self._pass.averaging else self._theta

    def weights(self, out: Weights | None = None) -> Weights:
        """θ = z·θ̄, or the average (Z·θ̄ − R)/n, as a copy; into `out` where it is given."""
        out = out or self._theta.copy()
        count = self._pass.averaged if self._pass.averaging else 0
        factor = self._pass.summed_scale / count if count else self._pass.scale
        for result, theta, rest in (
            (out.state, self._theta.state, self._rest.state),
            (out.trans, self._theta.trans, self._rest.trans),
        ):
            np.multiply(theta, np.float32(factor), out=result)
            if count:
                result -= rest / np.float32(count)
                result[absent(theta)] = ABSENT
        return out


COUNTS = 16  # empirical counts that have a table; more are rare, and go through the exact direction


def set_response(target: kernels.Pass, response: Response) -> None:
    """Hands a response to a native pass: one table, or one for each empirical count; plain gradients need none."""
    target.clear_response()
    if response.depends_on_u_alone:
        table = response.table()
        if not (table.linear and table.slope == 1.0):
            target.set_response(
                table.cells,
                table.tails,
                table.bits,
                table.odd,
                table.low_linear,
                table.low_edge,
                table.high_edge,
                table.logs,
            )
        return
    for table in response.count_tables(COUNTS):
        target.add_count_table(
            table.cells, table.tails, table.bits, table.low_linear, table.low_edge, table.high_edge
        )
    target.set_exact(response.direction)
