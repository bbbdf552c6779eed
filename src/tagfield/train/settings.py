"""Settings: everything that a training run can be told, in one record, and what is not allowed in it."""

from dataclasses import dataclass, field

import numpy as np

from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.train.calibration import Calibration
from tagfield.train.recipes import DEFAULT, find_recipe

AUTO = "auto"
FIGURES = ("accuracy", "sequence_accuracy", "precision", "recall", "f1", "macro_f1")  # of evaluate.Scores


@dataclass(frozen=True)
class Settings:
    """Everything that a training run can be told; c1, c2, period, delta and pa_* mean what they mean in CRFsuite."""

    recipe: str = DEFAULT
    features: str = "observed"
    transitions: str | None = None  # None: of the same kind as `features`
    min_count: int = 1
    c1: float = 0.0  # c1·‖θ‖₁, lbfgs only; with it OWL-QN runs
    c2: float = 1.0
    epochs: int = 50
    seed: int = 0
    threads: int = 1
    rate: float | None = None  # None: calibrate
    loss: str = "B2"  # for the recipe ngd: B1 … B4, or U1 … U6
    gamma: float = 0.0
    generator: str = "arctan:0.1"
    batch: bool = False  # ngd on the whole corpus at each step instead of one sentence
    respond: str = "all"  # or states: transitions keep the linear response
    metric: str = "flat"  # of the step; or adaptive: diagonal, learned along the way
    average: bool = False  # keep the mean of the weights, for stochastic recipes
    anneal: float = 0.0  # from f(u) to u over the epochs e: κ = 1/e^anneal in f(κu)/κ
    calibration: Calibration = field(default_factory=Calibration)
    period: int = 10
    delta: float | None = None  # 1e-6 for stochastic recipes, 1e-5 for lbfgs, as in CRFsuite
    epsilon: float | None = None  # 1e-5 of the gradient for lbfgs; the mean loss of a margin recipe, 0
    memory: int = 6  # pairs that L-BFGS remembers
    search: str = "MoreThuente"  # how L-BFGS without c1 finds a step (line_search.py)
    line_search: int = 20  # values that one line search may look at
    pa_type: int = 1
    pa_c: float = 1.0
    pa_cost_sensitive: bool = True
    pa_average: bool = True
    arow_variance: float = 1.0
    arow_gamma: float = 1.0
    patience: int = (
        0  # stop after so many epochs without a better `monitor` on dev, and keep the best; 0: do not
    )
    collapse: float | None = (
        0.02  # a fall of dev's accuracy that is no noise and ends a run; None: it may fall
    )
    monitor: str = (
        AUTO  # a figure of tagfield.evaluate.Scores, for patience; auto: f1 of chunks, or else accuracy
    )

    def check(self, encoded: Encoded, has_dev: bool) -> None:
        """Raises an InputError for data or settings that cannot be trained with."""
        recipe = find_recipe(self.recipe)
        if len(encoded) == 0 or len(encoded.labels) == 0:
            raise InputError("there is nothing to train on: the data holds no labelled sequence")
        for name in ("c1", "c2"):
            value = getattr(self, name)
            if not value >= 0 or not np.isfinite(value):
                raise InputError(f"{name} must be a number from 0 on, not {value}")
        if self.c1 and recipe.family != "batch":
            raise InputError(f"c1 works with lbfgs only, not with {self.recipe}; leave it out, or use lbfgs")
        if self.epochs < 1:
            raise InputError(f"training takes at least one epoch, not {self.epochs}")
        if self.threads < 1:
            raise InputError(f"training takes at least one thread, not {self.threads}")
        if self.rate is not None and not (self.rate > 0 and np.isfinite(self.rate)):
            raise InputError(f"the rate must be a number above 0, not {self.rate}")
        if self.respond not in ("all", "states"):
            raise InputError(f"a response applies to all features or to states, not to {self.respond!r}")
        if self.metric not in ("flat", "adaptive"):
            raise InputError(f"there is no metric {self.metric!r}; choose flat or adaptive")
        if not self.anneal >= 0:
            raise InputError(f"anneal must be a number from 0 on, not {self.anneal}")
        if recipe.name == "pa" and self.pa_type not in (0, 1, 2):
            raise InputError(
                f"there is no passive–aggressive algorithm of type {self.pa_type}; choose 0, 1 or 2"
            )
        if self.patience and not has_dev:
            raise InputError("patience needs held-out data to look at; give dev")
        if self.monitor not in (AUTO, *FIGURES):
            raise InputError(f"there is no score {self.monitor!r}; choose auto, {', '.join(FIGURES)}")
        for name, least in (("period", 0), ("memory", 1), ("line_search", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}")
        for name in ("epsilon", "delta"):
            value = getattr(self, name)
            if value is not None and not (value >= 0 and np.isfinite(value)):
                raise InputError(f"{name} must be a number from 0 on, not {value}")
