"""Functions of the template language: their examples, and what gives nothing."""

import pytest

from tagfield.data.text.templates.functions import FUNCTIONS
from tests.data.text.templates.test_language import EXAMPLES, values


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_functions(name: str) -> None:
    call, cell, expected = FUNCTIONS[name].example
    assert values(call, cell.split(), EXAMPLES) == expected.split()


@pytest.mark.parametrize(
    ("call", "cell"), [("isupper", "1"), ("istitle", "iPhone"), ("in(cities)", "New"), ("cluster(brown)", "Oslo")]
)
def test_a_function_that_gives_nothing_leaves_the_pattern_out(call: str, cell: str) -> None:
    assert values(call, [cell], EXAMPLES) == []
