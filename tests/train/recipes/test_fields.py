"""Fields that are options: their checks, whoever calls them what, and their lines in help()."""

import math
import re
from typing import Any

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.crfsuite_recipes import Arow, Margin, Perceptron, QuasiNewton
from tagfield.train.recipes.fields import Found, Option, default_text
from tagfield.train.recipes.preconditioners import AdaGrad, MetaDescent, Newton, SgdQn
from tagfield.train.recipes.stochastic import Stochastic
from tagfield.train.recipes.updates import Calibration, Divergence
from tagfield.train.recipes.variants import Auto, WholeCorpus

OPTIONS = all_options()
EVERY = pytest.mark.parametrize("found", list(OPTIONS.values()), ids=list(OPTIONS))
NUMBERS = [found for found in OPTIONS.values() if found.kind in (int, float) and not found.option.choices]
RECORDS = (Settings, Stochastic, Auto, WholeCorpus, QuasiNewton, Margin, Perceptron, Arow)
PARTS = (AdaGrad, Newton, SgdQn, MetaDescent, Calibration, Divergence)


def home(found: Found) -> str:
    """A recipe that has the option."""
    for name in ("u2.g1", "adaptive", "newton", "sgdqn", "smd", "ngd", "pa", "arow", "lbfgs"):
        try:
            Settings.of(name, **{found.name: found.value})
        except InputError:
            continue
        return name
    raise AssertionError(f"no recipe has {found.name}")


def refusal(found: Found, value: Any) -> str:
    with pytest.raises(InputError) as error:
        Settings.of(home(found), **{found.name: value})
    return str(error.value)


@EVERY
def test_help_of_a_record_shows_it(found: Found) -> None:
    """By the name of the record's field; `batch` is a choice between two records, and a field of none."""
    if found.name == "batch":
        return
    field = found.path[-1]
    named = f"{field}: " if field == found.name else f"{field} ({found.name} in Settings.of): "
    line = f"    {named}{found.option.help} Default: {default_text(found)}."
    assert any(line in (record.__doc__ or "").splitlines() for record in (*RECORDS, *PARTS))


@pytest.mark.parametrize("record", [*RECORDS, *PARTS])
def test_help_of_a_record_names_only_its_own_arguments(record: type) -> None:
    documented = re.findall(r"^    (\w+)(?: \(\w+ in Settings\.of\))?: .* Default: ", record.__doc__ or "", re.M)
    assert documented
    assert set(documented) <= set(record.__dataclass_fields__)  # type: ignore[attr-defined]


@pytest.mark.parametrize("found", NUMBERS, ids=lambda found: found.name)
def test_bounds_are_enforced(found: Found) -> None:
    option, name, step = found.option, found.name, 1 if found.kind is int else 0.5
    good: list[float] = []
    if option.low is not None:
        bound = f"at least {option.low:g}" if option.low else "≥ 0"
        assert refusal(found, option.low - step) == f"{name} must be {bound}, got {option.low - step:g}"
        good.append(option.low)
    if option.above is not None:
        assert refusal(found, option.above) == f"{name} must be above {option.above:g}, got {option.above:g}"
        good.append(math.nextafter(option.above, math.inf))
    if option.high is None:
        end = "a whole number" if found.kind is int else "a finite number"
        assert refusal(found, math.inf).startswith(f"{name} must be {end}, got inf")
    elif math.isfinite(option.high):
        above = option.high * 2
        assert refusal(found, above) == f"{name} must be at most {option.high:.10g}, got {above:g}"
        good.append(option.high)
    assert refusal(found, math.nan)
    assert refusal(found, 10**400).startswith(f"{name} must be a finite number, got one of 401 digits")
    if found.kind is int and option.high is None:
        assert refusal(found, 2**40) == f"{name} must be at most 2147483647, got 1.09951e+12"
    if found.kind is int:
        assert refusal(found, 1.5) == f"{name} must be a whole number, got 1.5"
    for wrong in ("1", True, [1.0]):
        assert refusal(found, wrong) == f"{name} must be a number, got {wrong!r}"
    for value in good:
        made = Settings.of(home(found), **{name: found.kind(value)})
        assert made.to_dict()[name] == value
    assert found.optional or refusal(found, None) == f"{name} must be a number, got None"


@pytest.mark.parametrize("number", [np.float32(2.0), np.int64(2), np.float64(2.0), 2])
def test_numbers_of_numpy_become_pythons(number: Any) -> None:
    made = Settings.of("u2.g1", rate=number, epochs=number).to_dict()
    assert (type(made["rate"]), type(made["epochs"])) == (float, int)
    assert (made["rate"], made["epochs"]) == (2.0, 2)


@pytest.mark.parametrize("found", [f for f in OPTIONS.values() if f.option.choices], ids=lambda f: f.name)
def test_choices_are_listed(found: Found) -> None:
    offered = ", ".join(found.option.choices or ())
    for wrong in ("nonsense", "", 7):
        assert refusal(found, wrong) == f"{found.name} must be one of {offered}; got {wrong!r}"
    for choice in found.option.choices or ():
        assert Settings.of(home(found), **{found.name: choice}).to_dict()[found.name] == choice


@pytest.mark.parametrize("name", ["average", "pa_average", "pa_cost_sensitive"])
def test_flags_are_true_or_false(name: str) -> None:
    found = OPTIONS[name]
    for wrong in ("yes", 2, None):
        assert refusal(found, wrong) == f"{name} must be True or False, got {wrong!r}"
    for value in (True, 1, np.bool_(True)):
        assert Settings.of(home(found), **{name: value}).to_dict()[name] is True


def test_messages_name_an_option_as_the_caller_does() -> None:
    called = {"num_memories": "--num-memories", "average": "--average", "batch": "--batch"}
    with pytest.raises(InputError, match=r"^--num-memories must be at least 1, got 0$"):
        Settings.of("lbfgs", called, num_memories=0)
    with pytest.raises(InputError, match=r"^--average applies only to stochastic recipes, not to lbfgs$"):
        Settings.of("lbfgs", called, average=True)
    with pytest.raises(InputError, match=r"^--batch applies only to stochastic recipes, not to pa$"):
        Settings.of("pa", called, batch=True)
    with pytest.raises(InputError, match=r"^num_memories must be at least 1, got 0$"):
        QuasiNewton(num_memories=0)
    with pytest.raises(InputError, match=r"^c must be above 0, got 0$"):
        Margin(c=0.0)
    with pytest.raises(InputError, match=r"^delta must be above 0, got -1$"):
        AdaGrad(-1.0)


def test_a_record_made_by_hand_takes_what_can_be_written() -> None:
    assert Stochastic(RECIPES["sgd"].response, "adaptive").preconditioner == AdaGrad()  # type: ignore[arg-type]
    assert Stochastic(RECIPES["sgd"].response, AdaGrad(0.5)).preconditioner == AdaGrad(0.5)
    assert QuasiNewton(num_memories=3.0).num_memories == 3  # type: ignore[arg-type]


def test_an_option_without_bounds_takes_any_finite_number() -> None:
    assert Option("Any number.").check("x", 3, float) == 3.0
    with pytest.raises(InputError, match=r"^x must be a finite number, got -inf$"):
        Option("Any number.").check("x", -math.inf, float)
