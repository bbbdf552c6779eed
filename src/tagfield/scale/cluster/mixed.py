"""MixedTrainer: stochastic training on shares. One epoch is a number of rounds, and each round ends with a mix.

    order of each share (seed, epoch, share) ─▶ round ─▶ changes ─▶ mix ─▶ … ─▶ the objective along the epoch

The learning rate falls with the sentences that all shares have seen, and the average starts as on one machine: in the
middle of the first epoch, and again with the second.
"""

import math
from collections.abc import Callable

from tagfield.data.dataset import Longs
from tagfield.errors import TrainingError
from tagfield.scale.cluster.mixing import Mixture, Scheme
from tagfield.scale.cluster.workers import Round, Workers
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.divergence import DivergenceTest
from tagfield.train.trainers.trainer import Figures, State, Trainer, norm_of
from tagfield.weights.layout import Weights


class MixedTrainer(Trainer):
    """Weights that rounds on all shares improve.

    after_mix is called between the rounds of an epoch: a checkpoint may be written there.

    >>> import numpy as np
    >>> from tagfield.scale.cluster.workers import LocalWorkers, Task, cut
    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> problem = Problem.of(encoded, Settings.of("sgd", rate=0.1))
    >>> workers = LocalWorkers(Task(problem.features, problem.settings, 2, encoded.labels), cut(problem.dataset, 2))
    >>> trainer = MixedTrainer(problem.settings.recipe, problem, workers, Scheme(mixes=1))
    >>> first = trainer.run(np.empty(0, np.int64))
    >>> trainer.run(np.empty(0, np.int64)) < first
    True
    """

    shuffles = False  # shares have orders of their own

    def __init__(self, recipe: Stochastic, problem: Problem, workers: Workers, scheme: Scheme) -> None:
        assert recipe.rate is not None
        self.recipe: Stochastic = recipe
        self.problem = problem
        self.after_mix: Callable[[], None] = lambda: None
        self.sent = 0  # bytes of changes, in the last epoch
        self._plain = recipe.f.generator.linear and recipe.preconditioner is None
        self.watches_loss = recipe.average or not self._plain
        self._workers = workers
        self._has_diverged, self._penalty = DivergenceTest(problem, recipe.cost), 0.0
        self._sentences = problem.sentences or problem.count
        self._mixture = Mixture(problem.start, adaptive=recipe.preconditioner is not None, scheme=scheme)
        self._epoch, self._part, self.nll = 1, 0, 0.0

    def run(self, order: Longs) -> float:
        """One epoch, or the rest of one; shares have orders of their own. Returns the objective along the way."""
        mixture, parts = self._mixture, self._mixture.scheme.mixes
        self.sent = 0
        while self._part < parts:
            self._turn()
            this = Round(mixture.scale, mixture.t, self._epoch, self._part, parts)
            changes = self._workers.train(mixture.theta, mixture.squares, this)
            mixture.mix(changes, self._rate(this.t))
            self.nll += sum(change.loss for change in changes)
            self.sent += sum(change.bytes for change in changes)
            self._part += 1
            if self._part < parts:
                self.after_mix()
        objective = self.nll + self.problem.settings.c2 * self.norm() ** 2
        if not math.isfinite(objective):
            raise TrainingError(
                f"epoch {self._epoch}: the weights left the range of numbers ({self.recipe}, rate "
                f"{self.recipe.rate:g}); nothing was saved. Give a smaller rate or a larger c2, or mix more often"
            )
        self.monitor, self._penalty = (objective, objective - self.nll) if self._plain else (self.nll, 0.0)
        self._epoch, self._part, self.nll = self._epoch + 1, 0, 0.0
        return objective

    def _turn(self) -> None:
        """Starts the average, in the middle of the first epoch and at the beginning of the second."""
        half = self._epoch == 1 and not self._mixture.averaging and self._mixture.t >= self._sentences // 2
        if self.recipe.average and (half or (self._epoch == 2 and self._part == 0)):
            self._mixture.start_average()

    def norm(self) -> float:
        return self._mixture.scale * norm_of(self._mixture.theta)

    def figures(self) -> Figures:
        return Figures(learning_rate=self._rate(max(0.0, self._mixture.t - 1)), updates=int(self._mixture.t))

    def _rate(self, steps: float) -> float:
        """λ after so many steps."""
        assert self.recipe.rate is not None
        return self.recipe.rate / (1 + self.recipe.rate * self.problem.penalty_share * steps)

    def directions(self) -> Weights:
        return self.weights() if self._mixture.averaging else self._mixture.theta

    def weights(self, out: Weights | None = None) -> Weights:
        return self._mixture.kept(out)

    def diverged(self) -> bool:
        return self._has_diverged(self.monitor, self._penalty, self.weights)

    def state(self) -> State:
        state = self._mixture.state()
        return State(state.arrays, state.numbers | {"epoch": self._epoch, "part": self._part, "nll": self.nll})

    def resume(self, state: State) -> None:
        self._mixture.resume(state)
        self._epoch, self._part = int(state.numbers["epoch"]), int(state.numbers["part"])
        self.nll = state.numbers["nll"]
