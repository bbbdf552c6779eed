"""Training: recipes in, weights out.

recipe.py    what every recipe is                       recipes.py    the table of named recipes
settings.py  a recipe and what belongs to no recipe     default.py    what trains if you name no recipe
trainer.py   what every trainer can do                  problem.py    what a trainer works on
driver.py    train(): the loop over epochs              trained.py    what it ends with
"""

from tagfield.train.loop.driver import train
from tagfield.train.loop.history import Epoch
from tagfield.train.loop.trained import Trained
from tagfield.train.recipes.default import DEFAULT
from tagfield.train.recipes.settings import Settings
from tagfield.train.recipes.table import RECIPES

__all__ = ["DEFAULT", "RECIPES", "Epoch", "Settings", "Trained", "train"]
