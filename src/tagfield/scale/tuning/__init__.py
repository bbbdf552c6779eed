"""Tuning: which settings and which template label your data best, by cross-validation.

candidates.py  what is tried, the default first        statistics.py  paired differences over folds
rounds.py      how a budget of runs is spent           state.py       finished runs, in a file
folds.py       one run: train on some folds, score     tuning.py      tune() and its result
config.py      the choice as a TOML file and as a command
"""

from tagfield.scale.tuning.candidates import Candidate
from tagfield.scale.tuning.tuning import Tuning, tune

__all__ = ["Candidate", "Tuning", "tune"]
