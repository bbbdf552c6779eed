"""The metrics: a step size for each weight. Their arithmetic is in native/kernel/pass/metric.hpp.

    adaptive   S ← S + r²;  θ −= λ_t·r/(√S + δ)           AdaGrad (Duchi et al. 2011)
    newton     S ← S + r²;  θ −= λ_t·r/(S + δ)            a diagonal online Newton step (Hazan et al. 2007)
    sgdqn      θ −= λ_t·r/(1 + λ_t·Q)                     SGD-QN as corrected by its erratum (Bordes et al. 2010)
    smd        p ← p·max(½, 1 − μ·r·v);  θ −= λ_t·p·r     stochastic meta-descent (Vishwanathan et al. 2006)

r = f(u) is any response, so each goes with every recipe: `Settings.of("u2.g1", metric="smd")`. docs/recipes.md has the
formulas of Q and v, and what was tried for the defaults.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from tagfield.errors import InputError
from tagfield.train.fields import check_record, documented, option
from tagfield.train.updates import STOCHASTIC

if TYPE_CHECKING:
    from tagfield.native import kernels


class Metric:
    """A step size for each weight, from what the weight remembers.

    With `one_by_one` a step needs the weights that the step before has left: blocks of one sequence, one thread, no
    stream and no cluster.
    """

    kind: ClassVar[str]  # the value of the option `metric`, and the kernel's name
    told: ClassVar[Mapping[str, str]]  # its options, and what a native pass calls them
    title: ClassVar[str]  # in messages
    one_by_one: ClassVar[bool] = False
    arrays: ClassVar[int] = 1  # numbers that it remembers for each weight
    start: ClassVar[float] = 0.0  # the first of these, before the first step
    stream_rate: ClassVar[float] = 0.4  # in a stream, where no rate is given

    def __post_init__(self) -> None:
        check_record(self)

    def check(self, c2: float) -> None:
        """Raise InputError for a penalty that the metric cannot work with."""

    def tell(self, target: "kernels.Pass") -> None:
        """Hand the metric and its options to a native pass."""
        target.metric = self.kind
        for name, native in self.told.items():
            setattr(target, native, getattr(self, name))


@documented
@dataclass(frozen=True)
class AdaGrad(Metric):
    """A step size for each weight: the step is divided by √S + δ, S the sum of its squared steps so far."""

    delta: float = option(
        1e-3,
        "The δ of AdaGrad: steps of weights that never moved are divided by it.",
        group=STOCHASTIC,
        name="adagrad_delta",
        above=0.0,
        metavar="D",
    )

    kind: ClassVar[str] = "adaptive"
    told: ClassVar[Mapping[str, str]] = {"delta": "floor"}
    title: ClassVar[str] = "AdaGrad"


@documented
@dataclass(frozen=True)
class Newton(Metric):
    """The step is divided by S + δ, S the sum of the squared steps so far: 1/t where AdaGrad's steps fall with 1/√t.

    >>> from tagfield.train import Settings
    >>> Settings.of("newton", newton_delta=1.0).recipe.metric.delta
    1.0
    """

    delta: float = option(
        3.0,
        "The δ of the online Newton step: steps of weights that never moved are divided by it.",
        group=STOCHASTIC,
        name="newton_delta",
        above=0.0,
        metavar="D",
    )

    kind: ClassVar[str] = "newton"
    told: ClassVar[Mapping[str, str]] = {"delta": "floor"}
    title: ClassVar[str] = "the online Newton step"


@documented
@dataclass(frozen=True)
class SgdQn(Metric):
    """The step is divided by 1 + λ_t·Q, where Q adds up the curvature that the steps so far have seen.

    Curvature is the change of r from before a step to after it, between C and `bound`·C, so c2 must be above 0.

    >>> from tagfield.train import Settings
    >>> Settings.of("sgdqn", qn_skip=4).recipe.metric.skip
    4
    """

    skip: int = option(
        16,
        "Steps of SGD-QN from one measurement of the curvature to the next.",
        group=STOCHASTIC,
        name="qn_skip",
        low=1,
        metavar="N",
    )
    bound: float = option(
        100.0,
        "The largest curvature that SGD-QN adds, in multiples of the penalty's.",
        group=STOCHASTIC,
        name="qn_bound",
        above=1.0,
        metavar="B",
    )

    kind: ClassVar[str] = "sgdqn"
    told: ClassVar[Mapping[str, str]] = {"skip": "skip", "bound": "most"}
    title: ClassVar[str] = "SGD-QN"
    one_by_one: ClassVar[bool] = True

    def check(self, c2: float) -> None:
        if c2 == 0:
            raise InputError("metric sgdqn needs a c2 above 0: curvatures are bounded by multiples of the penalty's")


@documented
@dataclass(frozen=True)
class MetaDescent(Metric):
    """Each weight has a gain p that grows while its steps keep their direction, and falls where they turn.

    >>> from tagfield.train import Settings
    >>> Settings.of("smd", smd_mu=0.02).recipe.metric.mu
    0.02
    """

    mu: float = option(
        0.1,
        "The μ of stochastic meta-descent: how fast gains change.",
        group=STOCHASTIC,
        name="smd_mu",
        low=0.0,
        metavar="M",
    )
    memory: float = option(
        1.0,
        "The λ of stochastic meta-descent: how much earlier gains count; 0 forgets all but the last step of a weight.",
        group=STOCHASTIC,
        name="smd_lambda",
        low=0.0,
        high=1.0,
        metavar="L",
    )

    kind: ClassVar[str] = "smd"
    told: ClassVar[Mapping[str, str]] = {"mu": "mu", "memory": "memory"}
    title: ClassVar[str] = "stochastic meta-descent"
    one_by_one: ClassVar[bool] = True
    arrays: ClassVar[int] = 2
    start: ClassVar[float] = 1.0
