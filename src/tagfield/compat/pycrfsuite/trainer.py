"""Trainer: python-crfsuite's, on tagfield's trainers. It writes CRFsuite model files.

    append ─▶ Corpus        set, set_params ─▶ parameters
    train  ─▶ Settings, Encoded ─▶ tagfield.train ─▶ Model ─▶ a .crfsuite file, whole or not at all
                                      └─▶ message (in CRFsuite's words) ─▶ logparser ─▶ on_start, on_iteration, …

All of the state is made by __new__, so a subclass need not call `__init__`, as in python-crfsuite.
"""

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from tagfield.compat.pycrfsuite import messages
from tagfield.compat.pycrfsuite.corpus import Corpus
from tagfield.compat.pycrfsuite.log_parser import TrainLogParser
from tagfield.compat.pycrfsuite.parameters import ALIASES, OPTIONS, parameters_of, settings_of
from tagfield.model.file import Parts
from tagfield.model.formats import write
from tagfield.model.model import Model
from tagfield.train import Epoch, Settings, Trained, train
from tagfield.train.problem.problem import Problem
from tagfield.weights.layout import FeatureSet

TYPE = "crf1d"  # the one graphical model


class CRFSuiteError(Exception):
    """Training failed; python-crfsuite has a class of this name. tagfield raises its own errors."""


