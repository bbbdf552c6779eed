"""Estimator: what every scikit-learn estimator has: its arguments, what it has learned, and its files.

    arguments ─▶ get_params, set_params, clone
    FittedModel, None before fit ─▶ model_ · classes_ · … ─▶ save, pickle ─▶ load

crf.py adds training and prediction. Before fit the attributes are None, as in sklearn-crfsuite.
"""

import inspect
import os
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any, TypeVar

from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from tagfield.compat.pycrfsuite.tagger import Source, Tagger
from tagfield.compat.sklearn.fitted_model import FittedModel
from tagfield.compat.sklearn.modelfile import ModelFile
from tagfield.compat.sklearn.old_pickles import arguments_of, is_old_state
from tagfield.compat.sklearn.predicting import Predictor, TaggedSequence
from tagfield.compat.sklearn.weight_tables import tables_of
from tagfield.model.formats.pickles import model_of_estimator
from tagfield.model.model import Model
from tagfield.train import Epoch
from tagfield.train.loop.training_log import TrainingLog, iterations_of

Self = TypeVar("Self", bound="Estimator")


class Estimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The base class of CRF, which documents the arguments.

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

    _fitted: FittedModel | None = None
    history_: list[dict[str, Any]]

    # fmt: off
    def __init__(
        self, algorithm: str | None = None,
        # Features
        min_freq: float | None = None, all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        # lbfgs, in part l2sgd
        c1: float | None = None, c2: float | None = None, max_iterations: int | None = None,
        num_memories: int | None = None, epsilon: float | None = None, period: int | None = None,
        delta: float | None = None, linesearch: str | None = None, max_linesearch: int | None = None,
        # l2sgd
        calibration_eta: float | None = None, calibration_rate: float | None = None,
        calibration_samples: int | None = None, calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        # pa, arow
        pa_type: int | None = None, c: float | None = None, error_sensitive: bool | None = None,
        averaging: bool | None = None, variance: float | None = None, gamma: float | None = None,
        # sklearn-crfsuite's own
        verbose: bool = False, model_filename: Any = None, keep_tempfiles: bool = False, trainer_cls: Any = None,
        *,
        # The recipes of tagfield
        template: Any = None, rate: float | None = None, rate_by: str | None = None, loss: str | None = None,
        generator: str | None = None, respond: str | None = None, generators: Any = None, metric: str | None = None,
        average: bool | None = None,
        block: int | None = None, minibatch: int | None = None, minibatch_mean: bool | None = None,
        anneal: float | None = None, cost: float | None = None, adagrad_delta: float | None = None,
        newton_delta: float | None = None, qn_skip: int | None = None, qn_bound: float | None = None,
        smd_mu: float | None = None, smd_lambda: float | None = None, batch: bool | None = None,
        calibrate: bool | None = None, pruning: Any = None,
        # scikit-learn's usual ones, and constraints
        class_weight: Any = None, warm_start: bool = False, early_stopping: bool = False, n_iter_no_change: int = 5,
        validation_fraction: float = 0.1, monitor: str | None = None, constraints: Any = None,
        constrain_training: bool = False, random_state: Any = None, n_jobs: int | None = None,
        callbacks: Iterable[Callable[[Epoch], bool | None]] | None = None,
    ) -> None:
        self.__dict__ |= {name: value for name, value in locals().items() if name not in ("self", "__class__")}
    # fmt: on

    # Arguments, as scikit-learn asks for them

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

    def _arguments(self) -> SimpleNamespace:
        """CRF's arguments. get_params lists those of a subclass, which may have others."""
        return SimpleNamespace(**{name: getattr(self, name) for name in ARGUMENTS})

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted is not None or os.path.isfile(self.model_filename or "")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        tags.input_tags.dict = True
        tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"requires_y": True, "X_types": ["dict", "string"]}

    # What was learned

    @property
    def model_(self) -> Model:
        """The fitted model; after partial_fit it is created on first access."""
        if self._fitted is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'model_'; call fit first")
        return self._fitted.made(self.constraints)

    @model_.setter
    def model_(self, model: Model) -> None:
        fitted = self._fitted
        self._fitted = FittedModel.restored(model) if fitted is None else fitted.settled(self.constraints, model)

    @property
    def classes_(self) -> list[Any] | None:
        """The labels, in order of first occurrence."""
        found = self._found()
        return None if found is None else list(found.classes)  # a copy, for scripts that remove "O" from it

    @property
    def attributes_(self) -> list[str] | None:
        """The attributes that have a weight."""
        return self.model_.attributes.strings() if self._found() else None

    @property
    def num_attributes_(self) -> int | None:
        """Number of attributes that have a weight."""
        return len(self.model_.attributes) if self._found() else None

    @property
    def state_features_(self) -> dict[tuple[str, Any], float] | None:
        """{(attribute, label): weight} for weights other than 0."""
        return self._made().state_features if self._found() else None

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float] | None:
        """{(from, to): weight} for weights other than 0."""
        return self._made().transition_features if self._found() else None

    @property
    def size_(self) -> int | None:
        """Size of the model's arrays and metadata in bytes, as in its file; size_report() has the arrays alone."""
        return self.model_.size if self._found() else None

    @property
    def seen_(self) -> int:
        """Number of sequences that partial_fit has seen."""
        seen = None if self._fitted is None else self._fitted.seen
        if seen is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'seen_'; call partial_fit first")
        return seen

    @property
    def training_log_(self) -> Any:
        """The passes of the last fit, in the format of python-crfsuite's log parser; with trainer_cls, its `logparser`.

        >>> from tagfield import CRF
        >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]], [[["a"]]], [["X"]])
        >>> crf.training_log_.last_iteration["scores"]["X"].f1, crf.training_log_.iterations[0]["linesearch_trials"]
        (1.0, 2)
        """
        found = self._found()
        if found is None:
            return None
        if found.log is not None:
            return found.log
        iterations = iterations_of(found.epochs, self.model_.labels.strings(), found.names.label)
        return TrainingLog(iterations, getattr(self, "generated_", self.model_.features.size), *found.seconds)

    @property
    def tagger_(self) -> Tagger | None:
        """python-crfsuite's Tagger on this CRF; the same object until the next fit.

        >>> from tagfield import CRF
        >>> tagger = CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).tagger_
        >>> tagger.tag([["a"], ["b"]]), tagger.labels()
        (['X', 'Y'], ['X', 'Y'])
        """
        found = self._found()
        if found is not None and found.tagger is None:
            ids = {label: i for i, label in enumerate(found.classes)}
            source = Source(lambda x: TaggedSequence(x, self._predictor()), found.classes, ids, self._info)
            found.tagger = Tagger.of(source)
        return None if found is None else found.tagger

    @property
    def modelfile(self) -> ModelFile:
        """The file of the model, under sklearn-crfsuite's name; see `ModelFile.name`."""
        fitted = self._fitted
        if fitted is None:
            return ModelFile(self.model_filename, None, keep=self.keep_tempfiles)
        if fitted.file is None:
            named = fitted.named(self.model_, self.constraints)
            fitted.file = ModelFile(self.model_filename, named, keep=self.keep_tempfiles)
        return fitted.file

    # Files

    def save(self, path: str | os.PathLike[str], format: str = "tagfield") -> None:
        """Save the model to a file, without pickle; `CRF.load` and `Model.load` read it.

        format: 'tagfield', or 'crfsuite', 'crfpp' or 'wapiti' for that program; see `Model.save`

        The file keeps the constraints, and the labels as they are: strings, numbers, booleans or tuples of them. Labels
        of other types raise InputError. A failed write leaves no partial file.

        >>> import tempfile
        >>> from tagfield import CRF
        >>> path = tempfile.mkdtemp() + "/small.tagfield"
        >>> CRF().fit([[["a"], ["b"]]], [[1, 2]]).save(path)
        >>> CRF.load(path).predict([[["b"], ["a"]]])
        [[2, 1]]
        """
        fitted = self._made()
        fitted.named(self.model_, self.constraints).save(path, format)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Load a CRF from a file. It predicts with the saved model; its arguments are the defaults.

        Only `template` and `constraints` are the model's: a model of words, also one that `tagfield train` saved, reads
        words.
        """
        loaded = cls()
        fitted = loaded._restore(Model.load(path))
        loaded.template = loaded.model_.template
        loaded.constraints, fitted.saved_constraints = fitted.saved_constraints, None
        return loaded

    @classmethod
    def from_sklearn_crfsuite(cls: type[Self], old: Any) -> Self:
        """A CRF with the model and the arguments of a fitted CRF of sklearn-crfsuite; it predicts the same labels.

        `model_filename` is not taken over, so that fit does not replace the old file. For a pickle that you do not want
        to run, use `tagfield convert-model old.pkl new`.

        >>> from tagfield import CRF
        >>> CRF.from_sklearn_crfsuite(None)
        Traceback (most recent call last):
        tagfield.errors.InputError: this needs a fitted CRF of sklearn-crfsuite, got NoneType; fit it first
        """
        model = Model.load_bytes(model_of_estimator(old))
        given = old.get_params(deep=False) if hasattr(old, "get_params") else {}
        made = cls()
        known = made.get_params(deep=False).keys() - {"model_filename", "trainer_cls"}
        made.set_params(**{name: value for name, value in given.items() if name in known})
        made._restore(model)
        return made

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()
        if self._fitted is not None:
            state["_fitted"] = self._fitted.settled(self.constraints)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if not is_old_state(state):
            super().__setstate__(state)
            return
        Estimator.__init__(self)  # the arguments that sklearn-crfsuite does not have
        found, data = arguments_of(state)
        self.__dict__.update(found)
        if data is not None:
            self._restore(Model.load_bytes(data))

    # Inside

    def _restore(self, model: Model) -> FittedModel:
        self._fitted = FittedModel.restored(model)
        self._fitted.model = self._fitted.named(model, self.constraints)
        self.history_ = []
        return self._fitted

    def _found(self) -> FittedModel | None:
        """What was fitted, or what is in the model file; None if there is neither. It makes no model of a stream."""
        if self._fitted is None and self.model_filename is not None and os.path.isfile(self.model_filename):
            self._restore(Model.load(self.model_filename))
        return self._fitted

    def _made(self) -> FittedModel:
        """What was fitted, with its model; NotFittedError if there is none."""
        found = self._found()
        if found is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        found.made(self.constraints)
        return found

    def _predictor(self) -> Predictor:
        fitted = self._fitted or self._made()
        found = fitted.predictor
        if found is None or found.given is not self.constraints or found.n_jobs is not self.n_jobs:
            found = fitted.predictor = Predictor(fitted, self.constraints, self.n_jobs)
        return found

    def _info(self) -> Any:
        """What `tagger_.info()` returns."""
        fitted = self._made()
        return tables_of(self.model_, fitted.classes, fitted.state_features, fitted.transition_features)


ARGUMENTS = tuple(inspect.signature(Estimator).parameters)
