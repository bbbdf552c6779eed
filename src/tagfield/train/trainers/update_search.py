"""Choosing G from the data: a small family of updates, tried by successive halving on a part of the corpus.

    family ─▶ one pass over a few sentences ─▶ the better third of each kind ─▶ one pass over three times as many
           ─▶ the best of each kind ─▶ three passes over more ─▶ update and rate

The family: linear, arctan, erf, gd and u/(u²+ε) over scales, with and without AdaGrad, on all features or
on states only, each with a few rates; all of them averaged, which brings any update near its end early. Candidates
train on one part of the corpus and are scored by token accuracy on another, one at a time, so that the memory is that
of one training run.

Why kinds: within a kind (linear, curved, adaptive) the order after one pass is that after ten. Between kinds it is not:
on CoNLL-2000 AdaGrad is far ahead after a pass and behind after ten. So kinds are compared after three.
Why a favourite: the held-out part cannot tell apart what differs by a tenth of a point, and the best of many noisy
figures is seldom the best. Each kind has a favourite, the first in its list, and the curved kind is the favourite among
kinds; another one takes its place only where it is better by more than the noise of the paired difference.
What a short trial cannot show: where one label dominates, the bias of a curved response without AdaGrad grows with
the length of the training (docs/theory.md, section 6). There such updates are tried and logged, but not chosen; the
favourite is AdaGrad where every attribute has a weight for every label, and plain gradients where it has
not (docs/results.md). Nor does a trial show which rate is best in the end, for few steps flatter large ones: the rates
of a kind begin with the one that does best after ten epochs, which for averaged plain gradients is a large one.
"""

import logging
import math
from dataclasses import dataclass, field, replace

import numpy as np

from tagfield.bregman.generators import arctan, erf, gd
from tagfield.bregman.responses import Response
from tagfield.data.dataset import Doubles, Longs
from tagfield.errors import InputError, TrainingError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.preconditioners import AdaGrad
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.table import LINEAR, RECIPES, U1, U2
from tagfield.train.recipes.variants import Auto
from tagfield.train.trainers.stochastic import StochasticTrainer

KEPT = 3  # one in three of a kind goes on
DOMINANT = 0.7  # the share of all tokens with which one label dominates
STREAM = 1  # the random stream of the search
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
    """A recipe with its learning rate, and how it did."""

    recipe: Stochastic
    accuracy: float = 0.0
    sentences: int = 0  # it was trained on, counting every pass
    right: Doubles = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)  # tokens a sentence

    @property
    def kind(self) -> str:
        if self.recipe.preconditioner is not None:
            return "adaptive"
        return "linear" if self.recipe.f.generator.linear else "curved"

    def __str__(self) -> str:
        return f"{self.recipe}, rate {self.recipe.rate:g}"


def family(average: bool) -> list[Candidate]:
    """Everything that is tried, the favourite of each kind first.

    >>> len(family(False))
    26
    """
    named = {name: recipe.f for name, recipe in RECIPES.items() if isinstance(recipe, Stochastic)}
    curved = [
        named["u2.g1"],
        named["u2.g1p"],
        Response(U2, arctan(1.0), 1.0, "arctan(u)"),
        Response(U2, erf(2.0), 0.5, "erf(2u)"),
        named["u2.g2"],
        Response(U2, gd(3.0), 0.5, "gd(3u)"),
        named["u2.g3"],
        Response(U1, arctan(1.0), 1.0, "u/(u²+1)"),
        named["u1.g1"],
    ]
    tries = [Stochastic(f, rate=0.1) for f in curved]
    tries += [Stochastic(f, respond="states-unscaled", rate=0.1) for f in curved]
    tries += [Stochastic(LINEAR, rate=rate) for rate in (0.4, 0.2, 0.1)]
    tries += [Stochastic(LINEAR, AdaGrad(), rate=rate) for rate in (0.1, 0.05)]
    tries += [Stochastic(f, AdaGrad(), rate=0.1) for f in curved[:3]]
    return [Candidate(replace(recipe, average=average)) for recipe in tries]


def dominates(counts: Longs) -> bool:
    """Whether one of the labels has most tokens.

    >>> dominates(np.array([3, 1])), dominates(np.array([1, 1]))
    (True, False)
    """
    return bool(counts.max(initial=0) > DOMINANT * counts.sum())


def best_trainer(recipe: Auto, problem: Problem, rng: np.random.Generator) -> StochasticTrainer:
    """The trainer of the update that does best.

    The search has a random stream of its own, and the draw of calibration is made all the same: the shuffles that
    follow are those of any recipe that is calibrated from this seed.
    """
    chosen = search_update(problem, np.random.default_rng([problem.settings.seed, STREAM]), average=recipe.average)
    rng.permutation(problem.count)
    about = f"chosen by {recipe.name}{recipe.suffix}"
    rate, name = recipe.rate or chosen.rate, chosen.f.name
    made = replace(chosen, rate=rate, block=recipe.block, name=name, about=about)
    return StochasticTrainer(made, problem, problem.start.copy())


