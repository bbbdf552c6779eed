"""Pieces of files through one template and one format for each file."""

from dataclasses import replace

import pytest

from tagfield.data.corpus.piece_encoder import EncodedPiece, PieceEncoder
from tagfield.data.corpus.pieces import Piece
from tagfield.data.text.reading import ReadOptions, reading_of
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError

WORDS = Piece(Source("a.txt", b"word tag\nAnna B-PER\nsings O\n"), "columns")
ITEMS = Piece(Source("a.items", b"X\tw=a\nY\tw=b\n"), "items")


def encode(piece: Piece, template: Template | None = None, reading: ReadOptions | None = None) -> EncodedPiece:
    encoder = PieceEncoder(piece, reading or ReadOptions(), template)
    return encoder.encode(piece, encoder.form_of(piece))


def test_a_piece_has_ids_of_its_own() -> None:
    encoder = PieceEncoder(WORDS, ReadOptions(), None)
    later = replace(WORDS, source=Source("a.txt", b"Bo B-LOC\n"), before=3, first=False)
    first, second = (encoder.encode(piece, encoder.form_of(piece)) for piece in (WORDS, later))
    assert (first.labels.strings(), second.labels.strings()) == (["B-PER", "O"], ["B-LOC"])
    assert second.dataset.labels.tolist() == [0]
    assert first.edges is None


def test_a_template_may_be_given_and_its_columns_get_numbers() -> None:
    encoder = PieceEncoder(WORDS, ReadOptions(header=True), parse_template("U0:%x[0,0]\nB0:%x[0,0]"))
    assert encoder.template is not None
    assert encoder.template.columns == ("x0", "y")
    found = encoder.encode(WORDS, encoder.form_of(WORDS))
    assert found.attributes.strings() == ["U0:Anna", "U0:sings"]
    assert found.edges is not None
    assert found.edges.strings() == ["B0:sings"]


def test_a_file_of_items_behind_words_is_refused() -> None:
    """Its lines have as many cells as the words, and would become words and labels."""
    words = Piece(Source("w.txt", b"a X\nb Y\n"), "columns")
    encoder = PieceEncoder(words, ReadOptions(), None)
    for name in ("a.items", "b.txt"):
        items = Piece(Source(name, b"X\tw=a\nY\tw=b\n"), "items")
        with pytest.raises(InputError, match=rf"{name}: this is CRFsuite items, but the first file is columns"):
            encoder.form_of(items)
    given = PieceEncoder(words, ReadOptions(), PRESETS["words"])  # then the template says that there are words
    assert given.form_of(Piece(Source("b.txt", b"w=a\tX\n"), "columns")).roles == ("w", "y")


def test_items_need_no_template() -> None:
    encoder = PieceEncoder(ITEMS, ReadOptions(), None)
    assert encoder.template is None
    assert encoder.encode(ITEMS, encoder.form_of(ITEMS)).attributes.strings() == ["w=a", "w=b"]


def test_a_piece_of_comments_alone_has_no_sentence() -> None:
    encoder = PieceEncoder(replace(WORDS, source=Source("a.txt", b"-DOCSTART- O\n\na X\n")), ReadOptions(), None)
    later = Piece(Source("a.txt", b"-DOCSTART- O\n"), "columns", 3, first=False)
    assert len(encoder.encode(later, encoder.form_of(later)).dataset) == 0


def test_a_wrong_line_of_a_later_piece_has_its_number_in_the_file() -> None:
    encoder = PieceEncoder(WORDS, ReadOptions(), None)
    later = Piece(Source("a.txt", b"Bo\n"), "columns", 3, first=False)
    with pytest.raises(InputError, match=r"a\.txt, line 4: "):
        encoder.encode(later, encoder.form_of(later))


def test_words_behind_attributes_are_refused() -> None:
    encoder = PieceEncoder(ITEMS, ReadOptions(), None)
    words = replace(WORDS, source=Source("b.txt", WORDS.source.text))
    with pytest.raises(InputError, match=r"b\.txt: this is columns: .*, but the first file is CRFsuite items"):
        encoder.form_of(words)


@pytest.mark.parametrize(
    ("piece", "options", "message"),
    [
        (WORDS, {"scheme": "iobes"}, "a scheme applies to text with spans, but this file has labels"),
        (ITEMS, {"scheme": "iobes"}, "a scheme applies to text with spans"),
        (
            Piece(Source("a.jsonl", b'{"tokens": ["a", "b"], "labels": ["X", null]}'), "jsonl"),
            {},
            r"a\.jsonl, line 1: token 2 of the sequence has no label",
        ),
    ],
)
def test_pieces_that_cannot_be_packed_are_refused(piece: Piece, options: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(piece, reading=reading_of(None, dict(options)))
