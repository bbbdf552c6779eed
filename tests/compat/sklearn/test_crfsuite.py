"""Side by side with CRFsuite itself: the same data, algorithm and settings, the same figures.

CRFsuite shuffles with a generator that nobody can seed, so algorithms that shuffle are compared on one sequence.
"""

import numpy as np
import pytest

from tagfield.data.encode import encode_sequences
from tagfield.model.model import Model
from tagfield.train import Settings, train

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")

PRINTED = 1e-5  # CRFsuite prints weights with six digits


def sentences(count: int, length: int, seed: int = 0) -> tuple[list, list]:
    """Words that mostly determine their label, and a class that several of them share."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(count):
        words = rng.integers(0, 30, rng.integers(1, length + 1) if count > 1 else length)
        X.append([[f"w={i}", f"class={i % 7}"] for i in words])
        y.append([str((i + (rng.random() < 0.3)) % 4) for i in words])
    return X, y


def crfsuite(X: list, y: list, path, algorithm: str, **params: float):
    trainer = pycrfsuite.Trainer(algorithm=algorithm, params=params, verbose=False)
    for items, labels in zip(X, y, strict=True):
        trainer.append(items, labels)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return trainer.logparser.iterations, tagger


def largest_difference(tagger, model: Model) -> float:
    info = tagger.info()
    ours = {(a, b): w for a, b, w in model.top_features(10**6)}
    theirs = info.state_features
    apart = [abs(ours.get(pair, 0.0) - theirs.get(pair, 0.0)) for pair in {*ours, *theirs}]
    names = model.labels.strings()
    for (before, after), weight in info.transitions.items():
        apart.append(abs(model.weights.trans[names.index(before), names.index(after)] - weight))
    return max(apart)


@pytest.mark.parametrize(
    ("algorithm", "params", "settings"),
    [
        ("ap", {}, {}),
        ("pa", {}, {}),
        ("pa", {"type": 0}, {"pa_type": 0}),
        (
            "pa",
            {"type": 2, "error_sensitive": 0, "averaging": 0, "c": 0.5},
            {"pa_type": 2, "pa_cost_sensitive": False, "pa_average": False, "pa_c": 0.5},
        ),
        ("arow", {}, {}),
        ("arow", {"variance": 2.0, "gamma": 0.5}, {"arow_variance": 2.0, "arow_gamma": 0.5}),
    ],
)
def test_online_algorithms_take_the_same_steps(algorithm, params, settings, tmp_path) -> None:
    X, y = sentences(1, 30)
    iterations, tagger = crfsuite(X, y, tmp_path / "m", algorithm, max_iterations=7, **params)
    encoded = encode_sequences(X, y)
    trained = train(encoded, Settings.of(recipe=algorithm, epochs=7, **settings))
    assert [e.objective for e in trained.history] == pytest.approx([i["loss"] for i in iterations], rel=1e-4)
    assert largest_difference(tagger, Model.of(encoded, trained)) < PRINTED


@pytest.mark.parametrize(("c1", "c2"), [(0.0, 1.0), (0.0, 0.01), (0.1, 0.1), (1.0, 0.0)])
@pytest.mark.parametrize("everything", [False, True])
def test_lbfgs_and_owlqn_end_where_crfsuite_ends(c1, c2, everything, tmp_path) -> None:
    X, y = sentences(100, 9)
    dense = {"feature.possible_states": everything, "feature.possible_transitions": everything}
    iterations, tagger = crfsuite(X, y, tmp_path / "m", "lbfgs", c1=c1, c2=c2, **dense)
    encoded = encode_sequences(X, y)
    kind = "all" if everything else "observed"
    trained = train(encoded, Settings("lbfgs", epochs=2000, c1=c1, c2=c2, features=kind))
    assert trained.history[-1].objective == pytest.approx(iterations[-1]["loss"], rel=1e-4)
    assert trained.converged
    guess = [label for sequence in Model.of(encoded, trained).tag(X) for label in sequence]
    theirs = [label for items in X for label in tagger.tag(items)]
    assert np.mean([a == b for a, b in zip(guess, theirs, strict=True)]) >= 0.999


@pytest.mark.parametrize(("states", "transitions"), [(True, False), (False, True)])
def test_pairs_and_transitions_are_chosen_apart(states, transitions, tmp_path) -> None:
    X, y = sentences(20, 5)
    params = {"feature.possible_states": states, "feature.possible_transitions": transitions}
    iterations, _ = crfsuite(X, y, tmp_path / "m", "lbfgs", **params)
    kinds = {False: "observed", True: "all"}
    settings = Settings("lbfgs", epochs=500, features=kinds[states], transitions=kinds[transitions])
    trained = train(encode_sequences(X, y), settings)
    assert trained.history[-1].objective == pytest.approx(iterations[-1]["loss"], rel=1e-4)
