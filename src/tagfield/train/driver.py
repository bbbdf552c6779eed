"""train(): from encoded data to weights, by any recipe.

    Encoded ─▶ select (feature set, minimum count) ─▶ calibrate ─▶ epochs ─▶ best weights
                                                              │
                                         on_epoch(Epoch) ◀────┘   scores on held-out data, stopping

Chance is one argument: the seed makes the generator that draws the calibration sample and every shuffle. On one
thread the same seed gives the same bits.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from tagfield._text import Vocabulary
from tagfield.bregman.responses import recipe as response_of
from tagfield.dataset import Dataset, Doubles
from tagfield.encode import Encoded
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores
from tagfield.features import FeatureSet, Weights, feature_set, keep_attributes
from tagfield.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.batch import Objective, minimise
from tagfield.train.margin import MarginTrainer
from tagfield.train.progress import Epoch, OnEpoch, Stopping
from tagfield.train.recipes import DEFAULT, find_recipe
from tagfield.train.stochastic import Calibration, StochasticTrainer, calibrate


@dataclass(frozen=True)
class Settings:
    """Everything that a training run can be told. The names and meanings of c2, epochs and pa_* are CRFsuite's."""

    recipe: str = DEFAULT
    features: str = "observed"
    min_count: int = 1
    c2: float = 1.0
    epochs: int = 50
    seed: int = 0
    threads: int = 1
    rate: float | None = None  # None: calibrate
    calibration: Calibration = field(default_factory=Calibration)
    period: int = 10
    delta: float | None = None  # 1e-6 for stochastic recipes, 1e-5 for lbfgs, as in CRFsuite
    pa_type: int = 1
    pa_c: float = 1.0
    pa_cost_sensitive: bool = True
    pa_average: bool = True


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

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept."""
        return [epoch for epoch in self.history if epoch.best][-1]


def train(
    encoded: Encoded,
    settings: Settings | None = None,
    *,
    dev: Encoded | None = None,
    watch: Mapping[str, Encoded] | None = None,
    on_epoch: OnEpoch | None = None,
) -> Trained:
    """Trains on encoded data; `dev` and `watch` (encoded with the same vocabularies) are only scored.

    >>> from tagfield.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trained = train(encoded, Settings(recipe="sgd", epochs=3))
    >>> len(trained.history), trained.stop_reason
    (3, 'the given number of epochs is done')
    """
    settings = settings or Settings()
    _check(encoded, settings)
    recipe = find_recipe(settings.recipe)
    _, attributes, features, corpus = select(encoded, settings.features, settings.min_count)
    watched = {**(watch or {}), **({} if dev is None else {"dev": dev})}
    score = {
        name: held_out_scorer(data, attributes, features, settings.threads) for name, data in watched.items()
    }
    run = _Run(settings, features, score, on_epoch)
    if recipe.family == "batch":
        weights, converged, reason = _batch(run, corpus, features)
    else:
        rng = np.random.default_rng(settings.seed)
        trainer: StochasticTrainer | MarginTrainer
        if recipe.family == "margin":
            trainer = MarginTrainer(
                corpus,
                features,
                type=settings.pa_type,
                aggressiveness=settings.pa_c,
                cost_sensitive=settings.pa_cost_sensitive,
                average=settings.pa_average,
            )
        else:
            response = response_of(recipe.name)
            rate = settings.rate
            if rate is None:
                rate = calibrate(
                    corpus, features, response, c2=settings.c2, rng=rng, settings=settings.calibration
                )
            run.settings = replace(settings, rate=rate)
            trainer = StochasticTrainer(corpus, features, response, c2=settings.c2, rate=rate)
        weights, converged, reason = _epochs(run, trainer, corpus, rng, margin=recipe.family == "margin")
    return Trained(weights, features, attributes, run.history, run.settings, converged, reason)


def select(
    encoded: Encoded, kind: str, min_count: int = 1
) -> tuple[Dataset, Vocabulary, FeatureSet, kernels.Corpus]:
    """The data, attributes and feature set that training sees, once the rare ones are left out."""
    dataset, attributes = encoded.dataset, encoded.attributes
    corpus = open_corpus(dataset)
    if min_count > 1 and kind == "all":
        keep = kernels.count_attributes(corpus, len(attributes)) >= min_count
        dataset, attributes = keep_attributes(dataset, keep), attributes.subset(keep)
        corpus = open_corpus(dataset)
    return (
        dataset,
        attributes,
        feature_set(corpus, len(attributes), len(encoded.labels), kind, min_count),
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
        dataset = keep_attributes(dataset, keep)
        dataset = replace(dataset, attribute=ids[keep][dataset.attribute].astype(np.int32))
    corpus = open_corpus(dataset)
    scorer = ChunkScorer(dev.names.strings())

    def score(weights: Weights) -> Scores:
        guess = kernels.tag(corpus, features.layout, weights.state, weights.trans, threads)
        return scorer.score(dev.gold, guess, dataset.tokens)

    return score


def _check(encoded: Encoded, settings: Settings) -> None:
    if len(encoded) == 0 or len(encoded.labels) == 0:
        raise InputError("there is nothing to train on: the data holds no labelled sequence")
    if not settings.c2 >= 0 or not np.isfinite(settings.c2):
        raise InputError(f"c2 must be a number from 0 on, not {settings.c2}")
    if settings.epochs < 1:
        raise InputError(f"training takes at least one epoch, not {settings.epochs}")
    if settings.threads < 1:
        raise InputError(f"training takes at least one thread, not {settings.threads}")
    if settings.rate is not None and not (settings.rate > 0 and np.isfinite(settings.rate)):
        raise InputError(f"the rate must be a number above 0, not {settings.rate}")


class _Run:
    """The history of one run, the best weights so far, and the clock that stands still while scores are taken."""

    def __init__(
        self,
        settings: Settings,
        features: FeatureSet,
        score: Mapping[str, Callable[[Weights], Scores]],
        on_epoch: OnEpoch | None,
    ) -> None:
        self.settings = settings
        self.features = features
        self.history: list[Epoch] = []
        self._score = score
        self._on_epoch = on_epoch
        self._start = time.perf_counter()

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def add(self, objective: float, norm: float, directions: Callable[[], Weights], best: bool) -> bool:
        """Records an epoch, tells the callback, and returns whether it wants to stop."""
        paused = time.perf_counter()
        weights = directions() if self._score else None
        watched = {name: score(weights) for name, score in self._score.items() if weights is not None}
        scores = watched.pop("dev", None)
        seconds = paused - self._start
        number = len(self.history) + 1
        epoch = Epoch(number, objective, seconds, norm, self.settings.rate, scores, watched, best)
        self.history.append(epoch)
        stop = bool(self._on_epoch(epoch)) if self._on_epoch else False
        self._start += time.perf_counter() - paused
        return stop


def _epochs(
    run: _Run,
    trainer: StochasticTrainer | MarginTrainer,
    corpus: kernels.Corpus,
    rng: np.random.Generator,
    *,
    margin: bool,
) -> tuple[Weights, bool, str]:
    settings = run.settings
    stopping = Stopping(settings.period, 1e-6 if settings.delta is None else settings.delta)
    lowest, kept = np.inf, None
    while True:
        objective = trainer.run(rng.permutation(corpus.sentences).astype(np.int64))
        # PA's loss is measured before each step, so its lowest value says little about the averaged weights: the
        # last ones are kept, as in CRFsuite.
        best = margin or objective < lowest
        lowest = min(lowest, objective)
        asked = run.add(objective, trainer.norm(), trainer.directions, best)
        settled = objective == 0 if margin else stopping.add(objective)
        if asked or settled or len(run.history) == settings.epochs:
            weights = trainer.weights() if best or kept is None else kept
            if asked:
                return weights, False, "it was asked to stop"
            if settled and margin:
                return weights, True, "every sequence is labelled right"
            if settled:
                return weights, True, f"the objective no longer falls over {settings.period} epochs"
            return weights, False, "the given number of epochs is done"
        if best and not margin:
            kept = trainer.weights(out=kept)


def _batch(run: _Run, corpus: kernels.Corpus, features: FeatureSet) -> tuple[Weights, bool, str]:
    settings = run.settings
    objective = Objective(corpus, features, c2=settings.c2, threads=settings.threads)
    stopping = Stopping(settings.period, 1e-5 if settings.delta is None else settings.delta)
    asked = False

    def report(value: float, x: Doubles) -> bool:
        nonlocal asked
        asked = run.add(value, float(np.linalg.norm(x)), lambda: objective.weights(x), True)
        return asked or stopping.add(value)

    x, converged, reason = minimise(objective, report, iterations=settings.epochs)
    if asked:
        converged, reason = False, "it was asked to stop"
    return objective.weights(x), converged, reason
