"""Chunks counted on whole arrays: groups, kinds, and the boundary between sentences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.labels.chunks import ChunkRules, count_where
from tagfield.data.labels.kinds import LabelKind

LABELS = ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y"]
BOUNDARY = len(LABELS)
pairs = st.lists(
    st.lists(st.tuples(st.integers(0, BOUNDARY - 1), st.integers(0, BOUNDARY - 1)), max_size=6), min_size=1, max_size=5
)


def ids(labels: str, known: list[str] = LABELS) -> np.ndarray:
    return np.array([*map(known.index, labels.split()), len(known)])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3)), max_size=12))
def test_ids_are_counted_where_they_are_chosen(drawn: list[tuple[bool, int]]) -> None:
    chosen, found = np.array([c for c, _ in drawn], bool), np.array([i for _, i in drawn], np.uint8)
    assert count_where(chosen, found, 4).tolist() == [sum(c and i == k for c, i in drawn) for k in range(4)]


@pytest.mark.parametrize("kind", ["iob", "iobes", "runs"])
@given(drawn=pairs)
def test_the_counts_of_sentences_add_up_to_those_of_types(kind: LabelKind, drawn: list[list[tuple[int, int]]]) -> None:
    rules = ChunkRules.of(LABELS, kind)
    sides = [np.array([pair[k] for s in drawn for pair in [*s, (BOUNDARY, BOUNDARY)]]) for k in range(2)]
    sentence = np.repeat(np.arange(len(drawn)), [len(s) + 1 for s in drawn])
    by_type, by_sentence = rules.count(*sides), rules.count_by(*sides, sentence, len(drawn))
    assert [each.sum() for each in by_type] == by_sentence.sum(axis=1).tolist()
    assert (by_sentence[2] <= by_sentence[:2].min(axis=0)).all()
    for s, pairs in enumerate(drawn):  # each sentence alone counts the same
        alone = [np.array([*(pair[k] for pair in pairs), BOUNDARY]) for k in range(2)]
        assert [int(each.sum()) for each in rules.count(*alone)] == by_sentence[:, s].tolist()


@pytest.mark.parametrize(("kind", "chunks"), [("iob", 1), ("iobes", 2), ("runs", 4)])
def test_the_kind_chooses_the_rules(kind: LabelKind, chunks: int) -> None:
    gold = ids("B-X E-X B-X E-X")  # conlleval lets a chunk go on from E to B
    assert [int(each.sum()) for each in ChunkRules.of(LABELS, kind).count(gold, gold)] == [chunks] * 3


def test_types_are_sorted_and_the_boundary_has_none() -> None:
    rules = ChunkRules.of(["I-b", "O", "B-a", "B-b-c"])
    assert rules.types == ("", "a", "b", "b-c")
    assert rules.kind.tolist() == [2, 0, 1, 3, 0]
    assert rules.typed.tolist() == [True, False, True, True, False]


def test_a_chunk_does_not_reach_into_the_next_sentence() -> None:
    gold = np.concatenate([ids("B-X I-X"), ids("I-X")])
    predicted = np.concatenate([ids("B-X I-X"), ids("O")])
    found = ChunkRules.of(LABELS, "iob").count(gold, predicted)
    assert [each.tolist() for each in found] == [[0, 2, 0], [0, 1, 0], [0, 1, 0]]


def test_no_label_and_no_token_are_no_chunks() -> None:
    nothing = np.empty(0, np.int64)
    assert [each.tolist() for each in ChunkRules.of([]).count(nothing, nothing)] == [[0]] * 3
