"""CRF: a scikit-learn estimator with sklearn-crfsuite's arguments and methods.

    X, y ─▶ reading (labels ↔ names, weights, checks) ─▶ parameters (→ Settings) ─▶ train ─▶ Model
    X ────▶ Model ─▶ labels · marginals · n best · spans

Only this package, tagfield.metrics and tagfield.scorers import scikit-learn; the rest of tagfield does not need it.
"""

from tagfield.compat.sklearn.eli5_weights import offer_to_eli5
from tagfield.errors import needs_sklearn

try:
    from tagfield.compat.sklearn.crf import CRF
    from tagfield.compat.sklearn.install import install_as_sklearn_crfsuite
except ModuleNotFoundError as error:
    raise needs_sklearn("CRF", error) from None

offer_to_eli5(CRF)

__all__ = ["CRF", "install_as_sklearn_crfsuite"]
