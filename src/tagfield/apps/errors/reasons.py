"""Reasons: for each place, the terms that separate the predicted labels from the gold labels.

ŷ: the best path;  ŷ′: the best path with the gold labels at the place
score(ŷ) − score(ŷ′) ─▶ terms, largest first; the others added up; their sum ─▶ rounded so that what is shown adds up
"""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tagfield.apps.errors.labelled import short
from tagfield.data.dataset import UNKNOWN, Ints
from tagfield.data.encoded import Encoded
from tagfield.errors import InputError
from tagfield.model.explain import Term, separating_terms
from tagfield.model.explanation import add_up
from tagfield.model.model import Model

TERMS = 10  # terms of a place that are listed; the others are added up
CHANGES = 5  # labels that the path with the gold labels changes elsewhere
STRONGEST = 4  # attributes by which training sentences are found
TOKENS = 8  # tokens whose sums are listed
NOWHERE = -1  # the position of transitions: those of one name are added up
LONGEST = 100  # characters of a term's name


@dataclass(frozen=True)
class Reason:
    """Why the model prefers its labels to the gold labels at one place."""

    record: dict[str, Any]  # for the page
    attributes: list[tuple[int, float]] = field(default_factory=list)  # ids that speak most for the prediction, amounts


def reason_for(
    model: Model, one: Encoded, best: Ints, place: tuple[int, int, int], gold: Ints, rules: Any = None
) -> Reason:
    """Explain one place of a sentence.

    place: its first position, its end, and the position where the model is most confident
    gold: ids of the gold labels of the whole sentence, in one.names

    >>> model = Model.train_words([["Anna", "left"], ["It", "left"]] * 3, [["B-PER", "O"], ["O", "O"]] * 3)
    >>> one = model.encode_words([["Anna", "left"]], [["O", "O"]])
    >>> found = reason_for(model, one, model.decoder(one).best(), (0, 1, 0), one.gold).record
    >>> round(100 * (sum(term[2] for term in found["terms"]) + found["rest"])) == round(100 * found["sum"])
    True
    """
    first, end, top = place
    wanted = {p: int(gold[p]) for p in range(first, end) if gold[p] != UNKNOWN}
    strange = sorted({one.names[y] for y in wanted.values() if y >= len(model.labels)})
    if strange:
        names = " or ".join(strange)
        return Reason({"say": f"The model cannot predict {names}: its training data has no such label."})
    other: Any = None
    with suppress(InputError):  # the rules allow no path with these labels
        decoder = model.decoder(one, rules=rules, known=[wanted], called=range(len(model.labels)))
        other = decoder.best()
    if other is None:
        return Reason({"say": "The constraints do not allow the gold labels here."})
    record = _terms(separating_terms(model, one, best, other))
    elsewhere = [p for p in np.flatnonzero(best != other).tolist() if not first <= p < end]
    if elsewhere:
        record["also"] = [[p, int(best[p]), int(other[p])] for p in elsewhere[:CHANGES]]
        record["further"] = max(0, len(elsewhere) - CHANGES)
    return Reason(record, _strongest(model, one, top, int(best[top]), int(gold[top])))


def _terms(separating: list[Term]) -> dict[str, Any]:
    """The largest terms, the sum of the others, the sums of each token, and the sum of all; as shown, they add up."""
    found: dict[tuple[int, str], list[float]] = {}
    tokens: dict[int, float] = {}
    for p, name, amount, transition in separating:
        found.setdefault((NOWHERE if transition else p, name), []).append(amount)
        at = NOWHERE if transition else p
        tokens[at] = tokens.get(at, 0.0) + amount
    ranked = sorted(found.items(), key=lambda item: -abs(sum(item[1])))
    shown, rest = ranked[:TERMS], ranked[TERMS:]
    total = float(sum(term.amount for term in separating))
    amounts = add_up([sum(each) for _, each in shown], total if not rest else None)
    sums = sorted(tokens.items(), key=lambda item: (item[0] == NOWHERE, item[0]))
    record: dict[str, Any] = {
        "terms": [
            [p, short(name, LONGEST), amount, len(each)]
            for ((p, name), each), amount in zip(shown, amounts, strict=True)
        ],
        "others": len(rest),
        "rest": round(round(total, 2) - sum(amounts), 2) if rest else 0,
        "sum": round(total, 2),
    }
    if 2 <= len(sums) <= TOKENS:
        by_token = add_up([amount for _, amount in sums], total)
        record["by"] = [[p, amount] for (p, _), amount in zip(sums, by_token, strict=True)]
    return record


def _strongest(model: Model, one: Encoded, t: int, predicted: int, gold: int) -> list[tuple[int, float]]:
    """The attributes of a token that speak most for its predicted label and against its gold label."""
    slots = one.dataset.states
    found = []
    for n in np.flatnonzero(slots.position == t).tolist():
        attribute = int(slots.attribute[np.searchsorted(slots.stop, n, side="right")])
        row, value = model.attribute_weights(attribute), 1.0 if slots.value is None else float(slots.value[n])
        found.append((attribute, value * float(row[predicted] - row[gold])))
    return sorted((each for each in found if each[1] > 0), key=lambda each: -each[1])[:STRONGEST]
