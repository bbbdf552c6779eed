"""Problems and trainers with any features, limits and start, for tests that look inside a training run."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.encode import Encoded
from tagfield.train import Settings
from tagfield.train.problem.limits import Limits
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.trainer import Trainer
from tagfield.weights.layout import FeatureSet, Weights


def pose(
    encoded: Encoded,
    settings: Settings,
    features: FeatureSet | None = None,
    *,
    start: Weights | None = None,
    limits: Limits | None = None,
    class_weight: ArrayLike | None = None,
) -> Problem:
    """The problem of some data, with features other than those that the settings would find."""
    found = Problem.of(encoded, settings, class_weight=class_weight)
    features = features or found.features
    start = start or features.zeros()
    made_of = (found.dataset, found.corpus, found.attributes, features, start, settings, limits)
    return Problem(*made_of, class_weight=found.class_weight)


def made(encoded: Encoded, settings: Settings, features: FeatureSet | None = None, **rest: Any) -> Trainer:
    """The trainer of the settings' recipe; its chance comes from seed 0."""
    problem = pose(encoded, settings, features, **rest)
    return settings.recipe.trainer(problem, np.random.default_rng(0))
