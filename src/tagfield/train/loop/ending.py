"""How the default ends: small weights go, and the others are divided by a temperature.

    Trained ─▶ judges: models with sentences that they were not trained on
                  --dev: the model itself        else: the same settings again, on nine tenths of the sentences
            ─▶ T: the lowest log-loss of weights / T
            ─▶ the largest threshold that costs nothing measurable, then T again without the weights below it
            ─▶ Trained without these weights, the rest divided by T

Dividing every weight by T > 0 leaves the order of all paths, so labels stay the same, and only probabilities change.
The model needs no other decoder and no other file. T and the threshold are kept in its info: training that continues
from the model multiplies by T first.

The real training keeps all sentences, since a tenth less costs labels on small data. What is measured with a second,
shorter training applies to the first: T after 3 to 5 passes differs by 1 %.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import UNKNOWN, Dataset, Longs
from tagfield.errors import TrainingError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.train.loop.epochs import NO_ORDER
from tagfield.train.loop.history import ASKED
from tagfield.train.loop.trained import Ending, Trained
from tagfield.train.problem.order import epoch_order
from tagfield.train.problem.problem import Problem
from tagfield.train.trainers.trainer import Finished
from tagfield.weights.features import thinned
from tagfield.weights.layout import FeatureSet, Weights

LEAST = 50  # sentences to judge by
MOST = 2_000
SHARE = 10  # a tenth is held out
FOLDS = 5  # where a tenth is fewer than LEAST
PASSES = 3  # of the second training, at most
SAMPLE = 20_000  # sentences of the second training, at most
LADDER = (0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)  # thresholds to try
LOSS = 0.001  # how much the log-loss may grow
LABELS = 0.0002  # share of tokens whose label may become wrong, beside what chance explains
STEP, CLOSE, FAR = 0.05, 0.005, math.log(10.0)  # of log T: between two measurements, near enough, and its range


def end(trained: Trained, problem: Problem, dev: Dataset | None = None) -> Trained:
    """The run with its weights pruned and divided by a temperature, as its settings ask.

    dev: held-out data with the attribute ids of the problem
    """
    settings = trained.settings
    finds = settings.prune == "auto"
    threshold = 0.0 if isinstance(settings.prune, str) else settings.prune
    if not settings.calibrate and not finds:
        return trained if not threshold else _ended(trained, Ending(threshold=threshold))
    try:
        judges = list(_judges(trained, problem, dev))
    except TrainingError:
        judges = []
    if not judges:
        return _ended(trained, Ending(threshold=threshold, reason=_reason(trained)))
    temperature = fit_temperature(lambda t: sum(judge.loss(t) for judge in judges))
    if finds:
        threshold = find_threshold(judges, temperature)
    if not settings.calibrate:
        temperature = 1.0
    elif threshold:
        thin = [judge.without(threshold) for judge in judges]
        temperature = fit_temperature(lambda t: sum(judge.loss(t) for judge in thin), temperature)
    return _ended(trained, Ending(round(temperature, 3), threshold, sum(judge.sentences for judge in judges)))


def _reason(trained: Trained) -> str:
    if trained.stop_reason == ASKED:
        return "training was stopped early"
    return f"fewer than {LEAST} fully labelled sentences to judge by"


def _ended(trained: Trained, ending: Ending) -> Trained:
    """The run with this ending."""
    features, weights = trained.features, trained.weights
    if ending.threshold:
        features, weights = thinned(features, weights, ending.threshold)
    if ending.temperature != 1:
        weights = scaled(weights, 1 / ending.temperature)
    return replace(trained, features=features, weights=weights, ending=ending)


def scaled(weights: Weights, by: float) -> Weights:
    """The weights times a number > 0; a pair without a feature stays one.

    >>> scaled(Weights(np.array([[2.0, -0.0]], np.float32), np.zeros((1, 8), np.float32)), 0.5).state.tolist()
    [[1.0, -0.0]]
    """
    return weights.map(lambda array: array * array.dtype.type(by))


@dataclass(frozen=True)
class Judge:
    """A model and sentences that it has not seen, with the rows of their attributes alone."""

    features: FeatureSet
    weights: Weights
    corpus: kernels.Corpus
    labels: NDArray[np.int32]  # [T]
    weight: NDArray[np.float64]  # [S]
    threads: int

    @classmethod
    def of(cls, features: FeatureSet, weights: Weights, dataset: Dataset, threads: int) -> "Judge":
        """The judge of fully labelled sentences."""
        keep = np.zeros(features.attributes, bool)
        keep[dataset.attribute] = True
        few = replace(features, marks=weights).only(keep)
        data = dataset.keep_attributes(keep)
        return cls(few, few.marks, open_corpus(data), data.labels, data.weight, threads)

    @property
    def sentences(self) -> int:
        return len(self.weight)

    def loss(self, log_temperature: float) -> float:
        """−Σ log p(y | x) with every weight divided by T."""
        field = self.features.field(scaled(self.weights, math.exp(-log_temperature)))
        _, log_z, score = kernels.marginals(self.corpus, field, None, False, self.threads)
        return math.fsum(((log_z - score) * self.weight).tolist())

    def right(self) -> NDArray[np.bool_]:
        """Whether the label of each token is right [T]."""
        guess, _ = kernels.tag(self.corpus, self.features.field(self.weights), threads=self.threads)
        return np.asarray(guess == self.labels)

    def without(self, threshold: float) -> "Judge":
        """The judge without small weights."""
        features, weights = thinned(self.features, self.weights, threshold)
        return replace(self, features=features, weights=weights)


def _judges(trained: Trained, problem: Problem, dev: Dataset | None) -> Iterator[Judge]:
    """Models with sentences that they have not seen; none if there are too few, or if training was cut short."""
    if trained.stop_reason == ASKED or trained.fell_back or not trained.history:
        return
    threads = problem.settings.thread_count
    if dev is not None and len(known := fully_labelled(dev)) >= LEAST:
        yield Judge.of(trained.features, trained.weights, dev.take(known[:MOST]), threads)
        return
    rng = np.random.default_rng([problem.settings.seed, SHARE])
    drawn = np.sort(epoch_order(rng, problem.count)[: SAMPLE + MOST])
    data = problem.data.take(drawn)
    limits = problem.limits and kernels.Limits(problem.limits.labels, problem.limits.follow)
    for held_out, rest in splits(fully_labelled(data), len(data), rng):
        part = data.take(rest)
        sub = replace(
            problem,
            dataset=part,
            corpus=open_corpus(part, problem.class_weight),
            start=problem.features.zero,
            limits=None if limits is None else _limits_of(limits, problem, drawn[rest]),
            sentences=0,
            disk=None,
        )
        yield Judge.of(problem.features, _second_training(trained, sub), data.take(held_out), threads)


def _limits_of(limits: kernels.Limits, problem: Problem, sentences: Longs) -> kernels.Limits:
    labels = limits.labels
    return kernels.Limits(None if labels is None else labels[problem.dataset.tokens_of(sentences)], limits.follow)


def fully_labelled(dataset: Dataset) -> Longs:
    """The sentences that have tokens, all with a label.

    >>> from tagfield.data.encode import encode_sequences
    >>> fully_labelled(encode_sequences([[["a"]], [["a"], ["b"]], []], [["X"], ["X", None], []]).dataset).tolist()
    [0]
    """
    sentence = np.repeat(np.arange(len(dataset)), np.diff(dataset.tokens))
    unknown = np.bincount(sentence[dataset.labels == UNKNOWN], minlength=len(dataset))
    return np.flatnonzero((unknown == 0) & (np.diff(dataset.tokens) > 0))


def splits(known: Longs, sentences: int, rng: np.random.Generator) -> Iterator[tuple[Longs, Longs]]:
    """(held out, the rest): a tenth of the sentences in `known`, or five folds where that is little, or nothing.

    >>> rng = np.random.default_rng(0)
    >>> [[len(each[0]) for each in splits(np.arange(n), n, rng)] for n in (40, 60, 1_000, 50_000)]
    [[], [12, 12, 12, 12, 12], [100], [2000]]
    """
    order = rng.permutation(known)
    size = min(MOST, len(known) // SHARE)
    folds = [order[k::FOLDS] for k in range(FOLDS)] if len(known) >= LEAST else []
    parts = [order[:size]] if size >= LEAST else folds
    for part in parts:
        held_out = np.sort(part)
        yield held_out, np.setdiff1d(np.arange(sentences), held_out)


def _second_training(trained: Trained, problem: Problem) -> Weights:
    """The weights of the same recipe on other sentences."""
    rng = np.random.default_rng(problem.settings.seed)
    trainer = trained.settings.recipe.trainer(problem, rng)
    passes = len(trained.history)
    for _ in range(min(passes, PASSES) if trainer.shuffles else passes):
        try:
            trainer.run(epoch_order(rng, problem.count) if trainer.shuffles else NO_ORDER)
        except Finished:
            break
    weights: Weights = trainer.weights()
    return weights


def fit_temperature(loss: Callable[[float], float], start: float = 1.3) -> float:
    """The T of the lowest loss(log T): Newton's method, with differences for derivatives.

    The log-likelihood is concave in 1/T, so there is one minimum.

    >>> round(fit_temperature(lambda t: (t - math.log(2.0)) ** 2), 3)
    2.0
    """
    at = math.log(start)
    for _ in range(12):
        step, _ = _newton(loss, at)
        at = min(FAR, max(-FAR, at + step))
        if abs(step) < CLOSE:
            break
    return math.exp(at)


def _newton(loss: Callable[[float], float], at: float) -> tuple[float, float]:
    """The step from log T to the vertex of a parabola through three losses, and the loss there."""
    below, here, above = (loss(at + shift) for shift in (-STEP, 0.0, STEP))
    slope, curvature = (above - below) / 2, above - 2 * here + below
    if curvature <= 0:
        return -0.5 * float(np.sign(slope)), here
    step = min(0.5, max(-0.5, -slope / curvature * STEP))
    return step, here + slope * (step / STEP) / 2 if abs(step) < 0.5 else here


def find_threshold(judges: list[Judge], temperature: float) -> float:
    """The largest threshold of LADDER, from the bottom up, without which the judges lose nothing measurable.

    The log-loss, at the temperature that suits the remaining weights, grows by at most 0.1 %. Of the labels that
    change, those that become wrong exceed those that become right by at most 0.02 % of the tokens and one standard
    error.
    """
    at, chosen = math.log(temperature), 0.0
    _, least = _newton(lambda t: sum(judge.loss(t) for judge in judges), at)
    before = np.concatenate([judge.right() for judge in judges])
    for threshold in LADDER:
        thin = [judge.without(threshold) for judge in judges]
        after = np.concatenate([judge.right() for judge in thin])
        lost, gained = int((before & ~after).sum()), int((after & ~before).sum())
        if lost - gained > LABELS * len(before) + math.sqrt(lost + gained):
            break
        _, loss = _newton(lambda t, thin=thin: sum(judge.loss(t) for judge in thin), at)  # type: ignore[misc]
        if loss > (1 + LOSS) * least:
            break
        chosen = threshold
    return chosen
