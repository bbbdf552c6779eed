"""explain: why a token gets its label.

    ŷ: the best path;  ŷ': the best path with another label at t, the runner-up
    score(ŷ) − score(ŷ') = Σ (attributes of the tokens where they differ) + Σ (transitions where they differ)

A transition has its plain weight, and one for each edge attribute there: `X → Y` and `X → Y with w=the`. The terms add
up exactly: weights are float32, and the sums use float64. explanation.py shows the result: print it for text, call
`to_dict()` for a dict, or show it in a notebook as HTML.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tagfield.data.dataset import Slots
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, did_you_mean
from tagfield.inference.constraints import Rules, read_known, rules_of
from tagfield.inference.decoder import Decoder
from tagfield.model.explanation import Explanation
from tagfield.model.model import Model
from tagfield.native._text import Vocabulary

Table: TypeAlias = list[list[tuple[str, float, Any]]]  # for each position: name, value, amounts


class Term(NamedTuple):
    """What an attribute or a transition adds to the difference of two paths."""

    position: int  # of a transition: where it leads to
    name: str
    amount: float
    transition: bool = False


@dataclass(frozen=True)
class SizeReport:
    """The size of a model, by its parts."""

    labels: int
    attributes: int
    state_features: int
    transition_features: int
    zeros: int  # features with weight 0; prune() removes them
    weight_bytes: int
    name_bytes: int

    @classmethod
    def of(cls, model: Model) -> "SizeReport":
        states, edges = model.features.counts
        arrays: list[Any] = [*model.weights.arrays(), model.features.first, model.features.column]
        arrays += [model.features.edge_first, model.features.edge_column]
        names: list[Any] = [*model.attributes.to_arrays(), *model.labels.to_arrays()]
        names += [] if model.edges is None else model.edges.to_arrays()
        nonzero = sum(int(np.count_nonzero(weights)) for weights in model.weights.arrays())
        return cls(
            len(model.labels),
            len(model.attributes),
            states,
            edges + model.features.edge_count,
            model.features.size - nonzero,
            sum(a.nbytes for a in arrays if a is not None),
            sum(a.nbytes for a in names),
        )

    @property
    def bytes(self) -> int:
        return self.weight_bytes + self.name_bytes

    def __str__(self) -> str:
        return (
            f"{self.labels} labels, {self.attributes} attributes, {self.state_features} state features, "
            f"{self.transition_features} transitions ({self.zeros} of them 0); {self.bytes:,} bytes: "
            f"{self.weight_bytes:,} of weights, {self.name_bytes:,} of names"
        )


def explain(
    model: Model,
    xseq: Any,
    t: int,
    labels: Sequence[Any] | None = None,
    rules: Rules | bool | None = None,
    *,
    edges: Any = None,
    known: Any = None,
    expected: Any = None,
    words: Sequence[str] | None = None,
) -> Explanation:
    """Explain the label at position t of one sequence.

    labels: the labels as you call them, if they are not the model's strings
    xseq: attribute lists or dicts, or an Encoded with one sequence; for words, `model.encode_words([words])`
    edges: attributes of the transition into each token, for a model that was trained with them
    known: labels of the sequence that you already know, as an entry of `known` in `Model.decoder`
    expected: the label that you expected; the best path with this label at t is then the runner-up

    words: the words of the sequence, to show with the explanation; an Encoded of column files has them

    With rules (by default the model's; False for none) or known labels, the best path, the runner-up and the
    probabilities consider allowed paths only.

    >>> from tagfield.data.encode import encode_sequences
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3), "lbfgs")
    >>> [explain(model, [["a"], ["b"]], 0, known=known).label for known in (None, {0: "Y"})]
    ['X', 'Y']
    """
    called = list(labels) if labels is not None else model.labels.strings()
    encoded = xseq if isinstance(xseq, Encoded) else model.encode([xseq], edges=None if edges is None else [edges])
    if len(encoded) != 1:
        raise InputError(f"explain takes one sequence, but the data has {len(encoded)}")
    length = int(encoded.dataset.tokens[-1])
    if isinstance(t, bool) or not isinstance(t, int | np.integer) or not 0 <= t < length:
        raise InputError(f"position {t!r} does not exist; the sequence has positions 0 to {length - 1}")
    if expected is not None and expected not in called:
        raise InputError(f"the model has no label {expected!r}; {did_you_mean(expected, map(str, called))}")
    if words is None and isinstance(xseq, Encoded):
        words = xseq.words(0)
    if words is not None and (isinstance(words, str) or len(words) != length):
        raise InputError(f"words must be a list of {length} strings, one for each token, got {len(words)}")
    given = model.constraints if rules is None else rules
    chains = _Chains(model, encoded, rules_of(None if given is False else given, model.label_names), known, called)
    decoder = chains.decoder()
    best, node = decoder.best(), decoder.marginals()
    table, links = _attribute_scores(model, encoded, {t}), _edge_scores(model, encoded, {t, t + 1})
    tau = model.weights.transitions().astype(np.float64)
    first, last, nothing = t == 0, t + 1 == length, np.zeros(len(called))
    plain = nothing if first else tau[best[t - 1]], nothing if last else tau[:, best[t + 1]]
    into = [] if first else [(name, value, matrix[best[t - 1]]) for name, value, matrix in links[t]]
    out_of = [] if last else [(name, value, matrix[:, best[t + 1]]) for name, value, matrix in links[t + 1]]
    total = np.sum([*plain, *(row for _, _, row in (*table[t], *into, *out_of))], axis=0)

    def named(row: Any) -> dict[Any, float]:
        return dict(zip(called, [float(v) for v in row], strict=True))

    runner_up, difference, separates, changes = None, 0.0, [], []
    wanted = [y for y in range(len(called)) if y != best[t]]
    if expected is not None and expected != called[int(best[t])]:
        wanted = [called.index(expected)]
    other = chains.best_with(t, wanted)
    if other is not None:
        runner_up = called[int(other[t])]
        separates = _named_terms(separating_terms(model, encoded, best, other, called), t)
        difference = float(sum(amount for _, amount in separates))
        changes = [(int(p), called[best[p]], called[other[p]]) for p in np.flatnonzero(best != other)]
    return Explanation(
        t,
        called[int(best[t])],
        float(node[t, best[t]]),
        runner_up,
        difference,
        separates,
        [(name, value, named(row)) for name, value, row in table[t]],
        named(plain[0]),
        named(plain[1]),
        named(total),
        named(node[t]),
        [(name, value, named(row)) for name, value, row in into],
        [(name, value, named(row)) for name, value, row in out_of],
        None if words is None else [str(word) for word in words],
        changes,
    )


class _Chains:
    """The paths of one sequence that the rules and the known labels allow."""

    def __init__(self, model: Model, encoded: Encoded, rules: Rules | None, known: Any, called: list[Any]) -> None:
        self._model, self._encoded, self._rules, self._ids = model, encoded, rules, range(len(called))
        self._known: dict[int, list[int]] = {}  # position → the ids that it may have
        if known is not None:
            allowed = read_known([known], encoded.dataset.tokens, called)
            self._known = {p: np.flatnonzero(row).tolist() for p, row in enumerate(allowed) if not row.all()}

    def decoder(self, more: dict[int, list[int]] | None = None) -> Decoder:
        known = {**self._known, **(more or {})}
        rules = False if self._rules is None else self._rules  # None would mean those of the model
        return self._model.decoder(self._encoded, rules=rules, known=[known] if known else None, called=self._ids)

    def best_with(self, t: int, wanted: list[int]) -> Any:
        """The best path with one of the wanted labels at t; None if no such path is allowed."""
        left = [y for y in wanted if y in self._known.get(t, self._ids)]
        with suppress(InputError):
            return self.decoder({t: left}).best() if left else None
        return None


def separating_terms(
    model: Model, encoded: Encoded, best: Any, other: Any, labels: Sequence[Any] | None = None
) -> list[Term]:
    """The terms of score(best) − score(other) for two paths of one sequence, by position; they add up to it exactly.

    >>> from tagfield.data.encode import encode_sequences
    >>> model = Model.train(encode_sequences([[["a"], ["b"]]] * 3, [["X", "Y"]] * 3), "lbfgs")
    >>> [(term.position, term.name) for term in separating_terms(model, model.encode([[["a"], ["b"]]]), [0, 1], [1, 1])]
    [(0, 'a'), (1, 'X → Y')]
    """
    called = model.label_names if labels is None else labels
    best, other = np.asarray(best), np.asarray(other)
    differ = best != other
    turned = differ.copy()  # positions with another transition into them
    turned[1:] |= differ[:-1]
    turned[:1] = False
    table = _attribute_scores(model, encoded, set(np.flatnonzero(differ).tolist()))
    links = _edge_scores(model, encoded, set(np.flatnonzero(turned).tolist()))
    tau = model.weights.transitions().astype(np.float64)
    found: list[Term] = []
    for p in np.flatnonzero(differ | turned).tolist():
        y, z = int(best[p]), int(other[p])
        if differ[p]:
            found += [Term(p, name, float(row[y] - row[z])) for name, _, row in table[p]]
        if turned[p]:
            before, instead = int(best[p - 1]), int(other[p - 1])
            for name, _, matrix in [("", 1.0, tau), *links[p]]:
                end = f" with {name}" if name else ""
                found.append(Term(p, f"{called[before]} → {called[y]}{end}", float(matrix[before, y]), True))
                found.append(Term(p, f"{called[instead]} → {called[z]}{end}", -float(matrix[instead, z]), True))
    return [term for term in found if term.amount]


def _named_terms(terms: list[Term], t: int) -> list[tuple[str, float]]:
    """Terms by name, largest first; those of other tokens than t say where they are."""
    found: dict[str, float] = {}
    for p, name, amount, transition in terms:
        what = name if p == t or (transition and p == t + 1) else f"{name} at {p}"
        found[what] = found.get(what, 0.0) + amount
    return sorted(found.items(), key=lambda item: -abs(item[1]))


def _attribute_scores(model: Model, encoded: Encoded, wanted: set[int]) -> Table:
    """The known attributes of some positions, with their values and value·θ[attribute, ·] [L]."""
    data = encoded.dataset
    return _by_position(data.states, int(data.tokens[-1]), wanted, model.attributes, model.attribute_weights)


def _edge_scores(model: Model, encoded: Encoded, wanted: set[int]) -> Table:
    """The known edge attributes of some positions, with their values and value·θ[attribute, ·, ·] [from L, to L]."""
    length, edges = int(encoded.dataset.tokens[-1]), encoded.dataset.edge_slots
    if edges is None or model.edges is None:
        return [[] for _ in range(length)]
    return _by_position(
        edges, length, wanted, model.edges, lambda edge: model.features.edge_matrix(model.weights, edge)
    )


def _by_position(
    slots: Slots, length: int, wanted: set[int], names: Vocabulary, weights: Callable[[int], Any]
) -> Table:
    """For some positions: name, value, and value·weights of what occurs there; for the others nothing."""
    table: Table = [[] for _ in range(length)]
    start, positions = 0, slots.position.tolist()
    for attribute, end in zip(slots.attribute.tolist(), slots.stop.tolist(), strict=True):
        here = [n for n in range(start, end) if positions[n] in wanted]
        if here:
            found = weights(attribute).astype(np.float64)
            for n in here:
                value = 1.0 if slots.value is None else float(slots.value[n])
                table[positions[n]].append((names[attribute], value, value * found))
        start = end
    return table
