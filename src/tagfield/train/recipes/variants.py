"""Recipes that an option makes of a stochastic recipe, and the options they share with it.

generator=auto ─▶ Auto(rate, average, block)      chooses a Stochastic from the data
batch          ─▶ WholeCorpus(response, rate)     natural gradient descent on all sentences at once
"""

from dataclasses import dataclass
from typing import ClassVar

from tagfield.train.recipes.fields import Option, documented, option
from tagfield.train.recipes.recipe import Copies, Descent, Recipe
from tagfield.train.recipes.updates import NGD, STOCHASTIC

AUTO = "auto"

RATE = Option(
    "Initial learning rate.", STOCHASTIC, above=0.0,
    usual="by the data, see rate_by (batch: 1; streams: 0.2, with AdaGrad 0.4)",
    metavar="R",
)  # fmt: skip
AVERAGE = Option("Keep the running mean of the weights instead of the last ones.", STOCHASTIC)
BLOCK = Option(
    "Sequences whose gradients use the same weights, to share among threads; 1 updates after each, as in the paper.",
    STOCHASTIC, low=1, high=1024, usual="8, or a thousandth of the data if that is less", metavar="K",
)  # fmt: skip
BATCH = Option("One step per pass over the whole corpus, instead of one per sequence.", NGD)


@documented
@dataclass(frozen=True)
class Auto(Recipe):
    """Tries a family of updates on a part of the data and trains with the best (trainers/update_search.py)."""

    rate: float | None = option(None, RATE)
    average: bool = option(True, AVERAGE)
    block: int | None = option(None, BLOCK)

    made_by: ClassVar[str] = "tagfield.train.trainers.update_search:best_trainer"
    family: ClassVar[str] = "stochastic recipes"
    suffix: ClassVar[str] = " with generator auto"
    keeps_lowest_loss: ClassVar[bool] = True

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Those of the recipe that needs most."""
        return Copies(5 + 2 * self.average + 2 * scored)


@documented
@dataclass(frozen=True)
class WholeCorpus(Descent):
    """Natural gradient descent on the expectations of the whole corpus, in float64, on any number of threads."""

    rate: float | None = option(None, RATE)

    made_by: ClassVar[str] = "tagfield.train.trainers.whole_corpus:WholeCorpusTrainer.of"
    family: ClassVar[str] = "stochastic recipes"
    suffix: ClassVar[str] = " with batch"
    unit: ClassVar[str] = "iteration"
    delta: ClassVar[float] = 1e-5
    by_period: ClassVar[bool] = False
    has_likelihood: ClassVar[bool] = False

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """x, u, Ẽ and the residual, those that are tried, and the direction on its way."""
        return Copies(2 + 2 * scored, 13)

    def __str__(self) -> str:
        return f"{super().__str__()}, on the whole corpus"
