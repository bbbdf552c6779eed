"""A generator for each kind of feature: U2*.G1 with plain gradients for some features, compared with SGD and U2*.G1."""

from dataclasses import replace

from studies.evidence import Gain, Place, gains
from studies.run_studies import Findings
from studies.tables import gain_table
from tagfield.compare.results import Results

NAMES = {"transitions": "transitions linear", "states": "states linear"}


def renamed(results: Results) -> Results:
    """Name each recipe after its linear features, so that each gets its own group."""
    return replace(
        results,
        runs=[
            run
            if run.run.generator is None
            else replace(run, run=replace(run.run, recipe=kind_name(run.run.generator), generator=None))
            for run in results.runs
        ],
    )


def kind_name(generators: str) -> str:
    """The recipe's name: which features stay linear.

    >>> kind_name("transitions=quadratic"), kind_name("w.kind*=quadratic,w.shape*=quadratic")
    ('U2*.G1, transitions linear', 'U2*.G1, w.kind and w.shape linear')
    """
    kinds = [each.partition("=")[0].rstrip("*") for each in generators.split(",")]
    words = " and ".join([", ".join(kinds[:-1]), kinds[-1]]) if len(kinds) > 1 else kinds[0]
    return f"U2*.G1, {words} linear"


def kind_gains(found: Findings) -> list[Gain]:
    """Each variant compared with SGD and with U2*.G1, as one family of tests."""
    if "kinds" not in found.results:
        return []
    results = renamed(found.results["kinds"])
    place = Place("kinds", "all")
    names = list(dict.fromkeys(run.run.recipe for run in results.runs if run.run.recipe.startswith("U2*.G1, ")))
    asked = [(place, name, other) for other in ("sgd", "u2.g1") for name in names]
    return gains({"kinds": results}, [(place, "u2.g1", "sgd"), *asked])


def kind_table(found: Findings) -> str:
    """The table, or a note that the study has not run."""
    rows = kind_gains(found)
    return gain_table(rows) if rows else "The study has not run."
