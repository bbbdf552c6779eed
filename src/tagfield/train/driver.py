"""train(): from encoded data to weights, by any recipe.

    Encoded ─▶ select (feature set, minimum count) ─▶ calibrate ─▶ epochs ─▶ best weights
                                                              │
                                         on_epoch(Epoch) ◀────┘   scores on held-out data, stopping

Chance is one argument: the seed makes the generator that draws the calibration sample and every shuffle. On one
thread the same seed gives the same bits.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from tagfield._text import Vocabulary
from tagfield.constraints import Rules
from tagfield.dataset import UNKNOWN, Dataset, Doubles
from tagfield.encode import Encoded
from tagfield.errors import TrainingError
from tagfield.evaluate import ChunkScorer, Scores, has_chunks
from tagfield.features import FeatureSet, Weights, feature_set, grow
from tagfield.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.batch import Objective
from tagfield.train.calibration import nll
from tagfield.train.course import Clock, Run, labels_better, worse_than_nothing
from tagfield.train.full_batch import descend
from tagfield.train.partial import Limits, PartialObjective, limits_of
from tagfield.train.progress import Epoch, OnEpoch, Stopping
from tagfield.train.quasi_newton import minimise, norm
from tagfield.train.recipes import find_recipe
from tagfield.train.settings import AUTO, Settings
from tagfield.train.stochastic import StochasticTrainer
from tagfield.train.trainers import Trainer, make_trainer, update_of

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trained:
    """What training ends with."""

    weights: Weights
    features: FeatureSet
    attributes: Vocabulary  # those with a weight
    history: list[Epoch]
    settings: Settings  # with the rate that was used
    converged: bool
    stop_reason: str
    fell_back: bool = False  # it went wrong, and weights of before are kept

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept; an empty one where there was nothing to train."""
        return ([Epoch(0, 0.0, 0.0)] + [epoch for epoch in self.history if epoch.best])[-1]


def train(
    encoded: Encoded,
    settings: Settings | None = None,
    *,
    dev: Encoded | None = None,
    watch: Mapping[str, Encoded] | None = None,
    on_epoch: OnEpoch | None = None,
    start: tuple[FeatureSet, Weights] | None = None,
    rules: Rules | None = None,
    clock: Clock = time.perf_counter,
) -> Trained:
    """Trains on encoded data; `dev` and `watch` (encoded with the same vocabularies) are only scored.

    start: features and weights to go on from; the vocabularies of `encoded` must begin with theirs
    rules: labels that may not follow each other; they and UNKNOWN labels need a recipe with a likelihood
    clock: what the seconds of the history are read from

    >>> from tagfield.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trained = train(encoded, Settings(recipe="sgd", epochs=3))
    >>> len(trained.history), trained.stop_reason
    (3, 'the given number of epochs is done')
    """
    settings = settings or Settings()
    settings.check(encoded, dev is not None)
    if settings.monitor == AUTO:
        settings = replace(settings, monitor="f1" if has_chunks(encoded.labels) else "accuracy")
    recipe = find_recipe(settings.recipe)
    if rules is not None or (encoded.dataset.labels == UNKNOWN).any():
        settings.check_partial()
    min_count = 1 if start else settings.min_count  # what a model knows is not renumbered
    dataset, attributes, features, corpus = select(
        encoded, settings.features, min_count, settings.transitions
    )
    initial = features.zeros()
    if start:
        features, initial = grow(*start, features)
    watched = {**(watch or {}), **({} if dev is None else {"dev": dev})}
    score = {
        name: held_out_scorer(data, attributes, features, settings.threads) for name, data in watched.items()
    }
    run = Run(settings, features, score, on_epoch, clock)
    limits = limits_of(rules, dataset, corpus, features, encoded.labels)
    if recipe.family == "batch":
        if limits is not None or not corpus.complete:
            objective: Objective = PartialObjective(
                corpus, features, c2=settings.c2, threads=settings.threads, limits=limits
            )
        else:
            objective = Objective(corpus, features, c2=settings.c2, threads=settings.threads)
        weights, converged, reason = _batch(run, objective, initial)
    elif settings.batch:
        weights, converged, reason = _full_batch(run, corpus, dataset, initial)
    else:
        rng = np.random.default_rng(settings.seed)
        trainer = make_trainer(settings, corpus, features, initial, rng, dataset, limits)
        worth = np.repeat(dataset.weight, np.diff(dataset.tokens))[dataset.labels != UNKNOWN]
        run.untrained = float(worth.sum()) * float(np.log(max(2, len(encoded.labels))))
        if limits is not None:
            run.untrained = nll(corpus, features, features.zeros(), np.arange(corpus.sentences), limits)
        if isinstance(trainer, StochasticTrainer):
            generator = f"auto: {trainer.update}" if settings.generator == "auto" else settings.generator
            run.settings = replace(settings, rate=trainer.rate, generator=generator)
        weights, converged, reason = _epochs(
            run, trainer, corpus, rng, limits, dataset, initial, margin=recipe.family == "margin"
        )
    return Trained(weights, features, attributes, run.history, run.settings, converged, reason, run.fell_back)


