"""CRF: the estimator, by scikit-learn's rules and with sklearn-crfsuite's names.

    X, y ─▶ reading (labels ↔ names, weights, checks) ─▶ parameters (→ Settings) ─▶ train ─▶ Model
    X ────▶ Model ─▶ labels · marginals · n best · spans

scikit-learn is imported here and in tagfield.metrics, nowhere else: tagfield itself does not need it.
"""

from tagfield.estimator.crf import CRF

__all__ = ["CRF"]
