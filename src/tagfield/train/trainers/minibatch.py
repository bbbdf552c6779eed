"""Mini-batches: E and Ẽ over b sequences, as a sum or a mean, then f once per weight and one step.

    U = Σ (E − Ẽ) over b sequences ─┬─▶ sum:   θ ← (1 − bCλ_t)·θ − λ_t·f(U),    t ← t + b
                                    └─▶ mean:  θ ← (1 − Cλ_t)·θ − λ_t·f(U/b),   t ← t + 1

A sum takes b sequences' share of the penalty with each step, a mean that of one. So with f(u) = u a sum is the ordinary
mini-batch gradient of the objective, and a mean is the same at b times the rate. With any other f they differ, and from
b = 1 too: f(Σu) is not Σf(u).

The last mini-batch of an epoch may have only n < b sequences. Its sum or mean is over these, and a mean makes n/b of a
step. The weight of a sequence scales its share of U; with b = 1 it scales the step. An average counts each step once.
"""

from typing import TYPE_CHECKING

import numpy as np

from tagfield.errors import InputError
from tagfield.native import kernels

if TYPE_CHECKING:
    from tagfield.data.dataset import Longs
    from tagfield.train.problem.problem import Problem
    from tagfield.train.recipes.stochastic import Stochastic

WORK = 8  # lattices that threads share at a time; it changes no bit
TRIED = 5  # steps that a trial of a rate makes at least


def share_of_penalty(recipe: "Stochastic", problem: "Problem") -> float:
    """mC: what one step takes of the gradient of the L2 penalty.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> from tagfield.train.problem.problem import Problem
    >>> encoded = encode_sequences([[["a"]]] * 8, [["X"]] * 8)
    >>> settings = Settings.of("sgd", minibatch=4, c2=1.0)
    >>> share_of_penalty(settings.recipe, Problem.of(encoded, settings))
    1.0
    """
    return problem.penalty_share * (1 if recipe.minibatch_mean else min(recipe.minibatch, max(1, problem.count)))


def set_minibatch(target: kernels.Pass, recipe: "Stochastic", problem: "Problem") -> None:
    """Tells a native pass how many sequences a step takes."""
    if problem.in_stream:
        raise InputError("minibatch does not apply to a stream, which learns from each sequence as it comes")
    there = problem.data.nonempty(np.arange(problem.count))
    target.minibatch, target.mean, target.block = min(recipe.minibatch, max(2, there)), recipe.minibatch_mean, WORK


def trial_order(recipe: "Stochastic", order: "Longs", samples: int) -> "Longs":
    """What a trial of a rate runs over: `samples` sequences, or a few mini-batches, with the data again if need be.

    order: all sequences in random order

    >>> from dataclasses import replace
    >>> from tagfield.train import RECIPES
    >>> [len(trial_order(replace(RECIPES["sgd"], minibatch=b), np.arange(100), 10)) for b in (1, 4, 30, 1000)]
    [10, 20, 150, 500]
    """
    wanted = min(samples, len(order))
    if recipe.minibatch > 1:
        wanted = max(wanted, TRIED * min(recipe.minibatch, len(order)))
    return np.tile(order, -(-wanted // max(1, len(order))))[:wanted].astype(np.int64)
