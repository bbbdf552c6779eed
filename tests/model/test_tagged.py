"""Tagged text: JSON, displaCy, spaCy, HTML and what is printed; offsets are those of the text."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.model.tagged import TaggedSentence, TaggedSpan, TaggedText, TaggedToken
from tagfield.model.text_tagging import span_kind

TEXT = "  Anna <b>lives</b>\n\nin New  York."


def tagged(text: str, labels: dict[str, str], default: str = "O", tokenizer=None) -> TaggedText:
    """The text with the labels of some words; spans are single tokens that have a B- label."""
    sentences = []
    for offsets in tokenize(text, tokenizer):
        tokens = [TaggedToken(text[a:b], a, b, labels.get(text[a:b], default), 0.75) for a, b in offsets]
        spans = [TaggedSpan(t.start, t.end, t.label[2:], t.text, 0.5) for t in tokens if t.label.startswith("B-")]
        sentences.append(TaggedSentence(text[offsets[0][0] : offsets[-1][1]], offsets[0][0], tokens, spans, 0.25))
    return TaggedText(text, sentences)


NAMES = {"Anna": "B-PER", "York": "B-LOC"}


def test_json_holds_everything() -> None:
    made = tagged(TEXT, NAMES)
    found = json.loads(json.dumps(made.to_dict()))
    assert set(found) == {"text", "sentences"}
    assert found["text"] == TEXT
    assert [set(s) for s in found["sentences"]] == [{"start", "end", "probability", "tokens", "spans"}] * 2
    for sentence, record in zip(made, found["sentences"], strict=True):
        assert TEXT[record["start"] : record["end"]] == sentence.text
        for token in record["tokens"]:
            assert list(token) == ["text", "start", "end", "label", "probability"]
            assert TEXT[token["start"] : token["end"]] == token["text"]
        for span in record["spans"]:
            assert list(span) == ["start", "end", "label", "text", "probability"]
            assert TEXT[span["start"] : span["end"]] == span["text"]
    assert [span["label"] for s in found["sentences"] for span in s["spans"]] == ["PER", "LOC"]


def test_n_best_is_in_the_json_if_it_was_asked_for() -> None:
    sentence = TaggedSentence("a", 0, [TaggedToken("a", 0, 1, "X", 0.5)], [], 0.5, [(["X"], 0.5), (["Y"], 0.25)])
    assert sentence.to_dict()["n_best"] == [
        {"labels": ["X"], "probability": 0.5},
        {"labels": ["Y"], "probability": 0.25},
    ]


def test_what_is_printed() -> None:
    made = tagged(TEXT, NAMES)
    assert str(made) == "  [Anna PER] <b>lives</b>\n\nin New  [York LOC]."
    assert str(made.sentences[1]) == "in New  [York LOC]."
    assert repr(made) == r"TaggedText('  [Anna PER] <b>lives</b>\n\nin New  [York LOC].', 2 sentences)"
    assert repr(made.sentences[1]) == "TaggedSentence('in New  [York LOC].')"
    assert str(tagged("It rains", {"It": "PRP"}, "VB")) == "It/PRP rains/VB"
    assert str(tagged("It rains. Bad!", {}, "X")) == "It/X rains/X ./X\nBad/X !/X"
    assert str(tagged("It rains", {})) == "It rains"
    long = repr(tagged("word " * 100, {}))
    assert len(long) < 90
    assert "…" in long
    assert made.sentences[0].words[0] == "Anna"
    assert made.labels[0][0] == "B-PER"
    assert (len(made), len(made.sentences[1]), len(made.tokens)) == (2, 4, len(list(made.sentences[0])) + 4)


def test_html_is_escaped_and_coloured() -> None:
    shown = tagged(TEXT, {**NAMES, "lives": "B-<i>"})._repr_html_()
    assert "<b>" not in shown
    assert "&lt;b" in shown
    assert "<i>" not in shown
    assert "&lt;i&gt;" in shown
    assert 'title="P = 0.5000"' in shown
    colours = re.findall(r"hsla\((\d+),", shown)
    assert len(colours) == 3
    assert len(set(colours)) > 1
    assert re.sub(r"<span[^>]*>[^<]*</span>|<[^>]*>", "", shown) == TEXT.replace("<", "&lt;").replace(">", "&gt;")
    assert tagged("It rains", {}, "VB")._repr_html_().count("<mark") == 2


def test_displacy_draws_the_spans() -> None:
    displacy = pytest.importorskip("spacy.displacy", exc_type=ImportError)
    drawn = displacy.render(tagged(TEXT, NAMES).to_displacy(), style="ent", manual=True, jupyter=False)
    assert "PER" in drawn
    assert "York" in drawn


def test_a_spacy_doc_has_the_same_tokens_sentences_and_entities() -> None:
    spacy = pytest.importorskip("spacy")
    made = tagged(TEXT, NAMES)
    nlp = spacy.blank("en")
    doc = made.to_spacy(nlp)
    assert doc.vocab is nlp.vocab
    assert doc.text == TEXT
    assert [(t.idx, t.text) for t in doc if not t.is_space] == [(t.start, t.text) for t in made.tokens]
    assert [(e.start_char, e.end_char, e.label_) for e in doc.ents] == [(s.start, s.end, s.label) for s in made.spans]
    assert [s.text.strip() for s in doc.sents if s.text.strip()] == [s.text for s in made]
    tags = tagged("It rains", {"It": "PRP"}, "VB").to_spacy()
    assert [t.tag_ for t in tags] == ["PRP", "VB"]
    assert not tags.ents


@given(text=st.text(alphabet="ab. \n\t東'", max_size=30))
def test_a_spacy_doc_has_the_text(text: str) -> None:
    pytest.importorskip("spacy")
    made = tagged(text, {"a": "B-A", "b": "B-B"})
    doc = made.to_spacy()
    assert doc.text == text
    assert [(e.start_char, e.end_char) for e in doc.ents] == [(s.start, s.end) for s in made.spans]


def test_what_spans_labels_form() -> None:
    assert span_kind(["U-A", "B-A", "I-A", "L-A", "O"]) == "iobes"
    assert span_kind(["B-A", "I-A", "O"]) == "iob"
    assert span_kind(["LOC", "O", "B"]) == "runs"
    assert span_kind(["NN", "-LRB-", "B"]) is None
