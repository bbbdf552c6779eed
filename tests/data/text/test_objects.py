"""Cached strings give the same result as new ones; lists of labels and of dicts of probabilities."""

import gc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import Encoded, Vocabulary, encode_sequences
from tagfield.errors import InputError
from tagfield.native._text import label_lists, probability_lists
from tests.support import naive_text as naive

keys = st.sampled_from(["w", "tag", "-1:w", "é", "漢:", "k" * 31, "k" * 32, "k" * 80, ""])
values = st.one_of(
    st.sampled_from(["a", "bc", "defg", "hijklmno", "p" * 17, "q" * 50, "é😀", ""]),
    st.booleans(),
    st.floats(-4, 4, width=32),
    st.integers(-2, 2),
    st.dictionaries(keys, st.one_of(st.booleans(), st.sampled_from(["a", "é"])), max_size=2),
)
sequences = st.lists(st.lists(st.dictionaries(keys, values, max_size=6), max_size=5), max_size=6)


class Text(str):
    """A subclass of str."""


def fresh(text: str) -> str:
    return text.encode().decode()


def rebuilt(value: Any, make: Callable[[str], str]) -> Any:
    """The same value, with every string replaced by a new object."""
    if isinstance(value, dict):
        return {make(key): rebuilt(inner, make) for key, inner in value.items()}
    if isinstance(value, list):
        return [rebuilt(inner, make) for inner in value]
    return make(value) if isinstance(value, str) else value


def arrays(encoded: Encoded) -> list[Any]:
    data = encoded.dataset
    packed = (data.tokens, data.slots, data.occurrences, data.attribute, data.stop, data.position)
    value = np.ones(len(data.position), np.float32) if data.value is None else data.value
    return [array.tolist() for array in (*packed, value, encoded.gold)]


@given(
    sequences,
    st.one_of(st.none(), st.lists(st.sampled_from(["w", "tag", "w:a", "é", "é:é😀"]), unique=True)),
    st.booleans(),
)
def test_the_same_objects_and_equal_ones_encode_alike(X: list, frozen: list[str] | None, gather: bool) -> None:
    shared: dict[str, str] = {}
    expected = naive.pack(
        [[naive.attributes(token) for token in x] for x in X],
        ids := {} if frozen is None else {name: i for i, name in enumerate(frozen)},
        frozen=frozen is not None,
        gather=gather,
    )
    answers = [["".join(token)[:1] for token in x] for x in X]
    ways = [fresh, Text, lambda text: shared.setdefault(text, fresh(text))]
    found = []
    for make in ways:
        known = None if frozen is None else Vocabulary(frozen)
        encoded = encode_sequences(
            rebuilt(X, make), rebuilt(answers, make), attributes=known, labels=Vocabulary([""]), gather=gather
        )
        assert encoded.attributes.strings() == list(ids)
        found.append(arrays(encoded))
        for name, array in zip(
            ("tokens", "slots", "occurrences", "attribute", "stop", "position", "value"), found[-1], strict=False
        ):
            assert array == expected[name], name
    assert found[0] == found[1] == found[2]


def test_an_address_that_another_string_takes_over_is_not_mistaken_for_it() -> None:
    """Each token is freed before the next is made, so new strings are likely to reuse its addresses."""

    def stream() -> Iterator[list[dict[str, Any]]]:
        for i in range(2000):
            yield [{"".join(["key", str(i % 7)]): True, "".join(["w", str(i % 5)]): "".join(["v", str(i % 3)])}]

    encoded = encode_sequences(stream())
    ids: dict[str, int] = {}
    naive.pack([[naive.attributes(token) for token in x] for x in stream()], ids)
    assert encoded.attributes.strings() == list(ids)
    names = encoded.attributes.strings()
    for i in range(2000):
        slots = encoded.dataset.attribute[encoded.dataset.slots[i] : encoded.dataset.slots[i + 1]]
        assert {names[a] for a in slots} == {f"key{i % 7}", f"w{i % 5}:v{i % 3}"}


def test_the_dict_may_change_while_its_values_are_read() -> None:
    class Eraser:
        def __float__(self) -> float:
            for key in [key for key in token if key.startswith("later")]:
                del token[key]
            gc.collect()
            return 2.0

    token: dict[str, Any] = {"first": "x", "eraser": Eraser()}
    token |= {f"later {i}": "".join(["text", str(i)]) for i in range(12)}
    encoded = encode_sequences([[token]])
    assert encoded.attributes.strings() == ["first:x", "eraser"]


