"""Functions of the template language: their examples, and what gives nothing."""

import pytest

from tagfield.data.text.templates.functions import FUNCTIONS, parse_column
from tagfield.data.text.templates.resources import cluster, gazetteer, regex
from tagfield.errors import InputError
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


@pytest.mark.parametrize(
    ("text", "base", "calls"),
    [
        ("w", "w", []),
        ("0.lower", "0", [("lower", (), "")]),
        ("w.ngrams2", "w", [("ngrams", (2, 2), "")]),
        ("w.same(-8)", "w", [("same", (-8,), "")]),
        ("w.cluster(a.b, 12).prefix1", "w", [("cluster", (12,), "a.b"), ("prefix", (1,), "")]),
        ("w.match(x)", "w", [("match", (), "x")]),
    ],
)
def test_a_chain_is_a_column_and_its_calls(text: str, base: str, calls: list[tuple[str, tuple[int, ...], str]]) -> None:
    found, chain = parse_column(text)
    assert (found, [(call.function.name, call.numbers, call.resource) for call in chain]) == (base, calls)


@pytest.mark.parametrize("call", ["suffix1-2", "ngrams10", "same(9)", "same()", "cluster(a,0)", "cluster(a,100)", "in"])
def test_arguments_out_of_range_are_refused_with_the_usage(call: str) -> None:
    name = call.partition("(")[0].rstrip("0123456789-")
    with pytest.raises(InputError) as caught:
        parse_column(f"w.{call}")
    assert str(caught.value).startswith(f"'{call}' has the wrong arguments; write {FUNCTIONS[name].usage}")


@pytest.mark.parametrize("call", ["in(x)", "cluster(x)", "match(x)"])
def test_a_resource_of_another_kind_is_not_found(call: str) -> None:
    others = {"in": regex("x", "a"), "cluster": gazetteer("x", ["a"]), "match": cluster("x", {"a": "0"})}
    [made] = parse_column(f"w.{call}")[1]
    with pytest.raises(InputError, match=r"x\): no (gazetteer|cluster|regex) has this name; declare it with a line"):
        made.check({"x": others[made.function.name]})
