"""Where one label dominates: what saturating updates lose there, what brings it back, and how a bad end is noticed.

The corpus `mentions` with the template `words`, all features, c2 = 1, ten epochs, averaged so that the last few
sentences do not decide. The figures in docs/theory.md and README.md are these, over more seeds.
"""

import math
from functools import cache

import numpy as np
import pytest

from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.sources import Source
from tagfield.demo import Sentence, mentions
from tagfield.train import Settings, train

SEEDS = (0, 1)


def encode(sentences: list[Sentence], known: Encoded | None = None) -> Encoded:
    text = "\n\n".join("\n".join(f"{word} {label}" for word, _, label in sentence) for sentence in sentences)
    source = [Source("mentions", f"{text}\n".encode())]
    if known is None:
        return encode_files(source, template="words")
    return encode_files(source, template="words", attributes=known.attributes, labels=known.labels)


@cache
def skewed(seed: int) -> tuple[Encoded, Encoded]:
    corpus = mentions(seed)
    known = encode(corpus.train)
    return known, encode(corpus.test, known)


@cache
def f1(recipe: str, **options: float | str) -> float:
    """Chunk F1 in %, the mean over the seeds."""
    settings = Settings.of(recipe=recipe, features="all", epochs=10, average=True, max_dev_rise=math.inf, **options)
    ends = []
    for seed in SEEDS:
        known, held_out = skewed(seed)
        ends.append(train(known, settings, dev=held_out).history[-1].scores.f1)
    return 100 * float(np.mean(ends))


@pytest.mark.slow
@pytest.mark.parametrize(("recipe", "lost"), [("u1.g1", 1.5), ("u2.g1", 1.5), ("u2.g1p", 3.0)])
def test_saturating_updates_lose_rare_labels(recipe: str, lost: float) -> None:
    """One sentence at a time they end where the mean of f(u) is 0: many small errors on O outweigh few large ones."""
    assert f1(recipe) < f1("sgd") - lost


@pytest.mark.slow
def test_a_response_that_becomes_linear_loses_less() -> None:
    assert f1("u2.g1", anneal=2.0) > (f1("sgd") + f1("u2.g1")) / 2
    assert f1("u2.g1p", anneal=2.0) > (f1("sgd") + f1("u2.g1p")) / 2


@pytest.mark.slow
def test_linear_transitions_help_the_steepest_response_a_little() -> None:
    assert f1("u2.g1p", respond="states") > f1("u2.g1p") + 0.5


@pytest.mark.slow
def test_the_adaptive_metric_loses_nothing_with_any_response() -> None:
    assert f1("adaptive") > f1("sgd")
    assert f1("u2.g1", metric="adaptive") > f1("sgd")


@pytest.mark.slow
def test_a_fall_on_held_out_data_ends_the_run_with_its_best_weights() -> None:
    known, held_out = skewed(0)
    trained = train(known, Settings(recipe="u2.g1p", features="all", c2=0.1, epochs=20), dev=held_out)
    assert "the accuracy on held-out data fell from" in trained.stop_reason
    assert len(trained.history) < 20
    accuracies = [epoch.scores.accuracy for epoch in trained.history]
    assert trained.best.scores.accuracy == max(accuracies)
    assert 1 - accuracies[-1] > 1.25 * (1 - max(accuracies))
