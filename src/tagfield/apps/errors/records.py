"""Records: what the page shows, as JSON; large files are cut to a budget of bytes, and the page says what was left out.

ranked sentences ─▶ words, labels, spans, places with their reasons ─▶ until the budget is used
                 ─▶ the training tokens of each place ─▶ until their budget is used
"""

import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagfield.apps.errors.finding import UNSURE, Errors
from tagfield.apps.errors.labelled import Labelled, short, word_finder
from tagfield.apps.errors.reasons import Reason, reason_for
from tagfield.apps.errors.similar import Own, Similar
from tagfield.data.dataset import UNKNOWN, Ints
from tagfield.data.encoded import Encoded
from tagfield.data.labels.kinds import label_kind
from tagfield.data.labels.schemes import OUTSIDE
from tagfield.inference.spans import SpanFinder
from tagfield.model.model import Model

BUDGET = 5_000_000  # bytes of sentences
EXAMPLES_BUDGET = 2_500_000  # bytes of training sentences
WHOLE = 150  # tokens of a sentence that is shown whole
AROUND = 25  # tokens shown around a place of a longer one
KEPT = 400  # tokens shown of one sentence
PLACES = 20  # places shown of one sentence
CONFUSIONS = 1_000


@dataclass
class Shown:
    """The sentences of the page."""

    data: dict[str, Any]
    sentences: int  # on the page
    places: int  # on the page
    without_examples: int = 0  # places whose training sentences did not fit


@dataclass
class _Place:
    """A place on the page, and what finds its training sentences."""

    record: dict[str, Any]
    reason: Reason
    gold: str
    predicted: str
    own: Own


