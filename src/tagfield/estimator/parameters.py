"""The estimator's arguments → Settings. sklearn-crfsuite's names and CRFsuite's defaults, algorithm by algorithm.

Every algorithm takes max_iterations, min_freq, all_possible_states and all_possible_transitions, and then

    lbfgs (default)   c1 c2 num_memories epsilon period delta linesearch max_linesearch
    l2sgd             c2 period delta calibration_*
    ap                epsilon
    pa                epsilon pa_type c error_sensitive averaging
    arow              epsilon variance gamma
    sgd u1.g1 …       as l2sgd, and rate respond metric average anneal: tagfield's natural gradient recipes
    ngd               as those, and loss gamma generator: any loss of the paper with any convex function

`gamma` is AROW's for arow, and the γ of the loss for ngd. What another algorithm takes is ignored.
"""

import math
import os
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from tagfield.bregman.convex import Generator
from tagfield.bregman.losses import Loss
from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings
from tagfield.train.calibration import Calibration
from tagfield.train.line_search import SEARCHES
from tagfield.train.settings import AUTO

NAMES = {"l2sgd": "sgd", "averaged-perceptron": "ap", "passive-aggressive": "pa"}
UNLIMITED = 2**31 - 1


def recipe_of(algorithm: str | None) -> str:
    """The recipe behind an algorithm's name; None is lbfgs, as in sklearn-crfsuite.

    >>> recipe_of(None), recipe_of("l2sgd"), recipe_of("u2.g2")
    ('lbfgs', 'sgd', 'u2.g2')
    """
    if algorithm is None:
        return "lbfgs"
    name = NAMES.get(algorithm, algorithm) if isinstance(algorithm, str) else ""
    if name not in RECIPES:
        offered = ", ".join(["l2sgd", *RECIPES])
        raise InputError(f"there is no algorithm {algorithm!r}; choose one of {offered}")
    return name


def settings_of(params: Mapping[str, Any], seed: int) -> Settings:
    """Settings from the estimator's arguments; None means CRFsuite's default for that algorithm.

    >>> settings_of({"algorithm": "l2sgd", "c2": 0.5}, seed=0).epochs
    1000
    """

    def given(name: str, default: Any) -> Any:
        value = params.get(name)
        return default if value is None else value

    def number(name: str, default: float) -> float:
        return number_of(name, given(name, default))

    def maybe(name: str) -> float | None:
        return None if params.get(name) is None else number(name, 0.0)

    def whole(name: str, default: int) -> int:
        return whole_of(name, given(name, default))

    recipe = recipe_of(params.get("algorithm"))
    family = RECIPES[recipe].family
    limit = {"batch": UNLIMITED, "margin": 100}.get(family, 1000)
    if params.get("trainer_cls") is not None:
        raise InputError(
            "trainer_cls must be None: tagfield has its own trainers; use callbacks to follow one"
        )
    if given("linesearch", "MoreThuente") not in SEARCHES:
        raise InputError(
            f"there is no linesearch {params['linesearch']!r}; choose one of {', '.join(SEARCHES)}"
        )
    for name in ("loss", "generator"):
        if params.get(name) is not None and recipe != "ngd":
            raise InputError(f"{name} goes with algorithm='ngd', not with {recipe}")
        if not isinstance(given(name, ""), str | Loss | Generator):
            raise InputError(f"{name} must be a name, such as 'B2' or 'arctan:0.1', or one of your own")
    early = bool(params.get("early_stopping"))
    patience = whole("n_iter_no_change", 5)
    if early and patience < 1:
        raise InputError(f"n_iter_no_change must be at least 1, not {patience}; early_stopping=False is off")
    calibration = Calibration(
        start=number("calibration_eta", 0.1),
        factor=number("calibration_rate", 2.0),
        samples=whole("calibration_samples", 1000),
        candidates=whole("calibration_candidates", 10),
        trials=whole("calibration_max_trials", 20),
    )
    if not (calibration.start > 0 and calibration.factor > 1 and calibration.samples > 0):
        raise InputError("calibration_eta and calibration_samples must be above 0, calibration_rate above 1")
    return Settings(
        recipe=recipe,
        features="all" if params.get("all_possible_states") else "observed",
        transitions="all" if params.get("all_possible_transitions") else "observed",
        min_count=count_of(number("min_freq", 0)),
        c1=number("c1", 0.0),
        c2=number("c2", 1.0),
        epochs=whole("max_iterations", limit),
        seed=seed,
        threads=threads_of(params.get("n_jobs")),
        rate=maybe("rate"),
        calibration=calibration,
        period=whole("period", 10),
        delta=maybe("delta"),
        epsilon=maybe("epsilon"),
        memory=whole("num_memories", 6),
        search=given("linesearch", "MoreThuente"),
        line_search=whole("max_linesearch", 20),
        pa_type=whole("pa_type", 1),
        pa_c=number("c", 1.0),
        pa_cost_sensitive=bool(given("error_sensitive", True)),
        pa_average=bool(given("averaging", True)),
        arow_variance=number("variance", 1.0),
        arow_gamma=number("gamma", 1.0),
        loss=given("loss", "B2"),
        gamma=number("gamma", 0.0) if recipe == "ngd" else 0.0,
        generator=given("generator", "arctan:0.1"),
        respond=given("respond", "all"),
        metric=given("metric", "flat"),
        average=bool(given("average", False)),
        anneal=number("anneal", 0.0),
        patience=patience if early else 0,
        monitor=given("monitor", AUTO),
        collapse=None,  # held-out data that is only watched changes nothing, as in CRFsuite
    )


def number_of(name: str, value: Any) -> float:
    """A number that a parameter was given, or an error that names it.

    >>> number_of("c2", 1)
    1.0
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputError(f"{name} must be a number, not {value!r}")
    return float(value)


def whole_of(name: str, value: Any) -> int:
    """The same for whole numbers.

    >>> whole_of("period", 10.0)
    10
    """
    found = number_of(name, value)
    if found != found // 1:
        raise InputError(f"{name} must be a whole number, not {value!r}")
    return int(value)


def count_of(min_freq: float) -> int:
    """CRFsuite's threshold as a count: what occurs at least min_freq times is kept.

    >>> count_of(0), count_of(1.5), count_of(3)
    (1, 2, 3)
    """
    if not (min_freq >= 0 and math.isfinite(min_freq)):
        raise InputError(f"min_freq must be a number from 0 on, not {min_freq}")
    return max(1, math.ceil(min_freq))


def threads_of(n_jobs: int | None) -> int:
    """Threads by joblib's convention: None is 1, −1 every core, −2 all but one.

    >>> threads_of(None), threads_of(3), threads_of(-1) >= 1
    (1, 3, True)
    """
    if n_jobs is None:
        return 1
    n_jobs = whole_of("n_jobs", n_jobs)
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0; give a number of threads, or -1 for every core")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)


def seed_of(random_state: Any) -> int:
    """A seed from None (always the same one), an int, a RandomState or a Generator.

    >>> seed_of(None), seed_of(7)
    (0, 7)
    """
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, int | np.integer) and random_state >= 0:
        return int(random_state)
    raise InputError(
        f"random_state must be None, an int from 0 on, a RandomState or a Generator, not {random_state!r}"
    )
