"""Scores: precision, recall, F1 and accuracy from counts, as numbers, as text and as JSON.

    Tally(gold, predicted, correct) ─▶ precision, recall, F1
    Scores ─▶ .accuracy .f1 .macro_f1 …  ·  .report() conlleval's page  ·  .table() per label  ·  .to_dict()

Figures are fractions between 0 and 1 in attributes and in `to_dict`, and percentages in text.
"""

from collections.abc import Mapping
from dataclasses import dataclass


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


@dataclass(frozen=True)
class Tally:
    """Three counts, with their precision, recall and F1; a figure is 0 if its denominator is 0, as in conlleval.

    >>> t = Tally(gold=4, predicted=5, correct=3)
    >>> t.precision, t.recall, round(t.f1, 4)
    (0.6, 0.75, 0.6667)
    """

    gold: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        return _ratio(self.correct, self.predicted)

    @property
    def recall(self) -> float:
        return _ratio(self.correct, self.gold)

    @property
    def f1(self) -> float:
        return _ratio(2 * self.correct, self.gold + self.predicted)

    def to_dict(self) -> dict[str, float]:
        """The figures and the counts, for JSON.

        >>> Tally(gold=1, predicted=2, correct=1).to_dict()["precision"]
        0.5
        """
        return {
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
            "gold": self.gold,
            "predicted": self.predicted,
            "correct": self.correct,
        }


@dataclass(frozen=True)
class Scores:
    """All counts and figures of predicted labels against gold labels.

    >>> same = Tally(gold=2, predicted=2, correct=2)
    >>> s = Scores(sequences=Tally(1, 1, 1), tokens=same, labels={"O": same}, chunks=Tally(0, 0, 0), types={})
    >>> s.accuracy, s.macro_f1, s.f1
    (1.0, 1.0, 0.0)
    """

    sequences: Tally
    tokens: Tally
    labels: Mapping[str, Tally]  # every label that occurs, gold or predicted, sorted
    chunks: Tally  # as conlleval counts them
    types: Mapping[str, Tally]  # chunks by type, sorted; "" is the type of labels without a dash

    @property
    def accuracy(self) -> float:
        """Token accuracy: the fraction of tokens with the right label."""
        return self.tokens.recall

    @property
    def sequence_accuracy(self) -> float:
        """The fraction of sequences with every label right."""
        return self.sequences.recall

    @property
    def precision(self) -> float:
        """Chunk precision."""
        return self.chunks.precision

    @property
    def recall(self) -> float:
        """Chunk recall."""
        return self.chunks.recall

    @property
    def f1(self) -> float:
        """Chunk F1, conlleval's FB1."""
        return self.chunks.f1

    @property
    def macro_precision(self) -> float:
        """The mean precision of all labels that occur in the gold or the predicted sequences."""
        return _ratio(sum(t.precision for t in self.labels.values()), len(self.labels))

    @property
    def macro_recall(self) -> float:
        """The mean recall of all labels that occur in the gold or the predicted sequences."""
        return _ratio(sum(t.recall for t in self.labels.values()), len(self.labels))

    @property
    def macro_f1(self) -> float:
        """The mean F1 of all labels that occur in the gold or the predicted sequences."""
        return _ratio(sum(t.f1 for t in self.labels.values()), len(self.labels))

    def report(self) -> str:
        """conlleval's report, character by character.

        One exception: for labels without a dash, conlleval prints the line of the empty type twice.

        >>> np = Tally(gold=2, predicted=1, correct=1)
        >>> print(Scores(Tally(1, 1, 0), Tally(3, 3, 2), {}, np, {"NP": np}).report(), end="")
        processed 3 tokens with 2 phrases; found: 1 phrases; correct: 1.
        accuracy:  66.67%; precision: 100.00%; recall:  50.00%; FB1:  66.67
                       NP: precision: 100.00%; recall:  50.00%; FB1:  66.67  1
        """
        c = self.chunks
        lines = [
            f"processed {self.tokens.gold} tokens with {c.gold} phrases; "
            f"found: {c.predicted} phrases; correct: {c.correct}."
        ]
        if self.tokens.gold:
            accuracy = 100 * self.tokens.correct / self.tokens.gold
            lines.append(f"accuracy: {accuracy:6.2f}%; {_percentages(c)}")
        lines += [f"{name:>17}: {_percentages(t)}  {t.predicted}" for name, t in self.types.items()]
        return "\n".join(lines) + "\n"

    def table(self) -> str:
        """Precision, recall, F1 and support of each label, then their means, as an aligned table.

        >>> outside, none = {"O": Tally(gold=3, predicted=2, correct=2)}, Tally(0, 0, 0)
        >>> print(Scores(Tally(1, 1, 0), Tally(3, 3, 2), outside, none, {}).table(), end="")
        label   precision   recall       F1  support
        O         100.00%   66.67%   80.00%        3
        macro     100.00%   66.67%   80.00%        3
        """
        width = max([5, *map(len, self.labels)])
        rows = [(name, t.precision, t.recall, t.f1, t.gold) for name, t in self.labels.items()]
        rows.append(("macro", self.macro_precision, self.macro_recall, self.macro_f1, self.tokens.gold))
        lines = [f"{'label':<{width}}   precision   recall       F1  support"]
        lines += [
            f"{name:<{width}}   {100 * p:8.2f}%  {100 * r:6.2f}%  {100 * f:6.2f}%  {support:7d}"
            for name, p, r, f, support in rows
        ]
        return "\n".join(lines) + "\n"

    def to_dict(self) -> dict[str, object]:
        """All figures and counts, for JSON.

        >>> d = Scores(Tally(1, 1, 0), Tally(3, 3, 2), {"O": Tally(3, 2, 2)}, Tally(0, 0, 0), {}).to_dict()
        >>> d["tokens"], d["sequences"], list(d)
        (3, 1, ['tokens', 'accuracy', 'sequences', 'sequence_accuracy', 'chunks', 'types', 'labels', 'macro'])
        """
        return {
            "tokens": self.tokens.gold,
            "accuracy": self.accuracy,
            "sequences": self.sequences.gold,
            "sequence_accuracy": self.sequence_accuracy,
            "chunks": self.chunks.to_dict(),
            "types": {name: t.to_dict() for name, t in self.types.items()},
            "labels": {name: t.to_dict() for name, t in self.labels.items()},
            "macro": {"precision": self.macro_precision, "recall": self.macro_recall, "f1": self.macro_f1},
        }


def _percentages(t: Tally) -> str:
    """In conlleval's order of operations, so that the last digit rounds as it does there."""
    precision, recall = _ratio(100 * t.correct, t.predicted), _ratio(100 * t.correct, t.gold)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
