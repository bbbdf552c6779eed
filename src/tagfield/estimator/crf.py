"""The class CRF: fit, partial_fit, predict, score. What it asks of X and y is in reading.py."""

import os
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from threadpoolctl import threadpool_limits  # scikit-learn needs it too

from tagfield.encode import Encoded, Vocabulary, check_weights
from tagfield.errors import InputError
from tagfield.estimator.decoding import Decoding
from tagfield.estimator.fitted import check_folder
from tagfield.estimator.fitting import (
    check_likelihood,
    check_online,
    held_out,
    online_pass,
    read_classes,
    split_held_out,
)
from tagfield.estimator.inspection import Inspection, without_zeros
from tagfield.estimator.labels import LabelNames
from tagfield.estimator.parameters import seed_of, settings_of
from tagfield.estimator.reading import first_unknown, read_labelled
from tagfield.estimator.records import print_epoch
from tagfield.model import Model
from tagfield.train import Epoch, train


class CRF(Decoding, Inspection, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A linear-chain CRF with sklearn-crfsuite's arguments and methods.

    X is an iterable of sequences; a sequence is an iterable of tokens; a token is a dict as in python-crfsuite or an
    iterable of attribute strings. y has a label for each token: any hashable value, or None where nobody knows it.

    algorithm: lbfgs (the default), l2sgd, ap, pa or arow, as in CRFsuite; or a recipe of tagfield, such as u2.g1
    min_freq … gamma: as in sklearn-crfsuite; None is CRFsuite's default for the algorithm (see parameters.py)
    model_filename: where fit saves the model, in tagfield's own format, and where a CRF that was not fitted looks for
        one; keep_tempfiles: there are none to keep

    rate: the first learning rate of a stochastic recipe; None finds one by calibration
    loss, gamma, generator: for the algorithm ngd; respond, metric, average, anneal: for every stochastic recipe
    class_weight: dict, or 'balanced'; a sequence weighs the mean of its tokens' class weights (see reading.py)
    warm_start: fit goes on from the weights, attributes and labels of the last fit
    early_stopping: stop when `monitor` on held-out data has not risen for n_iter_no_change passes, and keep the best
        weights; the held-out data is eval_set or X_dev, or else validation_fraction of the sequences. monitor is
        accuracy, sequence_accuracy, precision, recall, f1 or macro_f1; None is f1 of chunks where labels mark chunks
        (B-NP, I-NP), and else accuracy
    constraints: 'BIO', 'IOBES', a matrix or a function, for predict; with constrain_training=True also for fit
    random_state: a seed; the same seed on one thread gives the same bits. None is always the same seed
    n_jobs: threads, for lbfgs and for predicting; −1 is every core
    callbacks: functions of an Epoch, called after every pass; training stops where one returns True

    >>> X = [[{"w": "the"}, {"w": "dog"}], [{"w": "a"}, {"w": "cat"}]]
    >>> crf = CRF(c2=0.1).fit(X, [["D", "N"], ["D", "N"]])
    >>> crf.predict([[{"w": "the"}, {"w": "cat"}]])
    [['D', 'N']]
    """

    def __init__(
        self,
        algorithm: str | None = None,
        min_freq: float | None = None,
        all_possible_states: bool | None = None,
        all_possible_transitions: bool | None = None,
        c1: float | None = None,
        c2: float | None = None,
        max_iterations: int | None = None,
        num_memories: int | None = None,
        epsilon: float | None = None,
        period: int | None = None,
        delta: float | None = None,
        linesearch: str | None = None,
        max_linesearch: int | None = None,
        calibration_eta: float | None = None,
        calibration_rate: float | None = None,
        calibration_samples: int | None = None,
        calibration_candidates: int | None = None,
        calibration_max_trials: int | None = None,
        pa_type: int | None = None,
        c: float | None = None,
        error_sensitive: bool | None = None,
        averaging: bool | None = None,
        variance: float | None = None,
        gamma: float | None = None,
        verbose: bool = False,
        model_filename: Any = None,
        keep_tempfiles: bool = False,
        trainer_cls: None = None,
        *,
        rate: float | None = None,
        loss: str | None = None,
        generator: str | None = None,
        respond: str | None = None,
        metric: str | None = None,
        average: bool | None = None,
        anneal: float | None = None,
        class_weight: Any = None,
        warm_start: bool = False,
        early_stopping: bool = False,
        n_iter_no_change: int = 5,
        validation_fraction: float = 0.1,
        monitor: str | None = None,
        constraints: Any = None,
        constrain_training: bool = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        callbacks: Iterable[Callable[[Epoch], bool | None]] | None = None,
    ) -> None:
        self.algorithm = algorithm
        self.min_freq = min_freq
        self.all_possible_states = all_possible_states
        self.all_possible_transitions = all_possible_transitions
        self.c1 = c1
        self.c2 = c2
        self.max_iterations = max_iterations
        self.num_memories = num_memories
        self.epsilon = epsilon
        self.period = period
        self.delta = delta
        self.linesearch = linesearch
        self.max_linesearch = max_linesearch
        self.calibration_eta = calibration_eta
        self.calibration_rate = calibration_rate
        self.calibration_samples = calibration_samples
        self.calibration_candidates = calibration_candidates
        self.calibration_max_trials = calibration_max_trials
        self.pa_type = pa_type
        self.c = c
        self.error_sensitive = error_sensitive
        self.averaging = averaging
        self.variance = variance
        self.gamma = gamma
        self.verbose = verbose
        self.model_filename = model_filename
        self.keep_tempfiles = keep_tempfiles
        self.trainer_cls = trainer_cls
        self.rate = rate
        self.loss = loss
        self.generator = generator
        self.respond = respond
        self.metric = metric
        self.average = average
        self.anneal = anneal
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.n_iter_no_change = n_iter_no_change
        self.validation_fraction = validation_fraction
        self.monitor = monitor
        self.constraints = constraints
        self.constrain_training = constrain_training
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.callbacks = callbacks

    # Training

    def fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        X_dev: Iterable[Any] | None = None,
        y_dev: Iterable[Any] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        eval_set: tuple[Iterable[Any], Iterable[Any]] | None = None,
    ) -> "CRF":
        """Trains; X and y are read once, so they may be generators.

        X_dev, y_dev or eval_set=(X, y): held-out data, scored after every pass (history_, early_stopping)
        sample_weight: one weight for each sequence
        """
        settings = settings_of(self.get_params(deep=False), seed_of(self.random_state))
        check_folder(self.model_filename)
        before: Model | None = getattr(self, "model_", None) if self.warm_start else None
        names = self._names if before else LabelNames()
        encoded = read_labelled(
            X,
            y,
            names,
            sample_weight=sample_weight,
            class_weight=self.class_weight,
            **(_grown(before) if before else {}),
        )
        if before:
            encoded = replace(
                encoded, labels=encoded.names, dataset=replace(encoded.dataset, labels=encoded.gold)
            )
        dev = held_out(X_dev, y_dev, eval_set, encoded, names)
        if self.early_stopping and dev is None:
            encoded, dev = split_held_out(encoded, self.validation_fraction, settings.seed)
        self._train(encoded, names, settings, dev, (before.features, before.weights) if before else None)
        self.__dict__.pop("seen_", None)  # of a stream that came before
        if self.model_filename is not None:
            self.model_.save(self.model_filename)
        return self

    def _train(
        self, encoded: Encoded, names: LabelNames, settings: Any, dev: Encoded | None, start: Any
    ) -> None:
        rules = self._rules(names.labels(encoded.labels))  # what is wrong with them is said before training
        rules = rules if self.constrain_training else None
        check_likelihood(encoded, self.algorithm, constrained=rules is not None)
        after = self._hooks()
        # The sums over the weights are short: threads of BLAS cost more than they give, and many times more on a
        # machine that does other things as well. Ours are n_jobs, for the lattice.
        with threadpool_limits(1, user_api="blas"):
            trained = train(encoded, settings, dev=dev, on_epoch=after, start=start, rules=rules)
        self._keep(without_zeros(Model.of(encoded, trained)), names)
        self.generated_ = sum(trained.features.counts)
        self.history_ = [epoch.to_dict() for epoch in trained.history]
        self.n_iter_ = len(trained.history)
        self.converged_ = trained.converged
        self.stop_reason_ = trained.stop_reason
        if trained.fell_back:  # nobody may look at the reason
            warnings.warn(f"fit: {trained.stop_reason}", UserWarning, stacklevel=3)
        self.rate_ = trained.settings.rate

    def _hooks(self) -> Callable[[Epoch], bool]:
        given: Any = () if self.callbacks is None else self.callbacks
        hooks: list[Any] = list(given) if hasattr(given, "__iter__") else [None]
        if not all(map(callable, hooks)):
            raise InputError("callbacks must be a list of functions of an Epoch")
        hooks += [print_epoch] if self.verbose else []
        return lambda epoch: sum(bool(hook(epoch)) for hook in hooks) > 0  # every one is called

    def partial_fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "CRF":
        """One pass of a stochastic recipe over a part of a stream. Attributes grow as they come.

        classes: every label that will ever come, in the first call; without it, the labels of the first part. A later
        call may name them again.

        >>> crf = CRF("u2.g1", rate=0.1)
        >>> crf.partial_fit([[["a"], ["b"]]], [["X", "Y"]]).partial_fit([[["c"]]], [["Y"]]).num_attributes_
        3
        """
        params = self.get_params(deep=False)
        settings = settings_of(params, seed_of(self.random_state))
        check_online(params)
        after = self._hooks()
        before: Model | None = getattr(self, "model_", None)
        listed = read_classes(classes, self.classes_ if before else None)
        names = self._names if before else LabelNames(listed or ())
        if before:
            known = _grown(before)
        else:
            known = {
                "labels": None if listed is None else Vocabulary([names.name(label) for label in listed])
            }
        encoded = read_labelled(
            X, y, names, sample_weight=sample_weight, class_weight=self.class_weight, **known
        )
        bad = first_unknown(encoded)
        if bad is not None:
            label = names.label(encoded.unseen_labels[0])
            raise InputError(
                f"y[{bad[0]}][{bad[1]}] is {label!r}, a label that the first partial_fit did not know; name every "
                "label there, by classes="
            )
        settings.check(encoded, has_dev=False)
        rules = self._rules(names.labels(encoded.labels)) if self.constrain_training else None
        model, record = online_pass(
            encoded, settings, before, getattr(self, "seen_", 0), getattr(self, "rate_", None), rules
        )
        self._keep(model, names)
        self.generated_ = sum(model.features.counts)
        self.rate_ = record.rate
        self.seen_ = getattr(self, "seen_", 0) + len(encoded)
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        record = replace(record, number=self.n_iter_)
        self.history_ = [*getattr(self, "history_", []), record.to_dict()]
        after(record)
        self.converged_, self.stop_reason_ = False, "partial_fit makes one pass"
        return self

    def score(self, X: Iterable[Any], y: Iterable[Any], sample_weight: ArrayLike | None = None) -> float:
        """The share of tokens whose label is right; with sample_weight, tokens weigh what their sequence weighs.

        A token whose label is None does not count.
        """
        self._check_fitted()
        if y is None:
            raise InputError("y is None; score needs the right labels")
        encoded = self._encode(X, y)
        right = self._decode(encoded) == encoded.gold
        tokens = np.diff(encoded.dataset.tokens)
        given = np.ones(len(tokens)) if sample_weight is None else sample_weight
        weight = np.repeat(check_weights(given, len(tokens), "sample_weight"), tokens)
        weight[encoded.gold < 0] = 0  # what nobody knows is neither right nor wrong
        if not weight.any():
            raise InputError("there is nothing to score: X holds no token with a known label and a weight")
        return float(np.average(right, weights=weight))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_") or os.path.isfile(self.model_filename or "")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.two_d_array = False
        tags.input_tags.dict = True
        tags.input_tags.string = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {"requires_y": True, "X_types": ["dict", "string"]}


def _grown(model: Model) -> dict[str, Any]:
    return {"attributes": model.attributes.copy(), "labels": model.labels, "grow": True}
