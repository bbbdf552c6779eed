"""Wapiti's models: they label as Wapiti does, and a damaged file says what is wrong."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import Model
from tagfield.data.text.templates.wapiti.items import split_observations
from tagfield.errors import ModelFileError
from tagfield.model.formats.wapiti_writer import to_bytes
from tests.support.model_files import MODELS, read_sentences, read_wapiti
from tests.support.naive_edges import edge_chain_in_logs
from tests.support.wapiti_files import WapitiModel, size_of

PRINTED = 1e-6  # Wapiti prints six decimals
NAMES = ["ua", "ub", "u", "b", "ba", "*", "*é", "u日本"]


@pytest.mark.parametrize("name", ["macros", "compact", "twice", "maxent"])
def test_labels_and_posteriors_are_those_of_wapiti(name: str) -> None:
    model, data = Model.load(MODELS / f"{name}.wapiti"), read_sentences("data.txt")
    assert model.tag_words(data) == [[label for label, _ in each] for each in read_wapiti(f"{name}.best")]
    check_posteriors(model, model.marginals(model.encode_words(data)), f"{name}.posterior")


def test_raw_items_are_labelled_as_wapiti_labels_them() -> None:
    model = Model.load(MODELS / "raw.wapiti")
    tokens, edges = split_observations(read_sentences("data.raw"))
    encoded = model.encode(tokens, edges=edges)
    assert model.tag(encoded) == [[label for label, _ in each] for each in read_wapiti("raw.best")]
    check_posteriors(model, model.marginals(encoded), "raw.posterior")


@st.composite
def models(draw: st.DrawFn) -> tuple[WapitiModel, list[list[list[str]]]]:
    labels = draw(st.lists(st.sampled_from(["O", "X", "é", "a b", ","]), min_size=1, max_size=4, unique=True))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True))
    size = sum(size_of(name, len(labels)) for name in names)
    number = st.one_of(st.floats(-4, 4), st.sampled_from([0.1, -60.0, 2.0**-1060, 1.0]))
    weights = draw(st.dictionaries(st.integers(0, size - 1), number, max_size=20))
    item = st.lists(st.sampled_from([*NAMES, "uunknown", "bunknown"]), max_size=4)
    data = draw(st.lists(st.lists(item, min_size=1, max_size=4), min_size=1, max_size=3))
    return WapitiModel(labels, names, weights), data


@given(models())
@pytest.mark.filterwarnings("ignore::tagfield.errors.UnknownAttributesWarning")  # some drawn data has no known name
def test_raw_models_score_as_the_definition_says(drawn: tuple[WapitiModel, list[list[list[str]]]]) -> None:
    wanted, data = drawn
    model = Model.load_bytes(wanted.text())
    tokens, edges = split_observations(data)
    encoded = model.encode(tokens, edges=edges if model.edges is not None else None)
    for sentence, got in zip(data, model.marginals(encoded), strict=True):
        np.testing.assert_allclose(got, edge_chain_in_logs(*wanted.scores(sentence)).node, atol=1e-9)
    assert to_bytes(model) == wanted.text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"#mdl#2#", b"#mdl#1#"), "maximum entropy Markov model"),
        ((b"#mdl#2#", b"#mdl#7#"), "type is 7"),
        ((b"#mdl#2#", b"#mdl#2#1"), "lines of weights"),
        ((b"#rdr#12/", b"#rdr#13/"), "12 patterns of 13"),
        ((b"#qrk#4\n", b"#qrk#3\n"), "list of observations"),
        ((b"1:O,\n", b"2:O,\n"), "longer or shorter"),
        ((b"1:O,\n", b"0:,\n"), "empty"),
        ((b"7:u:w=dog,", b"7:x:w=dog,"), "none of u, b"),
        ((b"7:u:w=dog,", b"7:u:w=cat,"), "occurs twice"),
        ((b"12:u:l=%X[-1,0]", b"12:u:l=%Y[-1,0]"), "begins no macro"),
        ((b"\n0=", b"\n99999999="), "weight 99,999,999"),
        ((b"\n0=0x", b"\n0=0xx"), "is no weight"),
        ((b"\n0=", b"\n0=0x1p99999 \n1="), "is no weight|lines of weights"),
        ((b",\n", b",\r\n"), "longer or shorter"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(change: tuple[bytes, bytes], said: str) -> None:
    raw = (MODELS / "macros.wapiti").read_bytes()
    assert change[0] in raw
    with pytest.raises(ModelFileError, match=said):
        Model.load_bytes(raw.replace(*change, 1))


def test_old_headers_and_decimal_weights_are_read() -> None:
    raw = (MODELS / "compact.wapiti").read_bytes()
    old = raw.replace(b"#mdl#2#", b"#mdl#", 1).replace(b"/1/0\n", b"/1\n", 1)
    model = Model.load_bytes(old)
    assert to_bytes(model) == old
    head, _, last = raw[:-1].rpartition(b"\n")
    index, _, number = last.partition(b"=")
    decimal = head + b"\n" + index + b"=" + repr(float.fromhex(number.decode())).encode() + b"\n"
    assert to_bytes(Model.load_bytes(decimal)) == raw


def test_many_labels_cannot_take_gigabytes() -> None:
    names = b"".join(b"%d:%d,\n" % (len(str(k)), k) for k in range(30_000))
    edges = b"".join(b"%d:b%d,\n" % (len(str(k)) + 1, k) for k in range(30_000))
    with pytest.raises(ModelFileError, match="GiB"):
        Model.load_bytes(b"#mdl#2#0\n#rdr#0/0/0\n#qrk#30000\n" + names + b"#qrk#30000\n" + edges)


def check_posteriors(model: Model, marginals: list[np.ndarray], name: str) -> None:
    labels = model.labels.strings()
    for got, each in zip(marginals, read_wapiti(name), strict=True):
        for row, (label, score) in zip(got, each, strict=True):
            assert row[labels.index(label)] == pytest.approx(score, abs=PRINTED)


@pytest.mark.parametrize("spare", [1, 3])
def test_columns_that_no_pattern_reads_are_skipped(spare: int, tmp_path: Path) -> None:
    """As libwapiti does: in tuples, and in files with and without a label in the last column."""
    model = Model.load(MODELS / "compact.wapiti")  # it reads two columns
    rows = [("The", "DT"), ("dog", "NN"), ("sleeps", "VB")]
    expected = model.tag_words([rows])
    wide = [(*row, *["spare"] * spare) for row in rows]
    assert model.tag_words([wide]) == model.tag_words([[list(row) for row in wide]]) == expected
    for last in ([()] * 3, [(label,) for label in expected[0]]):
        if len(wide[0]) + len(last[0]) == 3 and not last[0]:
            continue  # three columns are the model's own two and a label
        path = tmp_path / "data.txt"
        path.write_text("\n".join(" ".join((*row, *label)) for row, label in zip(wide, last, strict=True)) + "\n")
        encoded = model.encode_files(path)
        assert model.tag(encoded) == expected
        assert encoded.labelled == bool(last[0])
    assert model.evaluate(path).accuracy == 1.0
