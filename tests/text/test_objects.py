"""Cached strings give the same result as new ones; lists of labels and of probabilities, which act like dicts."""

import copy
import gc
import json
import pickle
import weakref
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield._text import Probabilities, label_lists, probability_lists
from tagfield.encode import Encoded, Vocabulary, encode_sequences
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
        assert [names[a] for a in slots] == [f"key{i % 7}", f"w{i % 5}:v{i % 3}"]


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
def test_probability_lists(size: int, kind: Callable[[Any], Any]) -> None:
    labels = tuple(kind(i) for i in range(size))
    node = np.random.default_rng(size).random((7, size), np.float32)
    expected = [dict(zip(labels, line, strict=True)) for line in node.tolist()]
    rows = probability_lists(node, labels, np.array([0, 3, 3, 7]))
    del node  # the rows keep it
    assert [len(row) for row in rows] == [3, 0, 4]
    flat = [row for sequence in rows for row in sequence]
    for row, plain in zip(flat, expected, strict=True):
        assert isinstance(row, Mapping)
        assert len(row) == size
        assert list(row) == list(plain)
        assert [row[label] for label in labels] == [row.get(label) for label in labels] == list(plain.values())
        assert labels[0] in row
        assert "none" not in row
        assert row.get("none") is None
        assert row.get("none", 3.0) == 3.0
        assert max(row, key=row.get) == max(plain, key=plain.__getitem__)
        assert dict(row) == row.copy() == {**row} == plain
        assert type(row.copy()) is dict
    assert flat == expected  # which makes each row a dict of its own
    for row, plain in zip(flat, expected, strict=True):
        assert [row[label] for label in labels] == [row.get(label) for label in labels] == list(plain.values())
        assert (list(row), len(row), "none" in row, row.get("none", 3.0)) == (list(plain), size, False, 3.0)
        assert (repr(row), list(row.items()), row.keys()) == (repr(plain), list(plain.items()), plain.keys())
        assert dict(row) == row.copy() == pickle.loads(pickle.dumps(row)) == copy.deepcopy(row) == plain


def test_probabilities_act_like_a_dict() -> None:
    node = np.array([[0.25, 0.75]] * 8, np.float32)
    [[first, second, third, *others]] = probability_lists(node, ("a", "b"), np.array([0, 8]))
    first["b"] = 0.5
    del first["a"]
    assert (first, second) == ({"b": 0.5}, {"a": 0.25, "b": 0.75})
    assert (first != second, first == second, second == third, second == 3) == (True, False, True, False)
    assert third.pop("a") == 0.25
    assert third == {"b": 0.75}
    third.update(c=1)
    assert third.setdefault("d", 2) == 2
    assert list(reversed(third)) == ["d", "c", "b"]
    assert second | {"c": 1} == {"c": 1} | second | {"a": 0.25} == {"a": 0.25, "b": 0.75, "c": 1}
    assert second | others[0] == others[1]
    match others[2]:
        case {"a": probability}:
            assert probability == 0.25
    merged = others[3]
    merged |= {"c": 1}
    merged |= [("d", 2)]
    assert merged is others[3] == {"a": 0.25, "b": 0.75, "c": 1, "d": 2}
    keys = others[4].keys()
    others[4]["c"] = 1
    assert keys == {"a", "b", "c"}
    for missing in ("c", ("c", "d"), None, ()):
        with pytest.raises(KeyError) as error:
            second[missing]
        assert error.value.args == (missing,)
    for ask in (lambda: others[3][[]], lambda: hash(others[3]), lambda: Probabilities(), lambda: others[3].get()):
        with pytest.raises(TypeError):
            ask()
    with pytest.raises(AttributeError, match="nothing"):
        _ = second.nothing
    with pytest.raises(TypeError, match="JSON"):
        json.dumps(second)
    assert json.loads(json.dumps(dict(second))) == json.loads(json.dumps(second.copy())) == second


def test_a_label_that_reads_its_own_probabilities() -> None:
    class Label:
        def __init__(self, number: int) -> None:
            self.number = number

        def __hash__(self) -> int:
            return 0

        def __eq__(self, other: object) -> bool:
            if asked:
                list(asked.pop().values())
            return isinstance(other, Label) and other.number == self.number

    asked: list[Any] = []
    row = probability_lists(np.array([[0.25, 0.75]], np.float32), (Label(0), Label(1)), np.array([0, 1]))[0][0]
    asked.append(row)
    assert row[Label(1)] == 0.75
    assert not asked
    assert row[Label(1)] == 0.75


def test_probabilities_in_a_reference_cycle_are_collected() -> None:
    class Owner:
        row: Any

    owner = Owner()
    owner.row = probability_lists(np.zeros((1, 1), np.float32), ("a",), np.array([0, 1]))[0][0]
    owner.row["owner"] = owner
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None


def test_probabilities_free_what_they_share() -> None:
    class Label:
        pass

    labels = (Label(), Label())
    gone = [weakref.ref(label) for label in labels]
    rows = probability_lists(np.zeros((1000, 2), np.float32), labels, np.array([0, 400, 1000]))
    kept = rows[1][-1]
    kept.items()
    del labels, rows
    assert [label() is not None for label in gone] == [True, True]
    del kept
    assert [label() for label in gone] == [None, None]


def test_arguments_of_the_lists_are_checked() -> None:
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
