"""eli5.explain_weights and eli5.show_weights for CRF.

    import eli5 ─▶ registered in eli5.explain_weights ─▶ explain_weights(crf) ─▶ eli5's Explanation

eli5 chooses a function by the type of its argument, and knows sklearn-crfsuite's CRF. It takes seconds to import, so
tagfield waits until you import it.
"""

import re
import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.util import find_spec
from typing import Any

import numpy as np

from tagfield.data.dataset import Doubles
from tagfield.evaluate import split_label

ELI5 = "eli5"


def offer_to_eli5(kind: type) -> None:
    """Register a class with eli5: now if it is imported, else when it is."""
    if ELI5 in sys.modules:
        _register(kind)
    else:
        sys.meta_path.insert(0, _Waiting(kind))


def _register(kind: type) -> None:
    explain: Any = getattr(sys.modules[ELI5], "explain_weights", None)
    if hasattr(explain, "register"):
        explain.register(kind, explained_weights)


class _Waiting(MetaPathFinder):
    """Sees the import of eli5, leaves it to the other finders, and registers the class when it is done."""

    def __init__(self, kind: type) -> None:
        self._kind = kind

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname != ELI5:
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                _register(self._kind)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]  # each module has its own loader
        return spec


def explained_weights(
    crf: Any,
    top: int | tuple[int, int] | None = 20,
    target_names: Any = None,
    targets: Sequence[Any] | None = None,
    feature_re: str | None = None,
    feature_filter: Callable[[str], bool] | None = None,
) -> Any:
    """The weights of a CRF as eli5's Explanation; the arguments are those of eli5.explain_weights.

    top: how many features of each label to show, by absolute weight; or how many positive and how many negative ones
    target_names: other names for the labels: a list in the order of classes_, or a dict
    targets: the labels to show; by default all, those of a type together
    feature_re, feature_filter: show only features that match, or for which the function returns True
    """
    from eli5.base import Explanation, TargetExplanation, TransitionFeatureWeights

    classes = list(crf.tagger_.labels())
    chosen = sorted(classes, key=_by_type) if targets is None else list(targets)
    ids = [classes.index(label) for label in chosen]
    shown = (
        dict(zip(classes, target_names, strict=True)) if isinstance(target_names, list) else dict(target_names or {})
    )
    names = [shown.get(label, label) for label in chosen]
    model = crf.model_
    attributes = model.attributes.strings()
    places = np.flatnonzero(model.weights.state.reshape(-1))
    attribute, label = model.features.locate(places)
    weight = model.weights.state.reshape(-1)[places].astype(np.float64)
    matches = np.array([_shown(name, feature_re, feature_filter) for name in attributes], bool)
    found = []
    for i, name in zip(ids, names, strict=True):
        own = (label == i) & matches[attribute]
        features = _top([attributes[a] for a in attribute[own]], weight[own], top)
        found.append(TargetExplanation(target=name, feature_weights=features))
    between = model.weights.transitions()[np.ix_(ids, ids)].astype(np.float64)
    transitions = TransitionFeatureWeights(class_names=names, coef=between)
    return Explanation(estimator=repr(crf), method="CRF", targets=found, transition_features=transitions)


def _by_type(label: Any) -> tuple[str, str]:
    """O first, then the labels of each type together."""
    return split_label(str(label))[1] if "-" in str(label) else "", str(label)


def _shown(name: str, pattern: str | None, chosen: Callable[[str], bool] | None) -> bool:
    return (pattern is None or re.search(pattern, name) is not None) and (chosen is None or bool(chosen(name)))


def _top(names: list[str], weights: Doubles, top: int | tuple[int, int] | None) -> Any:
    """The features with the largest weights as eli5's FeatureWeights, with the number of those left out."""
    from eli5.base import FeatureWeight, FeatureWeights

    order = np.argsort(-np.abs(weights), kind="stable")
    order = order if top is None or isinstance(top, tuple) else order[:top]
    most = top if isinstance(top, tuple) else (None, None)
    sides = [[FeatureWeight(names[i], float(weights[i])) for i in order if sign * weights[i] > 0] for sign in (1, -1)]
    pos, neg = (side[:count] for side, count in zip(sides, most, strict=True))
    left = int((weights > 0).sum()) - len(pos), int((weights < 0).sum()) - len(neg)
    return FeatureWeights(pos=pos, neg=neg, pos_remaining=left[0], neg_remaining=left[1])
