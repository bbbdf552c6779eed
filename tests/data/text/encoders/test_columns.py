"""Column files and templates against the naive twin, and wrong column files."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import Encoded, Vocabulary, encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import PRESETS
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError
from tests.data.test_encode import check
from tests.support import naive_text as naive

cells = st.text(alphabet="ab|:=%é漢😀_B-1", min_size=1, max_size=3)
blanks = st.text(alphabet=" \t", min_size=1, max_size=3)
feeds = st.sampled_from(["\n", "\r\n"])


@st.composite
def column_texts(draw: st.DrawFn, width: int) -> str:
    parts = []
    for _ in range(draw(st.integers(1, 12))):
        row = draw(st.lists(cells, min_size=width, max_size=width))
        parts.append(draw(blanks | st.just("")) + draw(blanks).join(row) + draw(blanks | st.just("")) + draw(feeds))
        if draw(st.integers(0, 3)) == 0:
            parts.append(draw(blanks | st.just("")) + draw(feeds))
    text = "".join(parts)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


@st.composite
def patterns(draw: st.DrawFn, width: int, longest: int = 4) -> str:
    text = draw(st.sampled_from(["U", "U1:", ""]))
    for _ in range(draw(st.integers(0, longest))):
        text += f"%x[{draw(st.integers(-3, 3))},{draw(st.integers(0, width - 1))}]" + draw(
            st.sampled_from(["", "/", "é"])
        )
    return text


def compare(encoded: Encoded, texts: list[str], lines: list[str], padding: bool, edges: bool, label: int) -> None:
    sentences = [rows for text in texts for rows in naive.columns(text)]
    ids: dict[str, int] = {}
    names = [naive.expand(rows, lines, padding, edges) for rows in sentences]
    check(encoded.dataset, naive.pack([[[(a, 1.0) for a in token] for token in tokens] for tokens in names], ids))
    assert encoded.attributes.strings() == list(ids)
    assert encoded.gold_labels() == [[row[label] for row in rows] for rows in sentences]
    assert encoded.labels.strings() == list(dict.fromkeys(row[label] for rows in sentences for row in rows))
    split = [[naive.columns(line)[0][0] for line in encoded.lines(s)] for s in range(len(encoded))]
    assert split == sentences


@given(
    st.lists(column_texts(3), min_size=1, max_size=3),
    st.lists(patterns(2), min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
)
def test_drawn_files_and_templates_pack_as_the_twin(
    texts: list[str], lines: list[str], padding: bool, edges: bool
) -> None:
    template = Template("drawn", tuple(map(Pattern, lines)), ("a", "b", "y"), padding, edges)
    sources = [Source(f"file {k}", text.encode()) for k, text in enumerate(texts)]
    compare(encode_files(sources, template=template), texts, lines, padding, edges, label=2)


@given(column_texts(2), st.lists(patterns(1, longest=24), min_size=1, max_size=3), st.booleans())
def test_patterns_longer_than_any_key(text: str, lines: list[str], padding: bool) -> None:
    many = "".join(f"w{k} L\n" for k in range(40)) + "\n" + text
    template = Template("drawn", tuple(map(Pattern, lines)), ("a", "y"), padding)
    compare(encode_files([Source("file", many.encode())], template=template), [many], lines, padding, False, 1)


@given(column_texts(3))
def test_presets_expand_as_the_twin(text: str) -> None:
    for name in ("chunking", "crfpp"):
        template = PRESETS[name]
        lines = [p.text.replace(",w]", ",0]").replace(",pos]", ",1]") for p in template.patterns]
        source = Source("file", text.encode())
        compare(encode_files([source], template=name), [text], lines, template.padding, template.boundaries, label=2)


def test_words_preset_takes_two_columns() -> None:
    encoded = encode_files([Source("file", "McDonald's B\nwalked É\n".encode())], template="words")
    named = set(encoded.attributes)
    assert {"w.shape[0]=XxXx'x", "w.suffix2[0]=ed", "w.lower[-1]=mcdonald's", "w.prefix1[0]=w", "__BOS__"} <= named
    assert encoded.labels.strings() == ["B", "É"]


def test_roles_choose_the_columns_in_any_order() -> None:
    text = b"1 The B-NP DT\n2 dog I-NP NN\n"
    encoded = encode_files([Source("file", text)], columns="_ w y pos")
    plain = encode_files([Source("file", b"The DT B-NP\ndog NN I-NP\n")])
    assert encoded.attributes == plain.attributes
    assert encoded.gold_labels() == plain.gold_labels()
    frozen = encode_files(
        [Source("file", b"1 The DT\n")],
        template=encoded.template or "",
        attributes=encoded.attributes,
        labels=encoded.labels,
    )
    assert (frozen.gold_labels(), frozen.labelled) == ([[""]], False)
    assert [encoded.attributes[int(a)] for a in frozen.dataset.attribute] == [
        "w[0]=The",
        "pos[0]=DT",
        "__BOS__",
        "__EOS__",
    ]


def test_column_numbers_are_those_of_the_training_file(tmp_path: Path) -> None:
    path = tmp_path / "template"
    path.write_text("U:%x[0,0]/%x[0,1]\nB\n")
    train = encode_files([Source("train", b"a b c L\n")], template=path)
    assert train.template is not None
    assert train.template.columns == ("x0", "x1", "x2", "y")
    for text in (b"a b c\n", b"a b c L\n"):
        test = encode_files(
            [Source("test", text)], template=train.template, attributes=train.attributes, labels=train.labels
        )
        assert len(test.dataset.attribute) == 1


@pytest.mark.slow
def test_a_sentence_of_20_000_rows() -> None:
    text = "".join(f"w{k % 700} p{k % 11} L{k % 5}\n" for k in range(20_000))
    lines = [p.text.replace(",w]", ",0]").replace(",pos]", ",1]") for p in PRESETS["chunking"].patterns]
    compare(encode_files([Source("file", text.encode())]), [text], lines, False, True, label=2)


def test_several_files_are_read_in_order_compressed_or_not(tmp_path: Path) -> None:
    (tmp_path / "one").write_bytes(b"\xef\xbb\xbfThe DT A\r\n\r\n\r\ndog NN B\r\n")
    (tmp_path / "two.gz").write_bytes(gzip.compress(b"\nThe DT C"))
    encoded = encode_files([tmp_path / "one", tmp_path / "two.gz"])
    assert encoded.gold_labels() == [["A"], ["B"], ["C"]]
    assert [encoded.where(s).split("/")[-1] for s in range(3)] == ["one, line 1", "one, line 4", "two.gz, line 2"]
    assert [encoded.lines(s) for s in range(3)] == [["The DT A"], ["dog NN B"], ["The DT C"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a b c\na b\n", r"file, line 2: found 2 columns, but file, line 1 has 3"),
        (b"\n\na b c\n\na b c d\n", r"file, line 5: found 4 columns, but file, line 3 has 3"),
        (b"a b c\n\nd\n", "line 3: found 1 column, but"),
        (
            b"a b c\n\xff b c\n",
            "file, line 2: the bytes are not valid UTF-8; name the encoding, such as --encoding lat",
        ),
        (b"a b c\n\xe9", "file, line 2: .*UTF-8"),
        (b"\n \n\t\r\n", "only blank lines"),
        (b"\na b c d\n", r"file, line 2: found 4 columns; name them with --columns, such as 'w _ _ y'"),
        (b"a\n", "file, line 1: found 1 column, but no label; put the label in the last column"),
    ],
)
def test_wrong_column_files_are_refused_with_their_line(text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_files([Source("file", text)])


def test_columns_that_a_template_does_not_read() -> None:
    three = r"\(word, pos, label\)"
    for text, message in (
        (b"a b c d\n", rf"file, line 1: found 4 columns, but template chunking reads 3 {three}; name the columns"),
        (b"a\n", "found 1 column, but template chunking reads 3"),
        (b"a b\n", rf"file, line 1: found 2 columns, .* {three}; for word and label use --template words"),
    ):
        with pytest.raises(InputError, match=message):
            encode_files([Source("file", text)], template="chunking")


def test_files_whose_columns_do_not_fit_the_template_get_advice() -> None:
    with pytest.raises(InputError, match=r"reads 2 .*; for word, pos and label use --template chunking"):
        encode_files(Source("file", b"a b c\n"), template="words")
    with pytest.raises(InputError, match="found 2 columns, but no label; put the label in the last column"):
        encode_files(Source("file", b"a b\n"), columns="w pos")
    with pytest.raises(InputError, match="found 1 column, but no label"):
        encode_files(Source("file", b"a\n"), template=parse_template("U:%x[0,0]"))
    train = encode_files(Source("file", b"a b\n"), template="words")
    with pytest.raises(InputError, match=r"found 3 columns, .*; name the columns with --columns"):
        encode_files(Source("file", b"a b c\n"), template="words", attributes=train.attributes, labels=train.labels)


def test_columns_must_agree_across_files() -> None:
    with pytest.raises(InputError, match="two, line 2: found 2 columns, but one, line 1 has 3"):
        encode_files([Source("one", b"a b c\n"), Source("two", b"\na b\n")])


@pytest.mark.parametrize("columns", ["w w y", "y", "_ y", ""])
def test_roles_without_a_column_to_read_are_refused(columns: str) -> None:
    with pytest.raises(InputError, match="columns"):
        encode_files([Source("file", b"a b c\n")], columns=columns)


@given(st.binary(max_size=80) | st.text(alphabet="ab \t\r\n\0é", max_size=80).map(str.encode))
def test_random_bytes_are_read_or_refused(text: bytes) -> None:
    for template in ("chunking", "words", "crfpp"):
        for known in (None, Vocabulary(["w[0]=a"])):
            try:
                encoded = encode_files([Source("file", text)], template=template, attributes=known, labels=known)
            except InputError:
                continue
            if encoded.form is None or not encoded.form.plain:
                continue  # only tabs separate the cells of these bytes
            assert [len(encoded.lines(s)) for s in range(len(encoded))] == [len(y) for y in encoded.gold_labels()]
