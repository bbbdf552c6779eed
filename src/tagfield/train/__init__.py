"""Training: recipes in, weights out.

options.py   what each way of training can be told      recipes.py    the table of named recipes
settings.py  a recipe and what belongs to no recipe     default.py    what trains if you name no recipe
trainer.py   what every trainer can do                  problem.py    what a trainer works on
driver.py    train(): the loop over epochs
"""

from tagfield.train.default import DEFAULT
from tagfield.train.driver import Trained, train
from tagfield.train.history import Epoch
from tagfield.train.recipes import RECIPES
from tagfield.train.settings import Settings

__all__ = ["DEFAULT", "RECIPES", "Epoch", "Settings", "Trained", "train"]
