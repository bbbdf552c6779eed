"""CRFsuite's algorithms as records: L-BFGS, and those that learn only from mislabelled sequences.

QuasiNewton(num_memories, …)     L-BFGS, and OWL-QN with c1
Margin(pa_type, c, …)            passive–aggressive
Perceptron(epsilon)              averaged perceptron
Arow(variance, gamma, epsilon)   adaptive regularisation of weights
"""

from dataclasses import dataclass
from typing import ClassVar

from tagfield.train.recipes.fields import Option, documented, option
from tagfield.train.recipes.recipe import Copies, Recipe

MARGIN, QUASI_NEWTON = "pa, ap and arow", "lbfgs"
LINE_SEARCHES = ("MoreThuente", "Backtracking", "StrongBacktracking")  # trainers/line_search.py has them

EPSILON = Option(
    "Convergence threshold: gradient norm relative to the weights (lbfgs), or mean loss per sequence (pa, ap, arow).",
    "When training stops", low=0.0, usual="1e-5 for lbfgs, 0 for pa, ap and arow", metavar="E",
)  # fmt: skip


@documented
@dataclass(frozen=True)
class QuasiNewton(Recipe):
    """L-BFGS on the whole corpus; with c1, OWL-QN."""

    num_memories: int = option(6, "Number of recent iterations that L-BFGS remembers.", group=QUASI_NEWTON, low=1)
    linesearch: str = option(
        "MoreThuente", "Line search; always backtracking with c1.", group=QUASI_NEWTON,
        choices={name: name for name in LINE_SEARCHES},
    )  # fmt: skip
    max_linesearch: int = option(20, "Maximum number of trials per line search.", group=QUASI_NEWTON, low=1)
    epsilon: float = option(1e-5, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.trainers.quasi_newton:QuasiNewtonTrainer.of"
    family: ClassVar[str] = "lbfgs"
    unit: ClassVar[str] = "iteration"
    epochs: ClassVar[int] = 1000  # it converges sooner: after some 160 on CoNLL-2000
    crfsuite_epochs: ClassVar[int] = 2**31 - 1
    delta: ClassVar[float] = 1e-5

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Pairs; x, ∇, d, what a line search tries and its ∇; places of features; x on its way into the weights."""
        return Copies(1 + 2 * scored, 2 * self.num_memories + 7)


class ErrorDriven(Recipe):
    """Recipes that learn only from mislabelled sequences: without a likelihood, no objective can settle."""

    crfsuite_epochs: ClassVar[int] = 100
    has_likelihood: ClassVar[bool] = False
    settles: ClassVar[bool] = False

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Marks, weights, the rest of the average or the variances, and two copies of what is kept."""
        return Copies(5 + 2 * scored)


@documented
@dataclass(frozen=True)
class Margin(ErrorDriven):
    """The passive–aggressive algorithm: only mislabelled sentences change the weights."""

    pa_type: int = option(1, "Variant: 0 is PA, 1 is PA-I, 2 is PA-II.", group=MARGIN, low=0, high=2, metavar="0|1|2")
    c: float = option(1.0, "Aggressiveness of pa.", group=MARGIN, name="pa_c", crf="c", above=0.0, metavar="C")
    error_sensitive: bool = option(
        True, "Use the square root of the number of wrong labels as the margin of pa, instead of 1.", group=MARGIN,
        name="pa_cost_sensitive", crf="error_sensitive",
    )  # fmt: skip
    averaging: bool = option(
        True, "Keep the mean of the weights over all steps of pa.", group=MARGIN, name="pa_average", crf="averaging"
    )
    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.trainers.margin:MarginTrainer.of"
    family: ClassVar[str] = "pa"


@documented
@dataclass(frozen=True)
class Perceptron(ErrorDriven):
    """The averaged perceptron: a step of 1 towards the gold labels of every mislabelled sentence."""

    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.trainers.margin:MarginTrainer.of"
    family: ClassVar[str] = "ap"


@documented
@dataclass(frozen=True)
class Arow(ErrorDriven):
    """Adaptive regularisation of weights: a weight that was corrected often moves less."""

    variance: float = option(
        1.0, "Initial variance of every weight.", group=MARGIN, name="arow_variance", crf="variance", above=0.0,
        metavar="V",
    )  # fmt: skip
    gamma: float = option(
        1.0, "Variances fall more slowly with a larger value.", group=MARGIN, name="arow_gamma", crf="gamma",
        above=0.0, metavar="G",
    )  # fmt: skip
    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.trainers.arow:ArowTrainer.of"
    family: ClassVar[str] = "arow"
