"""The options that belong to no recipe: features, penalties, the seed, and when training stops.

They have a record of their own, so that catalogue.py can list every option before Settings exists.
"""

import math
from dataclasses import dataclass
from typing import Any

from tagfield.evaluate.scores import FIGURES
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.recipes.default import DEFAULT, NAME, NAMED
from tagfield.train.recipes.fields import option
from tagfield.train.recipes.stochastic import Stochastic

TRAINING, STOPPING, ENDING = "The training", "When training stops", "How training ends"
KINDS = {"observed": "observed", "all": "all"}
LIKELIHOOD = (Stochastic.family, QuasiNewton.family)


def _usual(name: str) -> str:
    """What the help says of an option that a named recipe has another default for."""
    shown = [f"{each[name]:g}" if type(each[name]) is float else each[name] for each in (DEFAULT, NAMED)]
    return f"{shown[0]}; {shown[1]} for a named recipe"


@dataclass(frozen=True)
class SharedOptions:
    """A recipe and the options that every recipe has, or that several kinds of recipes have; Settings checks them.

    >>> from tagfield.train.recipes.fields import options_of
    >>> list(options_of(SharedOptions))[:3]
    ['features', 'transitions', 'min_count']
    """

    recipe: Any = NAME  # a Recipe; a name is looked up
    features: str = option(
        None,
        "Features: one weight per attribute and label seen together (observed), or per possible pair (all); auto is "
        "all if training takes at most 2 GB for it, else observed.", group=TRAINING, choices=KINDS | {"auto": "auto"},
        usual=_usual("features"),
    )  # fmt: skip
    transitions: str | None = option(
        None, "Transition weights: for each pair of labels seen in a row (observed), or for every pair (all).",
        group=TRAINING, choices=KINDS, usual="as features",
    )  # fmt: skip
    min_count: int = option(
        1, "Drop features (with all: attributes) that occur less often than this.", group=TRAINING, low=1, metavar="N"
    )
    c1: float = option(0.0, "L1 penalty C·‖θ‖₁; lbfgs only.", group=TRAINING, low=0.0, metavar="C", applies=("lbfgs",))
    c2: float = option(
        None, "L2 penalty C·‖θ‖².", group=TRAINING, low=0.0, metavar="C",
        applies=LIKELIHOOD, usual=_usual("c2"),
    )  # fmt: skip
    epochs: int | None = option(
        None, "Maximum number of passes over the data.", group=STOPPING, low=1,
        usual=f"{DEFAULT['epochs']}; 50 for a named recipe, 1000 for lbfgs", metavar="N",
    )  # fmt: skip
    seed: int = option(
        0, "Random seed: the same seed gives the same model.", group=TRAINING, low=0, high=2**63 - 1, metavar="S"
    )
    threads: int | None = option(
        None, "Number of threads, which never changes the model; pa, ap and arow train on one.", group=TRAINING, low=1,
        high=4096, usual="all cores, or OMP_NUM_THREADS", metavar="N",
    )  # fmt: skip
    period: int = option(
        10, "Epochs over which the loss (plain sgd, lbfgs: objective) must improve by delta; 0 never stops.",
        group=STOPPING, low=0, metavar="N", applies=LIKELIHOOD,
    )  # fmt: skip
    delta: float | None = option(
        None, "Minimum relative improvement over period epochs; with batch, stop at this fraction of the first step.",
        group=STOPPING, low=0.0, metavar="D", applies=LIKELIHOOD, usual="1e-6; 1e-5 for lbfgs and batch",
    )  # fmt: skip
    patience: int = option(
        0, "Stop after this many epochs without a better score on the held-out data, and keep the best; 0 never stops.",
        group=STOPPING, low=0, metavar="N",
    )  # fmt: skip
    keep_best: bool = option(
        True, "Keep the epoch with the best score on the held-out data instead of the last one.", group=STOPPING,
    )  # fmt: skip
    monitor: str = option(
        "auto", "Score that keep_best and patience use; auto is f1 if the labels mark chunks, else accuracy.",
        group=STOPPING, choices={name: name for name in ("auto", *FIGURES)}, metavar="NAME",
    )  # fmt: skip
    max_dev_rise: float | None = option(
        0.25, "Stop when the errors on the held-out data exceed their minimum by this fraction; inf never stops.",
        group=STOPPING, low=0.0, high=math.inf, metavar="F",
    )  # fmt: skip
    calibrate: bool = option(
        None,
        "Divide the weights by a temperature, so that probabilities match how often labels are right; labels stay the "
        "same.", group=ENDING, usual=_usual("calibrate"),
    )  # fmt: skip
    prune: float | str = option(
        None,
        "Remove weights of absolute value up to this; auto finds the largest value that costs nothing measurable, 0 "
        "keeps all.", group=ENDING, metavar="auto|X", usual=_usual("prune"), crf="pruning",
    )  # fmt: skip
