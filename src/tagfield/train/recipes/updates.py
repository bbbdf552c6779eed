"""Parts of a stochastic recipe: how its learning rate is found, and the update of a Bregman divergence."""

from dataclasses import dataclass
from functools import lru_cache

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import parse_generator
from tagfield.bregman.losses import LOSSES, UPDATES, Loss, named_loss
from tagfield.bregman.losses import update as named_update
from tagfield.bregman.responses import Response
from tagfield.errors import InputError
from tagfield.train.recipes.fields import check_record, documented, option

STOCHASTIC, NGD = "Stochastic recipes", "The recipe ngd"
CALIBRATION = "Calibration of the learning rate"


@documented
@dataclass(frozen=True)
class Calibration:
    """How the learning rate is found when none is given (Bottou; the numbers are CRFsuite's)."""

    eta: float = option(0.1, "First learning rate to try.", group=CALIBRATION, name="calibration_eta", above=0.0)
    rate: float = option(
        2.0, "Factor between the learning rates to try.", group=CALIBRATION, name="calibration_rate", above=1.0
    )
    samples: int = option(
        1000, "Sequences to try learning rates on.", group=CALIBRATION, name="calibration_samples", low=1
    )
    candidates: int = option(10, "Learning rates to compare.", group=CALIBRATION, name="calibration_candidates", low=1)
    max_trials: int = option(
        20, "Learning rates to try at most.", group=CALIBRATION, name="calibration_max_trials", low=1
    )

    def __post_init__(self) -> None:
        check_record(self)


@documented
@dataclass(frozen=True)
class Divergence:
    """The update of a Bregman divergence between the model's and the data's expectations: the paper's framework.

    >>> str(Divergence("U1", generator="gd:5")), str(Divergence("B1", 0.5))
    ('U1 of gd:5', 'B1, γ = 0.5, of arctan:0.1')
    """

    loss: str | Loss = option("B2", "Loss: B1 to B4, U1 to U6, or a Loss.", group=NGD, metavar="NAME")
    gamma: float = option(0.0, "The γ of the losses B1 to B4.", group=NGD, metavar="G")
    generator: str | Generator = option(
        "arctan:0.1",
        "Generator, as NAME or NAME:PARAMETER, or a Generator; auto tries a family of updates on your data.",
        group=NGD, metavar="NAME:X|auto",
    )  # fmt: skip

    def __post_init__(self) -> None:
        check_record(self)
        if self.gamma and not (isinstance(self.loss, str) and self.loss.upper().startswith("B")):
            raise InputError(f"gamma applies only to the losses B1 to B4, not to {self.loss}")
        _ = self.response  # what cannot be a response says so here

    def __str__(self) -> str:
        loss = self.loss.upper() if isinstance(self.loss, str) else self.loss.name
        return f"{loss}{f', γ = {self.gamma:g},' if loss in LOSSES else ''} of {self.generator}"

    @property
    def response(self) -> Response:
        """The same object for the same options: its tables are kept with it, and some take seconds to make."""
        if not isinstance(self.loss, str | Loss):
            raise InputError(f"loss must be a name, such as 'B2', or a Loss, got {self.loss!r}")
        if not isinstance(self.generator, str | Generator):
            raise InputError(f"generator must be a name, such as 'arctan:0.1', or a Generator, got {self.generator!r}")
        return _response(self.loss, self.gamma, self.generator)


@lru_cache(maxsize=32)
def _response(loss: str | Loss, gamma: float, generator: str | Generator) -> Response:
    if isinstance(loss, str):
        if loss.upper() not in (*LOSSES, *UPDATES):
            raise InputError(f"no loss named {loss!r}; choose one of {', '.join([*LOSSES, *UPDATES])}")
        loss = named_update(loss) if loss.upper() in UPDATES else named_loss(loss, gamma)
    return Response(loss, parse_generator(generator) if isinstance(generator, str) else generator)
