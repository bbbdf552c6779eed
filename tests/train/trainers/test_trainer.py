"""State and resume, for every recipe: a trainer that goes on from a state is the trainer that never stopped."""

from dataclasses import replace

import numpy as np
import pytest

from tagfield.data.encode import Encoded
from tagfield.inference.constraints import rules_of
from tagfield.train import RECIPES, Settings
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.crfsuite_recipes import QuasiNewton
from tagfield.train.trainers.trainer import Finished, State, Trainer, arrays_of, norm_of, weights_of
from tests.support.corpus import with_hidden
from tests.support.strategies import encode, learnable
from tests.train.loop.test_driver import noisy

CASES: dict[str, Settings] = {
    **{name: Settings(name) for name in RECIPES},
    "averaged": Settings.of("u2.g1", average=True),
    "adagrad": Settings.of("u2.g1", metric="adaptive", adagrad_delta=0.01),
    "newton, averaged": Settings.of("u2.g1", metric="newton", average=True),
    "sgdqn, averaged": Settings.of("u2.g1", metric="sgdqn", qn_skip=3, average=True),
    "smd, averaged": Settings.of("u2.g1", metric="smd", smd_lambda=0.9, average=True),
    "annealed": Settings.of("u2.g1p", anneal=1.5),
    "states": Settings.of("u2.g2", respond="states"),
    "counted": Settings.of("ngd", loss="U6", generator="arctan:1"),
    "counted, annealed": Settings.of("ngd", loss="U4", generator="arctan:1", anneal=0.5),
    "everything": Settings.of("u2.g1", average=True, metric="adaptive", anneal=1.0, respond="states"),
    "adaptive, averaged": Settings.of("adaptive", average=True),
    "auto": Settings.of("ngd", generator="auto"),
    "auto, last weights": Settings.of("ngd", generator="auto", average=False, rate=0.05),
    "batch": Settings.of("u2.g1", batch=True),
    "batch, plain": Settings.of("sgd", batch=True, rate=0.01),
    "batch, counted": Settings.of("ngd", loss="U6", generator="arctan:1", batch=True),
    "owl-qn": Settings("lbfgs", c1=0.3),
    "two memories": Settings.of("lbfgs", num_memories=2, linesearch="Backtracking"),
    "pa, not averaged": Settings.of("pa", pa_average=False, pa_type=2),
    "arow, slow": Settings.of("arow", arow_gamma=10.0, arow_variance=0.5),
}
EVERY = pytest.mark.parametrize("name", list(CASES))
WHOLE = ("lbfgs", "owl-qn", "two memories", "batch", "batch, plain", "batch, counted")  # without order
EPOCHS = 5


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    """Every second sentence has edge attributes."""
    problem, rng = noisy(40), np.random.default_rng(5)
    edges = [[[(int(rng.integers(4)), 1.0)] if s % 2 else [] for _ in x] for s, x in enumerate(problem.sentences)]
    return encode(replace(problem, edges=edges, edge_attributes=4))


def orders(sentences: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.permutation(sentences).astype(np.int64) for _ in range(EPOCHS)]


def made(encoded: Encoded, settings: Settings, **rest: object) -> Trainer:
    problem = Problem.of(encoded, settings, **rest)  # type: ignore[arg-type]
    return settings.recipe.trainer(problem, np.random.default_rng(1))


def seen(trainer: Trainer, order: np.ndarray) -> tuple[object, ...]:
    """Everything that a pass gives and leaves, to the last bit."""
    objective = trainer.run(order)
    kept, way = trainer.weights(), trainer.directions()
    return (
        objective,
        trainer.monitor,
        trainer.norm(),
        *(array.tobytes() for array in (*kept.arrays(), *way.arrays())),
        trainer.finished(),
        trainer.diverged(),
    )


def bits(state: State) -> dict[str, object]:
    return {name: array.tobytes() for name, array in state.arrays.items()} | dict(state.numbers)


@EVERY
@pytest.mark.parametrize("done", [0, 1, 2, 4])
@pytest.mark.parametrize("features", ["observed", "all"])
def test_a_resumed_trainer_goes_on_to_the_same_bits(encoded: Encoded, name: str, done: int, features: str) -> None:
    settings = replace(CASES[name], features=features, c2=0.5)
    first = made(encoded, settings)
    passes = orders(len(encoded))
    for order in passes[:done]:
        first.run(order)
    state = first.state().copy()
    undisturbed = [seen(first, order) for order in passes[done:]]

    used = replace(settings, recipe=first.recipe)  # with the learning rate and the update that were found
    fresh = made(encoded, used)
    fresh.run(passes[0][::-1].copy())  # what it has learnt is forgotten
    before = bits(state)
    fresh.resume(state.copy())
    assert bits(fresh.state()) == before
    assert [seen(fresh, order) for order in passes[done:]] == undisturbed
    assert bits(state) == before  # a copy is not changed by either


