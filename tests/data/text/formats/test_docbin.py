"""spaCy's DocBin: entities, tags, and damaged files."""

import os
import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
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


def packed(count: int, **fields: object) -> bytes:
    """A DocBin of one document of `count` tokens, or what `fields` make of it."""
    srsly, spacy = pytest.importorskip("srsly"), pytest.importorskip("spacy.tokens", exc_type=ImportError)
    attrs = spacy.DocBin().attrs
    content = {
        "version": "0.1",
        "attrs": attrs,
        "tokens": np.zeros((count, len(attrs)), np.uint64).tobytes(),
        "spaces": np.zeros(count, bool).tobytes(),
        "lengths": np.array([count], np.int32).tobytes(),
        "strings": [],
        "cats": [{}],
        "flags": [{}],
        "span_groups": [b""],
    }
    return zlib.compress(srsly.msgpack_dumps(content | fields), 1)


def test_bytes_behind_a_docbin_are_refused() -> None:
    whole = packed(0)
    for more in (b"x", whole):
        with pytest.raises(InputError, match=rf"a\.spacy: {len(more)} bytes follow the end of the DocBin, which is"):
            read(Source("a.spacy", whole + more))


@pytest.mark.parametrize(
    "fields",
    [{}, {"cats": [{}] * 1_000_000}, {"strings": [str(k) for k in range(400_000)]}, {"flags": [[]] * 1_000_000}],
    ids=["tokens", "cats", "strings", "flags"],
)
def test_a_docbin_that_unpacks_to_much_is_stopped(fields: dict[str, object], tmp_path: Path) -> None:
    """In a process of its own, whose peak is measured: a small file that would take half a gigabyte or more."""
    bomb = tmp_path / "bomb.spacy"
    bomb.write_bytes(packed(0 if fields else 3_000_000, **fields))
    assert bomb.stat().st_size < 4e6
    code = (
        "import sys, spacy.vocab\nfrom pathlib import Path\n"
        "from tagfield.data.text.formats.docbin import read_docbin\n"
        "from tagfield.data.text.sources import open_source\n"
        "from tagfield.system.memory import *\nfrom tagfield.errors import MemoryLimitError\n"
        "before = resident_memory()\nlimit_memory(before + 8e7)\n"
        "try:\n    list(read_docbin(open_source(sys.argv[1])))\nexcept MemoryLimitError as error:\n    print(error)\n"
        "peak = 1024 * int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])\n"
        "print((peak - before) / 1e6)"
    )
    run = subprocess.run([sys.executable, "-c", code, str(bomb)], capture_output=True, text=True, check=True)
    message, peak = run.stdout.strip().rsplit("\n", 1)
    assert "bomb.spacy: " in message
    assert "needs about" in message
    if "san.so" not in os.environ.get("LD_PRELOAD", ""):  # a sanitizer's allocator takes more memory
        assert float(peak) < 80