class BaseTrainer:
    """Collects sequences and parameters, and trains; `Trainer` also reads the log.

    algorithm: 'lbfgs', 'l2sgd', 'ap', 'pa' or 'arow'
    params: parameters by name, as in `set_params`
    verbose: print the messages
    """

    _ALGORITHM_ALIASES = ALIASES
    _PARAMETER_TYPES: ClassVar[dict[str, Any]] = {
        name: each.kind for algorithm in OPTIONS for name, each in parameters_of(algorithm).items()
    }
    verbose: bool
    _algorithm: str
    _values: dict[str, Any]
    _corpus: Corpus
    _cleared: bool

    def __new__(cls, *args: Any, **kwargs: Any) -> "BaseTrainer":
        made = super().__new__(cls)
        made.verbose = True
        made._corpus, made._cleared = Corpus(), False
        made.select("lbfgs")
        return made

    def __init__(
        self, algorithm: str | None = None, params: Mapping[str, Any] | None = None, verbose: bool = True
    ) -> None:
        self.verbose = verbose
        if algorithm is not None:
            self.select(algorithm)
        if params is not None:
            self.set_params(params)

    # Parameters

    def select(self, algorithm: str, type: str = TYPE) -> None:
        """Choose the training algorithm; its parameters get their defaults."""
        name = ALIASES.get(algorithm, algorithm)
        if name not in OPTIONS or type != TYPE:
            raise ValueError(f"Bad arguments: algorithm={name!r}, type={type!r}")
        self._algorithm = name
        self._values = {}

    def params(self) -> list[str]:
        """The names of the algorithm's parameters."""
        return list(parameters_of(self._algorithm))

    def get_params(self) -> dict[str, Any]:
        """The parameters and their values."""
        return {name: each.default for name, each in parameters_of(self._algorithm).items()} | self._values

    def set_params(self, params: Mapping[str, Any]) -> None:
        """Set several parameters.

        >>> trainer = BaseTrainer("l2sgd")
        >>> trainer.set_params({"c2": 0.5, "max_iterations": 20})
        >>> trainer.get("c2"), trainer.get("period")
        (0.5, 10)
        """
        for name, value in params.items():
            self.set(name, value)

    def get(self, name: str) -> Any:
        """The value of a parameter."""
        if name not in parameters_of(self._algorithm):
            raise ValueError(f"Parameter not found: {name} = ")
        return self.get_params()[name]

    def set(self, name: str, value: Any) -> None:
        """Set a parameter, by a number or its text. `train` refuses a value that is out of range."""
        known = parameters_of(self._algorithm)
        if name not in known:
            raise ValueError(f"Parameter not found: {name} = {value}")
        try:
            self._values[name] = known[name].kind(value)
        except (TypeError, ValueError, OverflowError):
            wanted = {"boolean": "True or False", "whole": "a whole number", "float": "a number"}
            kind = wanted.get(known[name].kind.__name__, "a text")
            raise ValueError(f"parameter {name} must be {kind}, got {value!r}") from None

    def help(self, name: str) -> str:
        """What a parameter does."""
        known = parameters_of(self._algorithm)
        if name not in known:
            raise ValueError(f"Parameter not found: {name}")
        return known[name].help

    # Data

    def append(self, xseq: Any, yseq: Iterable[Any], group: int = 0) -> None:
        """Add a sequence and its labels.

        xseq: items: dicts {attribute: value} or lists of attributes, as in `ItemSequence`
        group: a number; `train(holdout=…)` scores one group instead of training on it
        """
        self._corpus.append(xseq, yseq, group)

    def clear(self) -> None:
        """Remove all sequences."""
        self._corpus, self._cleared = Corpus(), True

    # Training

    def train(self, model: str | bytes | os.PathLike[str], holdout: int = -1) -> None:
        """Train on the appended sequences, and write a model file that python-crfsuite reads too.

        model: the path of the file; with an empty string no file is written
        holdout: the group to score after every iteration instead of training on it; −1 for none
        """
        if self._cleared and not len(self._corpus):
            raise ValueError("The data is empty. Call Trainer::append before Trainer::train.")
        settings = settings_of(self._algorithm, self._values)
        self._corpus.check_names()
        self._before_train()
        path = os.fsdecode(model)
        for text in messages.opening(self.get_params(), holdout):
            self.message(text)
        started = time.perf_counter()
        groups = frozenset(self._corpus.groups)
        parts = self._run(settings, groups, holdout, started) if groups - {holdout} else self._nothing(started)
        started = time.perf_counter()
        self._tell(messages.storing(*_sizes(parts)))
        if path:
            write(parts, path, "crfsuite")
        self._tell(messages.stored(time.perf_counter() - started))

    def message(self, message: str) -> None:
        """Take a message of the training run; override it to get the log."""
        if self.verbose:
            print(message, end="")

    def _before_train(self) -> None:
        """Called before the first message."""

    def _tell(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.message(text)

    def _run(self, settings: Settings, groups: frozenset[int], holdout: int, started: float) -> Parts:
        encoded = self._corpus.encoded(groups - {holdout})
        dev = self._corpus.encoded([holdout]) if holdout in groups else None
        count = sum(Problem.of(encoded, settings).features.counts[:2])
        self._tell(messages.features(count, time.perf_counter() - started))
        self._tell(messages.parameters(self._algorithm, self.get_params(), len(encoded)))
        started, labels = time.perf_counter(), self._corpus.labels.strings()
        done: list[Epoch] = []

        def on_epoch(epoch: Epoch) -> None:
            if not done and self._algorithm == "l2sgd":
                self._tell(messages.calibrated(epoch.rate or 0.0, time.perf_counter() - started - epoch.seconds))
            seconds = epoch.seconds - (done[-1].seconds if done else 0.0)
            self._tell(messages.iteration(self._algorithm, epoch, seconds, done, settings.period, labels))
            done.append(epoch)

        trained: Trained = train(encoded, settings, dev=dev, on_epoch=on_epoch)
        self._tell(messages.ending(self._algorithm, trained, time.perf_counter() - started))
        made = Model.of(encoded, trained)
        return Parts(made.labels, made.attributes, made.features, made.weights, None, {})

    def _nothing(self, started: float) -> Parts:
        """The model of no data: its labels are those of the held-out group."""
        self._tell(messages.features(0, time.perf_counter() - started))
        self._tell(messages.parameters(self._algorithm, self.get_params(), 0))
        self._tell(messages.ending(self._algorithm, None, 0.0))
        attributes, labels = self._corpus.attributes, self._corpus.labels
        nothing: tuple[list[int], list[int], list[float]] = ([], [], [])
        made = FeatureSet.from_triples(len(attributes), len(labels), nothing, nothing, sparse=True)
        return Parts(labels, attributes, *made, None, {})


class Trainer(BaseTrainer):
    """A BaseTrainer that reads its own log: `logparser` has the figures, and methods are called on what happens.

    With verbose=True, the methods on_start, on_featgen_progress, on_featgen_end, on_prepared, on_prepare_error,
    on_iteration, on_optimization_end and on_end are called, and print the log; override what you want to change.

    >>> import tempfile
    >>> trainer = Trainer("ap", {"max_iterations": 1}, verbose=False)
    >>> trainer.append([["a"], ["b"]], ["X", "Y"])
    >>> trainer.train(tempfile.mkdtemp() + "/tiny.crfsuite")
    >>> [found["num"] for found in trainer.logparser.iterations]
    [1]
    """

    logparser: TrainLogParser | None = None

    def _before_train(self) -> None:
        self.logparser = TrainLogParser()

    def message(self, message: str) -> None:
        parser = self.logparser
        assert parser is not None
        event = parser.feed(message)
        if not self.verbose or event is None:
            return
        log, method = parser.last_log, getattr(self, f"on_{event}")
        if event == "featgen_progress":
            method(log, parser.featgen_percent)
        elif event == "iteration":
            method(log, parser.last_iteration)
        else:
            method(log)

    def on_start(self, log: str) -> None:
        print(log, end="")

    on_featgen_end = on_prepared = on_prepare_error = on_optimization_end = on_end = on_start

    def on_featgen_progress(self, log: str, percent: int) -> None:
        print(log, end="")

    def on_iteration(self, log: str, info: dict[str, Any]) -> None:
        print(log, end="")


def _sizes(parts: Parts) -> tuple[int, int, tuple[int, int], int]:
    """Weights that are not 0, all weights, attributes that have one and all attributes, labels."""
    at = parts.features.coordinates()
    state, trans = at.values(parts.weights)[:2]
    active = int(np.count_nonzero(state)) + int(np.count_nonzero(trans))
    alive = len(np.unique(at.attribute[state != 0]))
    return active, len(state) + len(trans), (alive, len(parts.attributes)), len(parts.labels)
