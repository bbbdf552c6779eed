"""What training ends with: the epoch that was kept, and the run in words and as a table."""

from dataclasses import replace

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.train import Epoch, Settings, Trained, train
from tagfield.train.loop.trained import Parts


@pytest.fixture(scope="module")
def trained() -> Trained:
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    return train(encoded, Settings.of("sgd", rate=0.1, epochs=2))


def epochs(*kept: bool) -> list[Epoch]:
    return [Epoch(k, 9.0 / k, 0.5 * k, best=best) for k, best in enumerate(kept, start=1)]


def test_the_best_epoch_is_the_last_that_was_marked(trained: Trained) -> None:
    assert replace(trained, history=epochs(True, True, False)).best.number == 2


def test_without_an_epoch_the_best_is_an_empty_one(trained: Trained) -> None:
    nothing = replace(trained, history=[], stop_reason="there is nothing to learn")
    assert nothing.best == Epoch(0, 0.0, 0.0)
    assert repr(nothing) == "<Trained: sgd, 0 epochs in 0.0 s; there is nothing to learn>"


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (Parts(1), "1 share"),
        (Parts(3), "3 shares"),
        (Parts(1, 1), "1 share, 1 mix an epoch"),
        (Parts(2, 8), "2 shares, 8 mixes an epoch"),
    ],
)
def test_parts_of_the_data_are_described_after_the_settings(trained: Trained, parts: Parts, words: str) -> None:
    assert replace(trained, parts=parts).describe() == f"{trained.settings.describe()} · {words}"
    assert trained.describe() == trained.settings.describe()


def test_a_repr_names_recipe_epochs_seconds_and_why_it_stopped(trained: Trained) -> None:
    shown = repr(replace(trained, history=epochs(True, True), stop_reason="a callback asked it to stop"))
    assert shown == "<Trained: sgd, 2 epochs in 1.0 s; a callback asked it to stop>"


def test_a_notebook_shows_the_last_ten_epochs_and_marks_the_kept_one(trained: Trained) -> None:
    html = replace(trained, history=epochs(*[True] * 11, False))._repr_html_()
    assert html.count("<tr>") == 1 + 10
    assert html.count(">yes<") == 1  # each epoch was the best so far, and one is kept
    assert ">f1<" not in html  # no column without a figure
