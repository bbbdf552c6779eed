"""The scorers of tagfield.metrics, importable as in sklearn-crfsuite.

>>> from tagfield import CRF, scorers
>>> X, y = [[["a"], ["b"]]] * 2, [["X", "Y"]] * 2
>>> scorers.sequence_accuracy(CRF().fit(X, y), X, y)
1.0
"""

from tagfield.metrics import chunk_f1, chunk_precision, chunk_recall, flat_accuracy, sequence_accuracy

__all__ = ["chunk_f1", "chunk_precision", "chunk_recall", "flat_accuracy", "sequence_accuracy"]
