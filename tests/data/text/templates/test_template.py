"""Template files: valid and wrong ones, and the round trip through JSON."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS, load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError


def test_chunking_is_crfsuites_example() -> None:
    names = [pattern.text.split("=")[0] for pattern in PRESETS["chunking"].patterns]
    assert " ".join(names) == (
        "w[-2] w[-1] w[0] w[1] w[2] w[-1]|w[0] w[0]|w[1] pos[-2] pos[-1] pos[0] pos[1] pos[2] "
        "pos[-2]|pos[-1] pos[-1]|pos[0] pos[0]|pos[1] pos[1]|pos[2] "
        "pos[-2]|pos[-1]|pos[0] pos[-1]|pos[0]|pos[1] pos[0]|pos[1]|pos[2]"
    )
    encoded = encode_files([Source("file", b"a b A\nc:d e B\n")])
    first = ["w[0]=a", "w[1]=c:d", "w[0]|w[1]=a|c:d", "pos[0]=b", "pos[1]=e", "pos[0]|pos[1]=b|e", "__BOS__"]
    second = ["w[-1]=a", "w[0]=c:d", "w[-1]|w[0]=a|c:d", "pos[-1]=b", "pos[0]=e", "pos[-1]|pos[0]=b|e", "__EOS__"]
    assert encoded.attributes.strings() == first + second


def test_padding_and_comments() -> None:
    text = "# comment\n\nU0:%x[-2,0]/%x[1,0]\r\nU0:%x[-2,0]/%x[1,0]\nU1\nB\nB7\n"
    template = parse_template(text, "mine")
    assert [pattern.line for pattern in template.patterns] == [3, 4, 5]
    encoded = encode_files([Source("file", b"a A\nb B\n")], template=template)
    assert encoded.attributes.strings() == ["U0:_B-2/b", "U1", "U0:_B-1/_B+1"]
    assert encoded.dataset.position.tolist() == [0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U0:%x[0,0]\nB1:%x[0,0\n", "template mine, line 2: .* a % that does not begin"),
        ("X0:%x[0,0]", "line 1: .* neither U nor B"),
        ("U0:%x[0,0", "line 1: .* a % that does not begin"),
        ("U0:%y[0,0]", "a % that does not begin"),
        ("U0:100%", "a % that does not begin"),
        ("U0:%x[9,0]", "reads 9 rows away"),
        ("U0:%x[0,w.upper]", r"line 1: no function named 'upper'; did you mean isupper\?"),
        ("# nothing\nB\n", "found no pattern; add at least one U line"),
    ],
)
def test_bad_templates(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_template(text, "mine")


@pytest.mark.parametrize("column", ["3", "2", "pos", "99999", "y", "_"])
def test_a_column_that_is_not_there(column: str) -> None:
    template = parse_template(f"U0:%x[0,0]\n\nU1:%x[0,{column}]", "mine")
    message = rf"template mine, line 3: .* names column {column}, but file, line 1 has only x0, x1 besides the label"
    with pytest.raises(InputError, match=message):
        encode_files([Source("file", b"a b A\n")], template=template)


def test_files_and_presets(tmp_path: Path) -> None:
    path = tmp_path / "template"
    path.write_bytes(b"U0:%x[0,0]\nU1:\xff\n")
    with pytest.raises(InputError, match="line 2: the bytes are not valid UTF-8"):
        load_template(path)
    with pytest.raises(InputError, match=r"no template named 'chunkin'; did you mean 'chunking'\?"):
        load_template("chunkin")
    with pytest.raises(InputError, match=r"no template named 'mine'; use chunking, words, .*segmentation, or the path"):
        load_template("mine")
    assert load_template("words") is PRESETS["words"]
    assert load_template(PRESETS["words"], "_ w y").columns == ("_", "w", "y")


@pytest.mark.parametrize("template", [*PRESETS.values(), parse_template("U0:%x[0,0]", "é")])
def test_json_round_trip(template: Template) -> None:
    assert Template.from_json(template.to_json()) == template
    assert template.name in repr(template)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", "{}", '{"name": 3, "patterns": [], "columns": [], "padding": true, "edges": true}']
    + [
        f'{{"name": "n", "patterns": {patterns}, "columns": {columns}, "padding": {padding}, "edges": false}}'
        for patterns, columns, padding in (
            ("[3]", "[]", "true"),
            ('[["U", "1"]]', "[]", "true"),
            ('[["U%x[0,", 1]]', "[]", "true"),
            ("[[3, 1]]", "[]", "true"),
            ("[]", "[3]", "true"),
            ("[]", '["w", "w"]', "true"),
            ("[]", "[]", "1"),
            ("[]", "[]", "null"),
        )
    ],
)
def test_json_that_is_no_template(text: str) -> None:
    with pytest.raises(InputError):
        Template.from_json(text)


@given(st.text(alphabet="UB#%x[]0,w.-: \n\r", max_size=40))
def test_random_templates_are_read_or_refused(text: str) -> None:
    try:
        template = parse_template(text)
    except InputError:
        return
    assert all("".join(p.pieces) or p.cells for p in template.patterns)
    try:
        encode_files([Source("file", b"a b A\n")], template=template)
    except InputError as error:
        assert "names column" in str(error)  # noqa: PT017
