"""Problem: what a trainer works on. The data, where each weight lives, the weights to start from, and the settings.

Encoded ─▶ rare attributes left out ─▶ feature set, grown from an earlier model's ─▶ rules as limits ─▶ Problem
Corpus on disk ─▶ the same from counts over all windows, for recipes that take one sentence after another (on_disk.py)
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from tagfield.data.dataset import UNKNOWN, Dataset, Doubles
from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.native._text import Vocabulary
from tagfield.train.problem.class_weight import read_class_weight
from tagfield.train.problem.limits import Limits, limits_of
from tagfield.train.problem.sentences import Held, OnDisk, Sentences
from tagfield.train.recipes.feature_generators import FeatureGenerators, ResponseRows
from tagfield.train.recipes.settings import Settings
from tagfield.weights.features import Counts, feature_set, grow
from tagfield.weights.layout import FeatureSet, Weights


@dataclass(frozen=True)
class Problem:
    """Everything that training needs to know."""

    dataset: Dataset
    corpus: kernels.Corpus  # the dataset as the kernels see it
    attributes: Vocabulary  # those with a weight
    features: FeatureSet
    start: Weights
    settings: Settings
    limits: Limits | None = None  # the paths that rules allow
    sentences: int = 0  # how many share the L2 penalty where this is a part of the data; 0: those of the dataset
    in_stream: bool = False  # the next part of a stream (streaming.py)
    edges: Vocabulary | None = None  # the edge attributes with a weight; None if there are none
    class_weight: Doubles | None = None  # [L] what a token of each label weighs
    disk: OnDisk | None = None  # the sentences, if they are not in memory: `dataset` and `corpus` do not exist then

    @cached_property
    def data(self) -> Sentences:
        """The sentences, wherever they are."""
        return self.disk or Held(self.dataset, self.corpus)

    @cached_property
    def response_rows(self) -> dict[tuple[FeatureGenerators, bool], ResponseRows]:
        """The rows of generators that were asked for so far: names are read once for all trials of a rate."""
        return {}

    @property
    def count(self) -> int:
        """How many sentences there are."""
        return self.corpus.sentences if self.disk is None else self.disk.count

    @staticmethod
    def of(
        encoded: Encoded,
        settings: Settings,
        rules: Rules | None = None,
        start: tuple[FeatureSet, Weights] | None = None,
        class_weight: ArrayLike | None = None,
    ) -> "Problem":
        """The problem of training on encoded data.

        >>> from tagfield.data.encode import encode_sequences
        >>> encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
        >>> Problem.of(encoded, Settings(features="all")).features.counts
        (4, 4)
        """
        dataset, attributes, edges = encoded.dataset, encoded.attributes, encoded.edges
        corpus = open_corpus(dataset)  # first, since the rest trusts the arrays
        if corpus.sentences == 0 or len(encoded.labels) == 0:
            raise InputError("there is nothing to train on: the data holds no labelled sequence")
        settings = settings.for_data(encoded)
        unknown = int((dataset.labels == UNKNOWN).sum())
        if (unknown or rules is not None) and not settings.recipe.has_likelihood:
            name = f"{settings.recipe.name}{settings.recipe.suffix}"
            what = (
                f"{unknown} of {len(encoded.dataset.labels)} tokens have no label, but {name} needs one for every token"
                if unknown
                else f"constraints in training do not apply to {name}"
            )
            raise InputError(
                f"{what}; use lbfgs or a stochastic recipe such as u2.g1, which sum over all possible paths"
            )
        check_names(corpus, encoded.labels, attributes, edges)
        weight = read_class_weight(class_weight, len(encoded.labels), settings.recipe, edges)
        if weight is not None:
            corpus = open_corpus(dataset, weight)
        min_count = 1 if start else settings.min_count  # the ids of an earlier model must not change
        if min_count > 1 and settings.features == "all" and not attributes.hash_bits:
            keep = kernels.count_attributes(corpus, len(attributes)) >= min_count
            dataset, attributes = dataset.keep_attributes(keep), attributes.subset(keep)
        if min_count > 1 and (settings.transitions or settings.features) == "all" and edges is not None:
            keep = kernels.count_edges(corpus, len(edges)) >= min_count
            dataset, edges = dataset.keep_edges(keep), edges.subset(keep)
        if dataset is not encoded.dataset:
            corpus = open_corpus(dataset, weight)
        sizes = len(attributes), len(encoded.labels), 0 if edges is None else len(edges)
        features, initial = find_features(corpus, sizes, settings, start)
        limits = None if rules is None else limits_of(rules, dataset, encoded.labels)
        return Problem(
            dataset, corpus, attributes, features, initial, settings, limits, edges=edges, class_weight=weight
        )

    @property
    def penalty_share(self) -> float:
        """C = 2·c2/N: what each sentence adds of the L2 penalty's gradient."""
        return 2 * self.settings.c2 / max(1, self.sentences or self.count)

    def nll(
        self, weights: Weights, order: np.ndarray | None = None, cost: float = 0.0, corpus: kernels.Corpus | None = None
    ) -> float:
        """The negative log-likelihood of some sentences, or of all, under given weights; or the softmax-margin loss.

        corpus: other data, which rules do not apply to
        """
        nothing = kernels.Pass()
        nothing.rate, nothing.cost = 0.0, cost
        nothing.block, nothing.threads = 8, self.settings.thread_count
        if self.limits is not None and corpus is None:
            nothing.set_limits(self.limits)
        field = self.features.field(weights.copy())
        if corpus is not None:
            nothing.run(corpus, field, None, None, np.arange(corpus.sentences) if order is None else order)
            return nothing.loss
        loss = 0.0
        for part in self.data.parts(np.arange(self.count) if order is None else order):
            nothing.run(part.corpus, field, None, None, part.order)
            loss += nothing.loss
        return loss


def find_features(
    counts: kernels.Corpus | Counts,
    sizes: tuple[int, int, int],
    settings: Settings,
    start: tuple[FeatureSet, Weights] | None = None,
) -> tuple[FeatureSet, Weights]:
    """The features of a problem, and the weights to start from, which trainers copy before they change them.

    sizes: attributes, labels, edge attributes
    start: features and weights of an earlier model, whose features stay
    """
    attributes, labels, edges = sizes
    min_count = 1 if start else settings.min_count
    features = feature_set(counts, attributes, labels, settings.features, min_count, settings.transitions, edges)
    return grow(start[0], start[1].single(), features) if start else (features, features.zero)


def check_names(corpus: kernels.Corpus, labels: Vocabulary, attributes: Vocabulary, edges: Vocabulary | None) -> None:
    """Raise InputError if a dataset has labels, attributes or edge attributes without names."""
    for what, found, named in (
        ("labels", corpus.classes, len(labels)),
        ("attributes", corpus.attributes, len(attributes)),
        ("edge attributes", corpus.edge_attributes, 0 if edges is None else len(edges)),
    ):
        if found > named:
            raise InputError(
                f"the dataset has {found} {what}, but {named} names for them; create it with encode_sequences, "
                "encode_words or encode_files"
            )
