"""Held-out data: what it must be, with the ids of the weights, and its scores.

    Encoded ─▶ check_held_out ─▶ fitting: the ids of attributes that have a weight ─▶ held_out_scorer(weights) ─▶ Scores

Training scores it after each epoch, and early stopping goes by `monitor`, one of its figures.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tagfield.data.corpus import Corpus
from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, same_vocabulary
from tagfield.data.labels.kinds import LabelKind
from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores, has_chunks
from tagfield.evaluate.scores import CHUNK_FIGURES
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.native._text import Vocabulary
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.settings import Settings
from tagfield.weights.layout import Weights


def with_monitor(settings: Settings, labels: Vocabulary, dev: Encoded | None) -> Settings:
    """The settings with the score that stands for `auto`; InputError if there is none to be patient about."""
    if settings.patience and dev is None:
        raise InputError("patience needs held-out data to score on; give dev")
    chunks = has_chunks(labels)
    if settings.monitor == "auto":
        return replace(settings, monitor="f1" if chunks else "accuracy")
    if settings.patience and settings.monitor in CHUNK_FIGURES and not chunks:
        raise InputError(f"monitor={settings.monitor} needs labels that mark chunks; use accuracy or macro_f1")
    return settings


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
    if dataset.edge_slots is not None and dev.edges is not None and edges is not None and len(edges) != len(dev.edges):
        dataset = dataset.keep_edges(np.array([edges.find(name) >= 0 for name in dev.edges], bool))
    return dataset


def fitting_dev(dev: Encoded | None, problem: Problem) -> Dataset | None:
    """The same for a problem; None without held-out data."""
    return None if dev is None else fitting(dev, problem.attributes, problem.edges)


def held_out_scorer(dev: Encoded, dataset: Dataset, problem: Problem, kind: LabelKind) -> Callable[[Weights], Scores]:
    """A function from weights to the scores on `dev`, where a gold label that training never saw is an error."""
    corpus = open_corpus(dataset)
    scorer = ChunkScorer(dev.names.strings(), kind)

    def score(weights: Weights) -> Scores:
        field, threads = problem.features.field(weights), problem.settings.thread_count
        guess, _ = kernels.tag(corpus, field, threads=threads)
        return scorer.score(dev.gold, guess, dataset.tokens)

    return score
