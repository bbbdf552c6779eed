"""train(): from encoded data to weights, by any recipe.

    Encoded ─▶ Problem ─▶ recipe.trainer ─▶ epochs ─▶ the weights to keep
                                              │
                         on_epoch(Epoch) ◀────┘   loss, scores on held-out data, stopping

All randomness comes from the seed: it makes the generator that draws the calibration sample and every shuffle. On one
thread the same seed gives the same bits.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield._text import Vocabulary
from tagfield.constraints import Rules
from tagfield.corpus import Corpus
from tagfield.dataset import Dataset, Ints
from tagfield.encode import Encoded, same_vocabulary
from tagfield.errors import InputError, TrainingError
from tagfield.evaluate import ChunkScorer, Scores, has_chunks
from tagfield.evaluate.kinds import LabelKind, label_kind
from tagfield.evaluate.scores import CHUNK_FIGURES
from tagfield.lattice import open_corpus
from tagfield.layout import FeatureSet, Weights
from tagfield.memory import parse_size
from tagfield.native import kernels
from tagfield.page import table
from tagfield.train.footprint import check_training
from tagfield.train.history import Clock, Epoch, History, OnEpoch, Stopping
from tagfield.train.loss import LossMeter
from tagfield.train.on_disk import problem_of
from tagfield.train.order import epoch_order
from tagfield.train.problem import Problem
from tagfield.train.settings import Settings, settings_from
from tagfield.train.trainer import Finished, Trainer

log = logging.getLogger(__name__)

LOOKED = 32_768  # sentences that are labelled at a time
WINDOW = "256MB"  # of a corpus on disk
SHOWN = ("epoch", "loss", "objective", "accuracy", "f1", "seconds", "kept")  # of an epoch, in a notebook


@dataclass(frozen=True)
class Parts:
    """How the data was divided, where the weights depend on it: on a cluster."""

    shares: int
    mixes: int = 0  # of an epoch; 0 if the shares add up a gradient

    def describe(self) -> str:
        """The same in words.

        >>> Parts(2, 32).describe(), Parts(16).describe()
        ('2 shares, 32 mixes an epoch', '16 shares')
        """
        shares = f"{self.shares} share{'s' * (self.shares > 1)}"
        return shares + (f", {self.mixes} mix{'es' * (self.mixes > 1)} an epoch" if self.mixes else "")


@dataclass(frozen=True)
class Trained:
    """What training ends with."""

    weights: Weights
    features: FeatureSet
    attributes: Vocabulary  # those with a weight
    history: list[Epoch]
    settings: Settings  # with the recipe and the learning rate that were used
    converged: bool
    stop_reason: str
    fell_back: bool = False  # training went wrong, and earlier weights are kept
    edges: Vocabulary | None = None  # the edge attributes with a weight; None if there are none
    feature_seconds: float = 0.0  # what finding the features took
    parts: Parts | None = None  # of the data, if it was trained in several

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept; an empty one where there was nothing to train."""
        return ([Epoch(0, 0.0, 0.0)] + [epoch for epoch in self.history if epoch.best])[-1]

    def describe(self) -> str:
        """The settings that were used, in a few words, and the parts of the data if there were several."""
        return self.settings.describe() + (f" · {self.parts.describe()}" if self.parts else "")

    def __repr__(self) -> str:
        seconds = self.history[-1].seconds if self.history else 0.0
        passes = f"{len(self.history)} {self.settings.recipe.unit}s in {seconds:.1f} s"
        return f"<Trained: {self.settings.recipe}, {passes}; {self.stop_reason}>"

    def _repr_html_(self) -> str:
        """The last epochs."""
        logs = [epoch.to_dict() | {"kept": epoch is self.best} for epoch in self.history[-10:]]
        names = [name for name in SHOWN if any(name in log for log in logs)]
        rows = [[_cell(log.get(name, "")) for name in names] for log in logs]
        return table(names, rows, f"{self.settings.describe()}; {self.stop_reason}")


