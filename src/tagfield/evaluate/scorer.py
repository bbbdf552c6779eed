"""ChunkScorer: label ids in, Scores out. Made once per label set, called after every epoch.

    gold_ids, predicted_ids [T], sentence_starts [S+1] ─▶ counts per label, sentence and chunk type ─▶ Scores

Every count is a bincount or a comparison of whole arrays: 211,000 tokens take a few milliseconds.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.data.dataset import UNKNOWN, Longs
from tagfield.data.labels.chunks import ChunkRules, SmallIds, count_where
from tagfield.data.labels.kinds import chosen_kind
from tagfield.errors import InputError
from tagfield.evaluate.scores import Scores, Tally

UNKNOWN_LABEL = "?-(unknown label)"  # the name of UNKNOWN in Scores; no other label has its type


class ChunkScorer:
    """Scores predicted label ids against gold ones.

    `labels` may have more labels than the model: put the new labels of the gold file after the model's, and the chunk
    figures are exactly conlleval's. A gold id may also be UNKNOWN (−1). That token counts as wrong, and as a chunk of
    its own type that no prediction matches.

    scheme: What to count, as in `evaluate`; by default what the labels mark.

    >>> scorer = ChunkScorer(["B-NP", "I-NP", "O"])
    >>> scores = scorer.score([0, 1, 2, 0], [0, 1, 2, 2], [0, 3, 4])
    >>> scores.accuracy, scores.sequence_accuracy, scores.precision, scores.recall
    (0.75, 0.5, 1.0, 0.5)
    """

    def __init__(self, labels: Sequence[str], scheme: str | None = None) -> None:
        self.labels = tuple(labels)
        self.kind = chosen_kind(self.labels, scheme)
        self._names = (*self.labels, UNKNOWN_LABEL)
        self._rules = None if self.kind == "labels" else ChunkRules.of(self._names, self.kind)

    def score(self, gold_ids: ArrayLike, predicted_ids: ArrayLike, sentence_starts: ArrayLike) -> Scores:
        """Count tokens, labels, sequences and chunks.

        sentence_starts: [S+1] the first token of each sentence, then the number of tokens, as in `Dataset.tokens`

        >>> ChunkScorer(["O", "B-X"]).score([1, -1], [1, 0], [0, 2]).accuracy  # −1 is a label without an id
        0.5
        """
        gold = self._checked(gold_ids, "gold")
        predicted = self._checked(predicted_ids, "predicted")
        starts = np.asarray(sentence_starts, np.int64)
        if len(gold) != len(predicted):
            raise InputError(
                f"found {len(gold)} gold labels but {len(predicted)} predicted ones; pass both for the same tokens"
            )
        if (
            starts.ndim != 1
            or not len(starts)
            or starts[0] != 0
            or starts[-1] != len(gold)
            or (np.diff(starts) < 0).any()
        ):
            raise InputError(
                f"sentence_starts must go up from 0 to the number of tokens, {len(gold)}; "
                "pass the first token of each sentence, then the number of tokens"
            )
        right = gold == predicted  # a predicted id is never UNKNOWN, so an UNKNOWN gold label is always wrong
        chunks, types = self._chunks(gold, predicted, starts)
        return Scores(
            sequences=_whole_sequences(right, starts),
            tokens=Tally(len(gold), len(gold), int(right.sum())),
            labels=_tallies(
                self._names,
                np.bincount(gold, minlength=len(self._names)),
                np.bincount(predicted, minlength=len(self._names)),
                count_where(right, gold, len(self._names)),
            ),
            chunks=chunks,
            types=types,
            kind=self.kind,
        )

    def _chunks(self, gold: SmallIds, predicted: SmallIds, starts: Longs) -> tuple[Tally | None, dict[str, Tally]]:
        """All chunks, and those of each type; None if the labels mark none."""
        if self._rules is None:
            return None, {}
        is_token = _token_flags(starts)
        counts = self._rules.count(self._with_boundaries(gold, is_token), self._with_boundaries(predicted, is_token))
        return Tally(*(int(count.sum()) for count in counts)), _tallies(self._rules.types, *counts)

    def by_sentence(self, gold_ids: ArrayLike, predicted_ids: ArrayLike, sentence_starts: ArrayLike) -> Longs | None:
        """Chunks of each sentence [3, S]: in the gold labels, in the predicted ones, correct; None if labels mark none.

        >>> ChunkScorer(["B-NP", "I-NP", "O"]).by_sentence([0, 1, 2, 0], [0, 1, 2, 2], [0, 3, 4]).tolist()
        [[1, 1], [1, 0], [1, 0]]
        """
        if self._rules is None:
            return None
        gold, predicted = self._checked(gold_ids, "gold"), self._checked(predicted_ids, "predicted")
        starts = np.asarray(sentence_starts, np.int64)
        is_token = _token_flags(starts)
        sentence = np.repeat(np.arange(len(starts) - 1), np.diff(starts) + 1)  # [T+S], with the boundaries
        both = self._with_boundaries(gold, is_token), self._with_boundaries(predicted, is_token)
        return self._rules.count_by(*both, sentence, len(starts) - 1)

    def _checked(self, ids: ArrayLike, side: str) -> SmallIds:
        """The ids in the smallest type that holds them, with UNKNOWN as the id after the last label."""
        array = np.asarray(ids)
        if array.size == 0:
            array = array.astype(np.int64)
        if array.ndim != 1 or array.dtype.kind not in "iu":
            raise InputError(
                f"{side} labels must be a one-dimensional array of ids, got {array.dtype} of shape {array.shape}"
            )
        size, lowest = len(self.labels), (UNKNOWN if side == "gold" else 0)
        if len(array) and (array.min() < lowest or array.max() >= size):
            at = int(np.argmax((array < lowest) | (array >= size)))
            raise InputError(
                f"{side} label id {array[at]} at token {at} is not one of the {size} labels; "
                "make the ChunkScorer with every label that occurs"
            )
        small: SmallIds = array.astype(np.min_scalar_type(2 * (size + 2)))  # with UNKNOWN and boundary, twice
        if array.dtype.kind == "i":
            small[array == UNKNOWN] = size
        return small

    def _with_boundaries(self, ids: SmallIds, is_token: NDArray[np.bool_]) -> SmallIds:
        """The ids [T] with a boundary after every sentence [T+S]."""
        spread = np.full(len(is_token), len(self._names), ids.dtype)
        spread[is_token] = ids
        return spread


def _token_flags(starts: Longs) -> NDArray[np.bool_]:
    """Which places [T+S] are tokens, where a boundary follows every sentence."""
    flags = np.ones(int(starts[-1]) + len(starts) - 1, bool)
    flags[starts[1:] + np.arange(len(starts) - 1)] = False
    return flags


def _whole_sequences(right: NDArray[np.bool_], starts: Longs) -> Tally:
    so_far = np.zeros(len(right) + 1, np.int64)
    np.cumsum(right, out=so_far[1:])
    whole = so_far[starts[1:]] - so_far[starts[:-1]] == np.diff(starts)
    return Tally(len(whole), len(whole), int(whole.sum()))


def _tallies(names: tuple[str, ...], gold: Longs, predicted: Longs, correct: Longs) -> dict[str, Tally]:
    """One Tally for each name that occurs, sorted by name."""
    rows = zip(names, gold.tolist(), predicted.tolist(), correct.tolist(), strict=True)
    return {name: Tally(g, p, c) for name, g, p, c in sorted(rows) if g or p}
