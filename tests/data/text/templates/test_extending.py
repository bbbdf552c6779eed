"""Templates that extend others: `include`, lines that are added, and resources that no pattern reads."""

from pathlib import Path

import pytest

from tagfield.data.encode import encode_files, encode_words
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import READ_BY, extended_template, parse_template, read_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.resources import KINDS
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.templates import parse_wapiti

NER = PRESETS["ner"]


def texts(template: Template) -> list[str]:
    return [pattern.text for pattern in template.patterns]


def test_an_included_preset_is_extended() -> None:
    made = parse_template("include ner\nw[-3]", "mine")
    assert texts(made) == [*texts(NER), "w[-3]=%x[-3,w]"]
    assert (made.name, made.columns, made.padding, made.boundaries) == ("mine", NER.columns, False, True)


def test_own_lines_win_over_the_included_template_wherever_they_stand() -> None:
    for text in (
        "columns _ w y\npadding on\ninclude ner\nedges off",
        "include ner\nedges off\npadding on\ncolumns _ w y",
    ):
        made = parse_template(text)
        assert (made.columns, made.padding, made.boundaries) == (("_", "w", "y"), True, False)


def test_a_line_that_the_included_template_has_counts_once() -> None:
    assert texts(parse_template("include ner\nw\nw.shape")) == texts(NER)
    assert len(parse_template("U00:%x[0,0]\nU00:%x[0,0]").patterns) == 2  # without include, as in CRF++


def test_files_are_found_beside_the_file_that_includes_them(tmp_path: Path) -> None:
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "cities.txt").write_text("New York\n")
    (tmp_path / "lists" / "base.template").write_text("columns w y\ngazetteer cities = cities.txt\nw[-1:1]\n")
    (tmp_path / "mine.template").write_text("include lists/base.template\nw.shape\n")
    made = read_template(tmp_path / "mine.template")
    assert made.resources[0].text == "New York"
    encoded = encode_words([["in", "New", "York"]], [["O", "O", "O"]], template=made)
    assert {"w.in(cities)[0]=B-cities", "w.in(cities)[-1]=B-cities", "w.shape[0]=Xx"} <= set(
        encoded.attributes.strings()
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("include", "line 1: include what?"),
        ("w\ninclude nerr", "line 2: include nerr: no such template; did you mean 'ner'?"),
        ("include ner\nregex a = x\nregex a = y", "line 3: regex a: the name is taken"),
        ("include self.template", "does one of them include itself?"),
        ("include wapiti.template", "a template with the patterns of Wapiti cannot be included"),
    ],
)
def test_wrong_includes_are_refused(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "self.template").write_text("include self.template\n")
    (tmp_path / "wapiti.template").write_text("syntax wapiti\nu:%x[0,0]\n")
    with pytest.raises(InputError) as caught:
        parse_template(text, folder=tmp_path)
    assert message in str(caught.value)


def test_every_kind_of_resource_is_read_where_no_pattern_reads_it() -> None:
    assert set(READ_BY) == set(KINDS)
    made = parse_template("columns w y\nw\nregex year = ^19\nregex size = cm$\nw.match(size)")
    assert texts(made)[2:] == [f"w.match(year)[{row}]=%x[{row},w.match(year)]" for row in (-1, 0, 1)]


def test_a_resource_is_read_in_the_words_or_in_the_first_column() -> None:
    assert "%x[0,0.match(year)]" in texts(parse_template("regex year = ^19\nU00:%x[0,0]"))[2]
    assert "%x[0,lemma.match(year)]" in texts(parse_template("columns _ lemma y\nlemma\nregex year = ^19"))[2]
    assert "%x[0,w.match(year)]" in texts(parse_template("columns pos w y\nw\nregex year = ^19"))[2]


def test_the_ways_in_python_are_those_of_the_language(tmp_path: Path) -> None:
    (tmp_path / "brands.txt").write_text("De Longhi\nBraun\n")
    (tmp_path / "paths.txt").write_text("Rome\t0010\n")
    lines = ["gazetteer brand ignorecase = brands.txt", "cluster brown = paths.txt", "regex year = ^19"]
    by_lines = NER.extended(lines, folder=tmp_path)
    by_calls = (
        Template.preset("ner")
        .with_gazetteer("brand", ["De Longhi", "Braun"], ignore_case=True)
        .with_clusters("brown", {"Rome": "0010"})
        .with_regex("year", "^19")
    )
    assert by_lines == by_calls
    assert by_lines.name == "ner, extended"
    assert Template.from_json(by_lines.to_json()) == by_lines


def test_a_template_of_wapiti_takes_no_lines() -> None:
    with pytest.raises(InputError, match="add the lines to its file"):
        extended_template(parse_wapiti("u:%x[0,0]"), "w")


def test_lines_extend_the_template_that_fits_a_file() -> None:
    reading = ReadOptions(add=("w[-3]", "regex year = ^19"))
    columns = encode_files(Source("a.txt", b"in O\n1990 O\n"), reading=reading)
    records = encode_files(Source("a.jsonl", b'{"tokens": ["in", "1990"], "labels": ["O", "O"]}'), reading=reading)
    for encoded in (columns, records):
        assert encoded.template is not None
        assert encoded.template.name.endswith(", extended")
        assert "w.match(year)[0]=year" in encoded.attributes.strings()
