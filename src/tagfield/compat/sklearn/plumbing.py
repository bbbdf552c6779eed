"""What scikit-learn asks of an estimator: its arguments, its tags, and whether it is fitted."""

import inspect
import os
from typing import Any

from sklearn.base import BaseEstimator

from tagfield.compat.sklearn.fitted import Fitted


class Plumbing(Fitted, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The methods of CRF that scikit-learn calls.

    A subclass may have arguments of its own and pass the others on:

    >>> from tagfield import CRF
    >>> class Mine(CRF):
    ...     def __init__(self, extra=1, **others):
    ...         super().__init__(**others)
    ...         self.extra = extra
    >>> found = Mine(extra=2, c2=0.5).get_params()
    >>> found["extra"], found["c2"]
    (2, 0.5)
    """

    @classmethod
    def _get_param_names(cls) -> list[str]:
        """The arguments of __init__; if it passes others on by **kwargs, also those of the class above it."""
        names: set[str] = set(super()._get_param_names())
        for above in cls.__mro__:
            parameters = inspect.signature(above.__init__).parameters.values()  # type: ignore[misc]
            names |= {p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)} - {"self"}
            if not any(p.kind is p.VAR_KEYWORD for p in parameters):
                break
        return sorted(names)

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_model() or os.path.isfile(self.model_filename or "")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        tags.input_tags.dict = True
        tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"requires_y": True, "X_types": ["dict", "string"]}
