"""Recipes as records: what each way of training can be told, and the trainer that it makes.

    Recipe ─┬─ Stochastic(response, metric, respond, average, anneal, cost, rate, …)   one sentence, one step
            ├─ Auto(rate, average)             chooses a Stochastic from the data
            ├─ WholeCorpus(response, rate)     natural gradient descent on all sentences at once
            ├─ QuasiNewton(num_memories, …)    L-BFGS, and OWL-QN with c1
            ├─ Margin(pa_type, c, …)           passive–aggressive
            ├─ Perceptron(epsilon)             averaged perceptron
            └─ Arow(variance, gamma, epsilon)  adaptive regularisation of weights

A record holds only what its trainer uses, so an option that a recipe does not have cannot be set. The table of named
recipes is recipes.py; what belongs to no recipe is in settings.py.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tagfield.bregman.joint import Joint
from tagfield.bregman.responses import Response
from tagfield.errors import InputError
from tagfield.train.fields import Option, check_record, documented, nested, option
from tagfield.train.kinds import Kinds
from tagfield.train.line_search import SEARCHES
from tagfield.train.metrics import MetaDescent, Newton, SgdQn
from tagfield.train.updates import NGD, STOCHASTIC, AdaGrad, Calibration, Divergence, Metric

if TYPE_CHECKING:
    from tagfield.train.problem import Problem
    from tagfield.train.trainer import Trainer

MARGIN, QUASI_NEWTON = "pa, ap and arow", "lbfgs"
AUTO = "auto"
CHOICE = 1  # the random stream for choosing an update

RATE = Option(
    "Initial learning rate.",
    STOCHASTIC,
    above=0.0,
    usual="found by calibration; with batch 1; in a stream 0.2, or 0.4 with AdaGrad",
    metavar="R",
)
AVERAGE = Option("Keep the running mean of the weights instead of the last ones.", STOCHASTIC)
BLOCK = Option(
    "Sequences whose gradients see the same weights, for threads to share; 1 updates after each, as in the paper.",
    STOCHASTIC,
    low=1,
    high=1024,
    usual="8, or a thousandth of the data if that is less",
    metavar="K",
)
MINIBATCH = Option(
    "Sequences whose gradients are added up before the transformation and one update; as many as there are is the "
    "whole corpus.",
    STOCHASTIC,
    low=1,
    metavar="B",
)
MINIBATCH_MEAN = Option("Transform the mean of the gradients of a mini-batch instead of their sum.", STOCHASTIC)
EPSILON = Option(
    "Convergence threshold: gradient norm relative to the weights (lbfgs), or mean loss per sequence (pa, ap, arow).",
    "When training stops",
    low=0.0,
    usual="1e-5 for lbfgs, 0 for pa, ap and arow",
    metavar="E",
)
BATCH = Option("Step on the whole corpus at once instead of one sentence at a time.", NGD)


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

    made_by: ClassVar[str] = ""  # module and class of its trainer, which is imported when it is needed
    family: ClassVar[str] = ""  # what messages call recipes of this kind
    suffix: ClassVar[str] = ""  # what they add where options have made another recipe of a named one
    unit: ClassVar[str] = "epoch"
    epochs: ClassVar[int] = 50  # at most, by default
    crfsuite_epochs: ClassVar[int] = 1000  # the same in CRFsuite, and so in CRF
    delta: ClassVar[float] = 1e-6
    has_likelihood: ClassVar[bool] = True  # it can sum over unknown labels, and over the paths that rules allow
    settles: ClassVar[bool] = True  # the loss falls towards a limit
    by_period: ClassVar[bool] = True  # the stopping rule looks back by a period
    keeps_best: ClassVar[bool] = False  # the best epoch's weights; else the last

    def __post_init__(self) -> None:
        check_record(self)

    def trainer(self, problem: "Problem", rng: np.random.Generator) -> "Trainer":
        """The trainer of this recipe for a problem."""
        module, _, name = self.made_by.partition(":")
        made: Trainer = getattr(import_module(module), name)(self, problem)
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


@documented
@dataclass(frozen=True)
class Stochastic(Descent):
    """Natural gradient descent, one sentence at a time: u = E − Ẽ of a sentence passes through f before the step.

    response    f(u), or the Divergence that it comes from

    >>> from tagfield.train import RECIPES
    >>> str(replace(RECIPES["u2.g1"], average=True, metric=AdaGrad()))
    'u2.g1, adaptive, averaged'
    """

    metric: Metric | None = option(
        None,
        "Step size per weight: flat, adaptive (AdaGrad), newton (online Newton), sgdqn (SGD-QN) or smd (stochastic "
        "meta-descent); sgdqn and smd train on one thread.",
        group=STOCHASTIC,
        choices={"flat": None} | {each.kind: each for each in (AdaGrad(), Newton(), SgdQn(), MetaDescent())},
    )
    respond: str = option(
        "all",
        "Features whose gradient is transformed: all, or states only, scaled to slope 1 at 0 or unscaled.",
        group=STOCHASTIC,
        choices={name: name for name in ("all", "states", "states-unscaled")},
    )
    generators: Kinds | None = option(
        None,
        "Generators of some features: states, transitions, edges, or a pattern of attribute names such as w[0].",
        group=STOCHASTIC,
        metavar="KIND=NAME:X,…",
    )
    average: bool = option(False, AVERAGE)
    anneal: float = option(
        0.0,
        "Reduce the transformation over the epochs e: f(κu)/κ with κ = 1/e^A; 0 keeps it.",
        group=STOCHASTIC,
        low=0.0,
        high=10.0,
        metavar="A",
    )
    cost: float = option(
        0.0,
        "Cost of a wrong label, added to its score in training (softmax margin).",
        group=STOCHASTIC,
        low=0.0,
        high=100.0,
        metavar="C",
    )
    rate: float | None = option(None, RATE)
    block: int | None = option(None, BLOCK)
    minibatch: int = option(1, MINIBATCH)
    minibatch_mean: bool = option(False, MINIBATCH_MEAN)
    calibration: Calibration = nested(Calibration())

    family: ClassVar[str] = "stochastic recipes"
    keeps_best: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.generators is not None:
            object.__setattr__(self, "generators", Kinds.of(self.generators))
        if self.metric is not None and self.metric.one_by_one:
            self._check_one_by_one(self.metric)
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
    def responses(self) -> list[Response]:
        """The response, and those of the kinds of features that have a generator of their own, with its loss."""
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

    def _check_one_by_one(self, metric: Metric) -> None:
        if self.block is not None and self.block > 1:
            raise InputError(
                f"block must be 1 with metric {metric.kind}, got {self.block}: each step measures the curvature at the "
                "weights that the step before has left"
            )
        if self.minibatch > 1 or self.generators is not None:
            what = "minibatch" if self.minibatch > 1 else "generators"
            raise InputError(f"{what} does not apply with metric {metric.kind}, whose steps are those of one sequence")
        if not self.f.depends_on_u_alone:
            raise InputError(
                f"metric {metric.kind} needs a direction that depends on u = E − Ẽ alone, and that of {self.f} depends "
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

    def trainer(self, problem: "Problem", rng: np.random.Generator) -> "Trainer":
        from tagfield.train.calibration import calibrate
        from tagfield.train.stochastic import StochasticTrainer

        if isinstance(self.f.generator, Joint):
            raise InputError(
                f"the generator {self.f.generator} couples all features, and a stochastic step sees those of "
                "one sentence; give batch as well"
            )
        recipe = self if self.rate else replace(self, rate=calibrate(self, problem, rng))
        return StochasticTrainer(recipe, problem, problem.start.copy())

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Marks, θ̄, its two copies; what the metric remembers; the average's rest and what it is divided into; a
        mini-batch."""
        counted = not all(f.depends_on_u_alone for f in self.responses)
        gathered = (1 + counted) * (self.minibatch > 1 or self.generators is not None)
        remembered = self.metric.arrays if self.metric else 0
        return Copies(4 + remembered + 2 * self.average + 2 * scored + gathered)

    @property
    def streams(self) -> bool:
        return self.metric is None or not self.metric.one_by_one

    def variant(self, options: Mapping[str, Any]) -> Recipe:
        about: dict[str, Any] = {"name": self.name, "about": self.about}
        if options.get("generator") == AUTO and isinstance(self.response, Divergence):
            return Auto(rate=self.rate, **about)
        if options.get("batch"):
            if self.metric is not None:
                raise InputError(
                    f"batch does not apply to {self.name}: {self.metric.title} steps on one sentence at a time"
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
        words += [self.metric.kind] if self.metric is not None and self.name != self.metric.kind else []
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


@documented
@dataclass(frozen=True)
class Auto(Recipe):
    """Tries a family of updates on a part of the data and trains with the best (choose.py)."""

    rate: float | None = option(None, RATE)
    average: bool = option(True, AVERAGE)
    block: int | None = option(None, BLOCK)

    family: ClassVar[str] = "stochastic recipes"
    suffix: ClassVar[str] = " with generator auto"
    keeps_best: ClassVar[bool] = True

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Those of the recipe that needs most."""
        return Copies(5 + 2 * self.average + 2 * scored)

    def trainer(self, problem: "Problem", rng: np.random.Generator) -> "Trainer":
        from tagfield.train.choose import choose
        from tagfield.train.stochastic import StochasticTrainer

        # The choice has a random stream of its own, and calibration's draw is made all the same: the shuffles that
        # follow are those of any recipe that is calibrated from this seed.
        chosen = choose(problem, np.random.default_rng([problem.settings.seed, CHOICE]), average=self.average)
        rng.permutation(problem.count)
        name, about = chosen.f.name, f"chosen by {self.name}{self.suffix}"
        recipe = replace(chosen, rate=self.rate or chosen.rate, block=self.block, name=name, about=about)
        return StochasticTrainer(recipe, problem, problem.start.copy())


@documented
@dataclass(frozen=True)
class WholeCorpus(Descent):
    """Natural gradient descent on the expectations of the whole corpus, in float64, on any number of threads."""

    rate: float | None = option(None, RATE)

    made_by: ClassVar[str] = "tagfield.train.whole_corpus:WholeCorpusTrainer"
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


@documented
@dataclass(frozen=True)
class QuasiNewton(Recipe):
    """L-BFGS on the whole corpus; with c1, OWL-QN."""

    num_memories: int = option(6, "Pairs of points and gradients that L-BFGS remembers.", group=QUASI_NEWTON, low=1)
    linesearch: str = option(
        "MoreThuente",
        "Line search; with --c1 it is always backtracking.",
        group=QUASI_NEWTON,
        choices={name: name for name in SEARCHES},
    )
    max_linesearch: int = option(20, "Points that one line search may try.", group=QUASI_NEWTON, low=1)
    epsilon: float = option(1e-5, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.quasi_newton:QuasiNewtonTrainer"
    family: ClassVar[str] = "lbfgs"
    unit: ClassVar[str] = "iteration"
    epochs: ClassVar[int] = 1000  # it converges sooner: after some 160 on CoNLL-2000
    crfsuite_epochs: ClassVar[int] = 2**31 - 1
    delta: ClassVar[float] = 1e-5

    def copies(self, *, c1: float = 0.0, threads: int = 1, scored: bool = False) -> Copies:
        """Pairs; x, ∇, d, what a line search tries and its ∇; places of features; x on its way into the weights."""
        return Copies(1 + 2 * scored, 2 * self.num_memories + 7)


class ErrorDriven(Recipe):
    """What learns only from mislabelled sentences: it has no likelihood, so no objective can settle."""

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

    pa_type: int = option(1, "PA, PA-I or PA-II.", group=MARGIN, low=0, high=2, metavar="0|1|2")
    c: float = option(1.0, "Aggressiveness of pa.", group=MARGIN, name="pa_c", crf="c", above=0.0, metavar="C")
    error_sensitive: bool = option(
        True,
        "Margin of pa: the square root of the number of wrong labels, or else 1.",
        group=MARGIN,
        name="pa_cost_sensitive",
        crf="error_sensitive",
    )
    averaging: bool = option(
        True, "Keep the mean of all of pa's steps.", group=MARGIN, name="pa_average", crf="averaging"
    )
    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.margin:MarginTrainer"
    family: ClassVar[str] = "pa"


@documented
@dataclass(frozen=True)
class Perceptron(ErrorDriven):
    """The averaged perceptron: a step of 1 towards the gold labels of every mislabelled sentence."""

    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.margin:MarginTrainer"
    family: ClassVar[str] = "ap"


@documented
@dataclass(frozen=True)
class Arow(ErrorDriven):
    """Adaptive regularisation of weights: a weight that was corrected often moves less."""

    variance: float = option(
        1.0,
        "Initial variance of every weight.",
        group=MARGIN,
        name="arow_variance",
        crf="variance",
        above=0.0,
        metavar="V",
    )
    gamma: float = option(
        1.0,
        "How slowly the variances fall: larger is slower.",
        group=MARGIN,
        name="arow_gamma",
        crf="gamma",
        above=0.0,
        metavar="G",
    )
    epsilon: float = option(0.0, EPSILON)

    made_by: ClassVar[str] = "tagfield.train.arow:ArowTrainer"
    family: ClassVar[str] = "arow"
