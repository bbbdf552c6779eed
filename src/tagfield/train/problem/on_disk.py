"""The problem of training on a corpus on disk: in memory if it fits into a window, else by windows.

Corpus ─▶ smaller than a window, or the recipe needs all at once ─▶ Corpus.encoded ─▶ Problem.of
       ─▶ counts over all windows ─▶ feature set ─▶ Problem with `disk`

A recipe that needs all at once fails early if the corpus does not fit into memory. Other recipes then read by windows
smaller than the one given.
"""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tagfield.data.corpus import Corpus
from tagfield.data.dataset import Ints, Longs
from tagfield.data.encode import Encoded
from tagfield.errors import InputError, TrainingError
from tagfield.inference.constraints import Rules
from tagfield.native import kernels
from tagfield.system.memory import room_left
from tagfield.train.problem.class_weight import read_class_weight
from tagfield.train.problem.problem import Problem, find_features
from tagfield.train.problem.sentences import OnDisk
from tagfield.train.recipes.crfsuite_recipes import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.settings import Settings
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.variants import Auto
from tagfield.weights.features import Observed
from tagfield.weights.layout import LANES, FeatureSet, Weights

WINDOWS = 8  # two windows and what a trainer makes of them fit into this part of the memory that is left
BY_WINDOWS = (Stochastic, Auto, Margin, Perceptron, Arow, QuasiNewton)  # recipes that need no more than a window


def needs_all(settings: Settings, rules: Rules | None = None) -> str:
    """What needs a whole corpus in memory, with its verb; empty if windows do.

    >>> needs_all(Settings("lbfgs", c1=0.1)), needs_all(Settings("lbfgs")), needs_all(Settings.of("sgd", batch=True))
    ('lbfgs with c1 reads', '', 'sgd with batch reads')
    """
    if rules is not None:
        return "training with constraints reads"
    name = settings.recipe.name or settings.recipe.family
    if not isinstance(settings.recipe, BY_WINDOWS):
        return f"{name}{settings.recipe.suffix} reads"
    return f"{name} with c1 reads" if settings.c1 > 0 else ""


def problem_of(
    encoded: Encoded | Corpus,
    settings: Settings,
    rules: Rules | None,
    start: tuple[FeatureSet, Weights] | None,
    class_weight: ArrayLike | None,
    window: float,
) -> Problem:
    """The problem of training on data in memory or on disk; `window` is in bytes."""
    if isinstance(encoded, Encoded):
        return Problem.of(encoded, settings, rules, start, class_weight)
    why, room = needs_all(settings, rules), room_left()
    if why or (encoded.bytes <= window and encoded.memory <= room / 2):
        return Problem.of(encoded.encoded(why), settings, rules, start, class_weight)
    window = min(window, room / WINDOWS)
    settings = settings.for_data(encoded)
    attributes, edges, min_count = encoded.attributes, encoded.edges, 1 if start else settings.min_count
    weight = read_class_weight(class_weight, len(encoded.labels), settings.recipe, edges)
    disk = OnDisk(encoded, window, weight)
    ids = edge_ids = None
    if min_count > 1 and settings.features == "all" and not attributes.hash_bits:
        keep = WindowCounts(disk).attributes(len(attributes)) >= min_count
        ids, attributes = _ids(keep), attributes.subset(keep)
    if min_count > 1 and (settings.transitions or settings.features) == "all" and edges is not None:
        keep = WindowCounts(disk).edge_attributes(len(edges)) >= min_count
        edge_ids, edges = _ids(keep), edges.subset(keep)
    if ids is not None or edge_ids is not None:
        disk = OnDisk(encoded, window, weight, ids, edge_ids)
    sizes = len(attributes), len(encoded.labels), 0 if edges is None else len(edges)
    features, initial = find_features(WindowCounts(disk), sizes, settings, start)
    nothing = cast(Any, NotHeld(encoded.path))
    return Problem(
        nothing, nothing, attributes, features, initial, settings, edges=edges, class_weight=weight, disk=disk
    )


