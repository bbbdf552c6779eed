"""The template that fits the data, and the cells that it reads."""

import pytest

from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.records import Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.fitting import (
    by_header,
    cells_for,
    preset_for,
    template_for_columns,
    template_for_sentences,
    template_for_words,
)
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS, load_template
from tagfield.errors import InputError


def test_the_template_follows_what_is_found() -> None:
    words = ["w", "y"]
    wanted = {
        preset_for(words, {"B-PER", "O"}, ["Anna"]): "ner",
        preset_for(words, {"NN", "VB"}, ["Anna"]): "pos",
        preset_for(words, {"B", "M", "E", "S"}, ["中", "国"]): "segmentation",
        preset_for(["w", "pos", "y"], {"B-NP"}, ["The"]): "chunking",
        preset_for(["w", "pos", "chunk", "y"], {"B-NP"}, ["The"]): "ner",
    }
    for found, preset in wanted.items():
        assert found == (preset if preset in PRESETS else "words")
    assert preset_for(words, {"B", "E"}, ["ab"]) != "segmentation"  # whole words, not characters


def test_a_header_orders_the_columns_of_a_template() -> None:
    chunking = load_template("chunking")
    assert by_header(chunking, ["y", "pos", "w", "extra"], "a.txt").columns == ("y", "pos", "w", "extra")
    assert by_header(chunking, ["word1", "word2", "word3"], "a.txt") is chunking  # names of its own
    with pytest.raises(InputError, match=r"a\.txt: template chunking reads word and pos, .* only word and label"):
        by_header(chunking, ["w", "y"], "a.txt")


def test_cells_come_in_the_order_of_the_template() -> None:
    sentence = Sentence((("NN", "x", "dog"),), None, ("pos", "other", "w"), where="a.txt, line 1")
    assert cells_for(load_template("ner"), sentence) == [("dog",)]
    assert cells_for(load_template("chunking").with_columns("_ w pos y"), sentence) == [("_", "dog", "NN")]
    assert cells_for(parse_template("U:%x[0,0]"), sentence) == [("NN", "x", "dog")]  # by number
    with pytest.raises(InputError, match=r"a\.txt, line 1: template chunking reads word and pos, but .* only word;"):
        cells_for(load_template("chunking"), Sentence((("dog",),), where="a.txt, line 1"))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        (("w", "x1", "x2", "y"), r"a\.txt, line 1: found 4 columns; name them with --columns, such as 'w _ _ y'"),
        (("w",), r"a\.txt, line 1: found 1 column, but no label"),
        (("w", "pos"), r"a\.txt, line 1: found 2 columns, but no label"),
        (("lemma", "y"), "none of the columns lemma, y is the word; name the columns with --columns"),
    ],
)
def test_columns_that_no_preset_reads_are_refused(roles: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        template_for_columns(FileFormat("columns", roles), Source("a.txt", b"a b\n"))


def test_words_choose_their_template_by_labels_and_columns() -> None:
    assert template_for_words([["dog"]], [["NN"]]).name == "pos"
    assert template_for_words([[("NN", "dog")]], [["B-NP"]], columns="pos w y").columns == ("pos", "w", "y")
    assert template_for_sentences([]).columns == ("w", "y")
    with pytest.raises(InputError, match="a token has 3 strings, and no preset reads that many; give a template"):
        template_for_words([[("a", "b", "c")]], [["X"]])
