"""Settings: everything that a training run can be told, in one record, and what is not allowed in it."""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.bregman.losses import Loss
from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.train.calibration import Calibration
from tagfield.train.line_search import SEARCHES
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
    loss: str | Loss = "B2"  # for the recipe ngd: B1 … B4, U1 … U6, or one's own
    gamma: float = 0.0
    generator: str | Generator = "arctan:0.1"  # a name with its number, auto, or one's own
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
        0.25  # the share by which dev's errors may rise above their lowest, beyond noise; None: as they like
    )
    monitor: str = (
        AUTO  # a figure of tagfield.evaluate.Scores, for patience; auto: f1 of chunks, or else accuracy
    )

    def check(self, encoded: Encoded, has_dev: bool) -> None:
        """Raises an InputError for data or settings that cannot be trained with."""
        if len(encoded) == 0 or len(encoded.labels) == 0:
            raise InputError("there is nothing to train on: the data holds no labelled sequence")
        self.check_values(has_dev)

    def check_values(self, has_dev: bool) -> None:
        """The part of it that needs no data."""
        recipe = find_recipe(self.recipe)
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
        if not 0 <= self.anneal <= 10:
            raise InputError(f"anneal must be a number from 0 to 10, not {self.anneal}")
        self.check_goes_together()
        if recipe.name == "pa" and self.pa_type not in (0, 1, 2):
            raise InputError(
                f"there is no passive–aggressive algorithm of type {self.pa_type}; choose 0, 1 or 2"
            )
        if self.patience and not has_dev:
            raise InputError("patience needs held-out data to look at; give dev")
        if self.monitor not in (AUTO, *FIGURES):
            raise InputError(f"there is no score {self.monitor!r}; choose auto, {', '.join(FIGURES)}")
        if self.search not in SEARCHES:
            raise InputError(f"there is no line search {self.search!r}; choose one of {', '.join(SEARCHES)}")
        for name, least in (("period", 0), ("memory", 1), ("line_search", 1)):
            if getattr(self, name) < least:
                raise InputError(f"{name} must be at least {least}, not {getattr(self, name)}")
        for name in ("epsilon", "delta"):
            value = getattr(self, name)
            if value is not None and not (value >= 0 and np.isfinite(value)):
                raise InputError(f"{name} must be a number from 0 on, not {value}")

    def check_goes_together(self) -> None:
        """Raises an InputError for what the recipe would quietly leave aside.

        >>> Settings("lbfgs", average=True).check_goes_together()
        Traceback (most recent call last):
            ...
        tagfield.errors.InputError: average is for stochastic recipes, and lbfgs is none; leave it out
        """
        recipe = find_recipe(self.recipe)
        stochastic = [name for name in ("respond", "metric", "average", "anneal") if self._told(name)]
        online = [*stochastic, *(["rate"] if self._told("rate") else []), *(["batch"] if self.batch else [])]
        update = [name for name in ("loss", "gamma", "generator") if self._told(name)]
        if update and recipe.name != "ngd":
            raise InputError(
                f"{update[0]} goes with the recipe ngd, not with {recipe.name}; leave one of them out"
            )
        if online and recipe.family != "stochastic":
            raise InputError(
                f"{online[0]} is for stochastic recipes, and {recipe.name} is none; leave it out"
            )
        if self.batch and (
            stochastic or recipe.name == "adaptive" or self.patience or self.generator == AUTO
        ):
            clash = [*stochastic, *(["patience"] if self.patience else []), "this recipe"]
            name = "generator auto" if self.generator == AUTO else clash[0]
            raise InputError(
                f"{name} looks at one sentence after another, and batch at all at once; choose one"
            )
        named = isinstance(self.loss, str) and self.loss.upper().startswith("B")
        if self._told("gamma") and not named:
            raise InputError(
                "gamma is for the losses B1 to B4; U1 to U6, or a loss of one's own, have theirs"
            )
        chosen = [name for name in ("loss", "gamma", "respond", "metric", "anneal") if self._told(name)]
        if self.generator == AUTO and chosen:
            raise InputError(
                f"generator auto chooses the whole update, {chosen[0]} included; leave one of them out"
            )

    def check_partial(self) -> None:
        """Raises an InputError where a recipe cannot learn from unknown labels or under rules: it needs a likelihood.

        >>> Settings("u2.g1").check_partial()
        """
        if find_recipe(self.recipe).family == "margin" or self.batch:
            what = "the whole corpus at once (batch)" if self.batch else self.recipe
            raise InputError(
                f"{what} needs a label for every token and takes no constraints in training; use lbfgs or a stochastic "
                "recipe such as u2.g1, which sum over the paths that are possible"
            )

    def _told(self, name: str) -> bool:
        return bool(getattr(self, name) != type(self).__dataclass_fields__[name].default)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for a model's file.

        >>> Settings(loss=Loss(1, 0, 0, -1, "mine")).to_dict()["loss"]
        'mine'
        """
        loss = self.loss if isinstance(self.loss, str) else self.loss.name
        return asdict(replace(self, loss=loss, generator=str(self.generator)))
