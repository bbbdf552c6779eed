"""spaCy's DocBin: entities, tags, and damaged files."""

import sys
from pathlib import Path

import pytest

from tagfield.data.text.formats.docbin import read_docbin, write_docbin
from tagfield.data.text.reading import read
from tagfield.data.text.records import Document, Sentence, TextSpan
from tagfield.data.text.sources import Source
from tagfield.data.text.spans import Policy
from tagfield.errors import InputError


def test_entities_and_tags_are_read_and_damaged_files_refused(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    from spacy.tokens import Doc, DocBin

    nlp = spacy.blank("en")
    doc = nlp("Anna Lee  sings.\nBo too.")
    doc.set_ents([doc.char_span(0, 8, label="PER")], default="outside")
    bare, tagged = nlp("Hi there."), Doc(nlp.vocab, words=["Go", "!"], tags=["VB", "."])
    DocBin(docs=[doc, bare, tagged]).to_disk(tmp_path / "a.spacy")
    first, second, third = read(tmp_path / "a.spacy")
    assert isinstance(first, Document)
    assert isinstance(second, Document)
    assert isinstance(third, Sentence)
    assert (first.text, first.spans) == (doc.text, (TextSpan(0, 8, "PER"),))
    assert [first.text[a:b] for a, b in (first.sentences or ())[0]] == ["Anna", "Lee", "sings", ".", "Bo", "too", "."]
    assert second.spans is None
    assert (third.words, third.labels) == (("Go", "!"), ("VB", "."))
    raw = (tmp_path / "a.spacy").read_bytes()
    for bad in (raw[:-9], b"x\x9cnothing"):
        (tmp_path / "bad.spacy").write_bytes(bad)
        with pytest.raises(InputError, match=r"bad\.spacy: this is not a DocBin of spaCy, or it is damaged"):
            read(tmp_path / "bad.spacy")


def test_text_outside_of_every_token_is_refused() -> None:
    pytest.importorskip("spacy", reason="DocBin is spaCy's format")
    document = Document("Anna sings", (), (((0, 4),),), where="a.jsonl, line 1")
    with pytest.raises(
        InputError, match=r"a\.jsonl, line 1: ' sings' belongs to no token; spaCy needs all of the text"
    ):
        write_docbin([document], lambda text: [], Policy())


def test_without_spacy_the_error_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    monkeypatch.setitem(sys.modules, "spacy.tokens", None)
    with pytest.raises(InputError, match=r"needs spaCy; install it with: pip install 'tagfield\[spacy\]'"):
        list(read_docbin(Source("a.spacy", b"")))
