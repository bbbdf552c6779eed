"""Templates for CRF++: those of tagfield in its words, or one attribute in each column."""

import numpy as np

from tagfield import Model
from tagfield.model.formats.crfpp_writer import to_bytes
from tests.support.model_files import tiny


def test_a_template_of_tagfield_becomes_one_of_crfpp() -> None:
    X, y = [["The", "dog", "runs"], ["A", "cat"]] * 3, [["D", "N", "V"], ["D", "N"]] * 3
    model = Model.train_words(X, y, template="words", settings="lbfgs")
    assert b"U%x[0,0]\n" in to_bytes(model)  # functions have no counterpart: an attribute in each column
    pairs = [[("The", "DT"), ("dog", "NN")], [("Dogs", "NNS")]] * 3
    model = Model.train_words(pairs, [["B", "I"], ["B"]] * 3, template="chunking", settings="lbfgs")
    raw = to_bytes(model)
    assert b"Uw[-1]|w[0]=%x[-1,0]|%x[0,0]\n" in raw
    assert b"U__BOS__%x[-1,0]\n" in raw
    again = Model.load_bytes(raw)
    data = [*pairs, [("cat", "NN"), ("Dogs", "NNS"), ("dog", "NN")]]
    assert again.tag_words(data) == model.tag_words(data)
    for one, other in zip(
        again.marginals(again.encode_words(data)), model.marginals(model.encode_words(data)), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_attributes_get_a_column_each() -> None:
    raw = to_bytes(tiny(["w=a", "p=b", "w=c"], ["A", "B"]))
    assert b"xsize: 2\n" in raw
    assert b"\nU%x[0,0]\nU%x[0,1]\n" in raw
    model = Model.load_bytes(raw)
    assert model.tag_words([[("w=a", "p=b"), ("p=b", "none")]]) == tiny(["w=a", "p=b", "w=c"], ["A", "B"]).tag(
        [[["w=a", "p=b"], ["p=b"]]]
    )
