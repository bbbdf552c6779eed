"""CoNLL-2000: the figures that any right implementation reaches."""

from itertools import pairwise
from pathlib import Path

import pytest

from tagfield.data.encode import Encoded, encode_files
from tagfield.evaluate import evaluate
from tagfield.model.model import Model
from tagfield.train import Settings, train
from tests.support.corpus import TEST, TRAIN, needs_corpus

pytestmark = needs_corpus


@pytest.fixture(scope="module")
def data() -> tuple[Encoded, Encoded]:
    encoded = encode_files(TRAIN)
    return encoded, encode_files(TEST, attributes=encoded.attributes, labels=encoded.labels)


@pytest.mark.slow
def test_the_objective_of_sgd_is_known_whatever_the_shuffle(data: tuple[Encoded, Encoded]) -> None:
    """36,170 · 22,075 · 18,440 after epochs 1 to 3 with c2 = 1 and λ̂ = 0.1, whatever the shuffle."""
    trained = train(data[0], Settings.of(recipe="sgd", rate=0.1, epochs=3, seed=4, block=1), dev=data[1])
    found = [epoch.objective for epoch in trained.history]
    assert found == pytest.approx([36_170, 22_075, 18_440], rel=0.005)
    accuracies = [epoch.scores.accuracy for epoch in trained.history if epoch.scores is not None]
    assert all(before < after for before, after in pairwise(accuracies))
    assert accuracies[-1] > 0.954


@pytest.mark.slow
def test_three_epochs_of_the_papers_recipe_reach_its_accuracy(data: tuple[Encoded, Encoded], tmp_path: Path) -> None:
    """Large feature set, u2.g1: above 95.7 % on the test set, also after saving and loading; files too are tagged."""
    encoded, test = data
    model = Model.train(encoded, Settings.of(recipe="u2.g1", features="all", rate=0.05, epochs=3))
    scores = model.evaluate(test)
    assert scores.accuracy > 0.957
    assert scores.f1 > 0.93
    assert model.info["state_features"] + model.info["transition_features"] == 7_385_312
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    again = loaded.encode_files(TEST)
    assert loaded.evaluate(again) == scores
    assert evaluate(again.gold_labels(), loaded.tag(again, threads=2)) == scores
    assert scores.tokens.gold == 47_377


@pytest.mark.slow
def test_lbfgs_descends_on_two_threads_as_on_one(data: tuple[Encoded, Encoded]) -> None:
    runs = [train(data[0], Settings(recipe="lbfgs", epochs=4, threads=n)).history for n in (1, 2)]
    one, two = ([epoch.objective for epoch in history] for history in runs)
    assert two == pytest.approx(one, rel=1e-9)
    assert all(before > after for before, after in pairwise(one))
