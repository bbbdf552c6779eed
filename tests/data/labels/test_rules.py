"""Label schemes as rules, and data that is written in another scheme."""

from itertools import pairwise

import pytest
from hypothesis import given, settings

from tagfield.data.encode import encode_sequences
from tagfield.data.labels.rules import Starts, check_data, check_model, chunk_starts, find_scheme, scheme_rule
from tagfield.data.labels.schemes import SCHEMES, Chunk, check_scheme, chunks_of, labels_of
from tagfield.errors import InputError
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


def starts_of(*y: list[str | None]) -> Starts:
    encoded = encode_sequences([[["a"]] * len(labels) for labels in y], y)
    return chunk_starts(encoded.dataset, encoded.labels.strings())


@pytest.mark.parametrize("scheme", ["iob1", "bio"])
@settings(deadline=None)
@given(drawn=chunked())
def test_the_scheme_of_data_is_found_by_how_its_chunks_begin(scheme: str, drawn: tuple[list[Chunk], int]) -> None:
    chunks, _ = drawn
    touching = sum(a.end == b.start and a.label == b.label for a, b in pairwise(chunks))
    starts = starts_of(labels_of(*drawn, scheme))
    assert (starts.begin, starts.inside)[scheme == "iob1"] == len(chunks) - touching
    assert find_scheme(starts) == (({"iob1": "IOB1", "bio": "BIO"})[scheme] if chunks else None)


def test_no_chunk_goes_on_from_one_sentence_to_the_next() -> None:
    assert starts_of(["B-X"], ["I-X"]) == Starts(1, 1, 1, 0)
    assert starts_of(["B-X", "I-X"], ["B-X"]) == Starts(0, 2, -1, 0)
    assert starts_of([]) == Starts(0, 0, -1, -1)


def test_constraints_that_are_no_scheme_are_not_checked_against_data() -> None:
    encoded = encode_sequences([[["a"]]], [["I-X"]])
    check_data(lambda before, after: True, encoded.dataset, encoded.labels.strings())
    check_data("IOBES", encoded.dataset, encoded.labels.strings())
    check_model("BIO", None)
    check_model("IOB1", "IOB1")


def test_a_scheme_whose_chunks_could_never_end_is_refused() -> None:
    with pytest.raises(
        InputError, match="no label starts with E- or S-, so no chunk could ever end; did you mean 'BIO'"
    ):
        scheme_rule("IOBES", ["O", "B-X", "I-X"])


def test_a_chunk_after_an_unknown_label_says_nothing_about_the_scheme() -> None:
    encoded = encode_sequences([[["a"]] * 3, [["a"]]], [["O", None, "I-X"], ["I-X"]])
    starts = chunk_starts(encoded.dataset, encoded.labels.strings())
    assert (starts.inside, starts.begin, starts.first) == (1, 0, 3)
