"""The names of python-crfsuite's module of this name."""

from tagfield.compat.pycrfsuite.items import ItemSequence
from tagfield.compat.pycrfsuite.tagger import Tagger
from tagfield.compat.pycrfsuite.trainer import BaseTrainer, CRFSuiteError, Trainer

CRFSUITE_VERSION = "0.12.2"

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
