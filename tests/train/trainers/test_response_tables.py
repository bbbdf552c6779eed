"""The responses of a recipe in a native pass: none, a table, tables by count, and one for each group of features."""

from dataclasses import replace
from typing import Any

import pytest

from tagfield.bregman.responses import Response
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import Settings
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.feature_generators import ResponseRows
from tagfield.train.trainers.response_tables import COUNTS, set_response, set_responses


class Calls:
    """A pass that only notes what is called."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.names.append(name)


def response(**options: Any) -> Response:
    f: Response = Settings.of("ngd", **options).recipe.f
    return f


def problem(settings: Settings) -> Problem:
    return Problem.of(encode_sequences([[["w=a"], ["w=b"]]], [["X", "Y"]]), settings)


@pytest.mark.parametrize(
    ("options", "called"),
    [
        ({"loss": "U2", "generator": "linear"}, []),
        ({"loss": "U2", "generator": "arctan:0.1"}, ["set_response"]),
        ({"loss": "U4", "generator": "gd:2"}, ["add_count_table"] * (1 + COUNTS) + ["set_exact"]),
    ],
    ids=["plain gradients", "u alone", "E and counts"],
)
def test_a_pass_gets_the_tables_that_the_response_needs(options: dict[str, Any], called: list[str]) -> None:
    target = Calls()
    set_response(target, response(**options))  # type: ignore[arg-type]
    assert target.names == ["clear_response", *called]


def test_groups_of_features_have_a_response_each_and_are_named_once() -> None:
    settings = Settings.of("ngd", loss="U2", generators={"transitions": "linear", "w": "erf:5"})
    posed = problem(settings)
    seen: list[ResponseRows] = []
    for epoch in (1, 2):
        target = Calls()
        set_responses(target, settings.recipe, posed, epoch)  # type: ignore[arg-type]
        kinds = ["set_response", "add_kind", "add_kind", "set_response", "add_kind"]
        assert target.names == ["clear_response", *kinds, "set_kinds"]
        [rows] = posed.response_rows.values()
        seen.append(rows)
    assert seen[0] is seen[1]


def test_groups_of_features_are_refused_in_a_stream() -> None:
    settings = Settings.of("ngd", generators="states=erf:5")
    with pytest.raises(InputError, match=r"^generators does not apply to a stream"):
        set_responses(Calls(), settings.recipe, replace(problem(settings), in_stream=True), 1)  # type: ignore[arg-type]
