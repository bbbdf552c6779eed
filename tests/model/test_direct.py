"""Model, CRF and Tagger answer alike by the short way and through a decoder, and take the decoder where they must."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tagfield.pycrfsuite
from tagfield import CRF, Model, Settings, encode_sequences
from tagfield.errors import InputError
from tagfield.native._text import label_lists

X = [[["a", "b"], ["b"]], [["c"], ["a"], ["b", "c"]], [["a"]]]
Y = [["B-X", "I-X"], ["O", "B-X", "I-X"], ["O"]]

sequences = st.lists(st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=5), max_size=4)
sentences = st.lists(st.lists(st.sampled_from(["The", "dog", "barks", "Übung", "x1"]), max_size=6), max_size=70)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train(encode_sequences(X, Y), Settings("lbfgs"))


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF(c2=0.1).fit(X, [[len(label) for label in labels] for labels in Y])


@pytest.fixture(scope="module")
def words() -> Model:
    return Model.train_words([["The", "dog", "barks"], ["Übung"]], [["D", "N", "V"], ["N"]])


def decoded(model: Model, data: Any, **options: Any) -> list[list[str]]:
    decoder = model.decoder(data, **options)
    return label_lists(decoder.best(), model.label_names, decoder.tokens)


@pytest.mark.filterwarnings("ignore::tagfield.errors.UnknownAttributesWarning")
@settings(max_examples=40, deadline=None)
@given(sequences)
def test_a_model_tags_attributes_as_its_decoder_does(model: Model, data: list[Any]) -> None:
    expected = decoded(model, data)
    assert model.tag(data) == model.tag(iter(data)) == model.tag(data, threads=2) == expected
    assert model.tag(data, rules=False) == expected
    assert [model.tag([x])[0] for x in data] == expected
    assert model.tag(data, rules="BIO") == decoded(model, data, rules="BIO")


@settings(max_examples=40, deadline=None)
@given(sentences)
def test_a_model_tags_words_as_its_decoder_does(words: Model, data: list[list[str]]) -> None:
    expected = decoded(words, words.encode_words(data))
    assert words.tag_words(data) == words.tag_words(map(tuple, data)) == expected
    assert [words.tag_words([x])[0] for x in data] == expected


def test_wrong_words_get_the_same_message_either_way(words: Model, model: Model) -> None:
    for bad in (None, 3, "text", [3], [["a", 3]], [["a", ""]], [["\udc80"]]):
        with pytest.raises(InputError) as long:
            words.encode_words(bad)  # type: ignore[arg-type]
        with pytest.raises(InputError) as short:
            words.tag_words(bad)  # type: ignore[arg-type]
        assert str(short.value) == str(long.value)
        assert words.tag_words([["The", "dog"]]) == [["D", "N"]]
    with pytest.raises(InputError, match="has no template, so it cannot read words"):
        model.tag_words([["a"]])


@pytest.mark.filterwarnings("ignore::tagfield.errors.UnknownAttributesWarning")
@settings(max_examples=30, deadline=None)
@given(sequences)
def test_an_estimator_predicts_one_sequence_as_many(crf: CRF, data: list[Any]) -> None:
    arrays = crf.predict_marginals_arrays(data)
    expected = [[{c: float(p) for c, p in zip(crf.classes_, row, strict=True)} for row in node] for node in arrays]
    assert list(crf.predict_marginals(data)) == expected
    assert [crf.predict_marginals_single(x) for x in data] == expected
    best = [labels for (labels, _), *_ in crf.predict_nbest(data, 1)]
    assert [crf.predict_single(x) for x in data] == list(crf.predict(data)) == best


def test_transitions_that_look_at_the_input_need_a_decoder() -> None:
    edges = [[None, ["e"]], [None, ["f"], ["e"]], [None]]
    model = Model.train(encode_sequences(X, Y, edges=edges), Settings("lbfgs"))
    assert model.direct is None
    assert model.tag(X, edges=edges) == decoded(model, X, edges=edges)
    with pytest.raises(InputError, match="this data has no edge attributes"):
        model.tag(X)


def test_a_tagger_gives_labels_and_marginals_of_the_model(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model")
    tagger, expected = tagfield.compat.pycrfsuite.Tagger(), model.marginals(X)
    tagger.open(tmp_path / "model")
    for x, node, path in zip(X, expected, model.tag(X), strict=True):
        assert tagger.tag(x) == tagger.tag() == path
        for t in range(len(x)):
            for name, p in zip(model.label_names, node[t], strict=True):
                assert tagger.marginal(name, t) == tagger.marginal(name.encode(), np.int64(t)) == float(p)
        for place in (-1, len(x)):
            with pytest.raises(ValueError, match="out of range"):
                tagger.marginal("O", place)
        with pytest.raises(RuntimeError, match="label identifier: nothing"):
            tagger.marginal("nothing", 0)
    tagger.close()
    with pytest.raises(ValueError, match="not opened"):
        tagger.marginal("O", 0)
    with pytest.raises(ValueError, match="not opened"):
        tagger.tag(X[0])
