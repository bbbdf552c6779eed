"""Explaining: one token of one request → why it has its label, as JSON.

    sentence, token, the label you expected ─▶ explain ─▶ terms that add up to the difference of two paths

The terms say why the best path beats the best path with another label at this token: the label that the client
expected, or else the runner-up.
"""

import json
from typing import Any

from tagfield.apps.serve.decoding import encode
from tagfield.apps.serve.refusals import TOO_LARGE, Refusal, bad
from tagfield.apps.serve.registry import Served
from tagfield.apps.serve.requests import Wanted
from tagfield.errors import did_you_mean, shown
from tagfield.model.explain import explain
from tagfield.model.explanation import Explanation

TERMS = 60  # terms, and labels, of an answer
LONGEST = 1_000  # tokens of a sentence: a table of all its attributes is made
SHOWN = 5  # labels whose score is shown by its parts


def explanation(
    served: Served, tokens: list[Any], t: int, known: Any, wanted: Wanted, expected: str | None
) -> Explanation:
    """Why token t of a sentence of words, or of a sequence of attributes, has its label."""
    if expected is not None and expected not in served.labels:
        hint = did_you_mean(expected[:80], served.labels)
        raise bad(f"expected: the model has no label {shown(expected, 40)}; {hint}")
    if len(tokens) > LONGEST:
        raise Refusal(TOO_LARGE, f"the sentence has {len(tokens):,} tokens, and at most {LONGEST:,} can be explained")
    encoded = encode(served, wanted.reads, [tokens])
    rules = served.rules(wanted.constraints)
    return explain(served.model, encoded, t, rules=rules, known=known, expected=expected)


def write(found: Explanation, served: Served, token: int, text: str | None) -> bytes:
    """The answer: labels by probability, and the terms of the difference, largest first."""
    likely = sorted(found.probabilities.items(), key=lambda item: -item[1])[:TERMS]
    labels = found.shown(SHOWN)
    rows = sorted(found.parts(labels)[:-1], key=lambda row: -max(map(abs, row[1])))
    rest = sum(amount for _, amount in found.separates[TERMS:])
    record = {
        "model": served.name,
        "token": token,
        "text": text,
        "label": found.label,
        "probability": _short(found.probability),
        "compared_with": found.runner_up,
        "difference": _short(found.difference),
        "terms": [{"name": name, "amount": _short(amount)} for name, amount in found.separates[:TERMS]],
        "other_terms": _short(rest),
        "labels": [{"label": y, "probability": _short(p), "score": _short(found.scores[y])} for y, p in likely],
        "parts": {
            "labels": labels,
            "rows": [{"name": name, "amounts": [_short(x) for x in amounts]} for name, amounts in rows[:TERMS]],
            "scores": [_short(found.scores[y]) for y in labels],
        },
    }
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode()


def _short(amount: float) -> float:
    """Six digits are enough to read.

    >>> _short(1 / 3)
    0.333333
    """
    return float(f"{amount:.6g}")
