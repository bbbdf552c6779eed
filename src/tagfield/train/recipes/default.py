"""The default: how tagfield trains if you name no recipe. docs/results.md, "The default", says how it was chosen.

    Settings()  ·  tagfield train  ·  Model.train(encoded)  ─▶  DEFAULT, changed by the options that you give
    Settings("u2.g1")  ·  --algorithm u2.g1                 ─▶  the recipe's own defaults, and NAMED

Two things depend on the data, and on nothing else, so that every machine trains the same model:

    rate       160/A² for A attributes per token, between 0.1 and 0.4          default_rate
    features   a weight for every pair of attribute and label, unless training would take more than 2 GB for them:
               then one for each pair that occurs in the data                  default_features

The second holds for transitions that look at the input as well.
"""

from typing import Any

from tagfield.data.corpus import Corpus
from tagfield.data.encode import Encoded
from tagfield.weights.layout import LANES

NAME = "default"  # stands for DEFAULT wherever a recipe is named

# The options of the default. Options that are not here have the default of the recipe and of Settings.
DEFAULT: dict[str, Any] = {
    "recipe": "adaptive",
    "average": True,
    "rate_by": "attributes",
    "adagrad_delta": 0.1,
    "cost": 2.0,
    "features": "auto",
    "c2": 0.1,
    "epochs": 6,
    "calibrate": False,  # calibrated, the default would take two to three times as long
    "prune": 0.0,
}

# The same options of Settings where a recipe is named: those of CRFsuite and of the paper's experiment.
NAMED: dict[str, Any] = {"features": "observed", "c2": 1.0, "epochs": None, "calibrate": False, "prune": 0.0}

RATE_TIMES_SQUARE, LOWEST_RATE, HIGHEST_RATE = 160.0, 0.1, 0.4
COPIES = 8  # of the weights: features, start, θ, AdaGrad's squares, the average, the best epoch, the result, the model
MOST_BYTES = 2e9  # that training may take for a weight for every pair; never the machine's memory: see above


def attributes_per_token(encoded: Encoded | Corpus) -> float:
    """How many attributes a token has, on average.

    >>> from tagfield.data.encode import encode_sequences
    >>> attributes_per_token(encode_sequences([[["a", "b"], ["c"]]], [["X", "Y"]]))
    1.5
    """
    if isinstance(encoded, Corpus):
        occurrences = sum(shard.occurrences for shard in encoded.manifest.shards)
    else:
        occurrences = len(encoded.dataset.place)
    return occurrences / max(1, encoded.tokens)


def default_rate(attributes_per_token: float) -> float:
    """The learning rate that `rate_by="attributes"` stands for, to two digits.

    Every attribute of a token takes a step of its own, so the score of a label changes by the sum of these steps: the
    more attributes, the smaller each step has to be.

    >>> [default_rate(attributes) for attributes in (0, 18, 22.5, 28, 60)]
    [0.4, 0.4, 0.32, 0.2, 0.1]
    """
    rate = RATE_TIMES_SQUARE / max(1.0, attributes_per_token) ** 2
    return float(f"{min(HIGHEST_RATE, max(LOWEST_RATE, rate)):.2g}")


def default_features(attributes: int, labels: int, edges: int = 0) -> str:
    """The feature set that `features="auto"` stands for.

    >>> default_features(100_000, 20), default_features(10**6, 400)
    ('all', 'observed')
    """
    return "all" if weight_bytes(attributes, labels, edges) <= MOST_BYTES else "observed"


def weight_bytes(attributes: int, labels: int, edges: int = 0) -> float:
    """Bytes that training takes for one weight for every pair of attribute and label, and for every edge feature.

    >>> weight_bytes(100_000, 20) / 1e6
    76.8
    """
    return float((attributes + edges * labels) * -(-labels // LANES) * LANES * 4 * COPIES)
