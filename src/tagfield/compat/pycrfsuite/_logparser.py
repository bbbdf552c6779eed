"""The names of python-crfsuite's module of this name."""

from tagfield.compat.pycrfsuite.log_parser import LabelScore, TrainLogParser

__all__ = ["LabelScore", "TrainLogParser"]
