"""Every option by name, whichever record has it, and the error for an option that a recipe does not have.

    SharedOptions, Stochastic, AdaGrad, …, QuasiNewton ─┬─▶ all_options ─▶ the command line, CRF, docs/options.md
                                                        └─▶ misplaced   ─▶ "average applies only to stochastic recipes"

List a new record of options in RECORDS; one that is no recipe also needs a name in OWNERS.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from tagfield.errors import InputError, did_you_mean
from tagfield.train.recipes.crfsuite_recipes import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.fields import Found, options_of
from tagfield.train.recipes.preconditioners import PRECONDITIONERS
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.shared_options import SharedOptions
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.updates import Calibration, Divergence
from tagfield.train.recipes.variants import BATCH, Auto, WholeCorpus

OWNERS: dict[Any, str] = {  # for messages
    Divergence: "ngd",
    Calibration: Stochastic.family,
    **{each: each.owner() for each in PRECONDITIONERS},
}
RECORDS: tuple[Any, ...] = (
    SharedOptions, Stochastic, *PRECONDITIONERS, Auto, Divergence, WholeCorpus, Calibration, Margin, Perceptron, Arow,
    QuasiNewton,
)  # fmt: skip


@cache
def all_options() -> dict[str, Found]:
    """Every option there is, by name: what the command line and docs/options.md show.

    >>> all_options()["c1"].option.help
    'L1 penalty C·‖θ‖₁; lbfgs only.'
    """
    found: dict[str, Found] = {}
    for record in RECORDS:
        found |= {name: each for name, each in options_of(record).items() if name not in found}
    return found | {"batch": Found("batch", (), BATCH, bool, False, False)}


def misplaced(name: str, recipe: Recipe, called: Mapping[str, str]) -> InputError:
    """What to say of an option that the recipe does not have.

    >>> from tagfield.train import RECIPES
    >>> print(misplaced("pa_c", RECIPES["arow"], {}))
    pa_c applies only to pa, not to arow
    """
    shown, there = called.get(name, name), recipe.name or recipe.family
    if name not in all_options():
        hint = did_you_mean(name, all_options(), otherwise="docs/options.md lists the options")
        return InputError(f"no option named {shown!r}; {hint}")
    if recipe.suffix:
        return InputError(f"{shown} does not apply to {there}{recipe.suffix}")
    if name == "batch":
        owners = [Stochastic.family]
    else:
        owners = [OWNERS.get(record) or record.family for record in RECORDS[1:] if name in direct(record)]
        owners = list(dict.fromkeys(owners)) or list(options_of(SharedOptions)[name].option.applies)
    listed = owners[0] if len(owners) == 1 else f"{', '.join(owners[:-1])} and {owners[-1]}"
    return InputError(f"{shown} applies only to {listed}, not to {there}")


def direct(record: Any) -> set[str]:
    """The names of a record's own options, without those of the records inside it."""
    return {found.name for found in options_of(record).values() if len(found.path) == 1}
