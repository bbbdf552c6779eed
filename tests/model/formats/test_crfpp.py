"""CRF++'s models, text and binary: they label as CRF++ does, and the text is written again byte for byte."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import CRF, Model, encode_sequences
from tagfield.errors import InputError, ModelFileError
from tagfield.model.formats.crfpp_writer import to_bytes
from tests.support.crfpp_files import CrfppModel, numbered, scores
from tests.support.model_files import MODELS, read_crfpp, read_sentences
from tests.support.naive_edges import edge_best_path, edge_chain_in_logs

TEMPLATES = ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,1]", "U02:%x[2,0]", "U03:%x[-8,1]", "U", "UB:%x[0,0]"]
PAIRS = ["B", "B01:%x[0,0]", "B02", "B%x[-1,1]", "B03:%x[0,0]/%x[1,0]"]


def sentences() -> st.SearchStrategy[list[list[tuple[str, ...]]]]:
    words = st.sampled_from(["a", "b", "日本", "x%", "_B-1", "B", "02"])
    token = st.tuples(words, st.sampled_from(["P", "Q"]))
    return st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4)


@st.composite
def models(draw: st.DrawFn) -> tuple[CrfppModel, list[list[tuple[str, ...]]]]:
    labels = draw(st.lists(st.sampled_from(["O", "B-X", "I-X", "Ü"]), min_size=1, max_size=4, unique=True))
    templates = draw(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=4))
    templates += draw(st.lists(st.sampled_from(PAIRS), max_size=4))
    ids = numbered(labels, templates, draw(sentences()))
    size = sum(len(labels) ** (2 if name[0] == "B" else 1) for name in ids)
    number = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([0.0, -0.0, 40.0, 1e-9]))
    weights = draw(st.lists(number, min_size=size, max_size=size))
    return CrfppModel(labels, templates, ids, weights, columns=2), draw(sentences())


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


@given(models())
def test_a_text_model_is_written_again_byte_for_byte(drawn: tuple[CrfppModel, list[list[tuple[str, ...]]]]) -> None:
    raw = drawn[0].text()
    assert written(Model.load_bytes(raw)) == raw


@pytest.mark.parametrize("name", ["plain", "edges"])
@pytest.mark.parametrize("suffix", [".crfpp", ".crfpp.txt"])
def test_labels_and_marginals_are_those_of_crfpp(name: str, suffix: str) -> None:
    model = Model.load(MODELS / (name + suffix))
    data, expected = read_sentences("data.txt"), read_crfpp(name + ".crfpp.json")
    assert model.tag_words(data) == [each["labels"] for each in expected]
    for got, each in zip(model.marginals(model.encode_words(data)), expected, strict=True):
        np.testing.assert_allclose(got, each["marginals"], atol=1e-6)


@pytest.mark.parametrize("name", ["plain", "edges"])
def test_the_way_through_tagfields_own_file_loses_nothing(name: str, tmp_path: Path) -> None:
    path = MODELS / f"{name}.crfpp.txt"
    Model.load(path).save(tmp_path / "model")
    assert written(Model.load(tmp_path / "model")) == path.read_bytes()


def test_an_estimator_and_a_pickle_hold_such_a_model() -> None:
    data, expected = read_sentences("data.txt"), [each["labels"] for each in read_crfpp("edges.crfpp.json")]
    assert CRF.load(MODELS / "edges.crfpp").predict(data) == expected
    assert pickle.loads(pickle.dumps(Model.load(MODELS / "edges.crfpp"))).tag_words(data) == expected


def test_a_binary_model_becomes_text() -> None:
    model = Model.load(MODELS / "edges.crfpp")
    again = Model.load_bytes(written(model))
    data = read_sentences("data.txt")
    assert again.tag_words(data) == model.tag_words(data)
    assert again.template == model.template
    assert again.labels.strings() == model.labels.strings()


def test_a_changed_model_is_written_with_its_own_names() -> None:
    model = Model.load(MODELS / "plain.crfpp.txt").pruned(0.5)
    again = Model.load_bytes(written(model))
    data = read_sentences("data.txt")
    assert again.tag_words(data) == model.tag_words(data)
    assert len(again.attributes) == len(model.attributes)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"version: 100", b"version: 200"), "version 200"),
        ((b"maxid: ", b"maxid: 1"), "weights, but its header says|without gaps"),
        ((b"cost-factor: 1", b"cost-factor: nan"), "header"),
        ((b"xsize: 2", b"xsize: 1"), "reads column 1 of 1"),
        ((b"U01:%x[0,0]", b"X01:%x[0,0]"), "none of CRF\\+\\+"),
        ((b"U01:%x[0,0]", b"U01:%y[0,0]"), "none of CRF\\+\\+"),
        ((b"U01:%x[0,0]", b"U01:%x[9,0]"), "limit is 8"),
        ((b" U01:", b" X01:"), "neither U nor B"),
        ((b"O\n\nU", b"O"), "damaged"),
        ((b"0.0000000000000000\n", b"zero\n"), "no number"),
        ((b"0.0000000000000000\n", b"inf\n"), "finite"),
        ((b"\n", b"\r\n"), "CRLF"),
    ],
)
def test_a_damaged_text_says_what_is_wrong(change: tuple[bytes, bytes], said: str) -> None:
    raw = (MODELS / "plain.crfpp.txt").read_bytes()
    assert change[0] in raw
    with pytest.raises(ModelFileError, match=said):
        Model.load_bytes(raw.replace(*change))


def test_another_encoding_or_byte_order_is_refused() -> None:
    japanese = CrfppModel(["A"], ["U:%x[0,0]"], {"U:日本": 0, "U:語": 1}, [1.0, 2.0]).text()
    with pytest.raises(ModelFileError, match="iconv"):
        Model.load_bytes(japanese.decode().encode("euc-jp"))
    raw = (MODELS / "plain.crfpp").read_bytes()
    with pytest.raises(ModelFileError, match="big-endian"):
        Model.load_bytes(raw[:4][::-1] + raw[4:])


def test_a_template_of_tagfield_becomes_one_of_crfpp() -> None:
    X, y = [["The", "dog", "runs"], ["A", "cat"]] * 3, [["D", "N", "V"], ["D", "N"]] * 3
    model = Model.train_words(X, y, template="words", settings="lbfgs")
    assert b"U%x[0,0]\n" in written(model)  # functions have no counterpart: an attribute in each column
    pairs = [[("The", "DT"), ("dog", "NN")], [("Dogs", "NNS")]] * 3
    model = Model.train_words(pairs, [["B", "I"], ["B"]] * 3, template="chunking", settings="lbfgs")
    raw = written(model)
    assert b"Uw[-1]|w[0]=%x[-1,0]|%x[0,0]\n" in raw
    assert b"U__BOS__%x[-1,0]\n" in raw
    again = Model.load_bytes(raw)
    data = [*pairs, [("cat", "NN"), ("Dogs", "NNS"), ("dog", "NN")]]
    assert again.tag_words(data) == model.tag_words(data)
    for one, other in zip(
        again.marginals(again.encode_words(data)), model.marginals(model.encode_words(data)), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_what_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    for name, label, said in (("w=New York", "A", "blank"), ("w=a", "", "empty"), ("w=a\n", "A", "line end")):
        model = tiny([name], [label])
        with pytest.raises(InputError, match=said):
            model.save(tmp_path / "model.txt", format="crfpp")
    assert not list(tmp_path.iterdir())


def test_attributes_get_a_column_each() -> None:
    raw = written(tiny(["w=a", "p=b", "w=c"], ["A", "B"]))
    assert b"xsize: 2\n" in raw
    assert b"\nU%x[0,0]\nU%x[0,1]\n" in raw
    model = Model.load_bytes(raw)
    assert model.tag_words([[("w=a", "p=b"), ("p=b", "none")]]) == tiny(["w=a", "p=b", "w=c"], ["A", "B"]).tag(
        [[["w=a", "p=b"], ["p=b"]]]
    )


def tiny(names: list[str], labels: list[str]) -> Model:
    """A model with a weight of its own for each attribute and label."""
    X = [[[name] for name in names for _ in labels]]
    return Model.train(encode_sequences(X, [[label for _ in names for label in labels]]), "lbfgs")


def written(model: Model) -> bytes:
    return to_bytes(model)