@pytest.mark.parametrize("name", [name for name in CASES if name not in WHOLE])
@pytest.mark.parametrize("done", [10, 20, 50, 75, 110])
def test_a_trainer_resumed_within_an_epoch_goes_on_to_the_same_bits(encoded: Encoded, name: str, done: int) -> None:
    """The average starts again after half an epoch and after one, and annealing goes by epochs of 40 sentences."""
    every = np.concatenate(orders(len(encoded)))
    first = made(encoded, CASES[name])
    first.run(every[:done])
    fresh = made(encoded, replace(CASES[name], recipe=first.recipe))
    fresh.resume(first.state().copy())
    for start, end in ((done, done + 7), (done + 7, len(every))):
        assert seen(fresh, every[start:end]) == seen(first, every[start:end])


@EVERY
def test_the_state_is_all_that_is_needed(encoded: Encoded, name: str) -> None:
    """Weights, numbers and arrays after a resume are those before, also through bytes, as in a file."""
    trainer = made(encoded, CASES[name])
    for order in orders(len(encoded))[:2]:
        trainer.run(order)
    state = trainer.state()
    arrays = {
        key: np.frombuffer(array.tobytes(), array.dtype).reshape(array.shape).copy()
        for key, array in state.arrays.items()
    }
    other = made(encoded, replace(CASES[name], recipe=trainer.recipe))
    other.resume(State(arrays, {key: float(value) for key, value in state.numbers.items()}))
    assert other.weights().state.tobytes() == trainer.weights().state.tobytes()
    assert other.weights().trans.tobytes() == trainer.weights().trans.tobytes()
    assert other.norm() == trainer.norm()
    order = orders(len(encoded))[2]
    assert seen(other, order) == seen(trainer, order)


@EVERY
def test_weights_are_copies(encoded: Encoded, name: str) -> None:
    trainer = made(encoded, CASES[name])
    order = orders(len(encoded))[0]
    trainer.run(order)
    kept = trainer.weights()
    before = kept.state.tobytes(), kept.trans.tobytes()
    kept_again = trainer.weights(kept)  # into the same arrays, if the trainer likes
    assert (kept_again.state.tobytes(), kept_again.trans.tobytes()) == before
    kept.state.fill(9.0)
    assert trainer.weights().state.tobytes() == before[0]
    trainer.run(order)
    assert (kept.state == 9.0).all()


@pytest.mark.parametrize("name", ["u2.g1", "averaged", "counted", "lbfgs", "owl-qn", "auto"])
def test_a_resumed_trainer_keeps_to_rules_and_unknown_labels(name: str) -> None:
    encoded = encode(learnable(30))
    encoded = with_hidden(encoded, np.s_[::4])
    follow = np.zeros((3, 3), bool)  # only what the data has
    for path in learnable(30).gold:
        follow[path[:-1], path[1:]] = True
    rules = rules_of(follow, encoded.labels)
    first = made(encoded, CASES[name], rules=rules)
    passes = orders(len(encoded))
    for order in passes[:2]:
        first.run(order)
    fresh = made(encoded, replace(CASES[name], recipe=first.recipe), rules=rules)
    fresh.resume(first.state().copy())
    assert [seen(fresh, order) for order in passes[2:]] == [seen(first, order) for order in passes[2:]]


def test_what_is_finished_stays_finished() -> None:
    encoded, order = encode(learnable(5)), np.arange(5)
    trainer = made(encoded, Settings(QuasiNewton(epsilon=1e-3)))
    with pytest.raises(Finished) as end:
        _run(trainer, order, 100)
    other = made(encoded, trainer.problem.settings)
    other.resume(trainer.state().copy())
    with pytest.raises(Finished, match=str(end.value)):
        other.run(order)


def _run(trainer: Trainer, order: np.ndarray, times: int) -> None:
    for _ in range(times):
        trainer.run(order)


def test_states_are_taken_apart_and_put_together() -> None:
    features = Problem.of(encode(learnable(3)), Settings(features="all")).features
    one, two = features.zeros(), features.zeros()
    two.state[0, 0] = 2.0
    state = State(arrays_of(one=one, two=two), {"t": 1.0})
    assert set(state.arrays) == {"one.state", "one.trans", "two.state", "two.trans"}
    assert weights_of(state, "two").state is two.state
    assert norm_of(weights_of(state, "two")) == 2.0
    copied = state.copy()
    two.state[0, 0] = 3.0
    state.numbers["t"] = 2.0
    assert weights_of(copied, "two").state[0, 0] == 2.0
    assert copied.numbers == {"t": 1.0}
