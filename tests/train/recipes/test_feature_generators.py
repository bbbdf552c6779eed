"""Generators by kind of feature: the naive twin, what must be equal to one generator, and how kinds are named."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF, Corpus, Model, encode_files, encode_sequences
from tagfield.bregman import Response, arctan, parse_generator, update
from tagfield.bregman.joint import squared_norm
from tagfield.data.corpus import pack
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.train import Settings, train
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.feature_generators import FeatureGenerators
from tagfield.train.trainers import stochastic
from tests.support.naive import Dense
from tests.support.naive import Problem as Naive
from tests.support.naive_minibatch import Minibatches
from tests.support.passes import close, drawn_features
from tests.support.strategies import encode, learnable, present, problems
from tests.support.trainers import made
from tests.train.problem.test_limits import hide
from tests.train.test_blocks import EDGES, PLAIN, VALUES, bits, same_on_any, unknown

LABELS = (1, 2, 3, 9, 33)


@pytest.fixture(autouse=True)
def _every_block_has_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stochastic, "LEAST_WORK", 0.0)
    monkeypatch.setattr(stochastic, "SHARE", 1)


@pytest.mark.parametrize("loss", ["U2", "U4"])
def test_passes_follow_the_twin(loss: str) -> None:
    names = {"transitions": "quadratic", "states": "arctan:0.5", "edges": "softplus", "f:1": "erf:2"}
    of = {kind: Response(update(loss), parse_generator(name)).direction for kind, name in names.items()}

    def direction(E: Dense, empirical: Dense) -> Dense:
        state = of["states"](E.state, empirical.state)
        if len(state) > 1:
            state[1] = of["f:1"](E.state[1], empirical.state[1])
        edge = of["edges"](E.edge, empirical.edge) if E.edge.size else E.edge
        return Dense(state, of["transitions"](E.trans, empirical.trans), edge)

    @settings(max_examples=30, deadline=None)
    @given(
        problems(labels=LABELS, edges=True),
        st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4))),
        st.data(),
        st.sampled_from([1, 2, 100]),
        st.booleans(),
        st.sampled_from([1, 2, 3]),
    )
    def follows(
        problem: Naive, hidden: set[tuple[int, int]], data: st.DataObject, size: int, mean: bool, threads: int
    ) -> None:
        problem = hide(problem, hidden)
        encoded = encode(problem)
        there = {kind: name for kind, name in names.items() if kind != "edges" or problem.edge_attributes}
        if problem.attributes < 2:
            del there["f:1"]
        told: dict[str, Any] = {"rate": 0.05, "c2": 0.1, "threads": threads, "generators": there, "loss": loss}
        told |= {"minibatch": size, "minibatch_mean": mean, "block": 1 if size == 1 else None}
        features = drawn_features(data, problem, Problem.of(encoded, Settings.of("sgd")).corpus)
        assumed = replace(made(encoded, Settings.of("sgd", rate=0.1), features).problem, edges=encoded.edges)
        settings = Settings.of("ngd", **told)
        trainer = settings.recipe.trainer(
            replace(assumed, settings=settings, start=features.zeros()), np.random.default_rng(0)
        )
        count = len(problem.sentences)
        size = min(size, max(2, sum(map(bool, problem.sentences))))  # no more than there are
        twin = Minibatches(problem, present(features), direction, 0.05, 0.2 / count, size, mean)
        for _ in range(2):
            order = data.draw(st.permutations(range(count)))
            trainer.run(np.array(order, np.int64))
            twin.run(order)
        close(features, trainer.weights(), twin.theta)

    follows()


def test_epochs_and_runs_share_their_tables() -> None:
    """Tables of counts take seconds."""
    told = {"loss": "U4", "generators": {"transitions": "erf:2", "f:1": "softplus"}, "respond": "states-unscaled"}
    one, other = (Settings.of("ngd", **told).recipe.responses_at(epoch) for epoch in (1, 2))
    assert [a is b for a, b in zip(one, other, strict=True)] == [True] * 4


@pytest.mark.parametrize("more", [{}, {"average": True, "cost": 2.0}, {"block": 1}, {"block": 8, "c2": 20.0}])
def test_the_same_generator_for_all_is_the_recipe_itself(more: dict[str, Any]) -> None:
    """FeatureGenerators take another loop, and nothing else: without AdaGrad not a bit is different."""
    for encoded in (PLAIN, VALUES, EDGES, unknown(PLAIN)):
        assert bits(encoded, 1, "ngd", **more) == bits(encoded, 1, "ngd", generators={"w1*": "arctan:0.1"}, **more)
        one, other = (
            made(encoded, Settings.of("adaptive", rate=0.1, **kinds, **more))
            for kinds in ({}, {"generators": {"w1*": "quadratic"}})
        )
        for trainer in (one, other):
            trainer.run(np.arange(len(encoded.dataset)))
        np.testing.assert_allclose(one.weights().state, other.weights().state, rtol=1e-3, atol=1e-5)


def test_transitions_with_plain_gradients_are_those_of_respond() -> None:
    one = bits(PLAIN, 1, "ngd", respond="states-unscaled")
    other = bits(PLAIN, 1, "ngd", generators={"transitions": "quadratic"})
    assert one == other


@pytest.mark.parametrize("more", [{}, {"average": True, "metric": "adaptive"}, {"minibatch": 7}, {"anneal": 1.0}])
@pytest.mark.parametrize("loss", ["B2", pytest.param("U4", marks=pytest.mark.slow)])
def test_threads_change_no_bit(loss: str, more: dict[str, Any]) -> None:
    kinds = {"transitions": "quadratic", "w1*": "erf:2", "every": "softplus"}
    for data in (PLAIN, VALUES, unknown(PLAIN)):
        same_on_any(data, "ngd", loss=loss, generators=kinds, **more)


def named(encoded: Encoded, given: Any) -> tuple[list[int], int]:
    problem = Problem.of(encoded, Settings("sgd"))
    rows = FeatureGenerators.of(given).rows(problem, plain_links=False)
    return rows.states.tolist(), rows.transitions


def test_a_kind_names_words_and_patterns_of_attributes() -> None:
    encoded = encode_sequences([[["w[0]=a", "w[0]=b=c", "w[1]=a", "bias"]]], [["X"]])
    assert named(encoded, {"w[0]": "erf"}) == ([1, 1, 0, 0], 0)
    assert named(encoded, {"states": "erf", "transitions": "gd", "bias": "quadratic"}) == ([1, 1, 1, 3], 2)
    assert named(encoded, {"w*=a": "erf"}) == ([1, 0, 1, 0], 0)
    assert named(encoded, {"w[?]=?": "erf", "w[1]": "gd"}) == ([1, 0, 2, 0], 0)
    assert named(encoded, {"bias": "erf", "states": "gd"}) == ([2, 2, 2, 1], 0)  # a pattern wins over a word


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"w[O]": "erf"}, r"^no feature is of kind 'w\[O\]'; did you mean 'w\[0\]'\?$"),
        ({"zzz": "erf"}, r"^no feature is of kind 'zzz'; there are states, transitions, edges, w\[0\]$"),
        ({"edges": "erf"}, "^generators names edges, but the data has no edge attributes$"),
    ],
)
def test_a_kind_that_is_not_there_is_refused(given: Any, says: str) -> None:
    encoded = encode_sequences([[["w[0]=a"], ["w[0]=b"]]] * 5, [["X", "Y"]] * 5)
    with pytest.raises(InputError, match=says):
        train(encoded, Settings.of("ngd", generators=given))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("transitions", "generators must be KIND=NAME:X, several with commas, got 'transitions'"),
        ({}, "generators must map kinds of features to generators"),
        (7, "generators must map kinds of features to generators, got 7"),
        ({"states": 7}, "the generator of states must be a name, such as 'erf:5', or a Generator, got 7"),
        ({"states": "arcton"}, "arcton"),
    ],
)
def test_what_is_no_generator_is_refused(given: Any, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Settings.of("ngd", generators=given)


def test_kinds_are_refused_where_they_do_not_apply() -> None:
    with pytest.raises(InputError, match="generators does not apply to ngd with batch"):
        Settings.of("ngd", generators="transitions=quadratic", batch=True)
    with pytest.raises(InputError, match="generators applies only to stochastic recipes, not to lbfgs"):
        Settings.of("lbfgs", generators="transitions=quadratic")
    with pytest.raises(InputError, match="generators does not apply to a stream, whose features are not known before"):
        CRF(algorithm="ngd", generators="transitions=quadratic").partial_fit([[["a"]]], [["X"]])
    with pytest.raises(InputError, match="class_weight does not apply to sgd, states=erf:5, which flattens"):
        train(encode(learnable(20)), Settings.of("sgd", generators="states=erf:5"), class_weight=[1.0, 2.0, 3.0])
    with pytest.raises(InputError, match="couples all features, so it cannot be that of states alone"):
        Settings.of("ngd", generators={"states": squared_norm(3.0)})


def test_a_model_names_its_kinds_and_trains_again() -> None:
    encoded = encode(learnable(40))
    for kinds in ({"transitions": "quadratic", "f:1": "erf:2"}, {"states": "gd:2"}):
        trained = train(encoded, Settings.of("ngd", generators=kinds, epochs=3))
        model = Model.of(encoded, trained)
        assert model.info["settings"]["generators"] == ",".join(f"{k}={v}" for k, v in kinds.items())
        assert str(trained.settings.recipe).endswith(model.info["settings"]["generators"])
        assert Settings.of(**trained.settings.to_dict()) == trained.settings
        assert model.tag([[["f:1"], ["f:2"]]]) == [["y1", "y2"]]
    own = Settings.of("ngd", generators={"states": arctan(0.3)}, epochs=1)
    assert "states=arctan:0.3" in str(train(encoded, own).settings.recipe)


def test_files_lists_and_packed_corpora_agree(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    file = tmp_path / "a.txt"
    file.write_text("".join(f"w{rng.integers(9)} {'XY'[rng.integers(2)]}\n" + "\n" * (t % 5 == 4) for t in range(300)))
    told = Settings.of("ngd", generators="w[0]=erf:5,w.*=quadratic,transitions=gd:2", epochs=2, rate=0.1)
    encoded = encode_files(file, template="words")
    packed: Corpus = pack(file, tmp_path / "packed", template="words")
    one, two = train(encoded, told), train(packed, told, window=1)
    assert one.weights.state.tobytes() == two.weights.state.tobytes()
    plain = train(encoded, Settings.of("ngd", epochs=2, rate=0.1))
    assert one.weights.state.tobytes() != plain.weights.state.tobytes()
    X = [[[f"w[0]=a{rng.integers(5)}", "bias"] for _ in range(4)] for _ in range(30)]
    y = [["X", "Y", "X", "Y"]] * 30
    lists = CRF(algorithm="ngd", generators={"w[0]": "erf:5"}, max_iterations=2, rate=0.1).fit(X, y)
    dicts = CRF(algorithm="ngd", generators={"w[0]": "erf:5"}, max_iterations=2, rate=0.1)
    dicts.fit([[dict.fromkeys(token, True) for token in x] for x in X], y)
    assert lists.predict(X) == dicts.predict(X)


def test_hashed_attributes_have_no_patterns(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a X\nb Y\n\n" * 20)
    packed = pack(file, tmp_path / "packed", template="words", hash_bits=10)
    with pytest.raises(
        InputError, match="generators by pattern need names of attributes, which hash_bits has left out"
    ):
        train(packed, Settings.of("ngd", generators="w[0]=erf:5", rate=0.1))
    train(packed, Settings.of("ngd", generators="states=erf:5", rate=0.1, epochs=1))


def test_a_training_that_goes_on_has_the_bits_of_one_that_never_stopped() -> None:
    encoded = encode(learnable(50))
    for more in ({}, {"average": True, "metric": "adaptive"}, {"anneal": 1.0}, {"minibatch": 8}):
        told = Settings.of("ngd", rate=0.05, generators="f:1=erf:2,transitions=quadratic", **more)
        whole, first, again = (made(encoded, told) for _ in range(3))
        orders = [np.random.default_rng(k).permutation(50) for k in range(3)]
        for order in orders:
            whole.run(order)
        first.run(orders[0])
        again.resume(first.state().copy())
        for order in orders[1:]:
            again.run(order)
        assert again.weights().state.tobytes() == whole.weights().state.tobytes()
