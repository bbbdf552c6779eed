"""Progress: how much the model gets right, as a person sees it.

    with held-out data   the score of each model on it
    without              words that the person did not have to change, over ten sentences each

The second is measured on what the page showed before the correction. Sentences that no model had labelled do not count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tagfield.data.labels.schemes import Chunk
from tagfield.evaluate import evaluate

GROUP = 10  # sentences of a point
MOST = 400  # points of held-out scores that the page gets


@dataclass
class Progress:
    """What happened since the start.

    >>> progress = Progress()
    >>> for n in range(20):
    ...     progress.corrected(f"s{n}", ["O", "B-X"], ["O", "B-X" if n > 9 else "O"], [], [])
    >>> progress.points()
    [[10, 0.5], [20, 1.0]]
    """

    kind: str = "unchanged"  # or the name of a score on held-out data
    scores: list[tuple[int, float]] = field(default_factory=list)  # sentences, score
    _kept: dict[str, tuple[int, int]] = field(default_factory=dict)  # words that stayed, words; by sentence
    _spans: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # right, suggested and left spans

    def corrected(
        self, key: str, before: Sequence[str], after: Sequence[str], suggested: Sequence[Chunk], left: Sequence[Chunk]
    ) -> None:
        """A sentence was shown with some labels, and left with others."""
        self._kept[key] = (sum(a == b for a, b in zip(before, after, strict=True)), len(after))
        self._spans[key] = (len(set(suggested) & set(left)), len(suggested), len(left))

    def forget(self, key: str) -> None:
        """A correction was taken back."""
        self._kept.pop(key, None)
        self._spans.pop(key, None)

    def scored(self, sentences: int, score: float) -> None:
        """Record the held-out score of a model trained on this number of sentences."""
        self.scores.append((sentences, score))

    def points(self) -> list[list[float]]:
        """The curve: numbers of sentences, and shares from 0 to 1."""
        if self.kind != "unchanged":
            step = max(1, len(self.scores) // MOST)
            return [[n, round(score, 4)] for n, score in self.scores[::-1][::step][::-1]]
        kept = list(self._kept.values())
        groups = [kept[at : at + GROUP] for at in range(0, len(kept), GROUP)]
        return [[GROUP * k + len(group), round(_share(group), 4)] for k, group in enumerate(groups)]

    def describe(self) -> dict[str, Any]:
        """What the page shows."""
        recent = list(self._kept.values())[-GROUP:]
        counts = list(self._spans.values())[-GROUP:]
        right, suggested, left = (sum(each[k] for each in counts) for k in range(3))
        return {
            "kind": self.kind,
            "points": self.points(),
            "unchanged": _share(recent) if recent else None,
            "spans": 2 * right / (suggested + left) if suggested + left else None,
            "recent": len(recent),
        }


def held_out_score(gold: Sequence[Sequence[str]], found: Sequence[Sequence[str]], *, spans: bool) -> float:
    """F1 of chunks, or the accuracy of tokens.

    >>> held_out_score([["B-X", "O"]], [["B-X", "O"]], spans=True)
    1.0
    """
    scores = evaluate(gold, found)
    return float(scores.f1 if spans and scores.has("f1") else scores.accuracy)


def _share(counts: Sequence[tuple[int, int]]) -> float:
    return sum(kept for kept, _ in counts) / max(1, sum(words for _, words in counts))
