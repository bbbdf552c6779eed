"""A template over the columns of its input: the native encoder that expands it."""

import pytest

from tagfield.data.encode import WordEncoder, encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.cell_functions import ngrams
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.plan import open_encoder
from tagfield.data.text.templates.resources import gazetteer
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary


def test_a_long_word_has_a_limited_number_of_attributes() -> None:
    encoder = WordEncoder(parse_template("w.ngrams1-9|w.ngrams1-9", "mine").with_columns("w y"))
    found = encoder.encode([["abcdefghijklmnopqrstuvwxyz"]]).attributes.strings()
    every = ngrams("abcdefghijklmnopqrstuvwxyz", 1, 9)
    assert [name.partition("=")[2] for name in found] == [f"{a}|{b}" for a in every for b in every][:4096]
    assert len(encoder.encode([["a"]]).attributes) == 36
    one = WordEncoder(parse_template("w.ngrams1", "mine").with_columns("w y"))
    assert len(one.encode([["".join(map(chr, range(0x4E00, 0x7000)))]]).attributes) == 4096


@pytest.mark.parametrize("column", ["3", "2", "pos", "99999", "y", "_"])
def test_a_column_that_the_file_lacks_is_refused(column: str) -> None:
    template = parse_template(f"U0:%x[0,0]\n\nU1:%x[0,{column}]", "mine")
    message = rf"template mine, line 3: .* names column {column}, but file, line 1 has only x0, x1 besides the label"
    with pytest.raises(InputError, match=message):
        encode_files([Source("file", b"a b A\n")], template=template)


def attributes(template: Template, present: list[int], X: list) -> list[str]:
    names = Vocabulary()
    open_encoder(template, present, "X").encode_words(X, None, names, False, Vocabulary(), True)
    return names.strings()


def test_columns_of_the_input_are_found_by_their_place_in_the_template() -> None:
    made = parse_template("U0:%x[0,w]/%x[0,2]").with_columns("y w pos")
    assert attributes(made, [1, 2], [[("dog", "NN")]]) == ["U0:dog/NN"]
    assert attributes(made, [2, 1], [[("NN", "dog")]]) == ["U0:dog/NN"]


def test_functions_apply_to_each_of_several_values_once() -> None:
    made = parse_template("w.parts.lower.prefix1", "mine").with_columns("w y")
    assert attributes(made, [0], [["Ab-Ac-B"]]) == ["w.parts.lower.prefix1[0]=a", "w.parts.lower.prefix1[0]=b"]


def test_a_gazetteer_that_ignores_case_finds_words_of_any_case() -> None:
    for ignore_case, found in ((True, ["w.in(g)[0]=B-g", "w.in(g)[0]=I-g"]), (False, [])):
        phrases = gazetteer("g", ["New York"], ignore_case)
        made = Template("mine", (Pattern("w.in(g)[0]=%x[0,w.in(g)]"),), ("w", "y"), resources=(phrases,))
        assert attributes(made, [0], [["NEW", "york"]]) == found


@pytest.mark.parametrize(("base", "present"), [("y", [0, 1]), ("1", [0, 1]), ("7", [0, 1]), ("w", [1])])
def test_a_pattern_of_the_label_or_of_a_column_that_is_not_there_is_refused(base: str, present: list[int]) -> None:
    made = Template("mine", (Pattern(f"U:%x[0,{base}]", 4),), ("w", "y"))
    with pytest.raises(InputError, match=f"template mine, line 4: .* names column {base}, but X has only w besides"):
        open_encoder(made, present, "X")