class NotHeld:
    """A placeholder for the arrays of a corpus that is not in memory; access raises TrainingError."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TrainingError(
            f"{self._path}: this way of training needs the whole corpus in memory, but it is read by windows; give a "
            "--window as large as the corpus"
        )


class WindowCounts:
    """What occurs in a corpus on disk: the sums of what occurs in its windows (features.Counts)."""

    def __init__(self, disk: OnDisk) -> None:
        self._disk = disk

    def attributes(self, attributes: int) -> Longs:
        """Occurrences of each attribute [A]."""
        return sum(
            (kernels.count_attributes(corpus, attributes) for corpus in self._disk.windows()), np.zeros(1, np.int64)
        )

    def edge_attributes(self, count: int) -> Longs:
        """Occurrences of each edge attribute [E]."""
        return sum((kernels.count_edges(corpus, count) for corpus in self._disk.windows()), np.zeros(1, np.int64))

    def transitions(self, labels: int) -> Longs:
        found = (kernels.count_transitions(corpus, labels) for corpus in self._disk.windows())
        return sum(found, np.zeros((1, 1), np.int64))

    def rows(self, attributes: int, labels: int, minimum: int) -> Observed:
        if minimum > 1:
            return self._frequent(attributes, labels, minimum)
        found = (kernels.observed_rows(corpus, attributes, labels, 1)[:3] for corpus in self._disk.windows())
        return _union(attributes, -(-labels // LANES), found)

    def edge_rows(self, edge_attributes: int, labels: int, minimum: int) -> Observed:
        if minimum > 1:
            raise InputError(
                "min_count does not apply to observed edge attributes of a corpus that is read by windows; give a "
                "--window as large as the corpus, or leave min_count out"
            )
        found = (kernels.observed_edges(corpus, edge_attributes, labels, 1)[:3] for corpus in self._disk.windows())
        return _union(edge_attributes * labels, -(-labels // LANES), found)

    def _frequent(self, attributes: int, labels: int, minimum: int) -> Observed:
        """Pairs that occur at least `minimum` times: sorted lists of pairs and counts, window by window."""
        known, counts = np.empty(0, np.int64), np.empty(0, np.int64)
        for data in self._disk.whole():
            label = data.labels[np.repeat(data.tokens[:-1], np.diff(data.occurrences)) + data.position]
            pairs, times = np.unique(
                np.repeat(data.attribute, data.slot_sizes()).astype(np.int64) * labels + label, return_counts=True
            )
            every, place = np.unique(np.concatenate([known, pairs]), return_inverse=True)
            counts = np.bincount(place, np.concatenate([counts, times]), len(every)).astype(np.int64)
            known = every
        kept = known[counts >= minimum]
        attribute, label = np.divmod(kept, labels)
        blocks = -(-labels // LANES)
        keys = attribute * blocks + label // LANES
        return _rows(attributes, blocks, *_merged(keys, np.left_shift(1, label % LANES).astype(np.uint8)))


def _union(rows: int, blocks: int, found: Iterator[Any]) -> Observed:
    """Rows with every label that one of the windows has."""
    keys, lanes = np.empty(0, np.int64), np.empty(0, np.uint8)
    for first, column, own in found:
        places = np.repeat(np.arange(rows), np.diff(first)) * blocks + column
        keys, lanes = _merged(np.concatenate([keys, places]), np.concatenate([lanes, own]))
    return _rows(rows, blocks, keys, lanes)


def _merged(keys: Longs, lanes: NDArray[np.uint8]) -> tuple[Longs, NDArray[np.uint8]]:
    """Each key once, in order, with the bits of all its lanes."""
    order = np.argsort(keys, kind="stable")
    keys, lanes = keys[order], lanes[order]
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[starts], np.bitwise_or.reduceat(lanes, starts) if len(starts) else lanes


def _rows(rows: int, blocks: int, keys: Longs, lanes: NDArray[np.uint8]) -> Observed:
    row, column = np.divmod(keys, blocks)
    first = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=rows))]).astype(np.int64)
    return Observed(first, column.astype(np.uint16), lanes)


def _ids(keep: NDArray[np.bool_]) -> Ints:
    ids = np.cumsum(keep, dtype=np.int64).astype(np.int32) - np.int32(1)
    ids[~keep] = -1
    return ids