def train(
    encoded: Encoded | Corpus,
    settings: Settings | str | None = None,
    *,
    dev: Encoded | None = None,
    watch: Mapping[str, Encoded] | None = None,
    on_epoch: OnEpoch | None = None,
    start: tuple[FeatureSet, Weights] | None = None,
    rules: Rules | None = None,
    class_weight: ArrayLike | None = None,
    clock: Clock = time.perf_counter,
    window: str | float = WINDOW,
) -> Trained:
    """Trains on encoded data, or on a corpus on disk; `dev` and `watch` (with the same vocabularies) are only scored.

    start: features and weights to go on from; the vocabularies of `encoded` must begin with theirs
    rules: labels that may not follow each other; they and unknown labels need a recipe with a likelihood
    class_weight: one number above 0 for each label: what its tokens weigh in the likelihood
    clock: what the seconds of the history are read from
    window: how much of a corpus on disk is in memory at a time, in bytes or as "256MB"; it does not change the result

    >>> from tagfield.encode import encode_sequences
    >>> encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]], [["X", "Y"], ["Y", "X"]])
    >>> trained = train(encoded, Settings("sgd", epochs=3))
    >>> len(trained.history), trained.stop_reason
    (3, 'it reached the maximum of 3 epochs')
    """
    settings = settings_from(settings)
    if settings.patience and dev is None:
        raise InputError("patience needs held-out data to score on; give dev")
    chunks = has_chunks(encoded.labels)
    if settings.monitor == "auto":
        settings = replace(settings, monitor="f1" if chunks else "accuracy")
    elif settings.patience and settings.monitor in CHUNK_FIGURES and not chunks:
        raise InputError(f"monitor={settings.monitor} needs labels that mark chunks; use accuracy or macro_f1")
    began = clock()
    problem = problem_of(encoded, settings, rules, start, class_weight, parse_size(window))
    check_training(problem, scored=dev is not None)
    feature_seconds = clock() - began
    watched = {**(watch or {}), **({} if dev is None else {"dev": dev})}
    for data in watched.values():
        check_held_out(data, encoded)
    fitted = {name: fitting(data, problem.attributes, problem.edges) for name, data in watched.items()}
    kind = label_kind(encoded.labels)  # a label that only held-out data has must not change what is counted
    scorers = {name: held_out_scorer(data, fitted[name], problem, kind) for name, data in watched.items()}
    meter = LossMeter(problem, fitted.get("dev")) if settings.recipe.settles else None
    rng = np.random.default_rng(settings.seed)
    history = History(settings, scorers, on_epoch, clock)
    trainer = settings.recipe.trainer(problem, rng)
    weights, converged, reason = run_epochs(trainer, history, rng, meter)
    settings = replace(problem.settings, recipe=trainer.recipe)
    return Trained(
        weights,
        problem.features,
        problem.attributes,
        history.epochs,
        settings,
        converged,
        reason,
        history.fell_back,
        problem.edges,
        feature_seconds,
    )


class Latest:
    """The weights after the last pass, copied at most once, and the best ones; two copies in all, if need be."""

    def __init__(self, trainer: Trainer) -> None:
        self.kept: Weights | None = None
        self._trainer = trainer
        self._made: Weights | None = None
        self._spare: Weights | None = None

    def after_pass(self, keep: bool) -> None:
        """Forgets the copy of the pass before; with `keep` the next copy may overwrite the kept weights."""
        self._spare, self._made = self._made or self._spare, None
        if keep and self._spare is None:
            self._spare = self.kept

    def __call__(self) -> Weights:
        if self._made is None:
            self._made, self._spare = self._trainer.weights(self._spare), None
        return self._made

    def keep(self) -> None:
        made = self()
        self._spare, self.kept, self._made = (None if made is self.kept else self.kept), made, None


def _cell(value: object) -> str:
    """A figure of an epoch, for people.

    >>> _cell(True), _cell(0.123456), _cell(12)
    ('yes', '0.1235', '12')
    """
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,.4f}" if isinstance(value, float) else str(value)


