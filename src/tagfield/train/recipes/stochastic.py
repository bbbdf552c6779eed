"""Stochastic natural gradient descent as a record: its options.

    u = E − Ẽ of a sentence ─▶ f(u), annealed, one for each group of features ─▶ preconditioner: step sizes ─▶ θ

Parts of it that are records of their own are in updates.py and preconditioners.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from tagfield.bregman.responses import Response
from tagfield.errors import InputError
from tagfield.train.recipes.feature_generators import FeatureGenerators
from tagfield.train.recipes.fields import documented, nested, option
from tagfield.train.recipes.preconditioners import PRECONDITIONERS, Preconditioner
from tagfield.train.recipes.recipe import Copies, Descent, Recipe
from tagfield.train.recipes.updates import STOCHASTIC, Calibration, Divergence
from tagfield.train.recipes.variants import AUTO, AVERAGE, BLOCK, RATE, Auto, WholeCorpus


@documented
@dataclass(frozen=True)
class Stochastic(Descent):
    """Natural gradient descent, one sentence at a time: u = E − Ẽ of a sentence passes through f before the step.

    response    f(u), or the Divergence that it comes from

    >>> from tagfield.train import RECIPES
    >>> from tagfield.train.recipes.preconditioners import AdaGrad
    >>> str(replace(RECIPES["u2.g1"], average=True, preconditioner=AdaGrad()))
    'u2.g1, adaptive, averaged'
    """

    preconditioner: Preconditioner | None = option(
        None,
        f"Step size per weight: flat, {', '.join(each.choice() for each in PRECONDITIONERS)}; "
        f"{' and '.join(each.kind for each in PRECONDITIONERS if each.one_by_one)} train on one thread.",
        group=STOCHASTIC, name="metric",
        choices={"flat": None} | {each.kind: each() for each in PRECONDITIONERS},
    )  # fmt: skip
    respond: str = option(
        "all",
        "Features whose gradient is transformed: all, or only states, scaled to slope 1 at 0 (states) or unscaled.",
        group=STOCHASTIC, choices={name: name for name in ("all", "states", "states-unscaled")},
    )  # fmt: skip
    generators: FeatureGenerators | None = option(
        None,
        "Generators for groups of features: states, transitions, edges, or a pattern of attribute names such as w[0].",
        group=STOCHASTIC, metavar="KIND=NAME:X,…",
    )  # fmt: skip
    average: bool = option(False, AVERAGE)
    anneal: float = option(
        0.0, "Reduce the transformation over the epochs e: f(κu)/κ with κ = 1/e^A; 0 keeps it.", group=STOCHASTIC,
        low=0.0, high=10.0, metavar="A",
    )  # fmt: skip
    cost: float = option(
        0.0, "Cost of a wrong label, added to its score in training (softmax margin).", group=STOCHASTIC, low=0.0,
        high=100.0, metavar="C",
    )  # fmt: skip
    rate: float | None = option(None, RATE)
    rate_by: str = option(
        "calibration",
        "Where the rate comes from if you give none: calibration tries some on a sample; attributes takes 160/A² for A "
        "attributes per token, between 0.1 and 0.4.", group=STOCHASTIC,
        choices={name: name for name in ("calibration", "attributes")},
    )  # fmt: skip
    block: int | None = option(None, BLOCK)
    minibatch: int = option(
        1,
        "Mini-batch size: sequences whose gradients are summed before the transformation and one update; set to the "
        "corpus size for full batch.", group=STOCHASTIC, low=1, metavar="B",
    )  # fmt: skip
    minibatch_mean: bool = option(
        False, "Transform the mean of the gradients of a mini-batch instead of their sum.", group=STOCHASTIC
    )
    calibration: Calibration = nested(Calibration())

    made_by: ClassVar[str] = "tagfield.train.trainers.calibration:calibrated_trainer"
    family: ClassVar[str] = "stochastic recipes"
    keeps_lowest_loss: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.generators is not None:
            object.__setattr__(self, "generators", FeatureGenerators.of(self.generators))
        if self.preconditioner is not None and self.preconditioner.one_by_one:
            self._check_one_by_one(f"metric {self.preconditioner.kind}")
        for f in self.responses if self.anneal or self.respond == "states" else []:
            if not f.depends_on_u_alone:
                continue
            with np.errstate(all="ignore"):
                slope = f.slope
            if not 0 < slope < np.inf:
                what = "anneal" if self.anneal else "respond='states'"
                raise InputError(f"{what} needs a response with a slope at 0, and that of {f} is {slope:g}")

        if self.minibatch > 1 and self.block is not None:
            raise InputError(
                "block does not apply with a minibatch: the sequences of a mini-batch see the same weights"
            )

    @property
    def calibrates(self) -> bool:
        """Whether trials on a sample find the rate.

        >>> from tagfield.train import Settings
        >>> [each.recipe.calibrates for each in (Settings("sgd"), Settings.of("sgd", rate=0.1), Settings())]
        [True, False, False]
        """
        return self.rate is None and self.rate_by == "calibration"

    @property
    def responses(self) -> list[Response]:
        """The response, and one for each group of features that has a generator of its own, with the same loss."""
        return [self.f] if self.generators is None else self.generators.responses(self.f, self.respond != "all")

    def responses_at(self, epoch: int) -> list[Response]:
        """What these have become by that epoch; plain gradients stay plain.

        >>> from tagfield.train import RECIPES
        >>> recipe = replace(RECIPES["ngd"], generators={"transitions": "quadratic", "w[0]": "erf:5"})
        >>> [str(f) for f in recipe.responses_at(1)]
        ['B2, γ=0 of arctan:0.1', 'B2, γ=0 of quadratic', 'B2, γ=0 of erf:5']
        """
        kappa = self.anneal and epoch**-self.anneal
        return [_response_at(f, self.respond == "states", kappa) for f in self.responses]

    def _check_one_by_one(self, called: str) -> None:
        if self.block is not None and self.block > 1:
            raise InputError(
                f"block must be 1 with {called}, got {self.block}: each step measures the curvature at the "
                "weights that the step before has left"
            )
        if self.minibatch > 1 or self.generators is not None:
            what = "minibatch" if self.minibatch > 1 else "generators"
            raise InputError(f"{what} does not apply with {called}, whose steps are those of one sequence")
        if not self.f.depends_on_u_alone:
            raise InputError(
                f"{called} needs a direction that depends on u = E − Ẽ alone, and that of {self.f} depends "
                "on E and Ẽ; use another metric, or a loss such as B2 or U2"
            )

    def response_at(self, epoch: int) -> Response:
        """What the response has become by that epoch, counted from 1.

        Where transitions keep the plain gradient, f is scaled to slope 1 at 0, unless it is to stay unscaled: near the
        optimum all weights then keep the same pace. Annealing ends as gradient descent at the rate that was calibrated,
        whatever the slope of f.

        >>> from tagfield.train import RECIPES
        >>> recipe = replace(RECIPES["u2.g1p"], anneal=1.0)
        >>> [round(recipe.response_at(epoch).slope, 2) for epoch in (1, 2, 1000)]
        [10.0, 3.16, 1.0]
        """
        return _response_at(self.f, self.respond == "states", self.anneal and epoch**-self.anneal)

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Marks, θ̄, its two copies; what the preconditioner remembers; the average's two arrays; a mini-batch."""
        counted = not all(f.depends_on_u_alone for f in self.responses)
        gathered = (1 + counted) * (self.minibatch > 1 or self.generators is not None)
        remembered = self.preconditioner.arrays if self.preconditioner else 0
        return Copies(4 + remembered + 2 * self.average + 2 * scored + gathered)

    @property
    def streams(self) -> bool:
        return self.preconditioner is None or not self.preconditioner.one_by_one

    def variant(self, options: Mapping[str, Any]) -> Recipe:
        about: dict[str, Any] = {"name": self.name, "about": self.about}
        if options.get("generator") == AUTO and isinstance(self.response, Divergence):
            return Auto(rate=self.rate, **about)
        if options.get("batch"):
            if self.preconditioner is not None:
                raise InputError(
                    f"batch does not apply to {self.name}: {self.preconditioner.title} steps on one sentence at a time"
                )
            if (
                self.average
                or self.anneal
                or self.cost
                or self.respond != "all"
                or self.minibatch > 1
                or self.generators
            ):
                raise InputError(f"batch does not apply to {self}: these options step on some sentences at a time")
            return WholeCorpus(self.response, rate=self.rate, **about)
        return self

    def __str__(self) -> str:
        words = [super().__str__()]
        words += [str(self.generators)] if self.generators else []
        words += ["on states"] if self.respond == "states" else []
        words += ["on states, unscaled"] if self.respond == "states-unscaled" else []
        step = self.preconditioner.kind if self.preconditioner else ""
        words += [step] if step and step != self.name else []
        words += ["averaged"] if self.average else []
        words += [f"annealed by {self.anneal:g}"] if self.anneal else []
        words += [f"cost {self.cost:g}"] if self.cost else []
        words += [f"{'means' if self.minibatch_mean else 'sums'} of {self.minibatch}"] if self.minibatch > 1 else []
        return ", ".join(words)


@lru_cache(maxsize=128)  # with their tables
def _response_at(f: Response, scaled: bool, kappa: float) -> Response:
    if scaled and f.depends_on_u_alone:
        f = replace(f, scale=f.scale / f.slope)
    if kappa in (0.0, 1.0):
        return f
    changed = f.annealed(kappa)
    slope = f.slope if f.depends_on_u_alone else 1.0  # any slope, so that every recipe ends as f(u) = u
    return replace(changed, scale=changed.scale * slope ** (kappa - 1))
