"""Trainer beside python-crfsuite's: the same parameters, the same messages, the same figures, the same errors."""

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tagfield.pycrfsuite as ours
from tagfield.errors import OutputError

theirs = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")

ALGORITHMS = ["lbfgs", "l2sgd", "ap", "averaged-perceptron", "pa", "passive-aggressive", "arow"]
TIMES = re.compile(r"(econds[a-z ]*: )[\d.]+")
PRINTED = 2e-6  # figures have six decimals


def append(trainer: Any, *, groups: int = 1, seed: int = 1) -> None:
    """Forty short sequences of words that say something about their labels, in some groups."""
    rng = random.Random(seed)
    for i in range(40):
        words = [rng.randrange(12) for _ in range(rng.randint(1, 6))]
        items = [{f"w{w}": 1.0, "bias": 1.0, "size": w / 8} for w in words]
        trainer.append(items, [rng.choice("ABC") if rng.random() < 0.3 else "ABC"[w % 3] for w in words], i % groups)


def told(module: Any, path: Path, algorithm: str, params: dict[str, Any], holdout: int = -1) -> tuple[list[str], Any]:
    messages: list[str] = []

    class Listening(module.Trainer):  # type: ignore[misc, name-defined]
        def message(self, message: str) -> None:
            messages.append(message)
            super().message(message)

    trainer = Listening(algorithm, params, verbose=False)
    append(trainer, groups=1 if holdout < 0 else 4)
    trainer.train(str(path), holdout)
    return [TIMES.sub(r"\1?", text) for text in messages], trainer


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_parameters(algorithm: str) -> None:
    mine, peer = ours.Trainer(algorithm), theirs.Trainer(algorithm)
    assert mine.params() == peer.params()
    assert mine.get_params() == peer.get_params()
    assert {n: type(v) for n, v in mine.get_params().items()} == {n: type(v) for n, v in peer.get_params().items()}
    assert all(mine.help(name) for name in mine.params())
    for name in mine.params():
        for value in ("1", 1, True, 1.0) if name != "linesearch" else ("Backtracking",):
            mine.set(name, value)
            peer.set(name, value)
            assert mine.get(name) == peer.get(name)
    assert set(mine._PARAMETER_TYPES) == set(peer._PARAMETER_TYPES)


@pytest.mark.parametrize(
    ("params", "holdout"),
    [
        ({}, -1),
        ({}, 3),
        ({"c1": 0.3, "c2": 0.01}, -1),
        ({"linesearch": "Backtracking", "num_memories": 3}, 0),
        ({"linesearch": "StrongBacktracking", "epsilon": 0.01}, -1),
        ({"feature.possible_states": True, "feature.possible_transitions": True}, -1),
        ({"feature.minfreq": 3, "delta": 0.1, "period": 2}, -1),
        ({"max_iterations": 3}, 2),
    ],
)
def test_lbfgs_says_what_crfsuite_says(tmp_path: Path, params: dict[str, Any], holdout: int) -> None:
    """Message by message; numbers may differ in the last printed digit."""
    params = {"max_iterations": 25, **params}
    mine, trainer = told(ours, tmp_path / "ours", "lbfgs", params, holdout)
    peers, peer = told(theirs, tmp_path / "theirs", "lbfgs", params, holdout)
    assert len(mine) == len(peers)
    for one, other in zip(mine, peers, strict=True):
        if one != other:
            numbers = [[float(n) for n in re.findall(r"[\d.]*\d", text)] for text in (one, other)]
            assert re.sub(r"[\d.]+", "#", one) == re.sub(r"[\d.]+", "#", other)
            np.testing.assert_allclose(*numbers, rtol=1e-4, atol=PRINTED)
    assert trainer.logparser.events == peer.logparser.events
    assert [set(each) for each in trainer.logparser.iterations] == [set(each) for each in peer.logparser.iterations]
    one, other = ours.Tagger(), theirs.Tagger()
    one.open(str(tmp_path / "ours"))
    other.open(str(tmp_path / "theirs"))
    weights, expected = one.info(), other.info()
    assert (weights.labels, weights.attributes) == (expected.labels, expected.attributes)
    for name in ("transitions", "state_features"):
        found, wanted = getattr(weights, name), getattr(expected, name)
        assert found.keys() == wanted.keys()
        np.testing.assert_allclose(list(found.values()), list(wanted.values()), atol=1e-4)


