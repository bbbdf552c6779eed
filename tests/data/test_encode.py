"""Python objects of every kind give the same arrays as the naive twin."""

import enum
from collections import OrderedDict, UserDict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.dataset import UNKNOWN, Dataset
from tagfield.data.encode import Encoded, Vocabulary, encode_sequences
from tagfield.errors import InputError
from tests.support import naive_text as naive

names = st.text(alphabet="ab:é漢\\ 😀", max_size=4)
numbers = st.one_of(st.booleans(), st.integers(-5, 5), st.floats(-1e6, 1e6, width=32), st.sampled_from([1, 1.0]))
values = st.recursive(
    st.one_of(numbers, names),
    lambda inner: st.one_of(st.dictionaries(names, inner, max_size=3), st.lists(names, max_size=3), st.sets(names)),
    max_leaves=5,
)
tokens = st.one_of(
    st.lists(names, max_size=5),
    st.lists(names, max_size=5).map(tuple),
    st.sets(names, max_size=5),
    st.frozensets(names, max_size=5),
    st.dictionaries(names, values, max_size=4),
)
sequences = st.lists(st.lists(tokens, max_size=6), max_size=5)


def check(data: Dataset, expected: dict[str, list]) -> None:
    for name in ("tokens", "slots", "occurrences", "attribute", "stop", "position"):
        assert getattr(data, name).tolist() == expected[name], name
    assert [data.tokens.dtype, data.slots.dtype, data.occurrences.dtype] == [np.int64] * 3
    assert [data.attribute.dtype, data.place.dtype, data.labels.dtype] == [np.int32, np.uint16, np.int32]
    if data.value is None:
        assert set(expected["value"]) <= {1.0}
    else:
        assert data.value.tolist() == np.float32(expected["value"]).tolist()


def check_edges(encoded: Encoded, packed: dict[str, list]) -> None:
    slots = encoded.dataset.edge_slots
    if slots is None:
        assert not packed["attribute"]
        return
    for name in ("slots", "occurrences", "attribute", "stop", "position"):
        assert getattr(slots, name).tolist() == packed[name], name


@given(sequences)
def test_a_growing_vocabulary_packs_as_the_twin(X: list) -> None:
    encoded = encode_sequences(X)
    ids: dict[str, int] = {}
    check(encoded.dataset, naive.pack([[naive.attributes(token) for token in x] for x in X], ids))
    assert encoded.attributes.strings() == list(ids)
    assert not len(encoded.labels)
    assert (encoded.dataset.labels == UNKNOWN).all()
    assert encoded.dataset.weight.tolist() == [1.0] * len(X)


@given(sequences, st.lists(names, unique=True, max_size=6))
def test_a_frozen_vocabulary_packs_as_the_twin(X: list, known: list[str]) -> None:
    vocabulary = Vocabulary(known)
    encoded = encode_sequences(X, attributes=vocabulary)
    ids = {name: id for id, name in enumerate(known)}
    check(encoded.dataset, naive.pack([[naive.attributes(token) for token in x] for x in X], ids, frozen=True))
    assert vocabulary.strings() == known


def test_any_iterable_and_any_mapping() -> None:
    plain = [[["a", "b"], {"k": 2.0, "v": "x"}], [], [["b"]]]

    def stream() -> Iterator[object]:
        yield (token for token in (iter(["a", "b"]), UserDict({"k": np.float32(2), "v": "x"})))
        yield iter(())
        yield (np.array(["b"]),)

    one = encode_sequences(plain, [["A", "B"], [], ["A"]])
    two = encode_sequences(stream(), iter([("A", "B"), (), iter("A")]))
    for field in ("tokens", "slots", "occurrences", "attribute", "stop", "position", "value", "labels"):
        assert getattr(one.dataset, field).tolist() == getattr(two.dataset, field).tolist()
    assert encode_sequences([[OrderedDict(k=2)]]).dataset.value is not None


