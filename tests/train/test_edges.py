"""Training where transitions look at the input: every recipe learns it, and the figures are those of the definition."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError
from tagfield.inference.constraints import rules_of
from tagfield.model.model import Model
from tagfield.train import RECIPES, Settings, train
from tagfield.train.problem.problem import Problem as Posed
from tagfield.train.recipes import default as default_module
from tagfield.train.recipes.stochastic import Stochastic
from tests.support.corpus import TRAIN, needs_corpus, with_hidden
from tests.support.naive import Problem, chain_in_logs, path_score, sentence_scores, sentence_transitions
from tests.support.strategies import dense_weights, encode, learnable, listed

EVERY = pytest.mark.parametrize("recipe", list(RECIPES))
BOTH = pytest.mark.parametrize("features", ["observed", "all"])


def flipping(count: int, seed: int = 0) -> Problem:
    """The first token shows its label; from there an edge attribute says whether the label stays (0) or flips (1)."""
    rng = np.random.default_rng(seed)
    sentences, gold, edges = [], [], []
    for _ in range(count):
        flips = rng.integers(2, size=rng.integers(2, 9)).tolist()
        path = [int(rng.integers(2))]
        for flip in flips[1:]:
            path.append(path[-1] ^ flip)
        sentences.append([[(path[0], 1.0)], *([(2, 1.0)] for _ in path[1:])])
        gold.append(path)
        edges.append([[(flip, 1.0)] for flip in flips])
    return Problem(sentences, gold, [1.0] * count, 3, 2, edges, 2)


@EVERY
@BOTH
def test_every_recipe_learns_transitions_that_look_at_the_input(recipe: str, features: str, tmp_path: Path) -> None:
    data, held_out = encode(flipping(60)), encode(flipping(40, seed=1))
    settings = Settings(recipe=recipe, features=features, epochs=15, c2=0.1)
    trained = train(data, settings, dev=held_out)
    model = Model.of(data, trained)
    scores = model.evaluate(held_out)
    assert scores.accuracy > 0.97
    assert trained.best.scores == scores
    model.save(tmp_path / "m")
    assert Model.load(tmp_path / "m").evaluate(held_out) == scores
    blind = [replace(each, dataset=replace(each.dataset, edge_slots=None), edges=None) for each in (data, held_out)]
    assert Model.of(blind[0], train(blind[0], settings)).evaluate(blind[1]).accuracy < 0.8


@pytest.mark.parametrize("options", [{"generator": "auto"}, {"loss": "U6", "generator": "arctan:1"}, {"batch": True}])
def test_updates_of_every_kind_learn_them(options: dict[str, Any]) -> None:
    data = encode(flipping(80))
    model = Model.of(data, train(data, Settings.of("ngd", features="all", epochs=20, c2=0.1, **options)))
    assert model.evaluate(data).accuracy > 0.97


@EVERY
def test_edge_attributes_that_never_occur_change_nothing(recipe: str) -> None:
    """The same bits as without them, in sentences that have none."""
    data = encode(learnable(30))
    empty = encode(replace(learnable(30), edges=[[[] for _ in x] for x in learnable(30).sentences], edge_attributes=2))
    settings = Settings(recipe, epochs=3)
    one, other = train(data, settings), train(empty, settings)
    assert other.edges is not None
    assert other.weights.edge is not None
    assert one.weights.state.tobytes() == other.weights.state.tobytes()
    assert one.weights.trans.tobytes() == other.weights.trans.tobytes()


@pytest.mark.parametrize("recipe", ["u2.g1", "adaptive", "lbfgs"])
def test_they_are_learned_with_unknown_labels_and_rules(recipe: str) -> None:
    data = encode(flipping(120))
    rules = rules_of(lambda before, after: True, data.labels.strings())
    hidden = with_hidden(data, np.s_[1::3])
    model = Model.of(hidden, train(hidden, Settings(recipe, features="all", epochs=30, c2=0.1), rules=rules))
    assert model.evaluate(data).accuracy > 0.97


@pytest.mark.parametrize("min_count", [1, 2, 5])
@BOTH
def test_scores_along_the_way_are_those_of_the_model(features: str, min_count: int) -> None:
    rng = np.random.default_rng(0)
    problem = flipping(40)
    rare = [[[*token, (2 + int(rng.integers(30)), 1.0)] for token in sentence] for sentence in problem.edges]
    data = encode(replace(problem, edges=rare, edge_attributes=32))
    held_out = data.take(np.arange(0, 40, 2))
    trained = train(data, Settings("u2.g1", features=features, min_count=min_count, epochs=4), dev=held_out)
    model = Model.of(data, trained)
    assert trained.edges is not None
    assert (len(trained.edges) < 32) == (features == "all" and min_count == 5)
    assert model.features.edge_attributes == len(trained.edges)
    fresh = replace(held_out, dataset=replace(held_out.dataset), attributes=model.attributes, edges=model.edges)
    if len(trained.edges) == 32 and len(trained.attributes) == len(data.attributes):
        assert model.evaluate(fresh) == trained.best.scores


def test_training_goes_on_from_a_model_with_fewer_edge_attributes() -> None:
    problem = flipping(40)
    first = encode(problem)
    trained = train(first, Settings("lbfgs", epochs=10))
    more = [[[*token, (2, 1.0)] for token in sentence] for sentence in problem.edges]
    second = encode(replace(problem, edges=more, edge_attributes=3))
    start = trained.features, trained.weights
    posed = Posed.of(second, Settings("lbfgs"), start=start)
    kept = dense_weights(posed.features, posed.start).edge
    np.testing.assert_array_equal(kept[:2], dense_weights(trained.features, trained.weights).edge)
    assert not kept[2].any()
    assert train(second, Settings("lbfgs", epochs=1), start=start).history[0].objective < trained.history[0].objective
    with pytest.raises(InputError, match="can only grow"):
        train(encode(replace(problem, edges=[], edge_attributes=0)), Settings("lbfgs"), start=start)


def test_held_out_data_needs_the_same_edge_attributes() -> None:
    data = encode(flipping(10))
    bare = replace(data, dataset=replace(data.dataset, edge_slots=None), edges=None)
    for train_on, dev in ((data, bare), (bare, data)):
        with pytest.raises(InputError, match="not encoded with the vocabularies of the training data"):
            train(train_on, Settings("sgd"), dev=dev)


def test_the_default_has_fewer_edge_features_where_all_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = encode(flipping(10))
    assert (Settings().for_data(data).features, Settings().for_data(data).transitions) == ("all", None)
    monkeypatch.setattr(default_module, "MOST_BYTES", 1.2 * default_module.weight_bytes(3, 2))
    decided = Settings().for_data(data)
    assert (decided.features, decided.transitions) == ("all", "observed")


def test_the_loss_per_token_and_the_rate_are_those_of_edge_attributes_too() -> None:
    data = encode(flipping(150))
    trained = train(data, Settings.of("u2.g1", average=True, features="all", epochs=5, c2=0.0))
    assert isinstance(trained.settings.recipe, Stochastic)
    assert trained.settings.recipe.rate is not None  # calibrated
    assert trained.history[-1].loss is not None
    sample = data.take(np.linspace(0, 149, 100).astype(np.int64))
    found = Model.of(data, trained).decoder(sample).log_probability()
    tokens = len(sample.dataset.labels)
    assert trained.history[-1].loss == pytest.approx(-float(np.sum(found)) / tokens, rel=1e-4)


@needs_corpus
@pytest.mark.slow
def test_the_objective_is_that_of_crfpp() -> None:
    """NLL + ‖θ‖²/(2C), which is c2 = 1/(2C), with CRF++'s template for chunking and words in the transitions too."""
    text = TRAIN.read_text().strip().split("\n\n")[::40]
    template = replace(PRESETS["crfpp"], transitions=parse_template("U:%x[0,0]\nB01:%x[0,0]").transitions)
    data = encode_files([Source("part", ("\n\n".join(text) + "\n").encode())], template=template)
    C, A, L = 1.5, len(data.attributes), len(data.labels)
    assert data.edges is not None
    trained = train(data, Settings.of("lbfgs", features="all", c2=1 / (2 * C), epochs=10))
    assert (*trained.features.counts, trained.features.edge_count) == (A * L, L * L, len(data.edges) * L * L)
    theta = dense_weights(trained.features, trained.weights).map(np.float64)
    assert np.abs(theta.edge).max() > 0.01
    dataset = data.dataset
    gold = [labels.tolist() for labels in np.split(dataset.labels, dataset.tokens[1:-1])]
    words, edges = listed(dataset.states, dataset), listed(dataset.edge_slots, dataset)
    problem = Problem(words, gold, [1.0] * len(gold), A, L, edges, len(data.edges))
    objective = float(np.sum(theta.flat() ** 2)) / (2 * C)
    for s, path in enumerate(gold):
        scores, trans = sentence_scores(problem, s, theta), sentence_transitions(problem, s, theta)
        objective += chain_in_logs(scores, trans).log_z - path_score(scores, trans, tuple(path))
    assert trained.history[-1].objective == pytest.approx(objective, rel=1e-6)
