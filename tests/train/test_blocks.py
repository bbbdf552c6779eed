"""Threads change no bit of a stochastic pass: every recipe, with all that it can be told, on 1, 2, 3 and 8 threads."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.data.dataset import UNKNOWN
from tagfield.data.encode import Encoded, encode_sequences
from tagfield.inference.constraints import rules_of
from tagfield.native import kernels
from tagfield.system.storage import load_tensors
from tagfield.train import RECIPES, Settings
from tagfield.train.problem.limits import limits_of
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.trainers import stochastic
from tests.support.cli_process import inside
from tests.support.trainers import made

TEAMS = (1, 2, 3, 8)
NAMED = [name for name, recipe in RECIPES.items() if isinstance(recipe, Stochastic)]
COUNTED = {"loss": "U4", "generator": "arctan:0.1"}  # its directions depend on E and Ẽ separately


@pytest.fixture(autouse=True)
def _every_block_has_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stochastic, "LEAST_WORK", 0.0)
    monkeypatch.setattr(stochastic, "SHARE", 1)


def sequences(count: int = 30, *, labels: int = 11, values: bool = False, edges: bool = False) -> Encoded:
    """Sequences of 1 to 30 tokens; attributes in every group of rows, and one that is everywhere."""
    rng = np.random.default_rng(3)
    X: list[Any] = []
    for _ in range(count):
        named = [["every", *(f"w{rng.integers(300)}" for _ in range(4))] for _ in range(rng.integers(1, 31))]
        X.append([{name: float(rng.normal()) for name in token} for token in named] if values else named)
    y = [[f"L{rng.integers(labels)}" for _ in x] for x in X]
    looks = [[[], *([f"e{rng.integers(40)}"] for _ in x[1:])] for x in X] if edges else None
    return encode_sequences(X, y, weights=rng.uniform(0.2, 2, count), edges=looks)


PLAIN, VALUES, EDGES = sequences(), sequences(12, values=True), sequences(12, edges=True)


def unknown(encoded: Encoded) -> Encoded:
    labels = encoded.dataset.labels.copy()
    labels[np.random.default_rng(7).random(len(labels)) < 0.3] = UNKNOWN
    return replace(encoded, dataset=replace(encoded.dataset, labels=labels))


def bits(encoded: Encoded, threads: int, name: str, *, more: dict[str, Any] | None = None, **options: Any) -> bytes:
    """All that two passes leave: arrays, numbers and losses."""
    trainer = made(encoded, Settings.of(name, rate=0.1, threads=threads, **options), **(more or {}))
    rng = np.random.default_rng(0)
    losses = [trainer.run(rng.permutation(len(encoded.dataset))) for _ in range(2)]
    state = trainer.state()
    return repr((losses, state.numbers)).encode() + b"".join(array.tobytes() for array in state.arrays.values())


def same_on_any(encoded: Encoded, name: str, **options: Any) -> None:
    one, *others = (bits(encoded, threads, name, **options) for threads in TEAMS)
    assert all(other == one for other in others)


@pytest.mark.parametrize(
    ("name", "block"),
    [
        pytest.param(name, block, marks=[pytest.mark.slow] * (block == 32))
        for name in NAMED
        for block in ([1] if name in ("sgdqn", "smd") else [1, 8, 32])
    ],
)
def test_every_recipe_has_the_same_bits_on_any_number_of_threads(name: str, block: int) -> None:
    same_on_any(PLAIN, name, block=block)
    same_on_any(PLAIN, name, block=block, average=True, c2=20.0)  # z is folded into the weights on its way


@pytest.mark.parametrize(
    "options", [{}, {"average": True}, {"metric": "adaptive"}, {"respond": "states"}, {"cost": 2.0}]
)
@pytest.mark.parametrize("name", ["u2.g1", "ngd"])
def test_options_keep_the_bits(name: str, options: dict[str, Any]) -> None:
    counted = COUNTED if name == "ngd" else {}
    for data in (PLAIN, VALUES, EDGES, unknown(PLAIN)):
        same_on_any(data, name, **counted, **options)


def test_unknown_labels_and_constraints_keep_the_bits() -> None:
    names, data = PLAIN.labels.strings(), PLAIN.dataset
    seen = {(names[i], names[j]) for i, j in pairwise(data.labels)}
    rules = rules_of(lambda before, after: None in (before, after) or (before, after) in seen, names)
    hidden = unknown(PLAIN)
    limits = limits_of(rules, hidden.dataset, hidden.labels)
    same_on_any(hidden, "u2.g1", more={"limits": limits})
    same_on_any(unknown(EDGES), "adaptive", average=True)
    same_on_any(unknown(EDGES), "ngd", **COUNTED)


@pytest.mark.parametrize("block", [8, 16])
@pytest.mark.parametrize("transitions", ["observed", "all"])
def test_unknown_labels_among_many_keep_the_bits(transitions: str, block: int) -> None:
    hidden = unknown(sequences(labels=70))
    for name in ("sgd", "u2.g1"):
        same_on_any(hidden, name, features="observed", transitions=transitions, block=block)


def test_class_weights_and_sparse_rows_keep_the_bits() -> None:
    same_on_any(PLAIN, "adaptive", more={"class_weight": np.linspace(0.5, 2.0, 11)})
    wide = made(PLAIN, Settings.of("sgd", rate=0.1)).problem.features
    same_on_any(PLAIN, "sgd", more={"features": wide.compact(wide.zero)[0]})


def test_the_loss_of_given_weights_has_the_same_bits() -> None:
    trainer = made(PLAIN, Settings.of("sgd", rate=0.1))
    trainer.run(np.arange(30))
    problems = [replace(trainer.problem, settings=Settings.of("sgd", threads=threads)) for threads in TEAMS]
    assert len({problem.nll(trainer.weights()) for problem in problems}) == 1


@pytest.mark.parametrize("threads", TEAMS)
def test_a_sentence_that_fails_stops_the_pass_there(threads: int) -> None:
    """What came before it in the block is applied, and nothing of what comes after."""
    found = []
    for order in ([0, 1, 2, 3], [0, 1]):
        encoded = sequences(4, values=True)
        value = encoded.dataset.value.copy()
        value[encoded.dataset.occurrences[2] : encoded.dataset.occurrences[3]] = np.float32(3e38)
        trainer = made(encoded, Settings.of("sgd", rate=0.1, threads=1))
        corpus = made(replace(encoded, dataset=replace(encoded.dataset, value=value)), Settings.of("sgd", rate=0.1))
        step, theta = kernels.Pass(), trainer.problem.features.zeros().map(lambda a: a + np.float32(0.5))
        step.block, step.threads = 8, threads
        step.run(corpus.problem.corpus, trainer.problem.features.field(theta), None, None, np.array(order))
        found.append((theta.state.tobytes(), theta.trans.tobytes(), step.t, step.loss))
        assert step.failed == (2 if len(order) == 4 else -1)
    assert found[0] == found[1]


@pytest.mark.parametrize("threads", TEAMS)
def test_a_function_that_raises_leaves_the_block_undone(threads: int) -> None:
    trainer = made(unknown(PLAIN), Settings.of("ngd", rate=0.1, threads=threads, **COUNTED))
    before = [array.copy() for array in trainer.state().arrays.values()]

    def broken(E: np.ndarray, empirical: np.ndarray) -> np.ndarray:
        raise ZeroDivisionError("mine")

    trainer._pass.set_exact(broken)
    with pytest.raises(ZeroDivisionError, match="mine"):
        trainer.run(np.arange(30))
    for array, old in zip(trainer.state().arrays.values(), before, strict=True):
        assert array.tobytes() == old.tobytes()
    assert trainer._pass.scale == 1.0


def test_model_files_differ_only_in_the_time_that_they_took(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = [f"w{rng.integers(50)} L{rng.integers(3)}\n" + "\n" * (rng.random() < 0.1) for _ in range(1500)]
    data = tmp_path / "train.txt"
    data.write_text("".join(lines))
    files = []
    for threads in ("1", "2", "8"):
        path = tmp_path / f"model{threads}"
        told = ("--epochs", "2", "--threads", threads, "--template", "words")
        code, _, said = inside("train", data, "-o", path, *told, input=b"", cwd=tmp_path)
        assert code == 0, said
        tensors, metadata = load_tensors(path)
        info = {key: value for key, value in json.loads(metadata["info"]).items() if key != "seconds"}
        files.append((info, {name: array.tobytes() for name, array in tensors.items()}))
    assert files[0] == files[1] == files[2]
