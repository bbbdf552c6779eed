"""Views of tagged text: HTML, displaCy, spaCy; offsets are those of the text."""

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.model import tagged_views
from tests.support.tagged_texts import NAMES, TEXT, tagged


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


def test_displacy_draws_labels_as_text() -> None:
    displacy = pytest.importorskip("spacy.displacy", exc_type=ImportError)
    label = '<img src=x onerror="alert(1)">&{text}'
    made = tagged_views.displacy("Bo left", [(0, 2, label, "Bo", 0.9)])
    drawn = displacy.render(made, style="ent", manual=True, jupyter=False)
    assert "<img" not in drawn
    assert label in html.unescape(drawn)


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
