"""Reader: words, text, attributes and files in ids of a model; input of another kind is refused."""

import warnings
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import Model, encode_sequences, encode_words
from tagfield.data.encode import Vocabulary
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError, UnknownAttributesWarning
from tests.support import naive_text as naive
from tests.support.named_words import LABELS, POS, SENTENCES, SETTINGS, UNSEEN

names = st.sampled_from([*"abcxyé", "long name"])
values = st.booleans() | st.floats(-4, 4, width=32) | names | st.lists(names, max_size=2)
sequences = st.lists(st.lists(names, max_size=4) | st.dictionaries(names, values, max_size=3), max_size=4)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)


@pytest.fixture(scope="module")
def of_attributes() -> Model:
    return Model.train(encode_sequences([[["w=a", "s"], ["w=b"]]], [["X", "Y"]]), SETTINGS)


def test_a_template_of_several_columns_takes_tuples_and_refuses_words_alone() -> None:
    model = Model.train_words(POS, LABELS, template="chunking", settings=SETTINGS)
    assert model.tag_words(POS) == LABELS
    with pytest.raises(InputError, match=r"X\[0\]\[0\]\): found 1 string, but template chunking reads 2 columns"):
        model.tag_words([["Anna"]])
    with pytest.raises(InputError, match=r"template chunking reads pos besides the words.*tuples \(w, pos\)"):
        model.tag_text("Anna lives.")


def test_text_fills_columns_that_the_template_skips(tmp_path: Path) -> None:
    rows = [[("_", word, "x") for word in s] for s in SENTENCES]
    template = parse_template("U0:%x[0,w]\nU1:%x[-1,1]\nU2:%x[0,w.shape]").with_columns("_ w _ y")
    model = Model.train_words(rows, LABELS, template=template, settings=SETTINGS)
    assert model.tag_text("Anna lives in New York.").labels == model.tag_words(rows[:1])


def test_text_does_not_go_into_a_column_of_another_kind() -> None:
    template = parse_template("U0:%x[0,pos]").with_columns("w pos y")
    model = Model.train_words(POS, LABELS, template=template, settings=SETTINGS)
    with pytest.raises(InputError, match="reads pos besides the words"):
        model.tag_text("Anna lives.")


def test_a_model_without_a_template_refuses_words(of_attributes: Model) -> None:
    for call in (of_attributes.tag_words, of_attributes.encode_words):
        with pytest.raises(InputError, match="no template, so it cannot read words; use tag with attribute"):
            call([["a", "b"]])
    with pytest.raises(InputError, match="no template"):
        of_attributes.tag_text("a b")
    with pytest.raises(InputError, match=r"X\[0\]\[0\] is of type str; .* words need a template: CRF\(template="):
        of_attributes.tag([["a", "b"]])


def test_a_model_with_a_template_refuses_attributes_that_it_does_not_make(model: Model) -> None:
    dicts = [[{"word": "Anna", "bias": 1.0}, {"word": "sleeps"}]]
    lists = [[["word=Anna", "bias"], ["word=sleeps"]]]
    for X in (dicts, lists):
        for call in (model.tag, model.marginals, model.spans, model.encode):
            with pytest.raises(InputError, match=r"knows 0 of the 3 attributes.*template words .*use tag_words"):
                call(X)
    with pytest.raises(InputError, match="use tag_words"):
        model.tag([[["Anna"]]])
    with pytest.raises(InputError, match=r"Model\.tag_words"):
        model.tag(SENTENCES)


def test_a_model_with_a_template_takes_the_attributes_that_it_makes(model: Model) -> None:
    encoded = encode_words(UNSEEN, template="words")
    attributes = [[dict(token) for token in sequence.tokens] for sequence in encoded.sequences()]
    assert model.tag(attributes) == model.tag_words(UNSEEN)
    assert model.tag([[[], []], []]) == [model.tag([[[], []]])[0], []]


def test_a_model_that_knows_hardly_any_attribute_warns_once() -> None:
    X, y = [[["w=a", "s"], ["w=b"]]], [["X", "Y"]]
    model = Model.train(encode_sequences(X, y), SETTINGS)
    strange = [[[f"word:{n}", f"lower:{n}"] for n in range(12)]]
    with pytest.warns(UnknownAttributesWarning, match=r"0 of the 24 .*: 'word:0', 'lower:0', 'word:1'\); make") as seen:
        model.tag(strange)
    assert len(seen) == 1
    assert seen[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.tag(strange)  # once is enough
        again = Model.train(encode_sequences(X, y), SETTINGS)
        again.tag([[["new"]] * 19])  # too few to tell
        again.tag([[["w=a"], *[["new"]] * 9] * 9])  # a tenth is known
    with pytest.warns(UnknownAttributesWarning):
        again.encode(strange)


@given(X=st.lists(sequences, max_size=4), known=st.sets(st.sampled_from("abc"), max_size=3), gather=st.booleans())
def test_what_is_unknown_is_counted_as_the_naive_twin_counts(X: list, known: set, gather: bool) -> None:
    found = encode_sequences(X, attributes=Vocabulary(sorted(known)), gather=gather).unknown
    unknown = [name for x in X for token in x for name, _ in naive.attributes(token) if name not in known]
    assert found.occurrences == len(unknown)
    assert len(found.some) == min(3, len(unknown)) or any(isinstance(token, dict) for x in X for token in x)
    assert set(found.some) <= set(unknown)


def test_what_is_unknown_is_counted() -> None:
    known = encode_sequences([[["a", "b"]]])
    X = [[["a", "x", "a"], {"y": 1.5, "b": 2.0}], [{"z": True}, ["é", "w"]], []]
    for gather in (True, False):
        found = encode_sequences(X, attributes=known.attributes, gather=gather)
        assert found.unknown.occurrences == 5
        assert found.unknown.some[0] == "x"
        assert set(found.unknown.some) <= {"x", "y", "z", "é", "w"}
        assert len(found.dataset.position) == 3
    assert encode_sequences(X).unknown.occurrences == 0
