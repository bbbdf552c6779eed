"""Training: recipes in, weights out. `driver.py` is the way through; each family of trainers has a file."""

from tagfield.train.driver import Trained, train
from tagfield.train.progress import Epoch
from tagfield.train.recipes import DEFAULT, RECIPES, Recipe
from tagfield.train.settings import Settings

__all__ = ["DEFAULT", "RECIPES", "Epoch", "Recipe", "Settings", "Trained", "train"]
