"""The first of the n best paths is the one that `tag` gives, also where rounding alone separates it from others."""

import numpy as np
import pytest

from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_sequences
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.weights.layout import FeatureSet

LABELS = 5


def near_ties(seed: int, dtype: type) -> tuple[Dataset, FeatureSet, kernels.Field]:
    """Weights of a few sizes, so that many paths have the same sum in real numbers, and other last bits in floats."""
    rng = np.random.default_rng(seed)
    X = [[[f"w{rng.integers(6)}", f"v{rng.integers(4)}"] for _ in range(rng.integers(2, 12))] for _ in range(20)]
    encoded = encode_sequences(X, [["L0"] * len(x) for x in X])
    sizes = np.array([0.1, 0.2, 0.3, 1 / 3, 2 / 3, 1e4 / 3, -0.1, 0.7])
    size = len(encoded.attributes)
    states = np.repeat(np.arange(size), LABELS), np.tile(np.arange(LABELS), size), rng.choice(sizes, size * LABELS)
    edges = np.repeat(np.arange(LABELS), LABELS), np.tile(np.arange(LABELS), LABELS), rng.choice(sizes, LABELS**2)
    features, weights = FeatureSet.from_triples(size, LABELS, states, edges, dtype=dtype)
    return encoded.dataset, features, features.field(weights)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("constrained", [False, True])
def test_the_first_path_is_that_of_tag(dtype: type, constrained: bool) -> None:
    turned = 0
    for seed in range(60):
        dataset, _, field = near_ties(seed, dtype)
        corpus = open_corpus(dataset)
        follow = np.ones((LABELS, LABELS), np.uint8)
        follow[0, 1] = follow[2, 2] = 0
        limits = kernels.Limits(None, follow) if constrained else None
        best, score = kernels.tag(corpus, field, limits)
        labels, scores, counts = kernels.nbest(corpus, field, 4, limits)
        at, path = 0, 0
        for s in range(len(dataset)):
            n = int(dataset.tokens[s + 1] - dataset.tokens[s])
            paths = labels[at : at + int(counts[s]) * n].reshape(-1, n)
            found = scores[path : path + int(counts[s])]
            assert paths[0].tolist() == best[dataset.tokens[s] : dataset.tokens[s + 1]].tolist()
            assert len({tuple(row) for row in paths.tolist()}) == len(paths) == 4
            assert (np.diff(found) <= 1e-12 * np.abs(found).max()).all()
            assert found[0] == pytest.approx(score[s], rel=1e-5)
            turned += found[0] == found[1]
            at, path = at + paths.size, path + len(paths)
    assert turned > 10  # there were ties
