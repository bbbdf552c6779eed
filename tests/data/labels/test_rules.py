"""Label schemes as rules, and data that is written in another scheme."""

import pytest
from hypothesis import given, settings

from tagfield.data.labels.rules import scheme_rule
from tagfield.data.labels.schemes import SCHEMES, Chunk, check_scheme, chunks_of, labels_of
from tests.data.labels.test_schemes import chunked


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(deadline=None)
@given(drawn=chunked())
def test_the_rules_of_a_scheme_allow_what_it_writes(scheme: str, drawn: tuple[list[Chunk], int]) -> None:
    labels: list[str | None] = [None, *labels_of(*drawn, scheme), None]
    every = ["O", *(f"{letter}{kind}" for letter in "BIESLU" for kind in ("-X", "-Y", "-A-B", ""))]
    allows = scheme_rule(scheme, every)
    assert all(map(allows, labels, labels[1:]))


def test_a_bare_iob_is_bio_for_conversion_and_for_rules() -> None:
    assert check_scheme("iob") == check_scheme("IOB") == "bio"
    assert not scheme_rule("IOB", ["O", "B-X", "I-X"])("O", "I-X")


def test_bmes_has_m_for_the_inner_tokens_of_iobes() -> None:
    assert chunks_of(["B-X", "M-X", "E-X"]) == [Chunk(0, 3, "X")]
    allows = scheme_rule("BMES", ["B-X", "M-X", "E-X", "S-X"])
    assert allows("B-X", "M-X")
    assert allows("M-X", "E-X")
    assert not allows("M-X", "B-X")
    assert not allows("S-X", "M-X")
