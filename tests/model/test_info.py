"""Labels and constraints as a model file keeps them, and what a forged file can do."""

import enum
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import InputError
from tagfield.inference.constraints import Rules, rules_of
from tagfield.model.info import labels_from_json, labels_to_json, rules_for, rules_from_json, rules_to_json

plain = st.one_of(st.text(max_size=3), st.integers(), st.booleans(), st.floats(allow_nan=False), st.binary(max_size=3))
labels = st.recursive(plain, lambda inner: st.lists(st.one_of(inner, st.none()), max_size=3).map(tuple), max_leaves=5)


@given(st.lists(labels, unique=True, max_size=5))
def test_labels_come_back(given: list) -> None:
    found = labels_from_json(json.loads(json.dumps(labels_to_json(given))), len(given))
    assert found == given
    assert list(map(type, found)) == list(map(type, given))


class Tag(enum.Enum):
    A = 1


class Number(enum.IntEnum):
    A = 1


class Name(str, enum.Enum):  # noqa: UP042  # whose str() is not its value
    A = "a"


def test_labels_that_a_file_cannot_store() -> None:
    deep: tuple = ()
    for _ in range(40):
        deep = (deep,)
    for label in (Tag.A, Number.A, ("x", Tag.A), ("x", Number.A), frozenset("a"), deep, None, object()):
        with pytest.raises(InputError, match=r"a file cannot store the label .*pickle the CRF"):
            labels_to_json([label])
    assert labels_to_json([Name.A, np.True_.item()]) == ["a", True]  # equal to what it was


@pytest.mark.parametrize(
    "saved",
    [3, None, {}, ["a"], ["a", "a"], ["a", 1, 2], ["a", float("nan")], ["a", None], ["a", []], ["a", {"tuple": 3}],
     ["a", {"bytes": 3}], ["a", {"set": []}], ["a", {"tuple": [], "more": 1}], [1, True], ["a", {"tuple": [{}]}]],
    ids=str,
)  # fmt: skip
def test_forged_labels_are_refused(saved: object) -> None:
    with pytest.raises(ValueError, match="labels is not a list of different labels"):
        labels_from_json(saved, 2)


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.booleans(), min_size=n * (n + 2), max_size=n * (n + 2))))
def test_rules_come_back(bits: list[bool]) -> None:
    size = int((1 + len(bits)) ** 0.5) - 1
    flags = np.array(bits)
    rules = Rules(flags[:size], flags[size:-size].reshape(size, size), flags[-size:])
    names = list(range(size))
    found = rules_from_json(json.loads(json.dumps(rules_to_json(rules, names))), names)
    assert isinstance(found, Rules)
    for part in ("start", "follow", "end"):
        assert getattr(found, part).tolist() == getattr(rules, part).tolist()


def test_constraints_by_name_function_or_none_come_back() -> None:
    names = ["O", "B-X", "I-X"]
    assert rules_to_json("bio", names) == "bio"
    assert rules_from_json("BIO", names) == "BIO"
    assert rules_to_json(None, names) is rules_to_json(False, names) is rules_from_json(None, names) is None
    by_function = rules_from_json(rules_to_json(lambda a, b: b != "I-X", names), names)
    assert isinstance(by_function, Rules)
    assert by_function.start.tolist() == [True, True, False]
    wrong = rules_of("BIO", ["O", "B-X"])
    with pytest.raises(InputError, match="the constraints are for 2 labels, but there are 3; set constraints= anew"):
        rules_for(wrong, names)


@pytest.mark.parametrize(
    "saved",
    [3, [], {}, {"start": "c0", "follow": "e0"}, {"start": 3, "follow": "e0", "end": "c0"},
     {"start": "c0", "follow": "e0", "end": "zz"}, {"start": "c0c0", "follow": "e0", "end": "c0"},
     {"start": "c0", "follow": "", "end": "c0"}, "no scheme"],
    ids=str,
)  # fmt: skip
def test_forged_constraints_are_refused(saved: object) -> None:
    with pytest.raises(ValueError, match=r"constraints|hexadecimal|scheme"):
        rules_from_json(saved, ["O", "B-X"])
