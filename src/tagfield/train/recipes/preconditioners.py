"""Preconditioners, the option `metric`: a step size for each weight; native/kernel/pass/preconditioner.hpp computes it.

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
from tagfield.train.recipes.fields import check_record, documented, option
from tagfield.train.recipes.updates import STOCHASTIC

if TYPE_CHECKING:
    from tagfield.native import kernels


class Preconditioner:
    """A step size for each weight, from what the weight remembers. To add one, list it in PRECONDITIONERS below, and
    its arithmetic in native/kernel/pass/preconditioner.hpp.

    With `one_by_one` a step needs the weights that the step before has left: blocks of one sequence, one thread, no
    stream and no cluster.
    """

    kind: ClassVar[str]  # the value of the option `metric`, and the kernel's name
    native_names: ClassVar[Mapping[str, str]]  # its options, and what a native pass calls them
    title: ClassVar[str]  # in messages, with its article
    one_by_one: ClassVar[bool] = False
    arrays: ClassVar[int] = 1  # numbers that it remembers for each weight
    start: ClassVar[float] = 0.0  # the first of these, before the first step
    stream_rate: ClassVar[float] = 0.4  # in a stream, where no rate is given

    def __post_init__(self) -> None:
        check_record(self)

    @classmethod
    def choice(cls) -> str:
        """Its value of `metric`, and what it is called, for the option's help.

        >>> Newton.choice(), AdaGrad.choice()
        ('newton (online Newton)', 'adaptive (AdaGrad)')
        """
        return f"{cls.kind} ({cls.title.removeprefix('the ').removesuffix(' step')})"

    @classmethod
    def owner(cls) -> str:
        """What messages about its options call it.

        >>> Newton.owner()
        'online Newton (metric newton)'
        """
        return f"{cls.title.removeprefix('the ').removesuffix(' step')} (metric {cls.kind})"

    def check(self, c2: float) -> None:
        """Raise InputError for a penalty that the preconditioner cannot work with."""

    def tell(self, target: "kernels.Pass") -> None:
        """Hand the preconditioner and its options to a native pass."""
        target.preconditioner = self.kind
        for name, native in self.native_names.items():
            setattr(target, native, getattr(self, name))


@documented
@dataclass(frozen=True)
class AdaGrad(Preconditioner):
    """A step size for each weight: the step is divided by √S + δ, S the sum of its squared steps so far."""

    delta: float = option(
        1e-3, "AdaGrad's δ, added to the divisor of every step; larger makes early steps smaller.", group=STOCHASTIC,
        name="adagrad_delta", above=0.0, metavar="D",
    )  # fmt: skip

    kind: ClassVar[str] = "adaptive"
    native_names: ClassVar[Mapping[str, str]] = {"delta": "floor"}
    title: ClassVar[str] = "AdaGrad"


@documented
@dataclass(frozen=True)
class Newton(Preconditioner):
    """The step is divided by S + δ, S the sum of the squared steps so far: 1/t where AdaGrad's steps fall with 1/√t.

    >>> from tagfield.train import Settings
    >>> Settings.of("newton", newton_delta=1.0).recipe.preconditioner.delta
    1.0
    """

    delta: float = option(
        3.0, "Online Newton's δ, added to the divisor of every step; larger makes early steps smaller.",
        group=STOCHASTIC, name="newton_delta", above=0.0, metavar="D",
    )  # fmt: skip

    kind: ClassVar[str] = "newton"
    native_names: ClassVar[Mapping[str, str]] = {"delta": "floor"}
    title: ClassVar[str] = "the online Newton step"


@documented
@dataclass(frozen=True)
class SgdQn(Preconditioner):
    """The step is divided by 1 + λ_t·Q, where Q adds up the curvature that the steps so far have seen.

    Curvature is the change of r from before a step to after it, between C and `bound`·C, so c2 must be above 0.

    >>> from tagfield.train import Settings
    >>> Settings.of("sgdqn", qn_skip=4).recipe.preconditioner.skip
    4
    """

    skip: int = option(
        16, "Steps between two measurements of the curvature in SGD-QN.", group=STOCHASTIC, name="qn_skip", low=1,
        metavar="N",
    )  # fmt: skip
    bound: float = option(
        100.0, "Largest curvature that SGD-QN adds, as a multiple of the penalty's.", group=STOCHASTIC,
        name="qn_bound", above=1.0, metavar="B",
    )  # fmt: skip

    kind: ClassVar[str] = "sgdqn"
    native_names: ClassVar[Mapping[str, str]] = {"skip": "skip", "bound": "most"}
    title: ClassVar[str] = "SGD-QN"
    one_by_one: ClassVar[bool] = True

    def check(self, c2: float) -> None:
        if c2 == 0:
            raise InputError("metric sgdqn needs a c2 above 0: curvatures are bounded by multiples of the penalty's")


@documented
@dataclass(frozen=True)
class MetaDescent(Preconditioner):
    """Each weight has a gain p that grows while its steps keep their direction, and falls where they turn.

    >>> from tagfield.train import Settings
    >>> Settings.of("smd", smd_mu=0.02).recipe.preconditioner.mu
    0.02
    """

    mu: float = option(
        0.1, "Stochastic meta-descent's μ: how fast the gains change.", group=STOCHASTIC, name="smd_mu", low=0.0,
        metavar="M",
    )  # fmt: skip
    memory: float = option(
        1.0, "Stochastic meta-descent's λ: weight of earlier gains; 0 uses only the last step of a weight.",
        group=STOCHASTIC, name="smd_lambda", low=0.0, high=1.0, metavar="L",
    )  # fmt: skip

    kind: ClassVar[str] = "smd"
    native_names: ClassVar[Mapping[str, str]] = {"mu": "mu", "memory": "memory"}
    title: ClassVar[str] = "stochastic meta-descent"
    one_by_one: ClassVar[bool] = True
    arrays: ClassVar[int] = 2
    start: ClassVar[float] = 1.0


PRECONDITIONERS: tuple[type[Preconditioner], ...] = (AdaGrad, Newton, SgdQn, MetaDescent)