@pytest.mark.parametrize("algorithm", ["l2sgd", "ap", "pa", "arow"])
@pytest.mark.parametrize("holdout", [-1, 2])
def test_the_other_algorithms_use_the_same_words(tmp_path: Path, algorithm: str, holdout: int) -> None:
    """CRFsuite shuffles by a generator that cannot be seeded, and lists every learning rate it tries."""

    def words(messages: list[str]) -> list[str]:
        kept = [text for text in messages if not re.match(r"Trial|Initial loss|[\d.]+( \(worse\))?\n", text)]
        return [re.sub(r"[-\d.*]+", "#", text) for text in kept]

    params = {"max_iterations": 3}
    mine, trainer = told(ours, tmp_path / "ours", algorithm, params, holdout)
    peers, peer = told(theirs, tmp_path / "theirs", algorithm, params, holdout)
    assert words(mine) == words(peers)
    assert [set(each) for each in trainer.logparser.iterations] == [set(each) for each in peer.logparser.iterations]
    assert [name for name, _, _ in trainer.logparser.events] == [name for name, _, _ in peer.logparser.events]


@pytest.mark.parametrize("algorithm", ["ap", "pa", "arow"])
def test_the_figures_are_the_same_where_there_is_nothing_to_shuffle(tmp_path: Path, algorithm: str) -> None:
    rng = random.Random(3)
    items = [{f"w{rng.randrange(9)}": 1.0, "bias": 1.0} for _ in range(30)]
    labels = [rng.choice("ABC") for _ in items]
    found = []
    for module in (ours, theirs):
        trainer = module.Trainer(algorithm, {"max_iterations": 6}, verbose=False)
        trainer.append(items, labels)
        trainer.train(str(tmp_path / "m"))
        found.append([(each["loss"], each["feature_norm"]) for each in trainer.logparser.iterations])
    np.testing.assert_allclose(*found, rtol=1e-5, atol=PRINTED)


def test_hooks_are_called_as_in_crfsuite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(module: Any) -> tuple[list[Any], str]:
        calls: list[Any] = []

        class Hooked(module.Trainer):  # type: ignore[misc, name-defined]
            def on_featgen_progress(self, log: str, percent: int) -> None:
                calls.append(percent)

            def on_prepared(self, log: str) -> None:
                calls.append(log)
                super().on_prepared(log)

            def on_iteration(self, log: str, info: dict[str, Any]) -> None:
                calls.append(info["num"])
                print(f"{info['num']}: {info['loss']:.3f}")

        trainer = Hooked("lbfgs", {"max_iterations": 4})
        append(trainer)
        trainer.train(str(tmp_path / "m"))
        return calls, TIMES.sub("", capsys.readouterr().out)

    assert run(ours) == run(theirs)


def test_a_subclass_need_not_call_init(tmp_path: Path) -> None:
    class Bare(ours.BaseTrainer):
        def __init__(self) -> None:
            self.messages: list[str] = []

        def message(self, message: str) -> None:
            self.messages.append(message)

    trainer = Bare()
    append(trainer)
    trainer.train(tmp_path / "m")
    assert "type: CRF1d\n" in trainer.messages
    assert trainer.verbose


