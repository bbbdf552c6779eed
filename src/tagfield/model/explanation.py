"""Explanation: why one token has its label, as text, as a dict, and as HTML for notebooks.

    Explanation ─▶ head   position 3 “Oslo”: B-LOC, ahead of O by 2.1
                ─▶ terms  what separates the two paths; the last line is their sum, which is "ahead by"
                ─▶ parts  the score of each label, if its neighbours keep theirs; the last line is the score
                ─▶ note   how the difference of two scores relates to "ahead by"

Amounts are rounded so that those of a column, as shown, add up to its sum. Colours are half transparent and text is
inherited, so that it reads in light and dark notebooks.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from tagfield.system.html import CELL, RULE

NEAR = 6  # words shown to either side of the token, in text
NEARBY = 20  # and in HTML
CHANGES = 5  # changed tokens that a note lists
DIGITS = 4
GOOD, BAD = "46,160,67", "218,54,51"
NUMBER = f"text-align:right;{CELL};font-variant-numeric:tabular-nums"
TEXT = f"text-align:left;{CELL}"
SUM = "border-top:1px solid rgba(127,127,127,.5);font-weight:bold"


@dataclass(frozen=True)
class Explanation:
    """Why one token gets its label."""

    position: int
    label: Any
    probability: float
    runner_up: Any  # None if no other label is possible
    difference: float  # score of the best path minus score of the runner-up
    separates: list[tuple[str, float]]  # terms of the difference, largest first; they add up to it
    attributes: list[tuple[str, float, dict[Any, float]]]  # attribute, value, its contribution to each label
    into: dict[Any, float]  # label → weight of the transition from the best label before
    out_of: dict[Any, float]  # label → weight of the transition to the best label after
    scores: dict[Any, float]  # label → attributes + transitions, with the best labels for the neighbours
    probabilities: dict[Any, float]  # label → P(y_t = label | x)
    # edge attribute, value, its contribution to each label
    edges_into: list[tuple[str, float, dict[Any, float]]] = field(default_factory=list)
    edges_out_of: list[tuple[str, float, dict[Any, float]]] = field(default_factory=list)
    words: list[str] | None = None  # of the sequence, if they are known
    changes: list[tuple[int, Any, Any]] = field(default_factory=list)  # position, label, label on the other path

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain lists and dicts."""
        return asdict(self)

    def __str__(self) -> str:
        lines = [f"{self._place(self.position)}: {self.label!s}  P={self.probability:.4f}"]
        if self.words is not None:
            lines.insert(0, " ".join(f"[{word}]" if at == self.position else word for at, word in self._near(NEAR)))
        if self.runner_up is not None:
            lines[-1] += f"  (ahead of {self.runner_up!s} by {self.difference:.4f})"
            lines += [f"  {amount:+9.4f}  {what}" for what, amount in self._shown_terms()]
            lines += [f"  {self.difference:+9.4f}  sum: {self.label!s} is ahead of {self.runner_up!s} by this much"]
        shown = self.shown()
        width = max(9, *(len(str(label)) for label in shown))
        lines += ["", "  " + "  ".join(f"{label!s:>{width}}" for label in shown) + f"  {self._parts_title()}"]
        lines += [
            "  " + "  ".join(f"{amount:+{width}.4f}" for amount in amounts) + f"  {what}"
            for what, amounts in self._shown_parts(shown)
        ]
        return "\n".join([*lines, *([f"  {note}"] if (note := self.note()) else [])])

    def shown(self, most: int = 5) -> list[Any]:
        """The labels to show: the best, the runner-up, and then those with the highest scores."""
        first = [self.label] + ([] if self.runner_up is None else [self.runner_up])
        others = sorted((y for y in self.scores if y not in first), key=lambda y: -self.scores[y])
        return (first + others)[:most]

    def parts(self, labels: Sequence[Any]) -> list[tuple[str, list[float]]]:
        """The contribution of each attribute and transition to the scores of some labels, and their sums."""
        rows = [(_named(*found[:2]), [found[2][y] + 0.0 for y in labels]) for found in self.attributes]
        for what, plain, edges in (
            ("transition in", self.into, self.edges_into),
            ("transition out", self.out_of, self.edges_out_of),
        ):
            rows += [(what, [plain[y] for y in labels])] if any(plain.values()) else []
            rows += [(f"{what} with {_named(*found[:2])}", [found[2][y] + 0.0 for y in labels]) for found in edges]
        rows.append(("sum", [self.scores[y] for y in labels]))
        return rows

    def _shown_terms(self) -> list[tuple[str, float]]:
        """The terms, rounded so that they add up."""
        amounts = add_up([amount for _, amount in self.separates], self.difference, DIGITS)
        return [(what, amount) for (what, _), amount in zip(self.separates, amounts, strict=True)]

    def _shown_parts(self, labels: Sequence[Any]) -> list[tuple[str, list[float]]]:
        """The parts of the scores, rounded so that each column adds up."""
        *rows, (last, sums) = self.parts(labels)
        columns = [add_up([row[k] for _, row in rows], total, DIGITS) for k, total in enumerate(sums)]
        amounts = [list(row) for row in zip(*columns, strict=True)] if rows else []
        return [*((what, row) for (what, _), row in zip(rows, amounts, strict=True)), (last, sums)]

    def note(self) -> str:
        """How the difference of the two scores at this token relates to the difference of the two paths."""
        if self.runner_up is None:
            return ""
        here = self.scores[self.label] - self.scores[self.runner_up]
        others = [change for change in self.changes if change[0] != self.position]
        scores = f"The scores of {self.label!s} and {self.runner_up!s} differ by {here:.4f}"
        if not others:
            return f"{scores}: the two paths differ only at this token."
        listed = [f"{self._place(at)} from {old!s} to {new!s}" for at, old, new in others[:CHANGES]]
        listed += [f"{len(others) - CHANGES} more"] if len(others) > CHANGES else []
        closer = here - self.difference
        # By choice a path changes further labels only to gain; rules and known labels can force it to.
        why = f"which brings it {closer:.4f} closer" if closer > -1e-4 else f"as it must, at a cost of {-closer:.4f}"
        return (
            f"{scores}, and the two paths by {self.difference:.4f}. The best path with {self.runner_up!s} here also "
            f"changes {', '.join(listed)}, {why}."
        )

    def _parts_title(self) -> str:
        return "score of a label, by its parts; its neighbours keep their labels"

    def _place(self, at: int) -> str:
        return f"position {at}" if self.words is None else f"position {at} “{self.words[at]}”"

    def _near(self, reach: int) -> list[tuple[int, str]]:
        """The words around the token with their positions, and … (at −1) where some are left out."""
        words = self.words or []
        first, end = max(0, self.position - reach), min(len(words), self.position + reach + 1)
        near = list(enumerate(words))[first:end]
        return [(-1, "…")] * (first > 0) + near + [(-1, "…")] * (end < len(words))

    def _repr_html_(self) -> str:
        head = f"{escape(self._place(self.position))}: <b>{escape(str(self.label))}</b> (P = {self.probability:.4f})"
        if self.runner_up is not None:
            head += f", ahead of <b>{escape(str(self.runner_up))}</b> by {self.difference:.4f}"
        shown = self.shown()
        names = "".join(f'<th style="{NUMBER};{RULE};white-space:nowrap">{escape(str(label))}</th>' for label in shown)
        parts = "".join(
            f'<tr><td style="{TEXT};{_last(what)}">{escape(what)}</td>'
            + "".join(f'<td style="{NUMBER};{_last(what)}">{amount:+.4f}</td>' for amount in amounts)
            + "</tr>"
            for what, amounts in self._shown_parts(shown)
        )
        title = self._parts_title()
        return (
            f'<div style="color:inherit">{self._html_words()}<p>{head}</p>{self._html_terms()}'
            f"<p>{escape(title[:1].upper() + title[1:])}</p>"
            f'<div style="overflow-x:auto"><table style="border-collapse:collapse"><tr>'
            f'<th style="{CELL};{RULE}"></th>{names}</tr>{parts}</table></div>'
            f"<p>{escape(self.note())}</p></div>"
        )

    def _html_words(self) -> str:
        """The words, with the token and those that the other path changes underlined."""
        changed, made = {at for at, _, _ in self.changes}, []
        for at, word in self._near(NEARBY):
            text = escape(word)
            if at == self.position:
                text = f'<b style="border-bottom:3px solid rgb({GOOD})">{text}</b>'
            elif at in changed:
                text = f'<span style="border-bottom:2px dotted rgb({BAD})">{text}</span>'
            made.append(text)
        return f'<p style="line-height:1.9">{" ".join(made)}</p>' if made else ""

    def _html_terms(self) -> str:
        if self.runner_up is None:
            return ""
        top = max((abs(amount) for _, amount in self.separates), default=1.0) or 1.0
        rows = "".join(
            f'<tr><td style="{NUMBER}">{amount:+.4f}</td><td style="text-align:left;padding:2px 10px;color:inherit;'
            f'background:rgba({GOOD if amount > 0 else BAD},{0.06 + 0.34 * abs(amount) / top:.2f})">'
            f"{escape(what)}</td></tr>"
            for what, amount in self._shown_terms()
        )
        ahead = f'<td style="{TEXT};{SUM}">sum: ahead by</td>'
        total = f'<tr><td style="{NUMBER};{SUM}">{self.difference:+.4f}</td>{ahead}</tr>'
        return f'<div style="overflow-x:auto"><table style="border-collapse:collapse">{rows}{total}</table></div>'


def add_up(amounts: Sequence[float], total: float | None, digits: int = 2) -> list[float]:
    """Amounts rounded so that they add up to the rounded total: those with the largest remainders give way.

    >>> add_up([0.333, 0.333, 0.333], 0.999), add_up([1.004, 1.004, 1.004], 3.012)
    ([0.34, 0.33, 0.33], [1.01, 1.0, 1.0])
    """
    scale = 10**digits
    exact = [amount * scale for amount in amounts]
    whole = [round(amount) for amount in exact]
    left = 0 if total is None else round(round(total, digits) * scale) - sum(whole)
    step = 1 if left > 0 else -1
    order = sorted(range(len(exact)), key=lambda i: step * (whole[i] - exact[i]))
    for k in range(abs(left) if order else 0):
        whole[order[k % len(order)]] += step
    return [amount / scale for amount in whole]


def _named(name: str, value: float) -> str:
    return name if value == 1 else f"{name} = {value:g}"


def _last(what: str) -> str:
    return SUM if what == "sum" else ""
