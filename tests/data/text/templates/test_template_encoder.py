"""The native encoder itself: functions that misbehave, and calls in the wrong order."""

from typing import Any

import pytest

from tagfield.errors import InputError
from tagfield.native._text import Gazetteer, TemplateEncoder, Vocabulary

WORDS = [["a", "b"]]


def encode(function: Any, many: bool = False) -> list[str]:
    encoder = TemplateEncoder([True], 1000, "one column")
    encoder.set_patterns([(["=", ""], [(0, encoder.derive(0, function, many))])], [], False)
    attributes = Vocabulary()
    encoder.encode_words(WORDS, None, attributes, False, Vocabulary(), True)
    return attributes.strings()


@pytest.mark.parametrize(
    ("function", "many", "message"),
    [
        (lambda cells: cells[:1], False, "one entry for each cell"),
        (lambda cells: tuple(cells), False, "one entry for each cell"),
        (lambda cells: [3, 4], False, "returned an object of type int"),
        (lambda cells: [["a"], ["b"]], False, "returned an object of type list"),
        (lambda cells: [["a"], [4]], True, "a value of a cell is of type int"),
        (lambda cells: ["a", "\ud800"], False, "lone surrogate"),
    ],
)
def test_functions_that_return_something_else_are_refused(function: Any, many: bool, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode(function, many)


def test_a_function_gives_one_value_several_or_none() -> None:
    assert encode(lambda cells: [None, "x"]) == ["=x"]
    assert encode(lambda cells: [["x", "", "y"], []], many=True) == ["=x", "=", "=y"]
    assert encode(lambda cells: ["x", ["z", "x"]], many=True) == ["=x", "=z"]


def test_an_encoder_works_after_a_function_failed() -> None:
    failures = [ZeroDivisionError()]

    def function(cells: list[str]) -> list[str]:
        if failures:
            raise failures.pop()
        return cells

    encoder = TemplateEncoder([True], 1000, "one column")
    encoder.set_patterns([(["=", ""], [(0, encoder.derive(0, function, False))])], [], False)
    attributes = Vocabulary()
    with pytest.raises(ZeroDivisionError):
        encoder.encode_words(WORDS, None, attributes, False, Vocabulary(), True)
    encoder.encode_words(WORDS, None, attributes, False, Vocabulary(), True)
    assert attributes.strings() == ["=a", "=b"]


@pytest.mark.parametrize(
    ("patterns", "message"),
    [
        ([(["a"], [(0, 0)])], "one piece of text more than cells"),
        ([(["a", ""], [(5000, 0)])], "at most 4096 positions away"),
        ([(["a", ""], [(0, 7)])], "there is no column 7"),
    ],
)
def test_patterns_that_do_not_fit_are_refused(patterns: Any, message: str) -> None:
    encoder = TemplateEncoder([True], 1000, "one column")
    with pytest.raises(InputError, match=message):
        encoder.set_patterns(patterns, [], False)
    with pytest.raises(InputError, match="needs patterns"):
        encoder.encode_words(WORDS, None, Vocabulary(), False, Vocabulary(), True)


def test_columns_that_are_not_there_are_refused() -> None:
    encoder = TemplateEncoder([False], 1000, "one column")
    with pytest.raises(InputError, match="there is no column 1"):
        encoder.compare(1, 1)
    encoder.find_phrases(0, Gazetteer([["a"], []]), "x")
    encoder.set_patterns([(["=", ""], [(0, 0)])], [], False)
    with pytest.raises(InputError, match="column 0 was not read"):
        encoder.encode_words(WORDS, None, Vocabulary(), False, Vocabulary(), True)
