"""Whole runs on shares, in this process: stopping, held-out data, checkpoints. A cluster adds only the distance."""

import json
import math
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield.data.corpus import Corpus, pack
from tagfield.data.dataset import Doubles
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, ModelFileError, OutputError, TrainingError
from tagfield.model.model import Model
from tagfield.scale.cluster import training
from tagfield.scale.cluster.checkpoint import NAME, Checkpoint
from tagfield.scale.cluster.mixing import Scheme
from tagfield.scale.cluster.rounds import Change
from tagfield.scale.cluster.training import check_recipe, fingerprint, on_disk, run_on, train
from tagfield.scale.cluster.workers import LocalWorkers, Round, Task, cut
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.train import RECIPES, Settings, Trained
from tagfield.train import train as train_here
from tagfield.train.loop import epochs
from tagfield.train.loop.history import History, RunState
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.trainer import State
from tagfield.weights.layout import Weights
from tests.support.strategies import encode, learnable


class Interrupted(LocalWorkers):
    """Workers whose driver is stopped when it asks for the n-th time."""

    left = -1

    def _ask(self) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1

    def train(self, theta: Weights, squares: Weights | None, this: Round) -> Sequence[Change]:
        self._ask()
        return super().train(theta, squares, this)

    def gradient(self, x: Doubles) -> tuple[float, Doubles]:
        self._ask()
        return super().gradient(x)


def run(
    encoded: Encoded,
    settings: Settings,
    shares: int = 3,
    *,
    mixes: int = 4,
    folder: Path | None = None,
    stop: int = -1,
    **more: Any,
) -> Trained:
    problem = Problem.of(encoded, settings)
    task = Task(problem.features, problem.settings, len(encoded), encoded.labels)
    workers = Interrupted(task, cut(problem.dataset, shares))
    workers.left = stop
    checkpoint = Checkpoint(folder, fingerprint(encoded, task, shares, mixes), 0.0) if folder else None
    scheme = Scheme(mixes)
    return run_on(workers, problem, task, scheme, encoded, checkpoint=checkpoint, **more)


def bits(trained: Trained) -> bytes:
    return pickle.dumps(trained.weights)


SETTINGS = [Settings.of("default", epochs=3), Settings.of("u2.g1", rate=0.1, epochs=3), Settings.of("lbfgs", epochs=6)]


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.recipe.name)
def test_a_run_that_is_stopped_anywhere_ends_with_the_same_bits(settings: Settings, tmp_path: Path) -> None:
    encoded, dev = encode(learnable(40)), encode(learnable(20, seed=1))
    whole = run(encoded, settings, dev=dev)
    for stop in (0, 1, 3, 5):
        folder = tmp_path / str(stop)
        with pytest.raises(KeyboardInterrupt):
            run(encoded, settings, folder=folder, stop=stop, dev=dev)
        again = run(encoded, settings, folder=folder, dev=dev)
        assert bits(again) == bits(whole)
        assert [epoch.objective for epoch in again.history] == [epoch.objective for epoch in whole.history]
        assert [epoch.scores for epoch in again.history] == [epoch.scores for epoch in whole.history]
        assert (again.converged, again.stop_reason, again.best.number) == (
            whole.converged,
            whole.stop_reason,
            whole.best.number,
        )
        ended = run(encoded, settings, folder=folder, stop=1, dev=dev)  # it has ended: nobody is asked for anything
        assert bits(ended) == bits(whole)
        assert [path.name for path in folder.iterdir()] == [NAME]


def test_the_bits_depend_on_the_shares_and_mixes() -> None:
    encoded, settings = encode(learnable(40)), SETTINGS[0]
    assert bits(run(encoded, settings)) == bits(run(encoded, settings))
    assert bits(run(encoded, settings)) != bits(run(encoded, settings, 4))
    assert bits(run(encoded, settings)) != bits(run(encoded, settings, mixes=5))


@pytest.mark.parametrize("c1", [0.0, 0.05])
def test_lbfgs_is_that_of_one_machine(c1: float) -> None:
    encoded = encode(learnable(60))
    settings = Settings.of("lbfgs", c1=c1, c2=0.1, epochs=15)
    alone, shared = train_here(encoded, settings), run(encoded, settings, 5)
    for ours, theirs in zip(shared.history, alone.history, strict=True):
        assert ours.objective == pytest.approx(theirs.objective, rel=1e-9)
    assert shared.stop_reason == alone.stop_reason


