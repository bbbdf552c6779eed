"""Line breaks, spaces and byte order marks: one rule, which every reader follows."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import encode_files
from tagfield.data.text.formats.columns import write_columns
from tagfield.data.text.formats.detect import HEAD, detect
from tagfield.data.text.formats.items import ItemSequence, format_items
from tagfield.data.text.lines import cells_in, check_lines, full_lines, is_blank, split_lines
from tagfield.data.text.reading import read
from tagfield.data.text.records import Sentence
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import read_template
from tagfield.data.text.templates.resources import cluster, gazetteer
from tagfield.errors import InputError
from tests.support.reading import sentences

LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=5), max_size=5)
ODD = ("\u00a0", "\u2028", "\u2029", "\u0085", "\u3000", "\x0b", "\x0c", "\x1c", "\ufeff")  # text, not space
CONLLU = "1\t{}\t_\tNOUN\t_\t_\t0\troot\t_\t_\n"
FORMATS = {  # a file of one word
    "a.txt": "{} NOUN\n",
    "tabs.txt": "{}\tNOUN\n\nNew York\tX\n",
    "a.conllu": CONLLU,
    "a.csv": "word,tag\n{},NOUN\n",
    "a.tsv": "sentence\tword\ttag\n1\t{}\tNOUN\n",
    "a.jsonl": '{{"tokens": ["{}"], "labels": ["NOUN"]}}\n',
    "a.json": '[{{"tokens": ["{}"], "labels": ["NOUN"]}}]',
}


@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_lines_end_only_at_line_feeds(lines: list[str], end: str) -> None:
    assert split_lines("".join(line + end for line in lines)) == lines
    assert full_lines(end.join(lines)) == [line for line in lines if line.strip(" \t")]
    assert [cells_in(line) for line in lines] == [
        [c for c in line.replace("\t", " ").split(" ") if c] for line in lines
    ]


@pytest.mark.parametrize("space", ODD)
@pytest.mark.parametrize("name", [*FORMATS])
def test_other_spaces_and_breaks_are_text(name: str, space: str) -> None:
    """Detection and reading agree on it, whether the reader is native or not."""
    word = f"10{space}000"
    text = FORMATS[name].format(
        word.replace("\x0b", "\\u000b").replace("\x0c", "\\u000c").replace("\x1c", "\\u001c")
        if "json" in name
        else word
    )
    first = sentences(name, text)[0]
    assert (first.words, first.labels[:1]) == ((word,), ("NOUN",))
    made = encode_files(Source(name, text.encode()), template="words")
    assert f"w[0]={word}" in made.attributes
    assert made.labels.strings()[0] == "NOUN"


@pytest.mark.parametrize("space", ODD[:-1])
def test_a_line_of_other_spaces_is_not_blank(space: str) -> None:
    assert not is_blank(space)
    assert [s.words for s in sentences("a.txt", f"a X\n{space} Y\nb X\n")] == [("a", space, "b")]


@pytest.mark.parametrize("name", ["a.txt", "tabs.txt", "a.conllu", "a.csv", "a.tsv", "a.items"])
def test_a_carriage_return_alone_is_an_error_that_names_the_line(name: str) -> None:
    line = FORMATS.get(name, "NOUN\tw={}\n").format("a")
    for text, number in (
        (line.replace("\n", "\r") * 3, 1),
        (line + line.replace("a", "a\rb", 1), line.count("\n") + 1),
    ):
        message = rf"{name}, line {number}: a carriage return \(CR\) stands without a line feed \(LF\)"
        if name in ("a.csv", "a.tsv") and number > 1:
            message = rf"{name}, line \d: a carriage return"
        with pytest.raises(InputError, match=message):
            encode_files(Source(name, text.encode()))


@pytest.mark.parametrize("name", [*FORMATS, "a.items"])
def test_a_byte_order_mark_of_a_joined_file_is_an_error_that_names_the_line(name: str) -> None:
    text = FORMATS.get(name, "NOUN\tw={}\n").format("a")
    joined = f"{text}\n\ufeff{text}"
    number = text.count("\n") + 2
    with pytest.raises(InputError, match=rf"{name}, line {number}: the line begins with a byte order mark"):
        encode_files(Source(name, joined.encode()))


@pytest.mark.parametrize("end", ["", ".gz"])
def test_one_byte_order_mark_at_the_start_is_dropped(tmp_path: Path, end: str) -> None:
    path = tmp_path / f"a.txt{end}"
    for marks, fine in ((1, True), (2, False)):
        raw = ("\ufeff" * marks + "a X\n").encode()
        path.write_bytes(gzip.compress(raw) if end else raw)
        if fine:
            assert [s.words for s in read(path).sentences()] == [("a",)]
        else:
            with pytest.raises(InputError, match="line 1: the line begins with a byte order mark"):
                read(path)


def test_a_carriage_return_at_the_end_of_the_file_is_a_line_break() -> None:
    check_lines(Source("a.txt", b"a X\r\nb Y\r"))
    assert [s.labels for s in sentences("a.txt", "a X\r\nb Y\r")] == [("X", "Y")]


def test_json_and_quoted_cells_may_hold_carriage_returns() -> None:
    assert sentences("a.json", '[{"tokens": ["a"],\r"labels": ["X"]}]')[0].words == ("a",)
    assert sentences("a.csv", 'word,tag\n"a\rb",X\n')[0].words == ("a\rb",)


def test_brat_and_plain_text_hold_any_character(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna\rBo\n\ufeffCy", newline="")
    (tmp_path / "a.ann").write_text("\ufeffT1\tPER 5 7\tBo\n", encoding="utf-8")
    [document] = read(tmp_path / "a.ann").documents()
    assert document.text == "Anna\rBo\n\ufeffCy"
    assert [document.text[s.start : s.end] for s in document.spans or ()] == ["Bo"]
    assert [d.text for d in read(Source("b", b"a\rb\n\xc2\xa0\n"), format="text").documents()] == ["a\rb", "\u00a0"]


def test_the_columns_of_a_long_first_line_are_counted() -> None:
    word = "x" * (4 * HEAD)
    form = detect(Source("a.txt", f"{word} DT B-NP\ndog NN I-NP\n".encode()))
    assert form.roles == ("w", "pos", "y")
    assert detect(Source("a.txt", f"\n\n{word}\tDT".encode())).roles == ("w", "y")
    assert len(encode_files(Source("a.txt", f"{word} DT B-NP\ndog NN I-NP\n".encode()), template="crfpp")) == 1


def test_gazetteers_clusters_and_templates_follow_the_rule(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes("New\u00a0York  City\r\n\u2028\n".encode())
    assert gazetteer("g", path).text == "New\u00a0York City\n\u2028"
    path.write_bytes(b"Rome\rParis\r")
    for make in (lambda: gazetteer("g", path), lambda: cluster("c", path), lambda: read_template(path)):
        with pytest.raises(InputError, match=r"a\.txt, line 1: a carriage return"):
            make()
    path.write_bytes("Rome\t01\n\ufeffParis\t02\n".encode())
    for make in (lambda: gazetteer("g", path), lambda: cluster("c", path), lambda: read_template(path)):
        with pytest.raises(InputError, match=r"a\.txt, line 2: the line begins with a byte order mark"):
            make()


def test_a_line_that_begins_with_a_byte_order_mark_is_not_written() -> None:
    with pytest.raises(InputError, match=r"cannot begin with '\\ufeffa'; remove its byte order mark"):
        list(write_columns([Sentence((("\ufeffa",),), ("X",))]))
    with pytest.raises(InputError, match=r"cannot hold the label '\\ufeffX'; remove its byte order mark"):
        format_items(ItemSequence([[("a", 1.0)]], ["\ufeffX"]), "here")
