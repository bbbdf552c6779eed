"""Text: split into sentences and words, labelled as its words are, with offsets of the text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import Model, Template, limit_memory
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError, MemoryLimitError
from tests.support.named_words import LABELS, SENTENCES, SETTINGS

PIECES = [*"Anb .!?\n'’-1", "New York", "doesn't", "é", "東", "😀", "\u200b"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)


def test_offsets_and_probabilities_of_text(model: Model) -> None:
    text = "Anna works in New York.\n\nBen doesn’t."
    tagged = model.tag_text(text, n_best=2, rules="BIO")
    assert [s.text for s in tagged] == ["Anna works in New York.", "Ben doesn’t."]
    encoded = model.encode_words([s.words for s in tagged])
    nodes, paths = model.marginals(encoded, rules="BIO"), model.n_best(encoded, 2, rules="BIO")
    spans = model.spans(encoded, rules="BIO")
    for sentence, node, best, found in zip(tagged, nodes, paths, spans, strict=True):
        assert [labels for labels, _ in sentence.n_best] == [labels for labels, _ in best]
        assert [p for _, p in sentence.n_best] == pytest.approx([p for _, p in best], abs=1e-6)  # sums in another order
        assert sentence.labels == best[0][0]
        assert sentence.probability == pytest.approx(best[0][1], rel=1e-4)
        for token, row in zip(sentence, node, strict=True):
            assert text[token.start : token.end] == token.text
            assert token.probability == pytest.approx(row[model.labels.find(token.label)])
        for span, other in zip(sentence.spans, found, strict=True):
            assert text[span.start : span.end] == span.text == " ".join(sentence.words[other.start : other.end])
            assert (span.label, span.probability) == (other.type, pytest.approx(other.probability))


@given(text=texts)
def test_any_text_is_tagged_as_its_words_are(model: Model, text: str) -> None:
    tagged = model.tag_text(text)
    assert all(text[token.start : token.end] == token.text for token in tagged.tokens)
    assert all(text[span.start : span.end] == span.text for span in tagged.spans)
    assert tagged.labels == model.tag_words([sentence.words for sentence in tagged])
    assert all(0 <= token.probability <= 1.0001 for token in tagged.tokens)
    json.dumps(tagged.to_dict())


def test_without_probabilities_the_labels_are_the_same_and_probabilities_none(model: Model) -> None:
    sure, plain = (model.tag_text("Anna works in New York.", probabilities=p) for p in (True, False))
    assert str(sure) == str(plain)
    assert {t.probability for t in plain.tokens} | {s.probability for s in plain.spans} == {None}
    assert plain.sentences[0].probability is None


def test_a_list_of_texts_gives_a_list_and_errors_name_the_text(model: Model) -> None:
    texts = ["Anna left. Ben stayed.", "", " \n", "New York!"]
    assert model.tag_text(texts) == [model.tag_text(text) for text in texts]
    assert [len(tagged) for tagged in model.tag_text(tuple(texts))] == [2, 0, 0, 1]
    assert model.tag_text([]) == []
    with pytest.raises(InputError, match="text 1: text must be a string, got NoneType"):
        model.tag_text(["Anna", None])
    with pytest.raises(InputError, match="text must be a string or a list of strings, got bytes"):
        model.tag_text(b"Anna")


def test_text_is_split_by_the_tokenizer_that_is_given(model: Model) -> None:
    text = "Anna lives in New York ."
    assert model.tag_text(text, tokenizer="whitespace").labels == model.tag_words([text.split()])
    assert model.tag_text(text, tokenizer=str.split).labels == model.tag_words([text.split()])
    with pytest.raises(InputError, match="did you mean 'whitespace'"):
        model.tag_text(text, tokenizer="whitespaces")


def test_a_segmenter_gives_words() -> None:
    """Characters are the tokens, and spans are the words."""
    template = Template("characters", parse_template("U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]").patterns, ("w", "y"), True)
    words = [["東京", "は", "広い"], ["広い", "東京"], ["東京都", "は", "広い"]]
    labels = [[y for w in s for y in ("S" if len(w) == 1 else "B" + "M" * (len(w) - 2) + "E")] for s in words]
    characters = [list("".join(s)) for s in words]
    model = Model.train_words(characters, labels, template=template, settings=SETTINGS)
    tagged = model.tag_text("東京は広い")
    assert tagged == model.tag_text("東京は広い", tokenizer="characters")
    assert [(span.text, span.label) for span in tagged.spans] == [("東京", "word"), ("は", "word"), ("広い", "word")]


def test_neighbouring_names_of_iobes_are_two() -> None:
    sentences, labels = [["Anna", "Ben"], ["Anna", "Lee", "sings"]], [["S-PER", "S-PER"], ["B-PER", "E-PER", "O"]]
    model = Model.train_words(sentences, labels, settings=SETTINGS)
    assert [span.text for span in model.tag_text("Anna Ben").spans] == ["Anna", "Ben"]
    assert [span.text for span in model.tag_text("Anna Lee sings").spans] == ["Anna Lee"]


def test_a_word_of_megabytes_is_refused_under_a_limit(model: Model) -> None:
    long = "A" * 4_000_000
    limit_memory("200MB")
    try:
        with pytest.raises(MemoryLimitError, match=r"text 1: encoding words of 4 MB .*divide its long words"):
            model.tag_text(["Anna", f"{long} works"])
    finally:
        limit_memory(None)
    [tagged] = model.tag_text([f"{'A' * 200_000} works"])
    assert len(tagged.sentences[0].tokens) == 2
