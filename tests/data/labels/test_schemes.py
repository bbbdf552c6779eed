"""Labels of every scheme, and chunks: there and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities

from tagfield.data.labels.schemes import SCHEMES, Chunk, check_scheme, chunks_of, labels_of, recode
from tagfield.errors import InputError


@st.composite
def chunked(draw: st.DrawFn) -> tuple[list[Chunk], int]:
    """Chunks that do not overlap, and the number of tokens."""
    chunks, at = [], draw(st.integers(0, 2))
    for _ in range(draw(st.integers(0, 4))):
        length = draw(st.integers(1, 3))
        chunks.append(Chunk(at, at + length, draw(st.sampled_from(["X", "Y", "A-B", ""]))))
        at += length + draw(st.integers(0, 2))
    return chunks, at + draw(st.integers(0, 2))


@pytest.mark.parametrize("scheme", SCHEMES)
@settings(deadline=None)
@given(drawn=chunked())
def test_chunks_survive_every_scheme(scheme: str, drawn: tuple[list[Chunk], int]) -> None:
    chunks, length = drawn
    labels = labels_of(chunks, length, scheme)
    assert len(labels) == length
    assert chunks_of(labels) == chunks


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("other", SCHEMES)
@settings(deadline=None)
@given(drawn=chunked())
def test_labels_recoded_there_and_back_are_the_same(scheme: str, other: str, drawn: tuple[list[Chunk], int]) -> None:
    labels = labels_of(*drawn, scheme)
    assert recode(recode(labels, other), scheme) == labels


@settings(deadline=None)
@given(labels=st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"]), max_size=8))
def test_any_bio_labels_give_the_chunks_of_seqeval(labels: list[str]) -> None:
    assert [(c.label, c.start, c.end - 1) for c in chunks_of(labels)] == get_entities(labels)


def test_schemes_have_other_names_and_unknown_ones_are_refused() -> None:
    assert [check_scheme(name) for name in ("IOB2", "bioes", "BILOU", "iob1")] == ["bio", "iobes", "bilou", "iob1"]
    with pytest.raises(InputError, match="no scheme named 'xyz'; choose iob1, bio, iobes or bilou"):
        check_scheme("xyz")
    with pytest.raises(
        InputError, match=r"a\.txt, line 3: the label 'NN' of token 2 is neither O nor a part of a chunk"
    ):
        recode(["O", "NN"], "bio", "a.txt, line 3")
