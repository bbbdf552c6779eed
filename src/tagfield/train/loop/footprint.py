"""Whether a trainer's arrays fit into memory, before it makes them.

Problem ─▶ recipe.copies · (places of weights, features) ─▶ memory.check_fits, with advice on what would fit
"""

from tagfield.system.memory import check_fits, room_left, spell
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.recipe import Recipe
from tagfield.train.recipes.table import RECIPES
from tagfield.weights.layout import FeatureSet

LEAN = "sgd"  # no recipe holds fewer arrays


def check_training(problem: Problem, *, scored: bool) -> None:
    """Raise MemoryLimitError if training does not fit; `scored`: held-out data is scored after every pass.

    >>> from tagfield.data.encode import encode_sequences
    >>> from tagfield.train.recipes.settings import Settings
    >>> check_training(Problem.of(encode_sequences([[["a"]]], [["X"]]), Settings("lbfgs")), scored=False)
    """
    settings, features = problem.settings, problem.features
    windows = 0 if problem.disk is None else problem.disk.bytes
    needed = windows + training_bytes(settings.recipe, features, settings.c1, settings.thread_count, scored=scored)
    less = windows + training_bytes(RECIPES[LEAN], features, 0.0, 1, scored=scored)
    advice = []
    if less < needed and less <= room_left():
        advice.append(f"use {LEAN}, which needs about {spell(less)}")
    if windows > 0.2 * needed:
        advice.append("use a smaller --window")
    if features.kind == "all":
        advice.append("use only observed pairs (features='observed', all_possible_states=False)")
    advice.append("drop rare attributes (min_count, min_freq), or hash them (tagfield pack --hash-bits)")
    what = f"training {features.size:,} weights with {settings.recipe.name or settings.recipe.family}"
    check_fits(needed, what, ", ".join(advice))


def training_bytes(recipe: Recipe, features: FeatureSet, c1: float, threads: int, *, scored: bool) -> int:
    """Bytes that the trainer of a recipe takes at its peak, beside the data and the marks of the features."""
    places = sum(array.size for array in features.marks.arrays())
    return recipe.copies(c1=c1, threads=threads, scored=scored).bytes(places, features.size) - 4 * places
