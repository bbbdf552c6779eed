"""Sentences and documents, which every reader yields and every writer takes."""

from dataclasses import FrozenInstanceError

import pytest

from tagfield.data.text.records import Document, Sentence, TextSpan


def test_words_are_the_column_w_or_else_the_first() -> None:
    rows = (("DT", "The"), ("NN", "dog"))
    assert Sentence(rows, roles=("pos", "w")).words == ("The", "dog")
    assert Sentence(rows, roles=("form", "lemma")).words == ("DT", "NN")
    assert Sentence(()).words == ()


def test_a_column_is_found_by_its_role() -> None:
    sentence = Sentence((("The", "DT"),), roles=("w", "pos"))
    assert sentence.column("pos") == ("DT",)
    with pytest.raises(ValueError, match="not in tuple"):
        sentence.column("lemma")


def test_a_text_that_is_not_labelled_is_not_one_without_spans() -> None:
    assert Document("a") != Document("a", ())
    assert Document("a").spans is None


def test_records_do_not_change_and_share_no_fields() -> None:
    one, other = Sentence(()), Sentence(())
    assert one == other
    assert one.meta is not other.meta
    with pytest.raises(FrozenInstanceError):
        one.labels = ("X",)  # type: ignore[misc]
    assert TextSpan(0, 4, "PER") == (0, 4, "PER")
