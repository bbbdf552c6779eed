"""tune(): the same result whatever the threads and interruptions, and one that holds on new data."""

import threading
from pathlib import Path
from typing import Any

import pytest

import tagfield
from tagfield import Settings, encode_sequences
from tagfield.data.encode import Encoded
from tagfield.demo import addresses, mentions
from tagfield.errors import InputError
from tagfield.scale.tuning.tuning import Progress, tune
from tests.train.recipes.test_default import encode

FEW: tuple[dict[str, Any], ...] = ({}, {"recipe": "pa", "epochs": 2}, {"recipe": "sgd", "rate": 1e-4, "epochs": 1})


@pytest.fixture(scope="module")
def encoded() -> Encoded:
    return encode(addresses(seed=0, train=90, test=0).train)


def test_it_is_public(encoded: Encoded) -> None:
    assert tagfield.tune is tune
    tuning = tagfield.tune(encoded, budget=9, folds=3, settings=FEW)
    assert isinstance(tuning, tagfield.Tuning)
    assert isinstance(tuning.best, Settings)
    assert tuning.table.splitlines()[0].split() == ["candidate", "folds", "F1", "%", "against", "the", "default"]
    assert len(tuning.table.splitlines()) == 1 + len(tuning.rows) == 4
    assert tuning.finished


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads(encoded: Encoded) -> None:
    first, second = (tune(encoded, budget=9, folds=3, settings=FEW, workers=n, seed=5) for n in (1, 3))
    assert first == second
    assert tune(encoded, budget=9, folds=3, settings=FEW, seed=6) != first


def test_what_is_better_is_chosen(encoded: Encoded) -> None:
    """The default against itself with one tiny step, which learns next to nothing."""
    told = [{}, {"rate": 1e-4, "epochs": 1}]
    tuning = tune(encoded, budget=6, folds=3, settings=told)
    assert tuning.best == Settings()
    assert "nothing else that was tried is clearly better" in tuning.sentence
    worse = tune(encode(mentions(seed=0, train=90, test=0).train), budget=6, folds=3, settings=told)
    assert worse.best == Settings()


def test_it_resumes_where_it_was_stopped(encoded: Encoded, tmp_path: Path) -> None:
    """Stopped in the second of three rounds; resumed, the figures are those of a tuning that was never stopped."""
    whole = tune(encoded, budget=9, folds=3, settings=FEW)
    state = tmp_path / "state"
    stopped = threading.Event()
    seen: list[Progress] = []

    def count(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 4:
            stopped.set()

    given: dict[str, Any] = {"budget": 9, "folds": 3, "settings": FEW, "state": state, "workers": 1}
    part = tune(encoded, **given, on_run=count, stop=stopped.is_set)
    assert not part.finished
    assert 4 <= len(seen) <= 6  # those that were ready when it was stopped count
    assert state.exists()
    with pytest.raises(InputError, match="resume it, or delete the file"):
        tune(encoded, **given)
    again: list[Progress] = []
    resumed = tune(encoded, **given, resume=True, on_run=again.append)
    assert resumed == whole
    assert not state.exists()
    assert [each.figure for each in again[:3]] == [each.figure for each in seen[:3]]


def test_an_interrupt_leaves_what_is_done(encoded: Encoded, tmp_path: Path) -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    given: dict[str, Any] = {"budget": 9, "folds": 3, "settings": FEW, "state": tmp_path / "state", "workers": 1}
    with pytest.raises(KeyboardInterrupt):
        tune(encoded, **given, on_run=interrupt)
    assert tune(encoded, **given, resume=True) == tune(encoded, budget=9, folds=3, settings=FEW)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"budget": 1}, "budget must be at least 10 training runs for 5 folds, got 1"),
        ({"folds": 1}, "folds must be at least 2, got 1"),
        ({"folds": 91}, "90 sequences are too few for 91 folds; give more data or fewer folds"),
        ({"template": "words"}, "the data is encoded already, so a template has no effect; give the files instead"),
        ({"settings": [{}, {"recipe": "pa", "c2": 1.0}]}, "c2 applies only to stochastic recipes and lbfgs, not to pa"),
    ],
)
def test_what_cannot_be_told(encoded: Encoded, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        tune(encoded, **{"budget": 400, **given})


def test_every_token_needs_a_label() -> None:
    with pytest.raises(InputError, match="tuning needs a label for every token"):
        tune(encode_sequences([[["a"], ["b"]]] * 9, [["X", None]] * 9))


def test_presets_that_make_the_same_attributes_are_tried_once(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("Anna B-PER\nleft O\n\nIt O\nleft O\n\n" * 4)
    tuning = tune(tmp_path / "train.txt", budget=8, folds=2, settings=[{}])
    assert {row.candidate.template for row in tuning.rows} == {"ner", "words"}


def test_templates_and_workers_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("Anna B-PER\n\n" * 4)
    with pytest.raises(InputError, match="template must be the name of a preset"):
        tune(tmp_path / "train.txt", template=tagfield.Template("mine", (), ()))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="workers must be at least 1, got 0"):
        tune(tmp_path / "train.txt", workers=0)
