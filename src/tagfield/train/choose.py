"""Choosing G from the data: a small family of updates, tried by successive halving on a part of the corpus.

    family ─▶ one pass over a few sentences ─▶ the better third of each kind ─▶ one pass over three times as many
           ─▶ the best of each kind ─▶ three passes over more ─▶ update and rate

The family: linear, arctan, erf, gd and u/(u²+ε) over scales, in the flat and the adaptive metric, on all features or
on states only, each with a few rates; all of them averaged, which brings any update near its end early. Candidates
train on one part of the corpus and are scored by token accuracy on another, one at a time, so that the memory is that
of one training run.

Why kinds: within a kind (linear, curved, adaptive) the order after one pass is that after ten. Between kinds it is not:
on CoNLL-2000 the adaptive metric is far ahead after a pass and behind after ten. So kinds are compared after three.
Why a favourite: the held-out part cannot tell apart what differs by a tenth of a point, and the best of many noisy
figures is seldom the best. Each kind has a favourite, the first in its list, and the curved kind is the favourite among
kinds; another one takes its place only where it is better by more than the noise of the paired difference.
What a short trial cannot show: where one label dominates, the bias of a curved response in the flat metric grows with
the length of the training (docs/theory.md, section 6). There such updates are tried and told, but not chosen; the
favourite is the adaptive metric where every attribute has a weight for every label, and plain gradients where it has
not (docs/results.md). Nor does a trial show which rate is best in the end, for few steps flatter large ones: the rates
of a kind begin with the one that does best after ten epochs, which for averaged plain gradients is a large one.
"""

import logging
import math
from dataclasses import dataclass, field, replace

import numpy as np

from tagfield.bregman.generators import arctan, erf, gd
from tagfield.bregman.losses import update as named_update
from tagfield.bregman.responses import Response, recipe
from tagfield.dataset import Dataset, Doubles, Longs
from tagfield.errors import InputError, TrainingError
from tagfield.features import FeatureSet
from tagfield.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.partial import Limits
from tagfield.train.stochastic import StochasticTrainer, Update

COST = 4.0  # epochs that the whole choice may take, scoring included
SCORING = 0.5  # of what training on a sentence costs; it is less
KEPT = 3  # one in three of a kind goes on
DOMINANT = 0.7  # the share of all tokens with which one label dominates
NOISE = 2.0  # standard errors by which another candidate must be better than the favourite

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Rung:
    """How long each candidate trains, and how it is scored: shares of the corpus."""

    trained: float
    passes: int
    scored: float


RUNGS = (Rung(0.02, 1, 0.03), Rung(0.06, 1, 0.05), Rung(0.16, 3, 0.1))


@dataclass(frozen=True)
class Candidate:
    """An update with a rate, and how it did."""

    update: Update
    rate: float
    accuracy: float = 0.0
    sentences: int = 0  # it was trained on, counting every pass
    right: Doubles = field(
        default_factory=lambda: np.zeros(0), repr=False, compare=False
    )  # tokens a sentence

    @property
    def kind(self) -> str:
        if self.update.adaptive:
            return "adaptive"
        return "linear" if self.update.response.generator.linear else "curved"

    def __str__(self) -> str:
        return f"{self.update}, rate {self.rate:g}"