def test_sequences_after_the_sample_that_memory_is_reserved_from() -> None:
    """Memory is reserved after the first 256 sequences; those that follow need more or less of it."""
    short, long = [[{"a": True}]], [[{"a": False, "b": "c"}] * 40]
    for X in (short * 600, short * 300 + long * 300, long * 300 + short * 300 + [[]] * 100):
        ids: dict[str, int] = {}
        expected = naive.pack([[naive.attributes(token) for token in x] for x in X], ids)
        found = arrays(encode_sequences(X))
        assert found[3:7] == [expected[name] for name in ("attribute", "stop", "position", "value")]


@pytest.mark.parametrize("size", [1, 2, 22, 90])
@pytest.mark.parametrize("kind", [str, int, lambda i: ("a", i), Text])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_probabilities_are_a_dict_for_each_token(size: int, kind: Callable[[Any], Any], dtype: Any) -> None:
    labels = tuple(kind(i) for i in range(size))
    node = np.random.default_rng(size).random((7, size), dtype)
    rows = probability_lists(node, labels, np.array([0, 3, 3, 7]))
    expected = [dict(zip(labels, line, strict=True)) for line in node.tolist()]
    assert rows == [expected[:3], [], expected[3:]]
    assert all(type(row) is dict for sequence in rows for row in sequence)
    assert [list(row) for sequence in rows for row in sequence] == [list(labels)] * 7
    rows[0][0]["one"] = 1
    assert rows[0][1] == expected[1]  # each has its own


def test_a_label_whose_comparison_fails() -> None:
    class Label:
        def __hash__(self) -> int:
            return 0

        def __eq__(self, other: object) -> bool:
            raise ArithmeticError

    with pytest.raises(ArithmeticError):
        probability_lists(np.zeros((2, 2), np.float32), (Label(), Label()), np.array([0, 2]))


def test_probabilities_free_what_they_share() -> None:
    class Label:
        pass

    labels = (Label(), Label())
    gone = [weakref.ref(label) for label in labels]
    rows = probability_lists(np.zeros((1000, 2), np.float32), labels, np.array([0, 400, 1000]))
    kept = rows[1][-1]
    del labels, rows
    assert [label() is not None for label in gone] == [True, True]
    del kept
    assert [label() for label in gone] == [None, None]


def test_bytes_name_attributes_as_strings_do() -> None:
    plain = [["a", "ü"], {"k": "v", "n": 2.0, "ü": {"x": 1.0}, "s": {"y"}}]
    raw = [[b"a", "ü".encode()], {b"k": b"v", b"n": 2.0, "ü".encode(): {b"x": 1.0}, b"s": {b"y"}}]
    one, other = encode_sequences([plain]), encode_sequences([raw])
    assert one.attributes.strings() == other.attributes.strings()
    assert arrays(one) == arrays(other)
    for token in ([b"\xff"], {b"\xff": 1.0}, {"a": b"\xff"}, {"a": [b"\xff"]}):
        with pytest.raises(InputError, match=r"X\[0\]\[1\] holds bytes that are not UTF-8; decode them first"):
            encode_sequences([[["a"], token]])


def test_ids_and_offsets_of_lists_that_do_not_fit_are_refused() -> None:
    offsets = np.array([0, 2])
    assert label_lists(np.array([1, 0], np.int32), ("a", None), offsets) == [[None, "a"]]
    assert label_lists(np.array([], np.int32), (), np.array([0])) == []
    for ids, tokens in (([1, 2], [0, 2]), ([-1, 0], [0, 2]), ([0, 0], [0, 1]), ([0, 0], [0, 3, 2])):
        with pytest.raises(ValueError, match=r"every id must have a label|offsets"):
            label_lists(np.array(ids, np.int32), ("a", "b"), np.array(tokens))
    with pytest.raises(ValueError, match="one label for each column"):
        probability_lists(np.zeros((2, 3), np.float32), ("a", "b"), offsets)
    with pytest.raises(ValueError, match="equal"):
        probability_lists(np.zeros((2, 2), np.float32), ("a", "a"), offsets)
    with pytest.raises(TypeError, match="unhashable"):
        probability_lists(np.zeros((2, 1), np.float32), ([],), offsets)
