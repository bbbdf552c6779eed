"""Similar: the training tokens that share the attributes which speak for a prediction.

    wanted attributes ─▶ one pass over the training data ─▶ their tokens, and how often each label goes with them
    a place's attributes, with amounts ─▶ tokens by the sum of the amounts they share ─▶ examples

An annotator wants both sides: of three examples, one has the gold label if any similar token has it.
"""

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from tagfield.apps.errors.labelled import Labelled, short
from tagfield.data.dataset import UNKNOWN, Longs
from tagfield.data.slots import spans_of

EXAMPLES = 3  # training sentences for each place
REACH = 6  # words shown to either side
MOST = 2_000  # tokens of an attribute that are compared; one that occurs more often says little
LABELS = 4  # labels that are counted


class Own(NamedTuple):
    """Where an error stands, to know it again if the training data holds it."""

    where: str
    position: int
    words: list[str]


class Similar:
    """Training data, by some of its attributes."""

    def __init__(self, train: Labelled, wanted: Iterable[int]) -> None:
        self._train, data = train, train.encoded.dataset
        self._names = train.encoded.names.strings()
        ids = np.array(sorted(set(wanted)), np.int64)
        slots = np.flatnonzero(np.isin(data.attribute, ids))
        ends = np.concatenate([[0], np.cumsum(data.slot_sizes())]).astype(np.int64)
        chosen = spans_of(ends, slots)[1]  # [N]  occurrences
        attribute = np.repeat(data.attribute[slots], ends[slots + 1] - ends[slots])
        sentence = np.searchsorted(data.occurrences, chosen, side="right") - 1
        token = data.tokens[sentence] + data.position[chosen]
        order = np.lexsort((token, attribute))
        token, attribute = token[order], attribute[order]
        cuts = np.searchsorted(attribute, ids), np.searchsorted(attribute, ids, side="right")
        self._tokens: dict[int, Longs] = {int(a): token[i:j] for a, i, j in zip(ids, *cuts, strict=True)}

    def tokens(self, attributes: list[tuple[int, float]], gold: str, predicted: str, but: "Own") -> list[int]:
        """Up to three training tokens that share most: two with the predicted label, one with the gold label.

        but: the error itself, which is left out
        """
        found = [(self._tokens[a], amount) for a, amount in attributes if len(self._tokens.get(a, ()))]
        found = [each for each in found if len(each[0]) <= MOST] or found[:1]
        if not found:
            return []
        tokens, where = np.unique(np.concatenate([each[:MOST] for each, _ in found]), return_inverse=True)
        shared = np.bincount(where, np.concatenate([np.full(min(MOST, len(each)), amount) for each, amount in found]))
        best = tokens[np.argsort(-shared, kind="stable")]
        labels = self._train.encoded.gold[best]
        sides = [self._number(predicted)] * (EXAMPLES - 1) + [self._number(gold)]
        chosen: list[int] = []
        for side in sides:
            chosen += self._first(best[labels == side], chosen, but)
        while len(chosen) < EXAMPLES and (more := self._first(best, chosen, but)):
            chosen += more
        return chosen

    def _number(self, label: str) -> int:
        return self._names.index(label) if label in self._names else len(self._names)

    def _first(self, tokens: Longs, used: list[int], but: "Own") -> list[int]:
        """The first token of a sentence that is not used yet."""
        data = self._train.encoded.dataset
        taken = {data.sentence_of(token) for token in used}
        for token in tokens[: 20 * EXAMPLES].tolist():
            s = data.sentence_of(token)
            own = (self._train.encoded.where(s), token - int(data.tokens[s])) == but[:2]
            if s not in taken and not (own and self._train.words(s) == but.words):
                return [token]
        return []

    def counts(self, attribute: int) -> list[tuple[str, int]]:
        """How often each label goes with an attribute in the training data, the most frequent first."""
        labels = self._train.encoded.gold[self._tokens.get(attribute, np.zeros(0, np.int64))]
        found, counts = np.unique(labels[labels != UNKNOWN], return_counts=True)
        order = np.argsort(-counts, kind="stable")[:LABELS]
        return [(self._names[found[i]], int(counts[i])) for i in order]

    def example(self, token: int) -> dict[str, Any]:
        """A training token in its sentence, for the page."""
        encoded = self._train.encoded
        s = encoded.dataset.sentence_of(token)
        at, words = token - int(encoded.dataset.tokens[s]), self._train.words(s)
        first, end = max(0, at - REACH), min(len(words), at + REACH + 1)
        label = int(encoded.gold[token])
        return {
            "at": os.path.basename(encoded.where(s)),
            "before": " ".join(["…"] * (first > 0) + [short(word) for word in words[first:at]]),
            "word": short(words[at]),
            "after": " ".join([short(word) for word in words[at + 1 : end]] + ["…"] * (end < len(words))),
            "label": "" if label == UNKNOWN else self._names[label],
        }