def family(average: bool) -> list[Candidate]:
    """Everything that is tried, the favourite of each kind first.

    >>> len(family(False))
    26
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
    tries = [Candidate(Update(f), 0.1) for f in curved]
    tries += [Candidate(Update(f, states_only=True), 0.1) for f in curved]
    tries += [Candidate(Update(linear), rate) for rate in (0.4, 0.2, 0.1)]
    tries += [Candidate(Update(linear, adaptive=True), rate) for rate in (0.1, 0.05)]
    tries += [Candidate(Update(f, adaptive=True), 0.1) for f in curved[:3]]
    return [replace(c, update=replace(c.update, average=average)) for c in tries]


def dominated(dataset: Dataset) -> bool:
    """Whether most tokens have the same label, as where names are sought in running text.

    >>> from tagfield.encode import encode_sequences
    >>> dominated(encode_sequences([[["a"]] * 4], [["O", "O", "O", "B"]]).dataset)
    True
    """
    known = dataset.labels[dataset.labels >= 0]
    return known.size > 0 and bool(np.bincount(known).max() > DOMINANT * known.size)


def choose(
    dataset: Dataset,
    features: FeatureSet,
    *,
    c2: float,
    rng: np.random.Generator,
    average: bool = True,
    limits: Limits | None = None,
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
    order = rng.permutation(len(dataset)).astype(np.int64)
    held = max(1, round(RUNGS[-1].scored * len(order)))
    pool = order[held:] if len(order) > held else order
    skewed = dominated(dataset)
    alive = family(average)
    favourites = [group[0] for group in _kinds(alive)]
    for number, rung in enumerate(RUNGS):
        part = pool[: max(1, round(rung.trained * len(order)))]
        orders = [part] + [rng.permutation(part) for _ in range(rung.passes - 1)]
        school = _School(dataset, features, orders, limits)
        judge = _Judge(dataset, school, order[: max(1, round(rung.scored * len(order)))])
        scored = []
        for candidate in alive:
            right = _try(school, candidate, c2, judge)
            accuracy = judge.accuracy(right)
            done = replace(candidate, accuracy=accuracy, sentences=rung.passes * len(part), right=right)
            scored.append(done)
            log.info("%s: %.2f %% after %d sequences", candidate, 100 * accuracy, done.sentences)
        if number == 0:
            alive = [c for group in _kinds(scored) for c in _third(group, favourites)]
        else:
            alive = [_best(group) for group in _kinds(scored)]
    if skewed:
        order_of_kinds = ("adaptive", "linear") if features.kind == "all" else ("linear", "adaptive")
        alive = [c for kind in order_of_kinds for c in alive if c.kind == kind]
        log.info(
            "one label has more than %.0f %% of all tokens: no curved response in the flat metric",
            100 * DOMINANT,
        )
    best = _best(alive)
    if not best.accuracy > 0:
        log.info("no update of the family learns anything from so little: the favourite is taken")
    log.info("chosen: %s", best)
    return best


def _kinds(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Candidates by kind, the kinds and the candidates in the order in which they come."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.kind, []).append(candidate)
    return list(groups.values())


def _third(group: list[Candidate], favourites: list[Candidate]) -> list[Candidate]:
    """The favourite of a kind, and the better third of all."""
    ranked = sorted(group, key=lambda c: -c.accuracy)[: math.ceil(len(group) / KEPT)]
    known = {(str(c.update), c.rate) for c in [*favourites, *ranked]}
    return [c for c in group if (str(c.update), c.rate) in known]


def _best(group: list[Candidate]) -> Candidate:
    """The first, or the most accurate of those that are better by more than noise.

    The noise is that of the difference of right tokens a sentence, since the tokens of a sentence err together.
    """
    first = group[0]

    def better(other: Candidate) -> bool:
        gain = other.right - first.right
        return bool(gain.sum() > NOISE * math.sqrt(float(gain @ gain)))

    return max([first, *filter(better, group[1:])], key=lambda c: c.accuracy)


class _School:
    """The sentences that candidates are trained on, with the attributes that occur in them and no others.

    To make and clear the weights of all attributes for each candidate would take several times as long as its training.
    """

    def __init__(
        self, dataset: Dataset, features: FeatureSet, orders: list[Longs], limits: Limits | None
    ) -> None:
        sentences = np.sort(orders[0])
        part = dataset.take(sentences)
        self.known = np.zeros(features.attributes, bool)
        self.known[part.attribute] = True
        self.features = features.only(self.known)
        self.corpus = open_corpus(part.keep_attributes(self.known))
        self.orders = [np.searchsorted(sentences, order).astype(np.int64) for order in orders]
        self.sentences = len(dataset)
        self.limits = limits
        if limits is not None:
            of = np.repeat(np.isin(np.arange(len(dataset)), sentences), np.diff(dataset.tokens))
            labels = None if limits.labels is None else limits.labels[of]
            self.limits = kernels.Limits(labels, limits.follow)


def _try(school: _School, c: Candidate, c2: float, judge: "_Judge") -> Doubles:
    try:
        trainer = StochasticTrainer(
            school.corpus,
            school.features,
            c.update,
            c2=c2,
            rate=c.rate,
            limits=school.limits,
            sentences=school.sentences,
        )
        for order in school.orders:
            trainer.run(order)
    except (TrainingError, InputError):
        return judge.nothing
    return judge.right(trainer)


class _Judge:
    """Right tokens of each held-out sentence."""

    def __init__(self, dataset: Dataset, school: _School, sentences: Longs) -> None:
        part = dataset.take(np.sort(sentences)).keep_attributes(school.known)
        self._corpus = open_corpus(part)
        self._gold, self._tokens = part.labels, part.tokens
        self._known = int((self._gold >= 0).sum())  # a token whose label is unknown is nobody's error
        self._features = school.features
        self.nothing = np.zeros(len(sentences))  # for a candidate that cannot be trained

    def right(self, trainer: StochasticTrainer) -> Doubles:
        guess, _ = kernels.tag(self._corpus, self._features.field(trainer.directions()))
        return np.diff(np.concatenate([[0], np.cumsum(guess == self._gold)])[self._tokens]).astype(np.float64)

    def accuracy(self, right: Doubles) -> float:
        return float(right.sum() / self._known) if self._known else 1.0
