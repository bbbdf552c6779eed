"""What every recipe is: a record of options that names its trainer, and says how much memory that trainer takes.

    Recipe ─┬─ Descent ─┬─ Stochastic(response, preconditioner, …)   one step per sequence           stochastic.py
            │           └─ WholeCorpus(response, rate)               one step per pass over the data variants.py
            ├─ Auto(rate, average, block)      searches for a Stochastic that fits the data          variants.py
            ├─ QuasiNewton(num_memories, …)    L-BFGS, and OWL-QN with c1                            crfsuite_recipes.py
            └─ Margin, Perceptron, Arow        learn from mislabelled sequences                      crfsuite_recipes.py

A record holds only what its trainer uses, so you cannot set an option that a recipe does not have. table.py lists the
named recipes; shared_options.py has the options that belong to no recipe.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tagfield.bregman.responses import Response
from tagfield.train.recipes.fields import check_record, nested
from tagfield.train.recipes.updates import Divergence

if TYPE_CHECKING:
    from tagfield.train.problem.problem import Problem
    from tagfield.train.trainers.trainer import Trainer


@dataclass(frozen=True)
class Copies:
    """How many arrays as large as the model a trainer holds at its peak, beside the data.

    >>> Copies(single=3, double=2).bytes(places=800, features=100)  # 3 · 800 floats and 2 · 100 doubles
    11200
    """

    single: int  # float32, a number for each place of the layout, with padding: `weights.state.size`
    double: int = 0  # float64, a number for each feature: `sum(features.counts)`

    def bytes(self, places: int, features: int) -> int:
        return 4 * places * self.single + 8 * features * self.double


@dataclass(frozen=True)
class Recipe:
    """A way to train."""

    name: str = field(default="", kw_only=True)  # in the table of recipes
    about: str = field(default="", kw_only=True, compare=False)  # the update, in a few words

    made_by: ClassVar[str] = ""  # "module:function" of (recipe, problem, rng) ─▶ its trainer; imported when needed
    family: ClassVar[str] = ""  # what messages call recipes of this kind
    suffix: ClassVar[str] = ""  # what they add where options have made another recipe of a named one
    unit: ClassVar[str] = "epoch"
    epochs: ClassVar[int] = 50  # at most, by default
    crfsuite_epochs: ClassVar[int] = 1000  # the same in CRFsuite, and so in CRF
    delta: ClassVar[float] = 1e-6
    has_likelihood: ClassVar[bool] = True  # it can sum over unknown labels, and over the paths that rules allow
    settles: ClassVar[bool] = True  # the loss falls towards a limit
    by_period: ClassVar[bool] = True  # the stopping rule looks back by a period
    keeps_lowest_loss: ClassVar[bool] = False  # the best epoch's weights; else the last

    def __post_init__(self) -> None:
        check_record(self)

    def trainer(self, problem: "Problem", rng: np.random.Generator) -> "Trainer":
        """The trainer of this recipe for a problem."""
        module, _, name = self.made_by.partition(":")
        made: Trainer = attrgetter(name)(import_module(module))(self, problem, rng)
        return made

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """What its trainer holds at its peak: the marks of the features, the weights, and two copies of them.

        scored: whether held-out data is scored after every pass, which keeps the best weights so far too
        """
        return Copies(4 + 2 * scored)

    @property
    def streams(self) -> bool:
        """Whether it can learn from a stream."""
        return False

    def variant(self, options: Mapping[str, Any]) -> "Recipe":
        """The recipe that some options turn this one into; most leave it what it is."""
        return self

    def __str__(self) -> str:
        return self.name or self.family


@dataclass(frozen=True)
class Descent(Recipe):
    """Natural gradient descent: u = E − Ẽ passes through a response before the step."""

    response: Response | Divergence = nested()

    @property
    def f(self) -> Response:
        """The response as it is given, or that of the Divergence."""
        return self.response.response if isinstance(self.response, Divergence) else self.response

    @property
    def responses(self) -> list[Response]:
        """Every response that it has."""
        return [self.f]

    @property
    def linear(self) -> bool:
        """Whether every gradient stays what it is, up to a factor."""
        return all(f.generator.linear for f in self.responses)

    def __str__(self) -> str:
        own = isinstance(self.response, Divergence)
        return f"{self.name}: {self.response}" if own else self.name or str(self.f)