def run_epochs(
    trainer: Trainer, history: History, rng: np.random.Generator, meter: LossMeter | None = None
) -> tuple[Weights, bool, str]:
    """Passes until a rule says stop; returns the weights to keep, whether training converged, and why it stopped."""
    problem, recipe = trainer.problem, trainer.recipe
    settings = problem.settings
    rate = getattr(recipe, "rate", None)
    stopping = Stopping(settings.period if recipe.settles and recipe.by_period else 0, settings.min_improvement)
    lowest, latest = np.inf, Latest(trainer)
    tokens = max(1.0, problem.data.weighted_tokens()[0])

    def loss() -> float | None:
        known = trainer.training_nll()
        if meter is None or (known is not None and not meter.held_out):
            return None if known is None else known / tokens
        return meter(latest())

    while True:
        try:
            objective = trainer.run(epoch_order(rng, problem.count))
        except Finished as end:
            trainer.release()
            return (latest.kept if history.by_score and latest.kept else trainer.weights()), True, str(end)
        except TrainingError as error:
            if not recipe.keeps_best or not history.epochs:
                raise
            log.info("%s", error)
            reason = f"in epoch {len(history.epochs) + 1} the weights left the range of numbers"
            return (
                history.fall_back(latest.kept or problem.start.copy()),
                False,
                f"{reason}; the best weights so far are kept",
            )
        diverged = trainer.diverged()
        best = not diverged and (trainer.monitor < lowest or not recipe.keeps_best)
        lowest = min(lowest, trainer.monitor)
        latest.after_pass(keep=best and recipe.keeps_best and not history.by_score)
        directions = trainer.directions if meter is None else latest
        asked = history.add(objective, trainer.norm(), rate, directions, best, loss, trainer.figures())
        kept = latest.kept
        trouble = "the weights explain the data worse than no weights do" if diverged else history.dev_rise()
        if trouble and recipe.keeps_best:
            if kept is None and labels_better(trainer, problem):  # far too sure of itself, but it labels
                kept = history.keep_last(trainer.weights())
                return kept, False, f"{trouble}; the weights of this epoch are kept; a smaller rate may help"
            trouble += "; the best weights so far are kept" + ("" if kept else "; a smaller rate may help")
            return history.fall_back(kept or problem.start.copy()), False, trouble
        figure = "loss" if trainer.watches_loss else "objective"
        watched = history.epochs[-1].loss if trainer.watches_loss else None
        finished, settled = trainer.finished(), stopping.add(trainer.monitor if watched is None else watched)
        done = len(history.epochs)
        if asked or history.out_of_patience or finished or settled or done == settings.max_epochs:
            trainer.release()
            weights = latest() if history.best or kept is None else kept
            if asked:
                return weights, False, "a callback asked it to stop"
            if history.out_of_patience:
                risen = f"{settings.monitor} on the held-out data has not risen"
                return weights, True, f"{risen} for {settings.patience} {recipe.unit}s"
            if finished:
                return weights, True, finished
            if settled:
                return weights, True, f"the {figure} has settled over {settings.period} {recipe.unit}s"
            if trainer.settled:
                return weights, True, f"every sequence is labelled right after {done} {recipe.unit}{'s' * (done > 1)}"
            return weights, False, f"it reached the maximum of {done} {recipe.unit}{'s' * (done > 1)}"
        if history.best and (recipe.keeps_best or history.by_score):
            latest.keep()
        if recipe.keeps_best:
            history.remember(trainer.weights)


def labels_better(trainer: Trainer, problem: Problem) -> bool:
    """Whether the trainer's weights label the known tokens better than the start's."""
    fields = [problem.features.field(weights) for weights in (trainer.weights(), problem.start)]
    right = np.zeros(2, np.int64)
    for first in range(0, problem.count, LOOKED):
        data = problem.data.take(np.arange(first, min(first + LOOKED, problem.count)))
        corpus = open_corpus(data)
        right += [int((kernels.tag(corpus, field)[0] == data.labels).sum()) for field in fields]
    return bool(right[0] > right[1])


def check_held_out(dev: Encoded, encoded: Encoded | Corpus) -> None:
    """Raise InputError if data cannot be scored with weights for the training data."""
    same = same_vocabulary(dev.labels, encoded.labels) and same_vocabulary(dev.attributes, encoded.attributes)
    if dev.edges is not None and encoded.edges is not None:
        same = same and same_vocabulary(dev.edges, encoded.edges)
    if not same or (dev.edges is None) != (encoded.edges is None):
        raise InputError(
            "the held-out data is not encoded with the vocabularies of the training data; give encode_files, "
            "encode_words or encode_sequences attributes=train.attributes and labels=train.labels"
        )
    if not len(dev.gold):
        raise InputError("the held-out data has no token; give sequences with labels, or leave it out")
    bare = dev.dataset.first_unlabelled(dev.gold)
    if bare is not None:
        raise InputError(f"held-out data, {dev.where(bare)}: a token has no label; label every token, to score it")


def fitting(dev: Encoded, attributes: Vocabulary, edges: Vocabulary | None = None) -> Dataset:
    """Held-out data with the ids of the attributes that have a weight: min_count may have left some out."""
    dataset = dev.dataset
    if len(attributes) != len(dev.attributes):
        dataset = dataset.renumbered(np.array([attributes.find(name) for name in dev.attributes], np.int32))
    if dataset.edges is not None and dev.edges is not None and edges is not None and len(edges) != len(dev.edges):
        keep, ids = _kept(dev.edges, edges)
        slots = dataset.edges.keep(keep)
        dataset = replace(dataset, edges=replace(slots, attribute=ids[slots.attribute]))
    return dataset


def _kept(names: Vocabulary, among: Vocabulary) -> tuple[NDArray[np.bool_], Ints]:
    """Which of the names are in another vocabulary, and the ids there of those that are."""
    ids = np.array([among.find(name) for name in names], dtype=np.int32)
    return ids >= 0, ids[ids >= 0]


def held_out_scorer(dev: Encoded, dataset: Dataset, problem: Problem, kind: LabelKind) -> Callable[[Weights], Scores]:
    """A function from weights to the scores on `dev`, where a gold label that training never saw is an error."""
    corpus = open_corpus(dataset)
    scorer = ChunkScorer(dev.names.strings(), kind)

    def score(weights: Weights) -> Scores:
        field, threads = problem.features.field(weights), problem.settings.team
        guess, _ = kernels.tag(corpus, field, threads=threads)
        return scorer.score(dev.gold, guess, dataset.tokens)

    return score