def select(
    encoded: Encoded, kind: str, min_count: int = 1, transitions: str | None = None
) -> tuple[Dataset, Vocabulary, FeatureSet, kernels.Corpus]:
    """The data, attributes and feature set that training sees, once the rare ones are left out."""
    dataset, attributes = encoded.dataset, encoded.attributes
    corpus = open_corpus(dataset)
    if min_count > 1 and kind == "all":
        keep = kernels.count_attributes(corpus, len(attributes)) >= min_count
        dataset, attributes = dataset.keep_attributes(keep), attributes.subset(keep)
        corpus = open_corpus(dataset)
    return (
        dataset,
        attributes,
        feature_set(corpus, len(attributes), len(encoded.labels), kind, min_count, transitions),
        corpus,
    )


def held_out_scorer(
    dev: Encoded, attributes: Vocabulary, features: FeatureSet, threads: int
) -> Callable[[Weights], Scores]:
    """A function from weights to the scores on `dev`, an unseen gold label counting as an error."""
    dataset = dev.dataset
    if len(attributes) != len(dev.attributes):
        ids = np.array([attributes.find(name) for name in dev.attributes], dtype=np.int64)
        keep = ids >= 0
        dataset = dataset.keep_attributes(keep)
        dataset = replace(dataset, attribute=ids[keep][dataset.attribute].astype(np.int32))
    corpus = open_corpus(dataset)
    scorer = ChunkScorer(dev.names.strings())

    def score(weights: Weights) -> Scores:
        guess, _ = kernels.tag(corpus, features.field(weights), threads=threads)
        return scorer.score(dev.gold, guess, dataset.tokens)

    return score


