"""Training: encoded data and settings in, weights out.

    recipes/     records of options, and the table of named recipes; Settings: a recipe, and options of every recipe
    problem/     what a trainer works on: sentences, features, the weights to start from
    trainers/    one file for each algorithm: a pass over the problem changes the weights
    loop/        train(): epochs, held-out data, history, when to stop; Trained: what it ends with
    progress/    shows the epochs on a terminal or in a notebook

A room knows those above it in this list, not those below.
"""

from tagfield.train.loop.driver import train
from tagfield.train.loop.history import Epoch
from tagfield.train.loop.trained import Trained
from tagfield.train.recipes.default import DEFAULT
from tagfield.train.recipes.settings import Settings
from tagfield.train.recipes.table import RECIPES

__all__ = ["DEFAULT", "RECIPES", "Epoch", "Settings", "Trained", "train"]
