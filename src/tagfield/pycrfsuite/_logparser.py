"""The names of python-crfsuite's module of this name."""

from tagfield.pycrfsuite.log_parser import LabelScore, TrainLogParser

__all__ = ["LabelScore", "TrainLogParser"]
