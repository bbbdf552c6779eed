"""Stochastic natural gradient descent: one sentence, one response, one sparse step.

    order (seeded) ─▶ scores ─▶ marginals ─▶ u = E − Ẽ ─▶ f(u) ─▶ θ̄ −= λ_t/((1−Cλ_t) z) · f(u),  z *= 1 − Cλ_t
    └──────── for a block of sentences, with the same θ ────────┘   └──────── for each of them, in order ────────┘

The sentences of a block are shared by threads. How many there are changes no bit: the same seed gives the same weights.

The loop is native (native/kernel/pass/stochastic.hpp); what changes from epoch to epoch is here. The rate follows
Bottou, λ_t = λ̂/(1 + λ̂Ct), with C = 2·c2/N, which makes c2 mean what it means in CRFsuite: Σ NLL + c2·‖θ‖².

The average forgets twice: it is the mean over the second half of the first epoch, and then, from the second epoch on,
the mean over all that follows. The weights of the first epoch would cost 0.05 points of accuracy on CoNLL-2000.
"""

import math

import numpy as np

from tagfield.data.dataset import Floats, Longs
from tagfield.errors import InputError, TrainingError
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.divergence import DivergenceTest
from tagfield.train.trainers.minibatch import set_minibatch, share_of_penalty
from tagfield.train.trainers.response_tables import set_responses
from tagfield.train.trainers.trainer import Figures, State, Trainer, arrays_of, norm_of, weights_of
from tagfield.weights.layout import ABSENT, Weights, absent
from tagfield.weights.weights import zeros_on_lines

STREAM_EPOCH = 1000  # sequences that count as an epoch of a stream
BLOCK_SEQUENCES, SHARE = 8, 1000  # of a block, or 1/SHARE of the data if that is less: few take too coarse steps
LEAST_WORK = 20_000.0  # what a block must take, in ns on one thread, for several to be worth their meetings
NUMBERS = ("t", "scale", "averaging", "summed_scale", "averaged")  # of a native pass


