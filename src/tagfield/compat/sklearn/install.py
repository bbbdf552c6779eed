"""tagfield by the names of sklearn-crfsuite, for programs that import it and for pickles that it wrote.

import sklearn_crfsuite ─▶ CRF · metrics · scorers · utils · estimator · trainer · compat
joblib.load(old file) ─▶ sklearn_crfsuite.estimator.CRF, _fileresource.FileResource ─▶ a CRF of tagfield
"""

import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from sklearn.base import BaseEstimator

from tagfield import metrics, scorers, utils
from tagfield.compat.pycrfsuite import install_as_pycrfsuite
from tagfield.compat.pycrfsuite.trainer import Trainer
from tagfield.compat.sklearn.crf import CRF
from tagfield.compat.sklearn.old_pickles import FileResource

NAME = "sklearn_crfsuite"


class LinePerIterationTrainer(Trainer):
    """A Trainer that prints one line for each iteration."""

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        scores = ("avg_precision", "avg_recall", "avg_f1", "item_accuracy_float", "instance_accuracy_float")
        shown = {name: info[name] for name in ("loss", "active_features", "feature_norm", *scores) if name in info}
        found = "  ".join(f"{name}={value:.3f}" for name, value in shown.items())
        print(f"Iter {info['num']:<3} time={info['time']:.2f}  {found}")


def install_as_sklearn_crfsuite() -> None:
    """Let `import sklearn_crfsuite` find tagfield, in this process, for programs and for pickles that name it.

    Call it before you import a package that uses sklearn-crfsuite, and before `joblib.load` or `pickle.load` of a CRF
    that sklearn-crfsuite wrote. Neither sklearn-crfsuite nor python-crfsuite need be installed: `pycrfsuite` becomes
    tagfield, too (`install_as_pycrfsuite`). A pickle is a program: load only those that you trust, and take the model
    out of others with `tagfield convert-model`.

    >>> before = {name: module for name, module in sys.modules.items() if "crfsuite" in name.partition(".")[0]}
    >>> install_as_sklearn_crfsuite()
    >>> import sklearn_crfsuite
    >>> sklearn_crfsuite.CRF.__module__, sklearn_crfsuite.metrics.__name__
    ('tagfield.compat.sklearn.crf', 'tagfield.metrics')
    >>> for name in [name for name in sys.modules if "crfsuite" in name.partition(".")[0]]:
    ...     del sys.modules[name]
    >>> sys.modules.update(before)
    """
    install_as_pycrfsuite()
    package = _module(NAME, CRF=CRF)
    package.__path__ = []
    for name, module in {
        "estimator": _module(f"{NAME}.estimator", CRF=CRF, FileResource=FileResource),
        "_fileresource": _module(f"{NAME}._fileresource", FileResource=FileResource),
        "trainer": _module(f"{NAME}.trainer", LinePerIterationTrainer=LinePerIterationTrainer),
        "compat": _module(f"{NAME}.compat", BaseEstimator=BaseEstimator),
        "metrics": metrics,
        "scorers": scorers,
        "utils": utils,
    }.items():
        sys.modules[f"{NAME}.{name}"] = module
        setattr(package, name, module)
    sys.modules[NAME] = package


def _module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name, "tagfield by the name of a module of sklearn-crfsuite.")
    made.__spec__ = ModuleSpec(name, None)
    vars(made).update(names)
    return made
