"""ChunkScorer: ids and starts that do not fit are named, and figures of sentences add up."""

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.evaluate.scorer import UNKNOWN_LABEL, ChunkScorer

LABELS = ["B-X", "I-X", "B-Y", "O"]
X, IN, Y, O = range(4)  # noqa: E741
GOLD = [X, IN, O, Y, O, X]
STARTS = [0, 3, 3, 6]  # the second sentence is empty


def test_an_empty_sentence_is_right() -> None:
    scores = ChunkScorer(LABELS).score(GOLD, GOLD, STARTS)
    assert (scores.sequences.gold, scores.sequences.correct) == (3, 3)
    assert scores.f1 == 1.0


def test_a_chunk_does_not_go_on_in_the_next_sentence() -> None:
    whole = ChunkScorer(LABELS).score([X, IN], [X, IN], [0, 2])
    cut = ChunkScorer(LABELS).score([X, IN], [X, IN], [0, 1, 2])
    assert (whole.chunks.gold, cut.chunks.gold) == (1, 2)


def test_an_unknown_gold_label_is_wrong_and_has_a_name() -> None:
    scores = ChunkScorer(LABELS).score([X, -1], [X, O], [0, 2])
    assert scores.accuracy == 0.5
    assert scores.labels[UNKNOWN_LABEL].gold == 1
    assert scores.chunks.gold == 2


def test_figures_of_sentences_add_up_to_those_of_all() -> None:
    predicted = [X, O, O, Y, O, O]
    scorer = ChunkScorer(LABELS)
    found = scorer.by_sentence(GOLD, predicted, STARTS)
    scores = scorer.score(GOLD, predicted, STARTS)
    assert found.sum(axis=1).tolist() == [scores.chunks.gold, scores.chunks.predicted, scores.chunks.correct]
    assert found.tolist() == [[1, 0, 2], [1, 0, 1], [0, 0, 1]]


def test_labels_that_mark_nothing_have_no_chunks() -> None:
    scorer = ChunkScorer(["NN", "VB"])
    assert scorer.score([0, 1], [0, 0], [0, 2]).chunks is None
    assert scorer.by_sentence([0, 1], [0, 0], [0, 2]) is None


def test_ids_of_any_integer_type_count_the_same() -> None:
    scorer = ChunkScorer([f"B-{i}" for i in range(300)])
    gold = np.arange(300)
    first = scorer.score(gold.astype(np.int16), gold.astype(np.uint64), [0, 300])
    assert first.chunks.correct == 300


@pytest.mark.parametrize(
    ("gold", "predicted", "starts", "said"),
    [
        ([0], [0, 1], [0, 1], "found 1 gold labels but 2 predicted ones"),
        ([0, 1], [0, 1], [0, 1], "sentence_starts must go up from 0 to the number of tokens, 2"),
        ([0, 1], [0, 1], [0, 2, 1, 2], "sentence_starts must go up"),
        ([0], [-1], [0, 1], "predicted label id -1 at token 0 is not one of the 4 labels"),
        ([4], [0], [0, 1], "gold label id 4 at token 0 is not one of the 4 labels"),
        ([0.5], [0], [0, 1], "gold labels must be a one-dimensional array of ids, got float64"),
    ],
)
def test_what_does_not_fit_is_named(gold: list[float], predicted: list[int], starts: list[int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        ChunkScorer(LABELS).score(gold, predicted, starts)
