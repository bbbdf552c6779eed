"""Class weights: what a token of each label weighs in the likelihood.

    loss of a sentence = Σ_t w(y_t)·(−log p(y_t | x))

A token of a class that weighs 10 counts like ten tokens: more of them are found, and more others are taken for them.
Without class weights the loss is −log p(y | x), that of whole sequences, and no label of a sequence has a part of it to
itself. Three other ways were tried. To weigh sequences by their tokens also raises the weight of the frequent tokens
beside a rare one, so fewer of the rare are found. A handicap on each label while weights are learned is multiplied
along every chunk, and ruins F1. The loss of sequences with the terms of heavy tokens added to it is lowest where a
little probability is on sequences in which every label is the rare one. kernel/chain/token_losses.hpp has the gradient.

Only plain gradients of a likelihood know class weights: a response that flattens large gradients would take them away
again. CRF("default") leaves out its softmax margin with them, which costs precision.

Sham Kakade, Yee Whye Teh and Sam Roweis, "An alternate objective function for Markovian fields", ICML 2002, train on
the probabilities of tokens.
"""

import numpy as np
from numpy.typing import ArrayLike

from tagfield._text import Vocabulary
from tagfield.dataset import Doubles
from tagfield.errors import InputError
from tagfield.train.recipe import Descent, Recipe
from tagfield.train.variants import Auto

INSTEAD = "use lbfgs, l2sgd or adaptive"


def read_class_weight(
    class_weight: ArrayLike | None, labels: int, recipe: Recipe, edges: Vocabulary | None = None
) -> Doubles | None:
    """Class weights as an array [L]; None if there are none, or if they are all 1.

    An InputError if they are not one finite number above 0 for each label, or if the recipe cannot weigh tokens.

    >>> from tagfield.train import RECIPES
    >>> read_class_weight([1, 4], 2, RECIPES["lbfgs"]).tolist()
    [1.0, 4.0]
    >>> read_class_weight([1, 4], 2, RECIPES["pa"])
    Traceback (most recent call last):
    tagfield.errors.InputError: class_weight weighs the likelihood of tokens; pa has none; use lbfgs, l2sgd or adaptive
    """
    if class_weight is None:
        return None
    weight = np.ascontiguousarray(class_weight, np.float64)
    if weight.shape != (labels,) or not (np.isfinite(weight) & (weight > 0)).all():
        raise InputError(f"class_weight must be {labels} finite numbers above 0, one for each label")
    if (weight == 1).all():
        return None
    if not recipe.has_likelihood:
        name = f"{recipe.name}{recipe.suffix}"
        raise InputError(f"class_weight weighs the likelihood of tokens; {name} has none; {INSTEAD}")
    if isinstance(recipe, Auto) or (isinstance(recipe, Descent) and not recipe.linear):
        name = f"{recipe}{recipe.suffix}"
        raise InputError(f"class_weight does not apply to {name}, which flattens large gradients; {INSTEAD}")
    if edges is not None and len(edges):
        raise InputError(
            "class_weight does not apply to transitions that look at the input; use a template without them"
        )
    return weight