def _epochs(
    run: Run,
    trainer: Trainer,
    corpus: kernels.Corpus,
    rng: np.random.Generator,
    limits: Limits | None,
    dataset: Dataset,
    began: Weights,
    *,
    margin: bool,
) -> tuple[Weights, bool, str]:
    settings = run.settings
    stopping = Stopping(settings.period, 1e-6 if settings.delta is None else settings.delta)
    lowest, kept = np.inf, None
    while True:
        try:
            objective = trainer.run(rng.permutation(corpus.sentences).astype(np.int64))
        except TrainingError as error:
            if margin or not run.history:
                raise
            why = f"in epoch {len(run.history) + 1} the weights left the range of numbers"
            log.info("%s", error)
            return run.fall_back(kept or began), False, f"{why}; the best weights so far are kept"
        # PA's loss is measured before each step, so its lowest value says little about the averaged weights: the
        # last ones are kept, as in CRFsuite.
        monitor = trainer.monitor if isinstance(trainer, StochasticTrainer) else objective
        best = margin or monitor < lowest
        lowest = min(lowest, monitor)
        lost = (
            isinstance(trainer, StochasticTrainer)
            and trainer.monitor > run.untrained
            and worse_than_nothing(trainer, corpus, run.features, limits)
        )
        asked = run.add(objective, trainer.norm(), trainer.directions, best and not lost)
        trouble = "the weights explain the data worse than no weights do" if lost else run.collapse()
        if trouble and not margin:
            if (
                kept is None
                and isinstance(trainer, StochasticTrainer)
                and labels_better(trainer, dataset, corpus, run.features, began)
            ):
                kept = run.keep_last(trainer.weights())  # far too sure of itself, but it labels
                return kept, False, f"{trouble}; the weights of this epoch are kept; a smaller rate may help"
            smaller = "" if kept is not None else "; a smaller rate may help"
            return (
                run.fall_back(kept or began),
                False,
                f"{trouble}; the best weights so far are kept{smaller}",
            )
        right = margin and objective <= (settings.epsilon or 0.0) * max(1, corpus.sentences)
        settled = not margin and stopping.add(monitor)
        if asked or right or settled or run.impatient or len(run.history) == settings.epochs:
            weights = trainer.weights() if run.best or kept is None else kept
            if asked:
                return weights, False, "it was asked to stop"
            if run.impatient:
                return weights, True, _impatient(settings)
            if right and objective == 0:
                return weights, True, "every sequence is labelled right"
            if right:
                return weights, True, f"the mean loss is at most {settings.epsilon:g}"
            if settled:
                return weights, True, f"the objective no longer falls over {settings.period} epochs"
            return weights, False, "the given number of epochs is done"
        if run.best and (settings.patience or not margin):
            kept = trainer.weights(out=kept)
        run.remember(trainer.weights)


def _impatient(settings: Settings) -> str:
    return f"{settings.monitor} on the held-out data has not risen for {settings.patience} epochs"


def _full_batch(
    run: Run, corpus: kernels.Corpus, dataset: Dataset, initial: Weights
) -> tuple[Weights, bool, str]:
    settings = run.settings
    objective = Objective(corpus, run.features, c2=settings.c2, threads=settings.threads)
    stopping = Stopping(settings.period, 1e-5 if settings.delta is None else settings.delta)
    asked = False

    def report(value: float, x: Doubles) -> bool:
        nonlocal asked
        asked = run.add(value, norm(x), lambda: objective.weights(x), True)
        return stopping.add(value) or asked

    x, converged, reason = descend(
        objective,
        dataset,
        update_of(settings).response,
        report,
        iterations=settings.epochs,
        start=objective.pack(initial),
        rate=settings.rate,
    )
    return objective.weights(x), converged and not asked, "it was asked to stop" if asked else reason


def _batch(run: Run, objective: Objective, initial: Weights) -> tuple[Weights, bool, str]:
    settings = run.settings
    stopping = Stopping(settings.period, 1e-5 if settings.delta is None else settings.delta)
    epsilon = 1e-5 if settings.epsilon is None else settings.epsilon
    start = objective.pack(initial)
    kept, asked = start, False

    def report(value: float, x: Doubles) -> bool:
        nonlocal kept, asked
        asked = run.add(value, norm(x), lambda: objective.weights(x), True)
        if run.best:
            kept = x.copy()
        return stopping.add(value) or asked or run.impatient

    x, converged, reason = minimise(
        objective,
        start,
        report,
        c1=settings.c1,
        iterations=settings.epochs,
        memory=settings.memory,
        epsilon=epsilon,
        search=settings.search,
        line_search=settings.line_search,
    )
    if settings.patience:
        x = kept
    if asked:
        converged, reason = False, "it was asked to stop"
    elif run.impatient:
        converged, reason = True, _impatient(settings)
    return objective.weights(x), converged, reason
