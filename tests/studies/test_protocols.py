"""The tables of protocols: mean gains in the right cells, and what tuning did to a recipe."""

from studies.protocols import protocol_table, tuning_table
from studies.run_studies import Findings
from tests.support.made_results import TOKENS, made_results

RECIPES = ("sgd", "u1.g1", "u2.g1", "u2.g1p")


def gained(tokens: float) -> dict[str, float]:
    return {name: 0.0 if name == "sgd" else tokens for name in RECIPES}


def test_each_protocol_has_its_own_mean_gain() -> None:
    found = Findings(
        {
            "table": made_results(gained(60.0), ("observed", "all")),
            "strength": made_results(gained(30.0), ("observed", "all")),
            "tuned-all": made_results(gained(-20.0)),
            "wnut17": made_results(gained(50.0), chunk_gains={"u1.g1": 60, "u2.g1": 60, "u2.g1p": 60}),
        }
    )
    lines = protocol_table(found).splitlines()
    assert lines[2] == f"| CoNLL-2000, small set | +60 of {TOKENS:,} | +30 of {TOKENS:,} | – |"
    assert lines[3] == f"| CoNLL-2000, large set | +60 of {TOKENS:,} | +30 of {TOKENS:,} | −20 of {TOKENS:,} |"
    assert lines[4].startswith(f"| WNUT-17 | +50 of {TOKENS:,} (+15.")
    assert lines[5] == "| ingredients | – | – | – |"


def test_tuning_is_compared_with_the_same_recipe_at_the_papers_c2() -> None:
    table, tuned = made_results(gained(60.0), ("observed", "all")), made_results({**gained(20.0), "sgd": -40.0})
    lines = tuning_table(Findings({"table": table, "tuned-all": tuned})).splitlines()[2:]
    assert len(lines) == len(RECIPES)
    assert lines[0].startswith(f"| CoNLL-2000, large set | SGD | 1 | 0.1 | −40 of {TOKENS:,} |")
    assert all(f"| −40 of {TOKENS:,} |" in line for line in lines)
    assert tuning_table(Findings({"table": table})).count("\n") == 2