class Level(enum.IntEnum):
    HIGH = 3


@pytest.mark.parametrize("value", [3, 3.0, np.int64(3), np.float64(3), np.float32(3), Level.HIGH])
def test_numbers_of_every_kind_are_values(value: Any) -> None:
    dataset = encode_sequences([[{"first": 1, "k": value, "last": 2}]]).dataset
    assert dataset.value is not None
    assert dataset.value.tolist() == [1, 3, 2]


def test_false_is_an_attribute_of_value_zero() -> None:
    encoded = encode_sequences([[{"k": False, "n": {"deep": {"er": True}, "set": {"b", "a"}}}]])
    assert encoded.attributes.strings() == ["k", "n:deep:er", "n:set:a", "n:set:b"]
    assert encoded.dataset.value is not None
    assert encoded.dataset.value.tolist() == [0, 1, 1, 1]


def test_user_code_that_clears_the_dict_while_it_is_read() -> None:
    class Thief:
        def __init__(self, victim: dict) -> None:
            self.victim = victim

        def __float__(self) -> float:
            self.victim.clear()
            return 2.0

    token: dict = {}
    token["".join(["a", "ttribute that lives here only"])] = 1.0
    token["".join(["t", "hief"])] = Thief(token)
    encoded = encode_sequences([[token]])
    assert encoded.attributes.strings() == ["attribute that lives here only", "thief"]


def test_labels_in_order_and_unseen_ones_by_name() -> None:
    X = [[["a"], ["b"]], [["a"]]]
    train = encode_sequences(X, [["N", "漢"], ["N"]], weights=[2, 0.5])
    assert (train.labels.strings(), train.dataset.labels.tolist()) == (["N", "漢"], [0, 1, 0])
    assert train.dataset.weight.tolist() == [2.0, 0.5]
    assert train.labelled
    test = encode_sequences(X, [["V", "漢"], ["W"]], attributes=train.attributes, labels=train.labels)
    assert test.dataset.labels.tolist() == [UNKNOWN, 1, UNKNOWN]
    assert test.gold_labels() == [["V", "漢"], ["W"]]
    assert test.unseen_labels == ["V", "W"]
    assert train.labels.strings() == test.labels.strings() == ["N", "漢"]


def test_none_is_a_label_that_is_not_known() -> None:
    X = [[["a"], ["b"]], [["a"]]]
    train = encode_sequences(X, [[None, "N"], (None,)])
    assert (train.labels.strings(), train.gold.tolist()) == (["N"], [UNKNOWN, 0, UNKNOWN])
    assert train.dataset.labels.tolist() == train.gold.tolist()
    assert (train.gold_labels(), train.labelled) == ([["", "N"], [""]], False)
    test = encode_sequences(X, [["V", None], ["N"]], attributes=train.attributes, labels=train.labels)
    assert (test.gold.tolist(), test.dataset.labels.tolist()) == ([1, UNKNOWN, 0], [UNKNOWN, UNKNOWN, 0])
    assert test.unseen_labels == ["V"]


def test_empty_sequences_keep_their_place() -> None:
    data = encode_sequences([[], [["a"], []], []], attributes=Vocabulary(["a"])).dataset
    assert (data.tokens.tolist(), data.slots.tolist()) == ([0, 0, 2, 2], [0, 0, 1, 1])
    assert len(encode_sequences([])) == 0


@pytest.mark.parametrize("length", [2_000, pytest.param(20_000, marks=pytest.mark.slow)])
def test_a_long_sequence(length: int) -> None:
    rng = np.random.default_rng(0)
    X = [[[f"w={k}" for k in rng.integers(0, 5_000, 18)] for _ in range(length)]]
    ids: dict[str, int] = {}
    expected = naive.pack([[naive.attributes(token) for token in x] for x in X], ids)
    encoded = encode_sequences(X)
    check(encoded.dataset, expected)
    check(encode_sequences(X, attributes=encoded.attributes).dataset, expected)


