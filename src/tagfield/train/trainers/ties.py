"""Ties of the first gradient with c1, decided as CRFsuite decides them.

With zero weights every label has the probability 1/L, and |E − Ẽ| of many features is c1 exactly: with 20 labels and
c1 = 0.1, those that occur twice, 18 or 22 times, … The last bit of a sum then says whether such a weight leaves 0 in
the first step, and 100 steps later two runs that differ in four of 34,000 weights label 2 tokens in 1,000 differently.

    features whose |gradient| is c1 but for rounding ─▶ add them up again, in CRFsuite's order ─▶ the same side of c1

    a_0 = κ_0,    a_t = κ_t · Σ_i a_{t−1},    κ_t = 1/Σ_j(Σ_i a_{t−1})     forward, all labels alike; Σ adds L copies
    b_{T−1} = κ_{T−1},    b_t = κ_t · Σ_j b_{t+1}                          backward
    p_t = (a_t · b_t)/κ_t,    q = Σ_t a_t · b_{t+1}                        labels, and transitions of a sequence
    gradient = ((−Ẽ + p) + p′) + …                                         one token after another

The order of CRFsuite's sums was found by comparing the weights that leave 0 in its first iteration.
"""

from functools import cache
from itertools import pairwise

import numpy as np

from tagfield.data.dataset import Dataset, Doubles, Longs
from tagfield.train.problem.problem import Problem

NEAR = 1e-9  # rounding is below 1e-12 for a million tokens
MOST_STEPS = 1_000_000  # in Python, a second; a corpus of very long sequences keeps its own rounding


def settle_ties(problem: Problem, gradient: Doubles, c1: float) -> int:
    """Adds up again, in place, the entries of the gradient at zero weights that are ±c1 but for rounding.

    Returns how many there were. Training with rules, unknown labels, class weights or edge attributes
    has no counterpart in CRFsuite.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> from tagfield.train.trainers.objective import Objective
    >>> problem = Problem.of(encode_sequences([[["a"]], [["a"]]], [["X"], ["Y"]]), Settings(features="observed"))
    >>> _, gradient = Objective(problem)(np.zeros(2))
    >>> gradient.tolist(), settle_ties(problem, gradient, 0.25), settle_ties(problem, gradient, 0.0)
    ([0.0, 0.0], 0, 2)
    """
    near = np.flatnonzero(np.abs(np.abs(gradient) - c1) <= NEAR)
    unlike = problem.limits is not None or problem.class_weight is not None or problem.features.edge_attributes
    if not len(near) or unlike or not problem.corpus.complete:
        return 0
    data, at = problem.dataset, problem.features.coordinates()
    states, edges = near[near < len(at.state)], near[near >= len(at.state)] - len(at.state)
    occurrences = _Occurrences.of(data, np.unique(at.attribute[states]))
    lengths = np.diff(data.tokens)
    needed = np.unique(lengths if len(edges) else lengths[occurrences.sentence])
    if needed.sum() > MOST_STEPS:
        return 0
    chains = {int(length): chain(int(length), len(problem.features.zero.trans)) for length in needed}
    labels = data.labels
    if len(states):
        p = np.empty(len(occurrences.token))
        for length, (marginals, _) in chains.items():
            here = lengths[occurrences.sentence] == length
            first = data.tokens[:-1][occurrences.sentence[here]]
            p[here] = marginals[occurrences.token[here] - first]
        added = p * occurrences.value * data.weight[occurrences.sentence]
        gold = labels[occurrences.token]
        worth = data.weight[occurrences.sentence] * occurrences.value
        for k in states:
            of = occurrences.of_attribute(int(at.attribute[k]))
            seen = float(np.cumsum(np.append(0.0, worth[of][gold[of] == at.label[k]]))[-1])
            gradient[k] = np.cumsum(np.append(-seen, added[of]))[-1]
    if len(edges):
        long = np.flatnonzero(lengths > 1)
        added = np.array([chains[int(lengths[s])][1] for s in long]) * data.weight[long]
        sentence = np.repeat(np.arange(len(data)), lengths)
        same = sentence[1:] == sentence[:-1]
        for k in edges:
            pair = same & (labels[:-1] == at.before[k]) & (labels[1:] == at.after[k])
            seen = float(np.cumsum(np.append(0.0, data.weight[sentence[1:][pair]]))[-1])
            gradient[len(at.state) + k] = np.cumsum(np.append(-seen, added))[-1]
    return len(near)


def chain(length: int, labels: int) -> tuple[Doubles, float]:
    """Zero weights: the marginal of each label at every position [T], and the summed one of each pair of labels.

    >>> p, q = chain(3, 4)
    >>> bool(np.allclose(p, 1 / 4)), round(q, 12)
    (True, 0.125)
    """
    copies = _copies(labels)
    forward: list[float] = []
    scale: list[float] = []
    for t in range(length):
        total = copies(forward[-1]) if t else 1.0
        scale.append(1.0 / copies(total))
        forward.append(total * scale[-1])
    backward = [0.0] * length
    for t in reversed(range(length)):
        backward[t] = scale[t] * (copies(backward[t + 1]) if t + 1 < length else 1.0)
    p = np.array([a * b * (1.0 / k) for a, b, k in zip(forward, backward, scale, strict=True)])
    q = 0.0
    for (a, _), (_, b) in pairwise(zip(forward, backward, strict=True)):
        q += a * b
    return p, q


@cache
def _copies(labels: int):  # type: ignore[no-untyped-def]
    """The sum of as many copies of a number as there are labels, one after another; few numbers ever come."""

    @cache
    def total(x: float) -> float:
        return float(np.cumsum(np.full(labels, x))[-1])

    return total


class _Occurrences:
    """The occurrences of some attributes, by attribute, and for each in the order of the corpus."""

    def __init__(self, attribute: Longs, sentence: Longs, token: Longs, value: Doubles) -> None:
        self.sentence, self.token, self.value = sentence, token, value
        self._attribute = attribute  # ascending

    @staticmethod
    def of(data: Dataset, chosen: Longs) -> "_Occurrences":
        is_chosen = np.zeros(int(data.attribute.max(initial=-1)) + 1, bool)
        is_chosen[chosen] = True
        slots = np.flatnonzero(is_chosen[data.attribute])  # few; only stops and positions are as large as the corpus
        of = np.searchsorted(data.slots, slots, side="right") - 1  # their sentences
        stop = data.stop
        first = np.where(slots == data.slots[of], 0, stop[slots - 1])
        sizes = stop[slots] - first
        ends = np.cumsum(sizes)
        at = np.arange(ends[-1] if len(ends) else 0) + np.repeat(data.occurrences[of] + first - (ends - sizes), sizes)
        attribute, sentence = (np.repeat(each, sizes) for each in (data.attribute[slots].astype(np.int64), of))
        token = data.tokens[sentence] + data.position[at]
        value = np.ones(len(at)) if data.value is None else data.value[at].astype(np.float64)
        order = np.lexsort((token, attribute))
        return _Occurrences(attribute[order], sentence[order], token[order], value[order])

    def of_attribute(self, attribute: int) -> slice:
        first, end = np.searchsorted(self._attribute, [attribute, attribute + 1])
        return slice(int(first), int(end))
