"""The claims of a model: those that `marginals` and `spans` make, each compared with the gold label."""

import numpy as np

from tagfield import Model
from tagfield.demo import mentions
from tagfield.evaluate.reliability import Reliability


def test_claims_are_those_of_marginals_and_spans() -> None:
    corpus = mentions(seed=0, train=80, test=30)
    words = [[word for word, *_ in sentence] for sentence in corpus.train + corpus.test]
    labels = [[each[-1] for each in sentence] for sentence in corpus.train + corpus.test]
    model = Model.train_words(words[:80], labels[:80], template="words")
    test = model.encode_words(words[80:], labels[80:])
    found = model.reliability(test)
    best = model.decoder(test).best_with_probabilities()
    assert found["tokens"] == Reliability.of(best.token, best.labels == test.gold)
    scores = model.evaluate(test)
    assert scores.chunks is not None
    assert sum(found["spans"].count) == scores.chunks.predicted
    assert sum(found["spans"].right) == scores.chunks.correct
    claimed = [span.probability for spans in model.decoder(test).spans(model.label_names) for span in spans]
    np.testing.assert_allclose(sum(found["spans"].claimed), sum(claimed), atol=1e-6)


def test_labels_that_mark_no_spans_and_unseen_ones() -> None:
    model = Model.train_words([["to", "be"]] * 3, [["TO", "VB"]] * 3)
    found = model.reliability(model.encode_words([["to", "go"]], [["TO", "NN"]]))
    assert list(found) == ["tokens"]
    assert (sum(found["tokens"].count), sum(found["tokens"].right)) == (2, 1)
