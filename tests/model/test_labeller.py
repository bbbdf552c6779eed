"""Labeller: every method answers for encoded words; rules, known labels and threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tagfield import Model
from tagfield.errors import InputError
from tagfield.model.explain import explain
from tests.support.named_words import LABELS, SENTENCES, SETTINGS, UNSEEN


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)


def test_encoded_words_go_into_every_other_method(model: Model) -> None:
    encoded = model.encode_words(UNSEEN)
    tags = model.tag_words(UNSEEN)
    assert model.tag(encoded) == tags
    assert [len(p) for p in model.marginals(encoded)] == [len(s) for s in UNSEEN]
    assert [paths[0][0] for paths in model.n_best(encoded, 3)] == tags
    assert model.spans(encoded)[0][1].type == "LOC"
    best = model.log_probability(encoded, tags)
    assert best == pytest.approx([np.log(paths[0][1]) for paths in model.n_best(encoded, 1)], abs=1e-5)
    gold = model.encode_words(SENTENCES, LABELS)
    assert model.evaluate(gold).accuracy == 1.0
    why = explain(model, model.encode_words([UNSEEN[0]]), 3)
    assert why.label == tags[0][3]
    with pytest.raises(InputError, match="explain takes one sequence, but the data has 3"):
        explain(model, encoded, 0)


def test_tag_words_follows_rules_and_known_labels_and_is_the_same_in_threads(model: Model) -> None:
    [labels] = model.tag_words([["Anna", "York"]], known=[{0: "O"}], rules="BIO")
    assert labels[0] == "O"
    assert labels[1] != "I-LOC"
    many = UNSEEN * 40
    assert model.tag_words(many, threads=3) == model.tag_words(many)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda s: model.tag_words([s])[0], many)) == model.tag_words(many)
