"""Choosing c2 and the rate inside the training data: what is tried, what is taken, and that the test data stays out."""

from dataclasses import replace
from pathlib import Path

import pytest

from tagfield.compare.compare import compare
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.results import load_results
from tagfield.compare.tune_recipes import FACTORS, FOLDER, STRENGTHS, accuracy, tune
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import RECIPES
from tests.compare.test_compare import encode_addresses

PLAN = Plan(("sgd", "u2.g1", "pa", "lbfgs"), ("observed",), seeds=2, epochs=3, iterations=6)


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Plan]:
    folder = tmp_path_factory.mktemp("tuned")
    train, test = encode_addresses(80, 20)
    plan = tune(train, PLAN, folder, workers=2)
    compare(train, test, plan, folder, workers=2)
    return folder, plan


def test_every_recipe_with_a_penalty_gets_the_best_of_what_was_tried(tuned: tuple[Path, Plan]) -> None:
    folder, plan = tuned
    assert set(plan.chosen) == {"sgd/observed", "u2.g1/observed", "lbfgs/observed"}
    runs = load_results(folder / FOLDER).runs
    for name, found in plan.chosen.items():
        recipe = name.split("/")[0]
        of = [run for run in runs if run.run.recipe == recipe]
        by_c2 = [run for run in of if run.run.rate is None]
        assert {run.run.c2 for run in by_c2} >= set(STRENGTHS)
        assert max(map(accuracy, by_c2)) == max(accuracy(run) for run in by_c2 if run.run.c2 == found["c2"])
        with_rate = [run for run in of if run.run.rate is not None]
        assert len(with_rate) == (0 if recipe == "lbfgs" else len(FACTORS))
        if with_rate:
            assert {run.run.c2 for run in with_rate} == {found["c2"]}
            at_c2 = [run for run in of if run.run.c2 == found["c2"]]
            best = max(accuracy(run) for run in at_c2 if run.closing["rate"] == found["rate"])
            assert max(map(accuracy, at_c2)) == best


def test_the_comparison_trains_with_what_was_chosen(tuned: tuple[Path, Plan]) -> None:
    folder, plan = tuned
    results = load_results(folder)
    assert results.plan.chosen == plan.chosen
    for run in results.runs:
        chosen = plan.chosen.get(f"{run.run.recipe}/observed", {"c2": PLAN.c2})
        assert run.closing["c2"] == chosen["c2"]
        assert "rate" not in chosen or run.closing["rate"] == chosen["rate"]


def test_only_training_data_is_looked_at(tuned: tuple[Path, Plan]) -> None:
    data = load_results(tuned[0] / FOLDER).data
    assert (data["train"]["sentences"], data["test"]["sentences"]) == (72, 8)  # together the training data


def test_the_same_again_takes_the_runs_that_are_there(tuned: tuple[Path, Plan]) -> None:
    folder, plan = tuned
    before = (folder / FOLDER / "results.jsonl").read_bytes().count(b'"kind":"epoch"')
    assert tune(encode_addresses(80, 20)[0], PLAN, folder, workers=1) == plan
    assert (folder / FOLDER / "results.jsonl").read_bytes().count(b'"kind":"epoch"') == before


def test_a_folder_keeps_to_what_was_chosen(tuned: tuple[Path, Plan]) -> None:
    folder, plan = tuned
    other = replace(plan, chosen={})
    with pytest.raises(InputError, match="has results for chosen = "):
        compare(*encode_addresses(80, 20), other, folder)


def test_too_little_data_to_hold_some_out(tmp_path: Path) -> None:
    data = encode_sequences([[["a"]]] * 9, [["X"]] * 9)
    with pytest.raises(InputError, match=r"^9 training sequences are too few to hold a tenth of them out"):
        tune(data, PLAN, tmp_path)


def test_equal_strength_is_c2_times_the_slope() -> None:
    plan = Plan(c2=0.5, strength="effective")
    found = {name: plan.settings(PlannedRun(name, "all", 0)).c2 for name in plan.recipes}
    for name, c2 in found.items():
        recipe = RECIPES[name]
        assert c2 == pytest.approx(0.5 * (recipe.f.slope if hasattr(recipe, "f") else 1.0))
    assert found["sgd"] == 0.5
    assert found["u1.g1"] == pytest.approx(5.0)
    with pytest.raises(InputError, match="strength must be one of c2, effective"):
        Plan(strength="equal")