class StochasticTrainer(Trainer):
    """Weights that one pass after another improves.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> problem = Problem.of(encoded, Settings.of("u2.g1", rate=0.1, c2=0.1))
    >>> trainer = problem.settings.recipe.trainer(problem, np.random.default_rng(0))
    >>> first = trainer.run(np.arange(2))
    >>> trainer.run(np.arange(2)) < first
    True
    """

    def __init__(self, recipe: Stochastic, problem: Problem, start: Weights) -> None:
        assert recipe.rate is not None
        self.recipe: Stochastic = recipe
        self.problem = problem
        self.nll = math.inf  # along the last pass
        # Plain gradients minimise the objective. Transformed ones have another regulariser (the paper's section 3.5),
        # so what should fall is the likelihood alone.
        self._plain = recipe.linear and recipe.preconditioner is None
        self.watches_loss = recipe.average or not self._plain
        self._has_diverged = DivergenceTest(problem, recipe.cost)
        self._theta = start  # it is changed in place
        self._squares = self._velocity = self._rest = start.map(lambda array: array[:0])
        self._length = STREAM_EPOCH if problem.in_stream else problem.count  # of an epoch
        self._offered = 0  # sentences so far
        self._failed = -1  # the sentence at which the last pass ended, if it failed
        self._pass = kernels.Pass()
        self._pass.rate = recipe.rate
        alone = problem.in_stream or (recipe.preconditioner is not None and recipe.preconditioner.one_by_one)
        self._pass.block = 1 if alone else recipe.block or min(BLOCK_SEQUENCES, max(1, self._length // SHARE))
        if recipe.minibatch > 1:
            set_minibatch(self._pass, recipe, problem)
        self._pass.threads, self._pass.least_work = problem.settings.thread_count, LEAST_WORK
        self._pass.decay = problem.penalty_share
        if problem.in_stream:
            settings = problem.settings
            self._pass.decay, self._pass.streaming = 2 * settings.c2, True
            self._pass.observe_states = settings.features == "observed"
            self._pass.observe_edges = (settings.transitions or settings.features) == "observed"
        if recipe.preconditioner is not None:
            recipe.preconditioner.tell(self._pass)
        self._pass.respond_edges = recipe.respond == "all"
        self._pass.cost = recipe.cost
        if share_of_penalty(recipe, problem) * recipe.rate >= 1 and not problem.in_stream:
            raise InputError(
                f"a rate of {recipe.rate:g} with c2={problem.settings.c2:g} on {problem.count} sequences "
                "would turn the weights around; give a smaller rate"
            )
        set_responses(self._pass, recipe, problem, 1)
        if problem.limits is not None:
            self._pass.set_limits(problem.limits)

    @property
    def epoch(self) -> int:
        """The epoch that the last sentence belonged to, counted from 1."""
        return 1 + max(0, self._offered - 1) // max(1, self._length)

    def run(self, order: Longs) -> float:
        """One pass over the sentences in `order`; returns the objective along the pass, with the penalty.

        In a stream the penalty is left out: it would take a pass over all weights.
        """
        self.nll = 0.0
        if self.recipe.preconditioner is not None:
            self._squares = _remembering(self._theta, self._squares, self.recipe.preconditioner.start)
            if self.recipe.preconditioner.arrays > 1:
                self._velocity = _remembering(self._theta, self._velocity, 0.0)
        done = 0
        while done < len(order) and self._pass.failed < 0:
            self._turn()
            end = min(len(order), done + self._until_turn())
            self._step(order[done:end], ends=end == len(order))
            done = end
        share = 0.0 if self.problem.in_stream else min(1.0, len(order) / max(1, self._length))
        objective = self.nll + (self.problem.settings.c2 * share * self.norm() ** 2 if share else 0.0)
        if self._pass.failed >= 0 or not math.isfinite(objective):
            where = f" at sequence {self._failed}" if self._pass.failed >= 0 else ""
            raise TrainingError(
                f"epoch {self.epoch}: the weights left the range of numbers{where} ({self.recipe}, "
                f"rate {self.recipe.rate:g}); nothing was saved. Give a smaller rate or a larger c2, or scale large "
                "values down"
            )
        self.monitor = objective if self._plain else self.nll
        return objective

    def _turn(self) -> None:
        """What changes at this sentence: the average starts again, or the response is annealed."""
        length = self._length
        late = self._offered > length // 2 and not self._pass.averaging  # a stream that starts to average later
        if self.recipe.average and (self._offered in (length // 2, length) or late):
            self._rest = self._theta.zeros()
            self._pass.averaging, self._pass.summed_scale, self._pass.averaged = True, 0.0, 0
        if self.recipe.anneal and self._offered and self._offered % length == 0:
            set_responses(self._pass, self.recipe, self.problem, 1 + self._offered // length)

    def _until_turn(self) -> int:
        """Sentences until something changes again."""
        length = self._length
        turns = [turn for turn in (length // 2, length) if turn > self._offered and self.recipe.average]
        turns.append(length * (1 + self._offered // length))
        return min(turns) - self._offered

    def _step(self, order: Longs, *, ends: bool) -> None:
        field = self.problem.features.field
        preconditioner = self.recipe.preconditioner
        squares = None if preconditioner is None else field(self._squares)
        velocity = None if preconditioner is None or preconditioner.arrays == 1 else field(self._velocity)
        rest = field(self._rest) if self._pass.averaging else None
        left = len(order)
        ends = ends or (self._offered + left) % max(1, self._length) == 0  # a mini-batch ends with its epoch
        for part in self.problem.data.parts(order):
            left -= len(part.order)
            self._pass.ends = ends and not left
            self._pass.run(part.corpus, field(self._theta), squares, rest, part.order, velocity)
            self.nll += self._pass.loss
            if self._pass.failed >= 0:
                self._failed = int(part.sentences[np.flatnonzero(part.order == self._pass.failed)[0]])
                break
        self._offered += len(order)

    def norm(self) -> float:
        """‖θ‖, before averaging."""
        return self._pass.scale * norm_of(self._theta)

    def figures(self) -> Figures:
        """The rate of the last step, λ̂/(1 + λ̂Ct), and how many steps there were."""
        assert self.recipe.rate is not None
        steps = max(0.0, self._pass.t - 1)
        rate = self.recipe.rate / (1 + self.recipe.rate * self._pass.decay * steps)
        return Figures(learning_rate=rate, updates=int(self._pass.steps if self.recipe.minibatch > 1 else self._pass.t))

    def directions(self) -> Weights:
        return self.weights() if self._pass.averaging else self._theta

    def weights(self, out: Weights | None = None) -> Weights:
        return kept_weights(self.state(), out)

    def state(self) -> State:
        numbers = {name: getattr(self._pass, name) for name in NUMBERS} | {"offered": self._offered}
        if self.recipe.minibatch > 1:
            numbers["steps"] = self._pass.steps
        preconditioner = self.recipe.preconditioner
        more = {} if preconditioner is None or preconditioner.arrays == 1 else {"velocity": self._velocity}
        return State(arrays_of(theta=self._theta, squares=self._squares, rest=self._rest, **more), numbers)

    def resume(self, state: State) -> None:
        self._theta, self._squares, self._rest = (weights_of(state, name) for name in ("theta", "squares", "rest"))
        if self.recipe.preconditioner is not None and self.recipe.preconditioner.arrays > 1:
            self._velocity = weights_of(state, "velocity")
        for name in NUMBERS:
            setattr(self._pass, name, type(getattr(self._pass, name))(state.numbers[name]))
        self._pass.steps = int(state.numbers.get("steps", 0))
        self._pass.averaging = self._pass.averaging and self.recipe.average
        self._offered = int(state.numbers["offered"])
        if self.recipe.anneal:
            set_responses(self._pass, self.recipe, self.problem, self.epoch)

    def diverged(self) -> bool:
        return self._has_diverged(self.monitor, self.monitor - self.nll, self.weights)


def _remembering(theta: Weights, found: Weights, start: float) -> Weights:
    """What a preconditioner remembers, made if it is not there yet; array by array: there may be no state weights."""

    def made(like: Floats, array: Floats) -> Floats:
        if len(array) == len(like):
            return array
        fresh = zeros_on_lines(like)
        fresh[...] = start
        return fresh

    return theta.map(made, found)


def kept_weights(state: State, out: Weights | None = None) -> Weights:
    """θ = z·θ̄, or the average (Z·θ̄ − R)/n, as a copy; into `out` where it is given."""
    at, numbers = weights_of(state, "theta"), state.numbers
    rests = weights_of(state, "rest")
    out = out or at.copy()
    count = numbers["averaged"] if numbers["averaging"] else 0
    factor = numbers["summed_scale"] / count if count else numbers["scale"]
    for result, theta, rest in zip(out.arrays(), at.arrays(), rests.arrays(), strict=True):
        np.multiply(theta, np.float32(factor), out=result)
        if count:
            result -= rest / np.float32(count)
            result[absent(theta)] = ABSENT
    return out
