"""CRF++'s models, text and binary: they label as CRF++ does, from either file."""

import pickle

import numpy as np
import pytest
from hypothesis import given

from tagfield import CRF, Model
from tagfield.errors import ModelFileError
from tests.support.crfpp_files import CrfppModel, models, scores
from tests.support.model_files import MODELS, read_crfpp, read_sentences
from tests.support.naive_edges import edge_best_path, edge_chain_in_logs


@given(models())
def test_both_files_score_as_the_definition_says(drawn: tuple[CrfppModel, list[list[tuple[str, ...]]]]) -> None:
    model, data = drawn
    for raw in (model.text(), model.binary()):
        found = Model.load_bytes(raw)
        encoded = found.encode_words(data)
        for sentence, got in zip(data, found.marginals(encoded), strict=True):
            node, pair = scores(model, sentence)
            np.testing.assert_allclose(got, edge_chain_in_logs(node, pair).node, atol=1e-6)
        for sentence, labels in zip(data, found.tag_words(data), strict=True):
            node, pair = scores(model, sentence)
            path = [model.labels.index(label) for label in labels]
            score = node[range(len(path)), path].sum() + sum(pair[t, path[t - 1], path[t]] for t in range(1, len(path)))
            assert score == pytest.approx(edge_best_path(node, pair)[0], abs=1e-4)


@pytest.mark.parametrize("name", ["plain", "edges"])
@pytest.mark.parametrize("suffix", [".crfpp", ".crfpp.txt"])
def test_labels_and_marginals_are_those_of_crfpp(name: str, suffix: str) -> None:
    model = Model.load(MODELS / (name + suffix))
    data, expected = read_sentences("data.txt"), read_crfpp(name + ".crfpp.json")
    assert model.tag_words(data) == [each["labels"] for each in expected]
    for got, each in zip(model.marginals(model.encode_words(data)), expected, strict=True):
        np.testing.assert_allclose(got, each["marginals"], atol=1e-6)


def test_an_estimator_and_a_pickle_hold_such_a_model() -> None:
    data, expected = read_sentences("data.txt"), [each["labels"] for each in read_crfpp("edges.crfpp.json")]
    assert CRF.load(MODELS / "edges.crfpp").predict(data) == expected
    assert pickle.loads(pickle.dumps(Model.load(MODELS / "edges.crfpp"))).tag_words(data) == expected


def test_another_encoding_or_byte_order_is_refused() -> None:
    japanese = CrfppModel(["A"], ["U:%x[0,0]"], {"U:日本": 0, "U:語": 1}, [1.0, 2.0]).text()
    with pytest.raises(ModelFileError, match="iconv"):
        Model.load_bytes(japanese.decode().encode("euc-jp"))
    raw = (MODELS / "plain.crfpp").read_bytes()
    with pytest.raises(ModelFileError, match="big-endian"):
        Model.load_bytes(raw[:4][::-1] + raw[4:])
