"""The names of python-crfsuite's module of this name."""

from tagfield.compat.pycrfsuite import CRFSUITE_VERSION, BaseTrainer, CRFSuiteError, ItemSequence, Tagger, Trainer

__all__ = ["CRFSUITE_VERSION", "BaseTrainer", "CRFSuiteError", "ItemSequence", "Tagger", "Trainer"]
