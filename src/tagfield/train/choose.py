"""Choosing G from the data: a small family of updates, tried by successive halving on a part of the corpus.

    family ─▶ a pass over a few sentences ─▶ the better third ─▶ three times the sentences ─▶ … ─▶ update and rate

The family: linear, arctan, erf, gd and u/(u²+ε) over scales, in the flat and the adaptive metric, on all features or
on states only, each with a few rates. Candidates train on one part of the corpus and are scored on another, by token
accuracy after one pass from zero weights, one at a time, so that the memory is that of one training run. All of it
costs less than four epochs; the first rung is made just so large (`COST`).
"""

import logging
import math
from dataclasses import dataclass, replace

import numpy as np

from tagfield.bregman.generators import arctan, erf, gd
from tagfield.bregman.losses import update as named_update
from tagfield.bregman.responses import Response, recipe
from tagfield.dataset import Dataset, Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import FeatureSet
from tagfield.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.stochastic import StochasticTrainer, Update

COST = 3.5  # epochs that the whole choice may take
HELD_OUT = 0.1  # of the corpus, for scoring
SCORING = 0.5  # of what training on a sentence costs
GROWTH = 3  # one in three goes on, with three times the sentences

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Candidate:
    """An update with a rate, and how it did."""

    update: Update
    rate: float
    accuracy: float = 0.0
    sentences: int = 0  # it was trained on

    def __str__(self) -> str:
        return f"{self.update}, rate {self.rate:g}"


def family(average: bool) -> list[Candidate]:
    """Everything that is tried.

    >>> len(family(False))
    27
    """
    linear = recipe("sgd")
    curved = [
        recipe("u2.g1"),
        recipe("u2.g1p"),
        Response(named_update("U2"), arctan(1.0), 1.0, "arctan(u)"),
        Response(named_update("U2"), erf(2.0), 0.5, "erf(2u)"),
        recipe("u2.g2"),
        Response(named_update("U2"), gd(3.0), 0.5, "gd(3u)"),
        recipe("u2.g3"),
        Response(named_update("U1"), arctan(1.0), 1.0, "u/(u²+1)"),
        recipe("u1.g1"),
    ]
    tries = [Candidate(Update(linear), rate) for rate in (0.05, 0.1, 0.2)]
    tries += [Candidate(Update(linear, adaptive=True), rate) for rate in (0.05, 0.1, 0.2)]
    tries += [Candidate(Update(f), 0.1) for f in curved]
    tries += [Candidate(Update(f, states_only=True), 0.1) for f in curved]
    tries += [Candidate(Update(f, adaptive=True), 0.1) for f in curved[:3]]
    return [replace(c, update=replace(c.update, average=average)) for c in tries]


def choose(
    dataset: Dataset,
    features: FeatureSet,
    *,
    c2: float,
    rng: np.random.Generator,
    average: bool = True,
) -> Candidate:
    """The update of the family that does best on a held-out part after a short training. Each try is logged.

    >>> from tagfield.encode import encode_sequences
    >>> from tagfield.features import feature_set
    >>> X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 20, [["X", "Y"], ["Y", "X"]] * 20
    >>> data = encode_sequences(X, y).dataset
    >>> best = choose(data, feature_set(open_corpus(data), 2, 2, "all"), c2=0.1, rng=np.random.default_rng(0))
    >>> best.accuracy
    1.0
    """
    corpus = open_corpus(dataset)
    order = rng.permutation(corpus.sentences).astype(np.int64)
    held = max(1, min(1000, round(HELD_OUT * len(order))))
    pool = order[held:] if len(order) > held else order
    judge = _Judge(dataset, features, np.sort(order[:held]))
    alive = family(average)
    size = _first_rung(len(alive), len(order), held)
    while True:
        part = pool[: min(size, len(pool))]
        scored = []
        for candidate in alive:
            accuracy = _try(corpus, features, candidate, c2, part, judge)
            scored.append(replace(candidate, accuracy=accuracy, sentences=len(part)))
            log.info("%s: %.2f %% after %d sequences", candidate, 100 * accuracy, len(part))
        scored.sort(key=lambda candidate: -candidate.accuracy)
        alive = scored[: math.ceil(len(scored) / GROWTH)]
        if len(alive) == 1 or len(part) == len(pool):
            break
        size *= GROWTH
    best = alive[0]
    if not best.accuracy > 0:
        raise TrainingError("no update of the family learns anything from this data; check the labels")
    log.info("chosen: %s", best)
    return best


def _first_rung(candidates: int, sentences: int, held: int) -> int:
    """How many sentences the first rung may use, so that all rungs together stay within COST epochs."""
    trained, scored, left, factor = 0, 0, candidates, 1
    while left > 1:
        trained, scored = trained + left * factor, scored + left * held
        left, factor = math.ceil(left / GROWTH), factor * GROWTH
    budget = COST * sentences - SCORING * scored
    return max(1, int(budget / trained))


def _try(
    corpus: kernels.Corpus, features: FeatureSet, c: Candidate, c2: float, part: Longs, judge: "_Judge"
) -> float:
    try:
        trainer = StochasticTrainer(corpus, features, c.update, c2=c2, rate=c.rate)
        trainer.run(part)
    except (TrainingError, InputError):
        return -math.inf
    return judge.accuracy(trainer)


class _Judge:
    """Token accuracy on the held-out sentences."""

    def __init__(self, dataset: Dataset, features: FeatureSet, sentences: Longs) -> None:
        part = subset(dataset, sentences)
        self._corpus = open_corpus(part)
        self._gold = part.labels
        self._layout = features.layout

    def accuracy(self, trainer: StochasticTrainer) -> float:
        weights = trainer.directions()
        guess = kernels.tag(self._corpus, self._layout, weights.state, weights.trans, 1)
        return float((guess == self._gold).mean()) if len(guess) else 1.0


def subset(dataset: Dataset, sentences: Longs) -> Dataset:
    """Some sentences of a dataset, in the order given.

    >>> from tagfield.encode import encode_sequences
    >>> data = encode_sequences([[["a"]], [["b"], ["c"]]], [["X"], ["Y", "X"]]).dataset
    >>> part = subset(data, np.array([1]))
    >>> part.labels.tolist(), part.attribute.tolist(), part.tokens.tolist()
    ([1, 0], [1, 2], [0, 2])
    """

    def spans(offsets: Longs) -> tuple[Longs, Longs]:
        sizes = np.diff(offsets)[sentences]
        ends = np.cumsum(sizes)
        which = np.repeat(offsets[:-1][sentences] - (ends - sizes), sizes) + np.arange(
            int(ends[-1]) if len(ends) else 0
        )
        return np.concatenate([[0], ends]).astype(np.int64), which

    tokens, token = spans(dataset.tokens)
    slots, slot = spans(dataset.slots)
    occurrences, occurrence = spans(dataset.occurrences)
    return Dataset(
        tokens,
        slots,
        occurrences,
        dataset.attribute[slot],
        dataset.stop[slot],
        dataset.position[occurrence],
        None if dataset.value is None else dataset.value[occurrence],
        dataset.labels[token],
        dataset.weight[sentences],
    )