def test_a_run_makes_a_model_that_knows_its_labels() -> None:
    encoded = encode(learnable(150))
    trained = run(encoded, Settings.of("default", epochs=4))
    model = Model.of(encoded, trained)
    tagged = model.tag(encoded)
    right = [
        a == b
        for ours, gold in zip(tagged, encoded.gold_labels(), strict=True)
        for a, b in zip(ours, gold, strict=True)
    ]
    assert np.mean(right) > 0.97
    assert trained.stop_reason == "it reached the maximum of 4 epochs"
    assert trained.history[-1].rate == 0.4
    assert model.info["cluster"] == {"shares": trained.parts.shares, "mixes": trained.parts.mixes}
    assert model.info["trained_by"].endswith(f" · {trained.parts.describe()}")


@pytest.mark.parametrize(
    "settings",
    [
        Settings.of("default", epochs=2, min_count=2),
        Settings.of("lbfgs", epochs=4),
        Settings.of("lbfgs", c1=0.1, epochs=4),
    ],
    ids=["default", "lbfgs", "c1"],
)
def test_a_corpus_that_stays_on_disk_gives_the_same_bits(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{k} {'AB'[k % 2]}\n" + "\n" * (k % 3 == 0) for k in rng.integers(30, size=300).tolist()]
    (tmp_path / "a.txt").write_text("".join(words))
    pack(tmp_path / "a.txt", tmp_path / "corpus")
    corpus = Corpus.open(tmp_path / "corpus")
    found = []
    for window in ("1GB", "1KB"):
        monkeypatch.setattr(training, "WINDOW", window)
        problem = training.posed(corpus, settings, None, None)
        assert (problem.disk is None) == (window == "1GB")
        task = Task(problem.features, problem.settings, len(corpus), corpus.labels)
        shares = cut(problem.dataset, 3) if problem.disk is None else [share() for share in on_disk(problem, 3)]
        workers = LocalWorkers(task, shares)
        found.append(run_on(workers, problem, task, Scheme(4), corpus))
    assert bits(found[0]) == bits(found[1])
    assert [epoch.loss for epoch in found[0].history] == pytest.approx([epoch.loss for epoch in found[1].history])


def test_the_rules_that_stop_a_run() -> None:
    encoded, dev = encode(learnable(40)), encode(learnable(20, seed=1))
    patient = run(encoded, Settings.of("default", epochs=30, patience=2), dev=dev)
    assert patient.converged
    assert "has not risen for 2 epochs" in patient.stop_reason
    settled = run(encoded, Settings.of("sgd", rate=0.05, epochs=100, period=2, delta=0.01))
    assert settled.stop_reason == "the objective has settled over 2 epochs"
    asked = run(encoded, Settings.of("default", epochs=9), on_epoch=lambda epoch: epoch.number == 2)
    assert asked.stop_reason == "a callback asked it to stop"
    assert len(asked.history) == 2
    done = run(encoded, Settings.of("lbfgs", epochs=500))
    assert done.converged


def test_weights_that_leave_the_range_of_numbers_fall_back_or_end_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = encode(learnable(40))
    with pytest.raises(TrainingError, match="smaller rate"):
        run(encoded, Settings.of("sgd", rate=1e38, c2=0.0, epochs=3))
    sure = run(encoded, Settings.of("sgd", rate=3e4, c2=0.0, epochs=3))  # far too sure of itself, but it labels
    assert sure.fell_back
    assert sure.stop_reason.startswith("the weights explain the data worse than no weights do")
    monkeypatch.setattr(epochs, "labels_better", lambda *_: False)
    with pytest.raises(TrainingError, match="worse than no weights"):
        run(encoded, Settings.of("sgd", rate=3e4, c2=0.0, epochs=3))


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    encoded = encode(learnable(20))
    run(encoded, SETTINGS[0], folder=tmp_path)
    with pytest.raises(InputError, match=r"another run: its shares is 3, not 2; choose another folder"):
        run(encoded, SETTINGS[0], 2, folder=tmp_path)
    with pytest.raises(InputError, match=r"its c2 is 0\.1, not 0\.5"):
        run(encoded, Settings.of("default", epochs=3, c2=0.5), folder=tmp_path)


def test_a_damaged_checkpoint_is_refused(tmp_path: Path) -> None:
    encoded, path = encode(learnable(20)), tmp_path / NAME
    save_tensors(path, {"x": np.ones(3)}, {"format": "something else"})
    with pytest.raises(ModelFileError, match="not a checkpoint"):
        run(encoded, SETTINGS[0], folder=tmp_path)
    checkpoint = Checkpoint(tmp_path, {"a": 1})
    checkpoint.save(State(), RunState())
    arrays, metadata = load_tensors(path)
    for missing in ("epochs", "numbers", "lowest"):
        told = json.loads(metadata["course"])
        del told[missing]
        save_tensors(path, arrays, metadata | {"course": json.dumps(told)})
        with pytest.raises(ModelFileError, match="damaged; remove it"):
            checkpoint.load()
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ModelFileError):
        checkpoint.load()


