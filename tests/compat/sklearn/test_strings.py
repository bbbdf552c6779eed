"""Strings and bytes as sklearn-crfsuite takes them: as sequences, tokens, attributes and labels."""

import warnings
from pathlib import Path
from typing import Any

import pytest
import sklearn_crfsuite

from tagfield import CRF, InputError, metrics

CASES: dict[str, tuple[Any, Any]] = {
    "strings as sequences": (["我们", "我"] * 3, ["BE", "S"] * 3),
    "characters as tokens": ([["a", "b"], ["b"]] * 3, [["X", "Y"], ["Z"]] * 3),
    "words as tokens": ([["the", "dog"], ["a", "cat"]] * 3, [["D", "N"]] * 6),
    "tuples": ([("a", "b")] * 3, [("X", "Y")] * 3),
    "bytes": ([[{"w": "солнце".encode(), b"n": 1}, ["a", b"b"]]] * 3, [[b"S", "R"]] * 3),
    "nested bytes": ([[{"x": {b"y": 2.0, "z": b"q"}, "l": [b"1", "2"], "s": {b"t"}}, {}]] * 3, [["S", b"R"]] * 3),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:X.* is the string")
def test_as_sklearn_crfsuite_reads_them(name: str, tmp_path: Path) -> None:
    X, y = CASES[name]
    ours, theirs = CRF(c2=0.1).fit(X, y), sklearn_crfsuite.CRF(c2=0.1).fit(X, y)
    assert sorted(ours.attributes_) == sorted(theirs.attributes_)
    assert ours.classes_ == theirs.classes_
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    assert ours.score(X, y) == 1.0
    assert metrics.flat_accuracy_score(theirs.predict(X), ours.predict(X)) == 1.0
    ours.save(tmp_path / "model")
    assert CRF.load(tmp_path / "model").predict(X) == ours.predict(X)
    with_dev = CRF(c2=0.1, max_iterations=3).fit(iter(X), iter(y), X, y)
    assert with_dev.history_[-1]["accuracy"] > 0
    assert with_dev.explain(X[0], 0).label in ours.classes_


def test_words_are_spelled_with_a_warning() -> None:
    X, y = [["a", "is"]], [["X", "Y"]]
    with pytest.warns(UserWarning, match=r"^X\[0\]\[1\] is the string 'is', so its attributes are its characters"):
        crf = CRF().fit(X, y)
    assert sorted(crf.attributes_) == ["a", "i", "s"]
    with pytest.warns(UserWarning, match="is the string 'is'"):
        stream = CRF().partial_fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(stream.predict([["isa"]])[0]) == len(crf.predict(["isa"])[0]) - 2 == 1
        assert CRF(warm_start=True).fit(["ab"], ["XY"]).fit([[["a"]]], [["X"]]).predict(["ab"]).shape == (1, 2)


def test_a_crf_of_features_refuses_strings() -> None:
    crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    assert crf.predict([["a", "b"]]) == [["X", "Y"]]  # of one character, which is one attribute
    for bad in (["ab"], [["ab"]]):
        with pytest.raises(InputError, match=r"X\[0\].* is of type str"):
            crf.predict(bad)
    with pytest.raises(InputError, match=r"X\[0\]\[1\] is of type str"):
        CRF().fit([[{"a": 1}, "b"]], [["X", "Y"]])


def test_labels_that_are_no_text() -> None:
    with pytest.raises(InputError, match=r"y\[0\]\[0\]: the label b'\\xff' is not UTF-8; decode it first"):
        CRF().fit([[["a"]]], [[b"\xff"]])
    crf = CRF().partial_fit([[["a"]]], [[b"X"]], classes=[b"X", "Y"])
    assert crf.classes_ == ["X", "Y"]
    assert crf.partial_fit([[["b"]]], [["Y"]], classes=[b"Y"]).score([[["b"]]], [[b"Y"]]) == 1.0
