"""A share of the sentences, and what one round of training on it changes.

    θ̄, S, z, t (the same for every share) ─▶ copy the rows of this round's sentences ─▶ stochastic pass ─▶ Change
                                                                                     └─▶ put the rows back

A round is a function of its arguments: a share keeps nothing from one round to the next, so a call that is made again
returns the same bits. Only the rows of the attributes in the round's sentences are copied, compared and sent.
"""

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from tagfield.data.dataset import Floats, Ints, Longs
from tagfield.errors import TrainingError
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers.stochastic import StochasticTrainer
from tagfield.train.trainers.trainer import State, arrays_of
from tagfield.weights.blocks import LANES, Rows
from tagfield.weights.layout import Weights

WeightBlocks: TypeAlias = list[Longs]  # numbers of blocks in each array of the weights: state, trans, edge
FOREVER = 1 << 60
FOLDED = 1e-9  # the scale at which a pass folds it into the weights


@dataclass(frozen=True)
class Change:
    """What a round on one share did, block by block."""

    blocks: WeightBlocks  # that it may have changed
    theta: list[Floats]  # [blocks, LANES]  what it added to θ̄
    squares: list[Floats]  # [blocks, LANES]  what it added to AdaGrad's sums; empty without AdaGrad
    shrunk: float  # z at the end / z at the start
    sentences: int
    loss: float  # along the way
    tokens: int
    attributes: int  # of all its tokens

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for part in (self.blocks, self.theta, self.squares) for array in part)


class RoundTrainer(StochasticTrainer):
    """A stochastic trainer for a part of an epoch; what mixes the shares keeps the average and counts the epochs."""

    def _turn(self) -> None:
        pass

    def _until_turn(self) -> int:
        return FOREVER

    def norm(self) -> float:
        """0: the norm would take a pass over all weights, and is that of the mixed ones."""
        return 0.0


class Share:
    """The sentences of one share, with room for the weights.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> problem = Problem.of(encoded, Settings.of("sgd", rate=0.1))
    >>> share = Share(problem, problem.settings.recipe)
    >>> change = share.run(problem.start, None, 1.0, 0.0, 1, np.array([1]))
    >>> change.sentences, change.tokens, change.attributes, [len(blocks) for blocks in change.blocks]
    (1, 2, 2, [2, 2])
    """

    def __init__(self, problem: Problem, recipe: Stochastic) -> None:
        self.problem = problem
        self._recipe = replace(recipe, average=False)
        self._adaptive = recipe.preconditioner is not None
        self._theta = problem.start.copy()
        self._squares = self._theta.zeros() if self._adaptive else self._theta.map(lambda array: array[:0])

    def run(self, theta: Weights, squares: Weights | None, scale: float, t: float, epoch: int, order: Longs) -> Change:
        """One pass over some of the sentences, from the mixed weights θ = scale·θ̄ after t steps.

        theta, squares: read only; both may be mapped from shared memory
        """
        self._check_penalty(scale, t, len(order))
        blocks = self._touched(order)
        self._fetch(self._theta, theta, blocks)
        if squares is not None:
            self._fetch(self._squares, squares, blocks)
        trainer = RoundTrainer(self._recipe, self.problem, self._theta)
        offered = (epoch - 1) * self.problem.corpus.sentences + 1  # what annealing asks for
        fresh = trainer.state()
        arrays = fresh.arrays | arrays_of(theta=self._theta, squares=self._squares)
        trainer.resume(State(arrays, fresh.numbers | {"t": t, "scale": scale, "offered": offered}))
        trainer.run(order)
        ended = trainer.state().numbers["scale"]
        grown = [] if squares is None else self._differences(self._squares, squares, blocks)
        moved = self._differences(self._theta, theta, blocks)
        return Change(blocks, moved, grown, ended / scale, len(order), trainer.nll, *self._sizes(order))

    def _check_penalty(self, scale: float, t: float, steps: int) -> None:
        """Raise TrainingError where the pass would fold its scale into all weights; mixing does that in time.

        With λ_t = λ̂/(1 + λ̂Ct), the product of 1 − Cλ_t over n steps is (1 + λ̂C(t − 1))/(1 + λ̂C(t + n − 1)).
        """
        assert self._recipe.rate is not None
        each = self._recipe.rate * self.problem.penalty_share
        if scale * (1 + each * (t - 1)) < 2 * FOLDED * (1 + each * (t + steps - 1)):
            raise TrainingError(
                f"a rate of {self._recipe.rate:g} with c2={self.problem.settings.c2:g} shrinks the weights to nothing "
                "in one step; give a smaller rate or a smaller c2"
            )

    def _sizes(self, order: Longs) -> tuple[int, int]:
        """How many tokens these sentences have, and how many attributes those have."""
        data = self.problem.dataset
        tokens, attributes = (int((ends[order + 1] - ends[order]).sum()) for ends in (data.tokens, data.occurrences))
        return tokens, attributes

    def _touched(self, order: Longs) -> WeightBlocks:
        """The blocks that a pass over these sentences can change."""
        data, features = self.problem.dataset, self.problem.features
        found = [weight_blocks_of(features.rows, _distinct(data.slots, data.attribute, order))]
        found.append(np.arange(self._theta.trans.size // LANES, dtype=np.int64))
        if self._theta.edge is not None and data.edge_slots is not None:
            edge = _distinct(data.edge_slots.slots, data.edge_slots.attribute, order)
            rows = (edge[:, None] * features.labels + np.arange(features.labels)).reshape(-1)
            found.append(weight_blocks_of(features.edge_rows, rows))
        elif self._theta.edge is not None:
            found.append(np.empty(0, np.int64))
        return found

    @staticmethod
    def _fetch(own: Weights, given: Weights, blocks: WeightBlocks) -> None:
        for array, source, which in zip(own.arrays(), given.arrays(), blocks, strict=True):
            as_weight_blocks(array)[which] = as_weight_blocks(source)[which]

    @staticmethod
    def _differences(own: Weights, given: Weights, blocks: WeightBlocks) -> list[Floats]:
        parts = zip(own.arrays(), given.arrays(), blocks, strict=True)
        return [as_weight_blocks(array)[which] - as_weight_blocks(source)[which] for array, source, which in parts]


def as_weight_blocks(array: Floats) -> Floats:
    """The weights of an array as blocks [B, LANES]; a view."""
    return array.reshape(-1, LANES)


def weight_blocks_of(rows: Rows, which: Longs) -> Longs:
    """The blocks of some rows, in order.

    >>> weight_blocks_of(Rows(3, 2, None, None), np.array([0, 2])).tolist()
    [0, 1, 4, 5]
    >>> weight_blocks_of(Rows(3, 2, np.array([0, 1, 1, 3]), np.array([0, 0, 1], np.uint16)), np.array([0, 2])).tolist()
    [0, 1, 2]
    """
    if rows.first is None:
        return (which[:, None] * rows.blocks + np.arange(rows.blocks)).reshape(-1)
    start, sizes = rows.first[which], rows.first[which + 1] - rows.first[which]
    ends = np.cumsum(sizes)
    return np.repeat(start - (ends - sizes), sizes) + np.arange(int(ends[-1]) if len(ends) else 0)


def _distinct(slots: Longs, attribute: Ints, order: Longs) -> Longs:
    """The attributes of some sentences, each once, sorted."""
    found = [attribute[slots[s] : slots[s + 1]] for s in order]
    return np.unique(np.concatenate(found)).astype(np.int64) if found else np.empty(0, np.int64)
