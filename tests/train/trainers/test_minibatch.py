"""Mini-batches against their naive twin, with the same bits on any number of threads; on disk: test_on_disk.py."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield.compat.sklearn import CRF
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.model.model import Model
from tagfield.native import kernels
from tagfield.train import Settings, train
from tagfield.train.trainers import stochastic
from tagfield.train.trainers.response_tables import set_response
from tests.support.bregman_table import EXACT_RECIPES, recipe
from tests.support.naive import Dense, Problem
from tests.support.naive_minibatch import Direction, Minibatches
from tests.support.passes import close, drawn_features
from tests.support.strategies import encode, learnable, present, problems
from tests.support.tolerances import PASSES
from tests.support.trainers import made
from tests.train.problem.test_limits import COUNTED, hide
from tests.train.test_blocks import COUNTED as U4
from tests.train.test_blocks import EDGES, NAMED, PLAIN, TEAMS, VALUES, same_on_any, unknown

LABELS = (1, 2, 3, 9, 33)


@pytest.fixture(autouse=True)
def _every_block_has_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stochastic, "LEAST_WORK", 0.0)


def direction_of(name: str, respond_edges: bool = True) -> Direction:
    """f of E and Ẽ, exact; transitions and edges may keep the plain gradient."""
    if name in COUNTED:
        f: Any = COUNTED[name].direction
    else:
        exact = np.vectorize(EXACT_RECIPES[name], otypes=[float])

        def f(E: np.ndarray, empirical: np.ndarray) -> np.ndarray:
            return exact(E - empirical)

    def all_of(E: Dense, empirical: Dense) -> Dense:
        r, u = E.map(f, empirical), E.map(np.subtract, empirical)
        return r if respond_edges else Dense(r.state, u.trans, u.edge)

    return all_of


@pytest.mark.parametrize("name", ["sgd", "u2.g1", "u1.g1", "U4", "B1"])
def test_passes_follow_the_twin(name: str) -> None:
    @settings(max_examples=40, deadline=None)
    @given(
        problems(labels=LABELS, edges=True),
        st.sets(st.tuples(st.integers(0, 3), st.integers(0, 4))),
        st.data(),
        st.sampled_from([2, 3, 5, 100]),
        *[st.booleans() for _ in range(4)],
        st.sampled_from([0.0, 0.5]),
        st.sampled_from([0.0, 1.5]),
        st.sampled_from([1, 2, 3]),
        st.sampled_from([1, 2, 4096]),
    )
    def follows(
        problem: Problem,
        hidden: set[tuple[int, int]],
        data: st.DataObject,
        size: int,
        mean: bool,
        adaptive: bool,
        averaging: bool,
        respond_edges: bool,
        decay: float,
        cost: float,
        threads: int,
        segment: int,
    ) -> None:
        problem = hide(problem, hidden)
        corpus = open_corpus(encode(problem).dataset)
        features = drawn_features(data, problem, corpus)
        native = kernels.Pass()
        told = {"rate": 0.05, "decay": decay, "averaging": averaging, "cost": cost}
        told["preconditioner"] = "adaptive" if adaptive else "flat"
        told |= {"respond_edges": respond_edges, "floor": 0.05, "block": 2, "threads": threads}
        for key, value in (told | {"minibatch": size, "mean": mean}).items():
            setattr(native, key, value)
        set_response(native, COUNTED[name] if name in COUNTED else recipe(name))
        theta = features.zeros()
        squares, rest = (theta.map(np.zeros_like) for _ in range(2))
        fields = [features.field(w) for w in (theta, squares, rest)]
        direction = direction_of(name, respond_edges)
        twin, nudged = (
            Minibatches(problem, present(features), direction, 0.05, decay, size, mean, adaptive, 0.05, cost)
            for _ in range(2)
        )
        nudged.theta = present(features).map(lambda m: np.where(m, 1e-9, 0.0))
        for _ in range(2):
            order, loss = data.draw(st.permutations(range(len(problem.sentences)))), 0.0
            for first in range(0, len(order), segment):
                native.ends = first + segment >= len(order)
                native.run(corpus, *fields, np.array(order[first : first + segment], np.int64))
                loss += native.loss
            assert loss == pytest.approx(twin.run(order), rel=PASSES, abs=PASSES)
            nudged.run(order)
        assume(np.abs(nudged.theta.flat() - twin.theta.flat()).max(initial=0.0) < 1e-7)
        assert (native.t, native.steps) == (pytest.approx(twin.t), twin.steps)
        close(features, theta.map(lambda array: array * np.float32(native.scale)), twin.theta)
        if averaging and twin.steps:
            assert native.averaged == twin.steps
            mean_of = theta.map(lambda w, r: (native.summed_scale * w - r) / native.averaged, rest)
            close(features, mean_of, twin.average())

    follows()


def learned(encoded: Any, passes: int = 3, **options: Any) -> Any:
    trainer = made(encoded, Settings.of(**options))
    rng = np.random.default_rng(1)
    for _ in range(passes):
        trainer.run(rng.permutation(len(encoded.dataset)))
    return trainer


def test_plain_gradients_of_means_are_those_of_sums_at_another_rate() -> None:
    encoded = encode(learnable(60))
    for size in (10, 16):  # the last of 16 is short
        sums = learned(encoded, recipe="sgd", rate=0.01, minibatch=size, c2=2.0).weights()
        means = learned(encoded, recipe="sgd", rate=0.01 * size, minibatch=size, minibatch_mean=True, c2=2.0).weights()
        np.testing.assert_allclose(sums.state, means.state, rtol=1e-4, atol=1e-6)
    bent = learned(encoded, recipe="u2.g1", rate=0.1, minibatch=10, minibatch_mean=True, c2=2.0).weights()
    assert (
        np.abs(bent.state - learned(encoded, recipe="u2.g1", rate=0.01, minibatch=10, c2=2.0).weights().state).max()
        > 0.01
    )


def test_a_minibatch_of_the_whole_corpus_is_one_step_an_epoch() -> None:
    encoded = encode(learnable(60))
    several = [learned(encoded, recipe="u2.g1", rate=0.01, minibatch=b) for b in (60, 61, 10**9)]
    assert [trainer.figures().updates for trainer in several] == [3, 3, 3]
    assert len({trainer.weights().state.tobytes() for trainer in several}) == 1
    assert (
        learned(encoded, recipe="u2.g1", rate=0.01, minibatch=16).figures().updates == 12
    )  # the last of four is short


@pytest.mark.parametrize("mean", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [name for name in NAMED if name not in ("sgdqn", "smd")])  # these refuse it
def test_threads_change_no_bit_of_any_recipe(name: str, mean: bool) -> None:
    for size in (3, 11, 1000):
        same_on_any(PLAIN, name, minibatch=size, minibatch_mean=mean)
    same_on_any(PLAIN, name, minibatch=4, minibatch_mean=mean, average=True, c2=20.0)


@pytest.mark.parametrize(
    "options", [{}, {"average": True}, {"metric": "adaptive"}, {"respond": "states"}, {"cost": 2.0}]
)
@pytest.mark.parametrize("name", ["u2.g1", pytest.param("ngd", marks=pytest.mark.slow)])
def test_threads_change_no_bit_whatever_a_recipe_is_told(name: str, options: dict[str, Any]) -> None:
    counted = U4 if name == "ngd" else {}
    for data in (PLAIN, VALUES, EDGES, unknown(PLAIN), unknown(EDGES)):
        same_on_any(data, name, minibatch=5, **counted, **options)
    wide = made(PLAIN, Settings.of("sgd", rate=0.1)).problem.features
    same_on_any(PLAIN, name, minibatch=5, more={"features": wide.compact(wide.zero)[0]}, **counted, **options)


def test_many_labels_keep_the_bits() -> None:
    """Expected transitions as factors and as lists, and class weights."""
    rng = np.random.default_rng(6)
    X = [[[f"w{rng.integers(40)}", f"v{rng.integers(9)}"] for _ in range(rng.integers(1, 9))] for _ in range(40)]
    y = [[f"L{rng.integers(45)}" for _ in x] for x in X]
    for kind in ("all", "observed"):
        same_on_any(encode_sequences(X, y), "u2.g1", minibatch=12, features=kind)
    same_on_any(PLAIN, "adaptive", minibatch=7, more={"class_weight": np.linspace(0.5, 2.0, 11)})


def test_a_training_that_goes_on_has_the_bits_of_one_that_never_stopped() -> None:
    encoded = encode(learnable(50))
    for more in ({}, {"average": True, "metric": "adaptive"}, {"minibatch_mean": True, "anneal": 1.0}):
        whole = learned(encoded, recipe="u2.g1", rate=0.05, minibatch=8, **more)
        first, again = (made(encoded, whole.problem.settings) for _ in range(2))
        rng = np.random.default_rng(1)
        first.run(rng.permutation(50))
        again.resume(first.state().copy())
        for _ in range(2):
            again.run(rng.permutation(50))
        assert again.state().numbers == whole.state().numbers
        assert again.weights().state.tobytes() == whole.weights().state.tobytes()


@pytest.mark.parametrize("size", [1, 10, 10**6])
@pytest.mark.parametrize("mean", [False, True])
@pytest.mark.parametrize("name", ["sgd", "u2.g1", "adaptive"])
def test_a_rate_is_found_and_the_labels_are_learned(name: str, size: int, mean: bool) -> None:
    encoded = encode(learnable(60))
    trained = train(encoded, Settings.of(name, minibatch=size, minibatch_mean=mean, c2=0.1, epochs=30))
    assert Model.of(encoded, trained).tag([[["f:1"], ["f:2"]]]) == [["y1", "y2"]]
    words = trained.settings.describe()
    assert ((f"{'means' if mean else 'sums'} of {size}") in words) == (size > 1)
    assert Settings.of(**trained.settings.to_dict()) == trained.settings


def test_what_cannot_be_done_is_refused_in_one_sentence() -> None:
    with pytest.raises(
        InputError, match="block does not apply with a minibatch: the sequences of a mini-batch see the"
    ):
        Settings.of("u2.g1", minibatch=8, block=8)
    with pytest.raises(InputError, match=r"minibatch does not apply to u2\.g1 with batch"):
        Settings.of("u2.g1", minibatch=8, batch=True)
    with pytest.raises(InputError, match="minibatch must be at least 1, got 0"):
        Settings.of("u2.g1", minibatch=0)
    with pytest.raises(InputError, match="minibatch applies only to stochastic recipes, not to lbfgs"):
        Settings.of("lbfgs", minibatch=8)
    with pytest.raises(InputError, match="minibatch does not apply to a stream, which learns from each sequence as it"):
        CRF(algorithm="u2.g1", minibatch=8).partial_fit([[["a"]]], [["X"]])
    with pytest.raises(InputError, match=r"a rate of 0\.3 with c2=2 on 60 sequences would turn the weights around"):
        made(encode(learnable(60)), Settings.of("sgd", rate=0.3, c2=2.0, minibatch=50))


def test_a_function_that_raises_ends_the_pass() -> None:
    for threads in TEAMS:
        trainer = made(unknown(PLAIN), Settings.of("ngd", rate=0.1, threads=threads, minibatch=4, **U4))

        def broken(E: np.ndarray, empirical: np.ndarray) -> np.ndarray:
            raise ZeroDivisionError("mine")

        trainer._pass.set_exact(broken)
        with pytest.raises(ZeroDivisionError, match="mine"):
            trainer.run(np.arange(30))


def test_weights_of_sequences_are_repetitions() -> None:
    """A sequence of weight 2 adds what the same one adds that comes twice."""
    X, y = [[["a"], ["b"]], [["b"], ["c"]]], [["P", "Q"], ["Q", "P"]]
    weighted = encode_sequences(X, y, weights=[2.0, 1.0])
    repeated = encode_sequences([X[0], X[0], X[1]], [y[0], y[0], y[1]])
    for name in ("sgd", "u2.g1"):
        one, two = (made(encoded, Settings.of(name, rate=0.1, c2=0.0, minibatch=9)) for encoded in (weighted, repeated))
        for trainer in (one, two):
            trainer.run(np.arange(len(trainer.problem.dataset)))
        np.testing.assert_allclose(one.weights().state, two.weights().state, rtol=1e-5, atol=1e-7)