@dataclass
class Records:
    """Makes the records of sentences."""

    model: Model
    labelled: Labelled
    errors: Errors
    rules: Any = None
    places: list[_Place] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._find = word_finder(self.model)
        self._names = self.errors.names
        kind = label_kind(self._names)
        if kind == "labels" and OUTSIDE in self._names:
            kind = "runs"  # plain types such as LOC LOC O
        self._kind = kind
        self._finder = None if kind == "labels" else SpanFinder(self._names, kind)

    def shown(self, most: int, train: Labelled | None = None) -> Shown:
        """The data of the page: at most `most` sentences, likely annotation errors first."""
        sentences: list[dict[str, Any]] = []
        used = 0
        for s in self.errors.ranked[:most].tolist():
            record = self.sentence(s)
            used += len(json.dumps(record, ensure_ascii=False).encode("utf-8", "backslashreplace"))
            if used > BUDGET and sentences:
                break
            sentences.append(record)
        placed = self.places[: sum(len(record["places"]) for record in sentences)]
        examples, without = ([], 0) if train is None else self._examples(train, placed)
        data = {
            "names": self._names,
            "joiner": "" if self._kind == "words" else " ",  # characters of a segmentation stand side by side
            "types": [] if self._finder is None else self._finder.types,
            "unseen": self._find is not None,
            "train": train is not None,
            "confusions": self._confusions(),
            "sentences": sentences,
            "examples": examples,
        }
        return Shown(data, len(sentences), len(placed), without)

    def sentence(self, s: int) -> dict[str, Any]:
        """One sentence, with its places."""
        encoded = self.labelled.encoded
        one = encoded.take(np.array([s]))
        words, gold = self.labelled.words(s), one.gold
        best = self.model.decoder(one, rules=self.rules).best()
        rows = np.arange(*np.searchsorted(self.errors.places.sentence, [s, s + 1]))
        ranked = rows[np.argsort(-self.errors.places.chance[rows], kind="stable")][:PLACES]
        spots = sorted((int(self.errors.places.first[row]), int(self.errors.places.end[row]), row) for row in ranked)
        kept = _kept(len(words), [(first, end) for first, end, _ in spots])
        record = {
            "number": s + 1,
            "at": os.path.basename(encoded.where(s)),  # without the folder: the page is passed around
            "tokens": len(words),
            "kept": kept,
            "words": [short(words[p]) for p in kept],
            "gold": gold[kept].tolist(),
            "best": best[kept].tolist(),
            "spans": [self._spans(gold, kept), self._spans(best, kept)],
            "places": [self._place(one, best, words, spot, s) for spot in spots],
            "left": len(rows) - len(ranked),
        }
        if self._find is not None:
            record["unseen"] = [p for p in kept if self._find(words[p]) is None]
        if len(kept) == len(words):
            del record["kept"]
        return record

    def _place(self, one: Encoded, best: Ints, words: list[str], spot: tuple[int, int, int], s: int) -> dict[str, Any]:
        first, end, row = spot
        error = int(self.errors.places.top[row])
        wrong = self.errors.wrong
        top, chance = int(wrong.position[error]), wrong.chance[error]
        reason = reason_for(self.model, one, best, (first, end, top), one.gold, self.rules)
        record: dict[str, Any] = {
            "first": first,
            "end": end,
            "top": top,
            "chance": round(float(chance), 4),
            "gold_chance": round(float(wrong.gold_chance[error]), 4),
            "kind": "sure" if self.errors.places.likely[row] else "unsure" if chance < UNSURE else "",
            **reason.record,
        }
        labels = (self._names[wrong.gold[error]], self._names[wrong.predicted[error]])
        own = Own(self.labelled.encoded.where(s), top, words)
        self.places.append(_Place(record, reason, *labels, own))
        return record

    def _spans(self, path: Any, kept: list[int]) -> list[list[int]]:
        """[start, end, type] of the chunks in a path that touch the tokens that are shown."""
        if self._finder is None:
            return []
        outside = len(self._names)
        types = self._finder.types
        found = self._finder.chunks([outside if y == UNKNOWN else int(y) for y in path])
        marks = np.zeros(len(path) + 1, np.int64)
        marks[1:][kept] = 1
        before = np.cumsum(marks)
        return [[a, b, types.index(kind)] for kind, a, b in found if before[b] > before[a]]

    def _confusions(self) -> list[list[int]]:
        number = {name: i for i, name in enumerate(self._names)}
        found = self.errors.confusions()[:CONFUSIONS]
        return [[number[gold], number[predicted], count] for gold, predicted, count in found]

    def _counted(self, place: _Place) -> list[int]:
        """The attributes whose labels are counted: the word's own, then those that speak most for the prediction."""
        found = None if self._find is None else self._find(place.own.words[place.own.position])
        return list(dict.fromkeys([*([] if found is None else [found]), *(a for a, _ in place.reason.attributes)]))

    def _examples(self, train: Labelled, placed: list[_Place]) -> tuple[list[dict[str, Any]], int]:
        """Adds to each place its training tokens, by number, and label counts of its attributes."""
        counted = [self._counted(place) for place in placed]
        similar = Similar(train, {a for ids in counted for a in ids})
        numbers: dict[int, int] = {}
        examples: list[dict[str, Any]] = []
        used, without = 0, 0
        for place, ids in zip(placed, counted, strict=True):
            if used > EXAMPLES_BUDGET:
                without += 1
                continue
            place.record["seen"] = [[short(self.model.attributes[a]), similar.counts(a)] for a in ids]
            used += len(json.dumps(place.record["seen"], ensure_ascii=False))
            place.record["like"] = []
            for token in similar.tokens(place.reason.attributes, place.gold, place.predicted, place.own):
                if token not in numbers:
                    numbers[token] = len(examples)
                    examples.append(similar.example(token))
                    used += len(json.dumps(examples[-1], ensure_ascii=False).encode("utf-8", "backslashreplace"))
                place.record["like"].append(numbers[token])
        return examples, without


def _kept(tokens: int, places: list[tuple[int, int]]) -> list[int]:
    """The positions of a sentence that are shown: all of them, or those around its places.

    >>> _kept(3, [(1, 2)]), len(_kept(10_000, [(5_000, 5_001)])), len(_kept(10_000, [(0, 10_000)]))
    ([0, 1, 2], 51, 400)
    """
    if tokens <= WHOLE:
        return list(range(tokens))
    found: set[int] = set()
    for first, end in places:
        found.update(range(max(0, first - AROUND), min(tokens, end + AROUND, first + KEPT)))
        if len(found) > KEPT:
            break
    return sorted(found)[:KEPT]
