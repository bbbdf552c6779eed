"""What the labels of a corpus mark: chunks, words, runs or nothing but labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.labels.kinds import KINDS, UNITS, chosen_kind, has_chunks, label_kind
from tagfield.data.labels.schemes import Chunk, labels_of
from tagfield.errors import InputError

CHUNKS = [Chunk(0, 1, "X"), Chunk(1, 4, "X"), Chunk(5, 6, "Y")]  # a lone one, one with an inner token, and a gap


@pytest.mark.parametrize(("scheme", "kind"), [("iob1", "iob"), ("bio", "iob"), ("iobes", "iobes"), ("bilou", "iobes")])
def test_labels_that_a_scheme_writes_are_of_its_kind(scheme: str, kind: str) -> None:
    assert label_kind(labels_of(CHUNKS, 7, scheme)) == kind


@given(st.lists(st.sampled_from(["B-X", "I-X", "S-X", "B", "M", "E", "O", "NN", "["]), max_size=6), st.randoms())
def test_order_and_repetition_do_not_matter(labels: list[str], chance) -> None:
    shuffled = labels * 2
    chance.shuffle(shuffled)
    assert label_kind(shuffled) == label_kind(labels)


def test_most_labels_must_have_a_prefix() -> None:
    assert has_chunks(["B-X", "I-X", "NN", "O"])
    assert not has_chunks(["B-X", "NN", "O"])  # one of two
    assert not has_chunks(["B-X", "NN", "VB"])


def test_a_scheme_overrules_what_the_labels_look_like() -> None:
    labels = ["B-X", "I-X", "O"]
    assert {kind: chosen_kind(labels, kind) for kind in KINDS} == {kind: kind for kind in KINDS}
    assert chosen_kind(labels, "auto") == chosen_kind(labels) == chosen_kind(labels, None) == "iob"


@pytest.mark.parametrize("scheme", ["bio", "IOB", ""])
def test_a_scheme_of_another_name_is_refused(scheme: str) -> None:
    with pytest.raises(InputError, match=f"no scheme named '{scheme}'"):
        chosen_kind(["B-X"], scheme)


def test_every_kind_has_a_unit() -> None:
    assert UNITS.keys() == KINDS.keys()