def test_an_error_in_a_hook_leaves_no_file(tmp_path: Path) -> None:
    class Failing(ours.Trainer):
        def on_iteration(self, log: str, info: dict[str, Any]) -> None:
            raise KeyError("mine")

    trainer = Failing()
    append(trainer)
    with pytest.raises(KeyError, match="mine"):
        trainer.train(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_training_on_nothing(tmp_path: Path) -> None:
    def run(module: Any, given: bool) -> tuple[list[str], bytes]:
        trainer = module.Trainer(verbose=False)
        if given:
            trainer.append([["a"]], ["X"], 1)
        trainer.train(str(tmp_path / "m"), 1 if given else -1)
        return [TIMES.sub("", text) for text in trainer.logparser.log], (tmp_path / "m").read_bytes()

    assert run(ours, given=True) == run(theirs, given=True)
    log, written = run(ours, given=False)
    assert "L-BFGS terminated with error code (-1020)\n" in log
    assert written[:4] == b"lCRF"
    cleared = ours.Trainer(verbose=False)
    cleared.append([["a"]], ["X"])
    cleared.clear()
    with pytest.raises(ValueError, match=r"The data is empty\. Call Trainer::append before Trainer::train\."):
        cleared.train(str(tmp_path / "m"))


def test_without_a_name_no_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    trainer = ours.Trainer(verbose=False)
    append(trainer)
    trainer.train("")
    assert trainer.logparser is not None
    assert trainer.logparser.state == "STORING"
    assert not list(tmp_path.iterdir())


def test_what_was_appended_is_kept_as_it_was(tmp_path: Path) -> None:
    trainer, items, labels = ours.Trainer(verbose=False), [{"a": 1.0}, {"b": 1.0}], ["X", "Y"]
    trainer.append(items, labels)
    items.clear()
    labels.clear()
    trainer.append((item for item in [["a"], ["c"]]), iter(["X", "Z"]))
    trainer.append([], [])
    trainer.train(tmp_path / "m")
    with ours.Tagger().open(tmp_path / "m") as tagger:
        assert tagger.labels() == ["X", "Y", "Z"]
        assert set(tagger.info().attributes) == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda t: t.select("foo"), ValueError, r"Bad arguments: algorithm='foo', type='crf1d'"),
        (lambda t: t.select("ap", "foo"), ValueError, r"Bad arguments: algorithm='averaged-perceptron', type='foo'"),
        (lambda t: t.set("foo", 1), ValueError, "Parameter not found: foo = 1"),
        (lambda t: t.get("foo"), ValueError, "Parameter not found: foo = "),
        (lambda t: t.help("foo"), ValueError, "Parameter not found: foo"),
        (lambda t: t.append([["a"], ["b"]], ["X"]), ValueError, r"items and labels differ: \|x\| = 2, \|y\| = 1"),
        (lambda t: t.append([["a"]], [1]), TypeError, "expected bytes"),
        (lambda t: t.append(5, ["X"]), TypeError, "not iterable"),
    ],
)
def test_errors_are_those_of_crfsuite(call: Any, error: type[Exception], message: str) -> None:
    for module in (ours, theirs):
        with pytest.raises(error, match=message):
            call(module.Trainer())


def test_what_crfsuite_takes_in_silence_is_an_error(tmp_path: Path) -> None:
    trainer = ours.Trainer(verbose=False)
    append(trainer)
    with pytest.raises(ValueError, match="parameter c2 must be a number, got 'much'"):
        trainer.set("c2", "much")
    with pytest.raises(ValueError, match="parameter period must be a whole number, got None"):
        trainer.set("period", None)
    with pytest.raises(OutputError, match="its folder does not exist"):
        trainer.train(tmp_path / "no" / "m")
    for name, value in (("num_memories", 0), ("linesearch", "Best"), ("feature.minfreq", -1), ("c2", -1.0)):
        wrong = ours.Trainer(verbose=False)
        append(wrong)
        wrong.set(name, value)
        with pytest.raises(ValueError, match=name):
            wrong.train(tmp_path / "m")
    nul = ours.Trainer(verbose=False)
    nul.append([{"a\0b": 1.0}], ["X"])
    with pytest.raises(ValueError, match="holds a NUL"):
        nul.train(tmp_path / "m")
    assert not list(tmp_path.iterdir())
