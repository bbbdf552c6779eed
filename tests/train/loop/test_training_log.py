"""The training log beside python-crfsuite's: the same keys, and for lbfgs the same figures in every iteration."""

import numpy as np
import pytest

from tagfield import CRF
from tagfield.demo import addresses

sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed")

CORPUS = addresses(seed=4, train=60, test=30)
X, X_DEV = (
    [[{"w": word, "s": shape, "last": t + 1 == len(s)} for t, (word, shape, _) in enumerate(s)] for s in part]
    for part in (CORPUS.train, CORPUS.test)
)
Y, Y_DEV = ([[label for _, _, label in s] for s in part] for part in (CORPUS.train, CORPUS.test))
Y[0][0] = "RARE"  # a label that the held-out data does not have
EARLY = 3  # iterations whose weights still have ties among labels, which rounding decides
FIGURES = ("loss", "feature_norm", "error_norm", "linesearch_step", "avg_precision", "avg_recall", "avg_f1")
COUNTS = ("num", "active_features", "linesearch_trials", "item_accuracy", "instance_accuracy")


@pytest.mark.parametrize("given", [{"c2": 0.01}, {"c1": 0.137, "c2": 0.01}], ids=str)
def test_every_figure_of_lbfgs_is_crfsuites(given: dict[str, float]) -> None:
    ours, theirs = (
        cls("lbfgs", max_iterations=25, **given).fit(X, Y, X_DEV, Y_DEV).training_log_
        for cls in (CRF, sklearn_crfsuite.CRF)
    )
    assert len(ours.iterations) == len(theirs.iterations) == 25
    assert ours.featgen_num_features == theirs.featgen_num_features
    assert ours.featgen_percent == theirs.featgen_percent
    for mine, other in zip(ours.iterations, theirs.iterations, strict=True):
        assert set(other) <= set(mine)
        if mine["num"] <= EARLY:
            continue
        assert {name: mine[name] for name in FIGURES} == pytest.approx(
            {name: other[name] for name in FIGURES}, rel=2e-5, abs=2e-6
        )
        assert {name: mine[name] for name in COUNTS} == {name: other[name] for name in COUNTS}
        assert set(mine["scores"]) == set(other["scores"])
        for label, score in other["scores"].items():
            found = mine["scores"][label]
            assert found[:3] == score[:3]
            known = [(a, b) for a, b in zip(found[3:], score[3:], strict=True) if a is not None and b is not None]
            assert [a for a, _ in known] == pytest.approx([b for _, b in known], abs=5e-5)
            assert found[3:].count(None) == score[3:].count(None)


@pytest.mark.parametrize("algorithm", ["l2sgd", "ap", "pa", "arow"])
def test_every_key_of_the_other_algorithms_is_there(algorithm: str) -> None:
    ours, theirs = (
        cls(algorithm, max_iterations=3).fit(X, Y, X_DEV, Y_DEV).training_log_ for cls in (CRF, sklearn_crfsuite.CRF)
    )
    assert set(theirs.last_iteration) <= set(ours.last_iteration)
    for name in ("featgen_percent", "featgen_num_features", "featgen_seconds", "training_seconds", "storing_seconds"):
        assert hasattr(ours, name)
        assert hasattr(theirs, name)
    assert ours.training_seconds == pytest.approx(sum(row["time"] for row in ours.iterations))


@pytest.mark.parametrize("algorithm", ["ap", "arow"])  # of pa it is that of the last weights, as in CRFsuite
def test_the_norm_is_that_of_the_weights_that_are_kept(algorithm: str) -> None:
    crf = CRF(algorithm, max_iterations=4).fit(X, Y)
    kept = [*crf.state_features_.values(), *crf.transition_features_.values()]
    assert crf.training_log_.last_iteration["feature_norm"] == pytest.approx(np.linalg.norm(kept), rel=1e-5)


def test_sgd_tells_its_rate_and_its_steps() -> None:
    crf = CRF("l2sgd", max_iterations=2, c2=1.0, rate=0.25).fit(X, Y)
    last = crf.training_log_.last_iteration
    assert last["updates"] == 2 * len(X)
    assert last["learning_rate"] == pytest.approx(0.25 / (1 + 0.25 * (2 / len(X)) * (2 * len(X) - 1)))


def test_labels_keep_their_type_and_a_loaded_model_has_an_empty_log(tmp_path) -> None:
    crf = CRF(max_iterations=2).fit([[["a"], ["b"]]], [[1, 2]], [[["b"]]], [[2]])
    assert crf.training_log_.last_iteration["scores"][2].match == 1
    crf.save(tmp_path / "model")
    loaded = CRF.load(tmp_path / "model")
    assert loaded.training_log_.iterations == []
    assert loaded.training_log_.last_iteration is None
