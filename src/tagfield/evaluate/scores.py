"""Scores: precision, recall, F1 and accuracy from counts, as numbers, as text, as HTML and as JSON.

    Tally(gold, predicted, correct) ─▶ precision, recall, F1
    Scores ─▶ .accuracy .f1 .macro_f1 …  ·  .report() conlleval's page  ·  .table() per label  ·  .to_dict()

Labels that mark no chunks, such as parts of speech, have no chunk figures: they are left out everywhere. Figures are
fractions between 0 and 1 in attributes and in `to_dict`, and percentages in text.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tagfield.data.labels.kinds import UNITS, LabelKind
from tagfield.errors import InputError
from tagfield.system.html import table

FIGURES = ("accuracy", "sequence_accuracy", "precision", "recall", "f1", "macro_f1")
CHUNK_FIGURES = ("f1", "precision", "recall")  # those that need labels that mark chunks


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

    def __add__(self, other: "Tally") -> "Tally":
        """The counts of both together.

        >>> Tally(1, 2, 1) + Tally(3, 3, 2)
        Tally(gold=4, predicted=5, correct=3)
        """
        return Tally(self.gold + other.gold, self.predicted + other.predicted, self.correct + other.correct)

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
    chunks: Tally | None  # chunks, words or runs, by the rules of `kind`; None if the labels mark none
    types: Mapping[str, Tally]  # the same by type, sorted; "" is the type of labels without a dash
    kind: LabelKind = "iob"  # what the labels mark

    def __add__(self, other: "Scores") -> "Scores":
        """The scores of two parts of the data together: what scoring them at once gives.

        >>> one = Scores(Tally(1, 1, 1), Tally(2, 2, 2), {"N": Tally(2, 2, 2)}, None, {}, "labels")
        >>> two = Scores(Tally(1, 1, 0), Tally(2, 2, 0), {"V": Tally(2, 0, 0)}, None, {}, "labels")
        >>> (one + two).accuracy, list((one + two).labels)
        (0.5, ['N', 'V'])
        """
        if self.kind != other.kind:
            raise InputError(f"scores of {self.kind} and of {other.kind} cannot be added; score both with one scheme")
        chunks = None if self.chunks is None or other.chunks is None else self.chunks + other.chunks
        labels, types = _summed(self.labels, other.labels), _summed(self.types, other.types)
        return Scores(self.sequences + other.sequences, self.tokens + other.tokens, labels, chunks, types, self.kind)

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
        """Chunk precision; InputError if the labels mark no chunks."""
        return self.counted.precision

    @property
    def recall(self) -> float:
        """Chunk recall; InputError if the labels mark no chunks."""
        return self.counted.recall

    @property
    def f1(self) -> float:
        """Chunk F1, conlleval's FB1; InputError if the labels mark no chunks."""
        return self.counted.f1

    @property
    def counted(self) -> Tally:
        """The counts of chunks; InputError if the labels mark none.

        >>> Scores(Tally(1, 1, 1), Tally(2, 2, 2), {}, None, {}, "labels").f1
        Traceback (most recent call last):
        tagfield.errors.InputError: the labels mark no chunks; use accuracy or macro_f1, or score scheme='runs'
        """
        if self.chunks is None:
            raise InputError("the labels mark no chunks; use accuracy or macro_f1, or score scheme='runs'")
        return self.chunks

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of the figures that apply to these labels.

        >>> Scores(Tally(1, 1, 1), Tally(2, 2, 1), {}, None, {}, "labels").figures
        ('accuracy', 'sequence_accuracy', 'macro_f1')
        """
        return tuple(name for name in FIGURES if self.chunks is not None or name not in CHUNK_FIGURES)

    def has(self, figure: str) -> bool:
        """Whether a figure applies: precision, recall and f1 need labels that mark chunks."""
        return figure in self.figures

    @property
    def main(self) -> tuple[str, float]:
        """The figure that sums these scores up, with its name: f1 if the labels mark chunks, else accuracy.

        >>> Scores(Tally(1, 1, 1), Tally(2, 2, 1), {}, None, {}, "labels").main
        ('accuracy', 0.5)
        """
        return ("accuracy", self.accuracy) if self.chunks is None else ("f1", self.chunks.f1)

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
        """conlleval's report, character by character; for words and runs the same page with their name.

        Labels that mark no chunks get accuracy and the table of labels. One exception from conlleval: for labels
        without a dash it prints the line of the empty type twice.

        >>> np = Tally(gold=2, predicted=1, correct=1)
        >>> print(Scores(Tally(1, 1, 0), Tally(3, 3, 2), {}, np, {"NP": np}).report(), end="")
        processed 3 tokens with 2 phrases; found: 1 phrases; correct: 1.
        accuracy:  66.67%; precision: 100.00%; recall:  50.00%; FB1:  66.67
                       NP: precision: 100.00%; recall:  50.00%; FB1:  66.67  1
        >>> print(Scores(Tally(1, 1, 0), Tally(3, 3, 2), {"N": Tally(3, 2, 2)}, None, {}, "labels").report(), end="")
        processed 3 tokens; correct: 2.
        accuracy:  66.67%
        <BLANKLINE>
        label   precision   recall       F1  support
        N         100.00%   66.67%   80.00%        3
        macro     100.00%   66.67%   80.00%        3
        """
        c, unit, tokens = self.chunks, UNITS[self.kind], self.tokens
        accuracy = [f"accuracy: {100 * tokens.correct / tokens.gold:6.2f}%"] if tokens.gold else []
        if c is None:
            return "\n".join(
                [f"processed {tokens.gold} tokens; correct: {tokens.correct}.", *accuracy, "", self.table()]
            )
        lines = [
            f"processed {tokens.gold} tokens with {c.gold} {unit}s; found: {c.predicted} {unit}s; correct: {c.correct}."
        ]
        lines += [f"{text}; {_percentages(c)}" for text in accuracy]
        lines += [
            f"{name:>17}: {_percentages(t)}  {t.predicted}"
            for name, t in self.types.items()
            if self.kind != "words" or name  # words have no type: the line above says it all
        ]
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

    def __repr__(self) -> str:
        f1 = "" if self.chunks is None else f"F1 {100 * self.f1:.2f} % ({self.kind}), "
        return f"<Scores: {f1}token accuracy {100 * self.accuracy:.2f} %, {self.tokens.gold:,} tokens>"

    def _repr_html_(self) -> str:
        """The chunks of each type, or else the labels, and their sum or mean."""
        named = self.labels if self.chunks is None else self.types
        rows = [(name or "all", t.precision, t.recall, t.f1, t.gold) for name, t in named.items()]
        if self.chunks is None:
            rows.append(("macro", self.macro_precision, self.macro_recall, self.macro_f1, self.tokens.gold))
        elif len(rows) != 1:
            rows.append(("all", self.precision, self.recall, self.f1, self.chunks.gold))
        cells = [[name, *(f"{100 * x:.2f} %" for x in figures), f"{gold:,}"] for name, *figures, gold in rows]
        head = "label" if self.chunks is None else UNITS[self.kind].replace("phrase", "chunk")  # phrase is conlleval's
        caption = f"token accuracy {100 * self.accuracy:.2f} %, sequence accuracy {100 * self.sequence_accuracy:.2f} %"
        return table([head, "precision", "recall", "F1", "gold"], cells, caption)

    def to_dict(self) -> dict[str, object]:
        """All figures and counts that apply, for JSON; `scheme` says what chunks are.

        >>> d = Scores(Tally(1, 1, 0), Tally(3, 3, 2), {"O": Tally(3, 2, 2)}, Tally(0, 0, 0), {}).to_dict()
        >>> d["scheme"], d["tokens"], list(d)[4:]
        ('iob', 3, ['sequence_accuracy', 'chunks', 'types', 'labels', 'macro'])
        >>> "chunks" in Scores(Tally(1, 1, 0), Tally(3, 3, 2), {}, None, {}, "labels").to_dict()
        False
        """
        figures: dict[str, object] = {
            "scheme": self.kind,
            "tokens": self.tokens.gold,
            "accuracy": self.accuracy,
            "sequences": self.sequences.gold,
            "sequence_accuracy": self.sequence_accuracy,
        }
        if self.chunks is not None:
            figures["chunks"] = self.chunks.to_dict()
            figures["types"] = {name: t.to_dict() for name, t in self.types.items()}
        figures["labels"] = {name: t.to_dict() for name, t in self.labels.items()}
        figures["macro"] = {"precision": self.macro_precision, "recall": self.macro_recall, "f1": self.macro_f1}
        return figures


def _summed(one: Mapping[str, Tally], other: Mapping[str, Tally]) -> dict[str, Tally]:
    """The counts of each name in both, sorted by name."""
    none = Tally(0, 0, 0)
    return {name: one.get(name, none) + other.get(name, none) for name in sorted({*one, *other})}


def _percentages(t: Tally) -> str:
    """In conlleval's order of operations, so that the last digit rounds as it does there."""
    precision, recall = _ratio(100 * t.correct, t.predicted), _ratio(100 * t.correct, t.gold)
    f1 = _ratio(2 * precision * recall, precision + recall)
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"
