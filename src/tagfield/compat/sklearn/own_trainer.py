"""`CRF(trainer_cls=…)`: fit with a trainer of your own, a subclass of `tagfield.pycrfsuite.Trainer`.

    arguments ─▶ the trainer's parameters        X, y ─▶ append (group 0), X_dev, y_dev ─▶ append (group 1)
    train(file, holdout) ─▶ a CRFsuite file ─▶ Model        trainer.logparser ─▶ training_log_

The steps are sklearn-crfsuite's, so hooks such as `on_iteration` and overridden methods work as there.
"""

import inspect
import os
import tempfile
from collections.abc import Mapping
from typing import Any

from tagfield.compat.pycrfsuite.trainer import BaseTrainer
from tagfield.compat.sklearn.fitting import Given
from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.system.checks import not_none

PARAMETERS = {  # of sklearn-crfsuite, where CRFsuite has another name
    "min_freq": "feature.minfreq",
    "all_possible_states": "feature.possible_states",
    "all_possible_transitions": "feature.possible_transitions",
    "pa_type": "type",
    **{f"calibration_{name}": f"calibration.{name}" for name in ("eta", "rate", "samples", "candidates", "max_trials")},
}
NOT_OF_TRAINING = {"algorithm", "verbose", "model_filename", "keep_tempfiles", "trainer_cls", "n_jobs", "constraints"}


def fit_with_trainer(
    arguments: Mapping[str, Any], signature: inspect.Signature, given: Given
) -> tuple[Model, BaseTrainer]:
    """Train with `arguments["trainer_cls"]`; returns the model, and the trainer with its log."""
    trainer_cls = arguments["trainer_cls"]
    if not (isinstance(trainer_cls, type) and issubclass(trainer_cls, BaseTrainer)):
        raise InputError(
            f"trainer_cls must be None or a subclass of tagfield.pycrfsuite.Trainer, got {trainer_cls!r}; "
            "tagfield.install_as_pycrfsuite() makes pycrfsuite.Trainer that class"
        )
    trainer = trainer_cls(
        algorithm=arguments["algorithm"], params=_parameters(arguments, signature), verbose=arguments["verbose"]
    )
    if given.sample_weight is not None:
        raise InputError("sample_weight does not work with trainer_cls; leave one of them out")
    dev: Any = given.eval_set or (None if given.X_dev is None else (given.X_dev, given.y_dev))
    for group, (X, y) in enumerate(
        [(given.X, not_none("y", given.y, "pass the labels of X")), *([dev] if dev else [])]
    ):
        for xseq, yseq in zip(X, y, strict=True):
            trainer.append(xseq, yseq, group)
    with tempfile.TemporaryDirectory() as folder:
        path = arguments["model_filename"] or os.path.join(folder, "model.crfsuite")
        trainer.train(os.fspath(path), -1 if dev is None else 1)
        return Model.load(path), trainer


def _parameters(arguments: Mapping[str, Any], signature: inspect.Signature) -> dict[str, Any]:
    """The arguments that are set, under CRFsuite's names; those that only tagfield's own trainers use are refused."""
    found = {}
    for name, parameter in signature.parameters.items():
        value = arguments[name]
        if name in NOT_OF_TRAINING or value is parameter.default:
            continue
        if parameter.kind is parameter.KEYWORD_ONLY:
            raise InputError(f"{name} does not work with trainer_cls; leave one of them out")
        found[PARAMETERS.get(name, name)] = value
    return found
