"""What a report says to use: the best, its equals, and the image that is passed around."""

from dataclasses import replace
from pathlib import Path

import pytest

from tagfield.compare import advice as advice_module
from tagfield.compare.advice import advise
from tagfield.compare.plan import Plan
from tagfield.compare.results import Results
from tagfield.compare.share_image import write_share_image
from tagfield.compare.summary import MeanSd, SummaryRow


def row(recipe: str, mean: float, sd: float | None, seconds: float, features: str = "all") -> SummaryRow:
    count = 1 if sd is None else 5
    score = MeanSd(mean, sd, count, 100)
    return SummaryRow(recipe, features, count, 0, seconds=MeanSd(seconds, None, 1), accuracy=score, f1=score)


def said(monkeypatch: pytest.MonkeyPatch, *rows: SummaryRow) -> str:
    monkeypatch.setattr(advice_module, "summarise", lambda _: list(rows))
    found = advise(Results(Plan(), {}, []))
    assert found is not None
    return " ".join(found.sentences)


def test_the_quickest_of_those_that_seeds_cannot_tell_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, row("sgd", 0.93, 0.001, 1), row("u2.g1", 0.9375, 0.001, 2), row("lbfgs", 0.938, 0.001, 30))
    assert text.startswith("Use U2*.G1 with all features: chunk F1 93.75 ± 0.10 % in 2.0 s of training.")
    assert "L-BFGS with all features has the highest mean, 93.80 ± 0.10 %, but 0.05 points are within the noise" in text


def test_the_best_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, row("sgd", 0.93, 0.001, 1), row("adaptive", 0.95, 0.001, 2))
    assert text.startswith("Use adaptive with all features")
    assert "No other recipe comes within the noise of 5 seeds." in text
    assert "the default recipe of tagfield train" in text


def test_the_best_and_quickest_names_its_equals(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, row("sgd", 0.93, 0.001, 1), row("pa", 0.9299, 0.001, 2), row("ap", 0.9298, 0.001, 3))
    assert "5 seeds cannot tell it from PA and ap, but none of these saves" in text
    both = [row("sgd", 0.93, 0.001, 1), row("pa", 0.9299, 0.001, 2, "observed")]
    assert "cannot tell it from PA with observed features, but none" in said(monkeypatch, *both)


def test_a_higher_mean_is_not_given_up_for_a_hair_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, row("sgd", 0.94746, 0.001, 0.37), row("u2.g3", 0.94904, 0.002, 0.4))
    assert text.startswith("Use U2*.G3 with all features: chunk F1 94.90 ± 0.20 %")
    text = said(monkeypatch, row("sgd", 0.94746, 0.001, 0.3), row("u2.g3", 0.94904, 0.002, 0.4))
    assert text.startswith("Use SGD with all features: chunk F1 94.75 ± 0.10 %")
    assert "94.90 ± 0.20 %, but 0.15 points" in text, "the difference of the figures that are shown"


def test_one_seed_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, row("sgd", 0.93, None, 1), row("pa", 0.93, None, 2))
    assert "It is the highest of one run each" in text


def test_labels_without_chunks_are_judged_by_accuracy(monkeypatch: pytest.MonkeyPatch) -> None:
    text = said(monkeypatch, replace(row("sgd", 0.93, 0.001, 1), f1=None))
    assert "token accuracy 93.00 ± 0.10 %" in text


def test_without_a_score_there_is_no_advice_and_no_image(tmp_path: Path) -> None:
    nothing = Results(Plan(), {}, [])
    assert advise(nothing) is None
    assert write_share_image(nothing, tmp_path / "share.png") is None
    assert not (tmp_path / "share.png").exists()
