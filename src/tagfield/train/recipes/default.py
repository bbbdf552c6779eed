"""The default: how tagfield trains if you name no recipe. docs/results.md, "The default", says how it was chosen.

    Settings()  ·  tagfield train  ·  Model.train(encoded)  ─▶  DEFAULT, changed by the options that you give
    Settings("u2.g1")  ·  --algorithm u2.g1                 ─▶  the recipe's own defaults, and NAMED

The default has a weight for every pair of attribute and label. If those would not fit into memory, it has one for each
pair that occurs in the data. The same holds for transitions that look at the input.
"""

from typing import Any

from tagfield.system.memory import max_memory
from tagfield.weights.layout import LANES

NAME = "default"  # stands for DEFAULT wherever a recipe is named

# The options of the default. Options that are not here have the default of the recipe and of Settings.
DEFAULT: dict[str, Any] = {
    "recipe": "adaptive",
    "average": True,
    "rate": 0.4,
    "adagrad_delta": 0.1,
    "cost": 2.0,
    "features": "auto",
    "c2": 0.1,
    "epochs": 3,
    "calibrate": False,  # calibrated, the default would take two to three times as long
    "prune": 0.0,
}

# The same options of Settings where a recipe is named: those of CRFsuite and of the paper's experiment.
NAMED: dict[str, Any] = {"features": "observed", "c2": 1.0, "epochs": None, "calibrate": False, "prune": 0.0}

COPIES = 8  # of the weights: features, start, θ, AdaGrad's squares, the average, the best epoch, the result, the model
SHARE = 0.6  # of the memory that may be used


def default_features(attributes: int, labels: int, edges: int = 0) -> str:
    """The feature set that `features="auto"` stands for.

    >>> default_features(100_000, 20), default_features(10**9, 10**4)
    ('all', 'observed')
    """
    return "all" if weight_bytes(attributes, labels, edges) <= SHARE * max_memory() else "observed"


def weight_bytes(attributes: int, labels: int, edges: int = 0) -> float:
    """Bytes that training takes for one weight for every pair of attribute and label, and for every edge feature.

    >>> weight_bytes(100_000, 20) / 1e6
    76.8
    """
    return float((attributes + edges * labels) * -(-labels // LANES) * LANES * 4 * COPIES)