def search_update(problem: Problem, rng: np.random.Generator, *, average: bool = True) -> Stochastic:
    """The recipe of the family that does best on a held-out part after a short training. Each try is logged.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train import Settings
    >>> X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 20, [["X", "Y"], ["Y", "X"]] * 20
    >>> problem = Problem.of(encode_sequences(X, y), Settings(features="all", c2=0.1))
    >>> str(search_update(problem, np.random.default_rng(0)))
    'u2.g1, averaged'
    """
    features = problem.features
    order = rng.permutation(problem.count).astype(np.int64)
    held = max(1, round(RUNGS[-1].scored * len(order)))
    pool = order[held:] if len(order) > held else order
    alive = family(average)
    favourites = [group[0] for group in _kinds(alive)]
    for number, rung in enumerate(RUNGS):
        part = pool[: max(1, round(rung.trained * len(order)))]
        orders = [part] + [rng.permutation(part) for _ in range(rung.passes - 1)]
        trial = _Trial(problem, orders, order[: max(1, round(rung.scored * len(order)))])
        scored = []
        for candidate in alive:
            right = trial.right(candidate.recipe)
            accuracy = trial.accuracy(right)
            done = replace(candidate, accuracy=accuracy, sentences=rung.passes * len(part), right=right)
            scored.append(done)
            log.info("%s: %.2f %% after %d sequences", candidate, 100 * accuracy, done.sentences)
        if number == 0:
            alive = [c for group in _kinds(scored) for c in _third(group, favourites)]
        else:
            alive = [_best(group) for group in _kinds(scored)]
    if dominates(problem.data.label_counts()):
        order_of_kinds = ("adaptive", "linear") if features.kind == "all" else ("linear", "adaptive")
        alive = [c for kind in order_of_kinds for c in alive if c.kind == kind]
        log.info("one label has more than %.0f %% of all tokens: no curved response without AdaGrad", 100 * DOMINANT)
    best = _best(alive)
    if not best.accuracy > 0:
        log.info("no update of the family learns anything from so little data: the favourite is taken")
    log.info("chosen: %s", best)
    return best.recipe


def _kinds(candidates: list[Candidate]) -> list[list[Candidate]]:
    """Candidates by kind, the kinds and the candidates in the order in which they come."""
    groups: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        groups.setdefault(candidate.kind, []).append(candidate)
    return list(groups.values())


def _third(group: list[Candidate], favourites: list[Candidate]) -> list[Candidate]:
    """The favourite of a kind, and the better third of all."""
    ranked = sorted(group, key=lambda c: -c.accuracy)[: math.ceil(len(group) / KEPT)]
    known = {str(c) for c in [*favourites, *ranked]}
    return [c for c in group if str(c) in known]


def _best(group: list[Candidate]) -> Candidate:
    """The first, or the most accurate of those that are better by more than noise.

    The noise is that of the difference of right tokens a sentence, since the tokens of a sentence err together.
    """
    first = group[0]

    def better(other: Candidate) -> bool:
        gain = other.right - first.right
        return bool(gain.sum() > NOISE * math.sqrt(float(gain @ gain)))

    return max([first, *filter(better, group[1:])], key=lambda c: c.accuracy)


class _Trial:
    """One rung: the sentences to train each candidate on, with only their attributes, and those to score it on.

    To make and clear the weights of all attributes for each candidate would take several times as long as its training.
    """

    def __init__(self, problem: Problem, orders: list[Longs], held_out: Longs) -> None:
        data, limits = problem.data, problem.limits
        sentences = np.sort(orders[0])
        part = data.take(sentences)
        known = np.zeros(problem.features.attributes, bool)
        known[part.attribute] = True
        looked = np.zeros(problem.features.edge_attributes, bool)
        looked[[] if part.edge_slots is None else part.edge_slots.attribute] = True
        features = problem.features.only(known, looked)
        if limits is not None:
            tokens = np.diff(problem.dataset.tokens)
            of = np.repeat(np.isin(np.arange(len(tokens)), sentences), tokens)
            labels = None if limits.labels is None else limits.labels[of]
            limits = kernels.Limits(labels, limits.follow)
        part = part.keep_attributes(known).keep_edges(looked)
        self._problem = replace(
            problem,
            dataset=part,
            corpus=open_corpus(part, problem.class_weight),
            features=features,
            start=features.zeros(),
            limits=limits,
            sentences=problem.count,
            disk=None,
        )
        self._orders = [np.searchsorted(sentences, order).astype(np.int64) for order in orders]
        held = data.take(np.sort(held_out)).keep_attributes(known).keep_edges(looked)
        self._held_out, self._gold, self._tokens = open_corpus(held), held.labels, held.tokens
        self._known = int((self._gold >= 0).sum())  # a token whose label is unknown does not count

    def right(self, recipe: Stochastic) -> Doubles:
        """How many tokens of each held-out sentence a candidate labels right; none if it cannot be trained."""
        try:
            trainer = StochasticTrainer(recipe, self._problem, self._problem.features.zeros())
            for order in self._orders:
                trainer.run(order)
        except (TrainingError, InputError):
            return np.zeros(len(self._tokens) - 1)
        guess, _ = kernels.tag(self._held_out, self._problem.features.field(trainer.directions()))
        return np.diff(np.concatenate([[0], np.cumsum(guess == self._gold)])[self._tokens]).astype(np.float64)

    def accuracy(self, right: Doubles) -> float:
        return float(right.sum() / self._known) if self._known else 1.0