def test_a_checkpoint_keeps_numbers_that_json_has_no_word_for(tmp_path: Path) -> None:
    checkpoint = Checkpoint(tmp_path, {})
    checkpoint.save(State({"empty": np.zeros((0, 8), np.float32)}, {"t": 0.1 + 0.2}), RunState())
    found = checkpoint.load()
    assert found is not None
    state, found_run = found
    assert state.arrays["empty"].shape == (0, 8)
    assert (state.numbers, found_run.lowest, found_run.kept) == ({"t": 0.1 + 0.2}, math.inf, None)


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot make the folder"):
        Checkpoint(tmp_path / "file" / "folder", {})


def test_what_cannot_train_on_a_cluster_is_refused_before_anything_starts() -> None:
    encoded = encode(learnable(5))
    for name in ("pa", "ap", "arow"):
        with pytest.raises(InputError, match=f"{name} does not train on a cluster"):
            train(encoded, Settings(name))
    with pytest.raises(InputError, match=r"u2\.g1 with batch does not"):
        check_recipe(Settings.of("u2.g1", batch=True).recipe)
    for option in ("workers", "shares", "mixes"):
        with pytest.raises(InputError, match=f"{option} must be at least 1, got 0"):
            train(encoded, Settings.of("default"), **{option: 0})
    check_recipe(RECIPES["lbfgs"])


def test_patience_needs_held_out_data() -> None:
    encoded = encode(learnable(5))
    with pytest.raises(InputError, match="give dev"):
        run(encoded, Settings.of("default", patience=2))
    with pytest.raises(InputError, match="monitor=f1 needs labels that mark chunks; use accuracy or macro_f1"):
        run(encoded, Settings.of("default", patience=2, monitor="f1"), dev=encoded)


@pytest.mark.parametrize(
    ("options", "says"), [({"minibatch": 8}, "steps of one"), ({"generators": "states=erf:5"}, "names of")]
)
def test_what_shares_cannot_do(options: dict[str, object], says: str) -> None:
    with pytest.raises(InputError, match=f"^{next(iter(options))} does not apply on a cluster.*{says}"):
        check_recipe(Settings.of("u2.g1", **options).recipe)


def test_a_run_whose_errors_on_held_out_data_rise_falls_back_on_the_best_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(History, "dev_rise", lambda history: "errors rose" if len(history.epochs) == 3 else "")
    encoded, dev, settings = encode(learnable(40)), encode(learnable(20, seed=1)), Settings.of("default", epochs=9)
    whole = run(encoded, settings, dev=dev)
    assert whole.fell_back
    assert (len(whole.history), whole.stop_reason) == (3, "errors rose; the best weights so far are kept")
    with pytest.raises(KeyboardInterrupt):
        run(encoded, settings, folder=tmp_path, stop=9, dev=dev)  # in the third epoch
    again = run(encoded, settings, folder=tmp_path, dev=dev)
    ended = run(encoded, settings, folder=tmp_path, stop=0, dev=dev)
    assert bits(again) == bits(ended) == bits(whole)
    assert again.fell_back
    assert ended.fell_back