def deep(levels: int) -> dict:
    token: dict = {"end": 1}
    for _ in range(levels):
        token = {"k": token}
    return token


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ("abc", None, "X is of type str"),
        ({"a": 1}, None, "X is of type dict"),
        (3, None, "X is of type int"),
        (["abc"], None, r"X\[0\] is of type str"),
        ([{"a": 1}], None, r"X\[0\] is of type dict"),
        ([[["a"]], 3], None, r"X\[1\] is of type int"),
        ([["a", "b"]], None, r"X\[0\]\[0\] is of type str"),
        ([[["a"], b"b"]], None, r"X\[0\]\[1\] is of type bytes"),
        ([[3]], None, r"X\[0\]\[0\] is of type int"),
        ([[["a"], ["b", 3]]], None, r"X\[0\]\[1\] holds an attribute of type int"),
        ([[[["a"]]]], None, "attribute of type list"),
        ([[{3: 1}]], None, "key of type int"),
        ([[{"a": None}]], None, "'a' is of type NoneType"),
        ([[{"a": bytearray(b"b")}]], None, "'a' is of type bytearray"),
        ([[{"a": {"b": object()}}]], None, "'b' is of type object"),
        ([[{"a": float("nan")}]], None, r"X\[0\]\[0\]: the value of 'a' must be a finite 32-bit number, got nan"),
        ([[{"a": float("inf")}]], None, "must be a finite"),
        ([[{"a": 1e39}]], None, "must be a finite 32-bit number, got 1e\\+39"),
        ([[{"a": 10**400}]], None, "must be a finite"),
        ([[{"a": np.float32("nan")}]], None, "must be a finite"),
        ([[["\ud800"]]], None, r"X\[0\]\[0\] holds a string that cannot be written in UTF-8"),
        ([[deep(100)]], None, "nested more than 64 levels deep"),
        ([[["a"]]], [["A", "B"]], r"X\[0\] has 1 tokens, but y\[0\] has 2 labels"),
        ([[["a"]]], [], "y ends after 0 sequences"),
        ([[["a"]]], [["A"], ["A"]], "X ends after 1 sequences"),
        ([[["a"]]], ["A"], r"y\[0\] is of type str"),
        ([[["a"]]], "A", "y is of type str"),
        ([[["a"]]], [[1]], r"y\[0\]\[0\] is of type int"),
        ([[["a"]]], [["\ud800"]], r"y\[0\] holds a string"),
    ],
)
def test_objects_that_are_no_sequences_are_refused_with_their_place(X: Any, y: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_sequences(X, y)
    with pytest.raises(InputError, match=message):
        encode_sequences(X, y, attributes=Vocabulary(["a"]), labels=Vocabulary(["A"]))


def test_an_error_of_the_caller_passes_through() -> None:
    def broken() -> Iterator[list]:
        yield [["a"]]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        encode_sequences(broken())
    with pytest.raises(ZeroDivisionError):
        encode_sequences([(token for token in broken())])


@pytest.mark.parametrize("weights", [[1.0], [1, 2, 3], [[1, 2]], [1, -1], [1, float("nan")], ["a", 2]])
def test_weights_that_do_not_fit_are_refused(weights: Any) -> None:
    with pytest.raises(InputError, match="weights"):
        encode_sequences([[["a"]], [["b"]]], weights=weights)


def test_sequences_read_back() -> None:
    X = [[[("a", 1.0), ("b", 2.5)], []], [[("b", -1.0)]]]
    encoded: Encoded = encode_sequences([[dict(token) for token in x] for x in X], [["A", "B"], ["A"]], weights=[1, 3])
    back = list(encoded.sequences())
    assert [sequence.tokens for sequence in back] == X
    assert [(sequence.labels, sequence.weight) for sequence in back] == [(["A", "B"], 1.0), (["A"], 3.0)]
    with pytest.raises(InputError, match="came from Python objects"):
        encoded.lines(0)
