"""CRF: a scikit-learn estimator with sklearn-crfsuite's arguments and methods.

    X, y ─▶ reading (labels ↔ names, weights, checks) ─▶ parameters (→ Settings) ─▶ train ─▶ Model
    X ────▶ Model ─▶ labels · marginals · n best · spans

Only this package, tagfield.metrics and tagfield.scorers import scikit-learn; the rest of tagfield does not need it.
"""

from tagfield.estimator.crf import CRF

__all__ = ["CRF"]
