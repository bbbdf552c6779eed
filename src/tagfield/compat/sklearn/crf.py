"""The class CRF: its arguments, fit and partial_fit. See reading.py for the forms of X and y."""

import inspect
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits  # scikit-learn depends on it too

from tagfield.compat.sklearn.fitted import check_folder
from tagfield.compat.sklearn.fitting import check_stream, held_out, open_packed, read_classes, some_data, split_held_out
from tagfield.compat.sklearn.inspection import Inspection
from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.modelfile import check_target, save_model
from tagfield.compat.sklearn.parameters import STREAM, documented_arguments, settings_of
from tagfield.compat.sklearn.plumbing import Plumbing
from tagfield.compat.sklearn.reading import class_weights, read_labelled
from tagfield.compat.sklearn.records import print_epoch
from tagfield.compat.sklearn.scoring import Scoring
from tagfield.compat.sklearn.spelling import Spelling
from tagfield.data.corpus import Corpus
from tagfield.data.dataset import Dataset
from tagfield.data.encode import Encoded, Vocabulary
from tagfield.data.labels.rules import check_data
from tagfield.data.text.sources import PathLike
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.model.formats.pickles import model_of_estimator
from tagfield.model.info import labels_to_json, rules_for
from tagfield.model.model import Model
from tagfield.train import Epoch, train
from tagfield.train.loop.streaming import Stream


class CRF(Scoring, Inspection, Plumbing):
    """A linear-chain CRF for scikit-learn, with sklearn-crfsuite's arguments and methods.

    X is a list (or any iterable) of sequences, and a sequence is a list of tokens. With a template, a token is a word,
    or a tuple of strings if the template reads several columns. Without one, a token is a dict of features, as in
    python-crfsuite, or a list of attribute strings. y has one label per token: any hashable value, or None for an
    unknown label.

    Each option applies to some algorithms; fit raises InputError if you set one that your algorithm does not have.

    algorithm: lbfgs, l2sgd, ap, pa or arow, as in CRFsuite; or a recipe of tagfield, such as u2.g1. Default: lbfgs, and
        adaptive for partial_fit, which cannot use lbfgs. CRF("default") trains as `tagfield train` does: in a few
        passes, with averaged AdaGrad on all features.
    min_freq: Drop features that occur less often. Default: 0.
    all_possible_states, all_possible_transitions: Create a weight for every possible pair of attribute and label, or of
        two labels, and not only for those in the data. Default: False.
    max_iterations: Maximum number of passes over the data. Default: 1000 for l2sgd and the recipes of tagfield, 100 for
        ap, pa and arow, no limit for lbfgs.
    template: How to make features of words: 'auto' for the preset that fits the labels, the name of a preset (ner, pos,
        segmentation, …), the path of a template file, or a Template. Default: None, for X that has features already.
    {options}
    verbose: Print a line after every pass. Default: False.
    model_filename: File that fit saves the model to, in tagfield's format, or in CRFsuite's if the name ends in
        .crfsuite. An unfitted CRF loads the model from it, and warm_start and partial_fit continue from it.
    keep_tempfiles, trainer_cls: Accepted for compatibility with sklearn-crfsuite; trainer_cls must be None.
    class_weight: What a token of each label weighs in the likelihood: a dict of label to weight, or 'balanced', for
        n_tokens / (n_classes · n_tokens of the class). More tokens of a heavy class are found, at the price of false
        ones. For lbfgs, l2sgd, adaptive and default. Default: every class has weight 1.
    warm_start: Continue from the weights, attributes and labels of the last fit. Default: False.
    early_stopping: Stop when the score `monitor` on held-out data has not improved for n_iter_no_change passes. Keeps
        the best weights. Held-out data is eval_set or X_dev; without them, validation_fraction of the sequences.
    constraints: 'BIO', 'IOB1', 'IOBES', 'BILOU', a matrix [L, L] or a function (before, after) that returns whether one
        label may follow another, with None for the start and the end: the labels that may follow each other in
        predictions. With constrain_training=True, training uses the constraints too. Default: those of the model file,
        if one was loaded; False for none.
    random_state: Random seed. The same seed gives the same model, bit by bit, on any number of threads; None stands for
        one fixed seed.
    n_jobs: Number of threads; -1 uses every core. Results are the same bits on any number. Default: every core, or
        OMP_NUM_THREADS if that is less.
    callbacks: Functions that are called with an Epoch after every pass; training stops when one returns True.

    >>> crf = CRF(template="auto").fit([["the", "dog"], ["a", "cat"]], [["D", "N"], ["D", "N"]])
    >>> crf.predict([["the", "cat"]])
    [['D', 'N']]
    >>> X = [[{"w": "the"}, {"w": "dog"}], [{"w": "a"}, {"w": "cat"}]]
    >>> crf = CRF(c2=0.1).fit(X, [["D", "N"], ["D", "N"]])
    >>> crf.predict([[{"w": "the"}, {"w": "cat"}]])
    [['D', 'N']]
    """

    # What the methods below read of the arguments.
    verbose: bool
    class_weight: Any
    warm_start: bool
    early_stopping: bool
    validation_fraction: float
    constrain_training: bool
    callbacks: Iterable[Callable[[Epoch], bool | None]] | None

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
        template: Any = None,
        rate: float | None = None,
        loss: str | None = None,
        generator: str | None = None,
        respond: str | None = None,
        generators: Any = None,
        metric: str | None = None,
        average: bool | None = None,
        block: int | None = None,
        minibatch: int | None = None,
        minibatch_mean: bool | None = None,
        anneal: float | None = None,
        cost: float | None = None,
        adagrad_delta: float | None = None,
        newton_delta: float | None = None,
        qn_skip: int | None = None,
        qn_bound: float | None = None,
        smd_mu: float | None = None,
        smd_lambda: float | None = None,
        batch: bool | None = None,
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
        self.__dict__ |= {name: value for name, value in locals().items() if name not in ("self", "__class__")}

    # Training

    @classmethod
    def from_sklearn_crfsuite(cls, old: Any) -> "CRF":
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

    def fit(
        self,
        X: Iterable[Any] | Corpus | PathLike,
        y: Iterable[Any] | None = None,
        X_dev: Iterable[Any] | None = None,
        y_dev: Iterable[Any] | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        eval_set: tuple[Iterable[Any], Iterable[Any]] | None = None,
    ) -> "CRF":
        """Train on X and y. Each is read once, so generators work: sequences are encoded as they come.

        X: Sequences; or a corpus on disk (`Corpus`, or the folder of `tagfield pack`), which has labels: leave y out.
        X_dev, y_dev or eval_set=(X, y): Held-out data. It is scored after every pass; see history_ and early_stopping.
        sample_weight: One weight per sequence.

        >>> CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).classes_
        ['X', 'Y']
        """
        settings = settings_of(self._arguments())
        check_folder(self.model_filename)
        before: Model | None = self.model_ if self.warm_start and self._find_model() else None
        names = self._names.copy() if before else LabelNames()
        spelling = None
        splits = self.early_stopping and X_dev is None and eval_set is None
        packed = open_packed(X, y, sample_weight is not None, self.warm_start, splits)
        encoded: Encoded | Corpus
        if packed is not None:
            encoded, names = packed, LabelNames(packed.labels)
        else:
            more = {"template": self._chosen_template(before is not None)} | (_grown(before) if before else {})
            spelling = None if more["template"] else Spelling()
            given: Any = X  # no corpus
            encoded = read_labelled(given, y, names, sample_weight=sample_weight, spelling=spelling, **more)
        dev = held_out(X_dev, y_dev, eval_set, encoded, names)
        if self.early_stopping and dev is None and isinstance(encoded, Encoded):
            encoded, dev = split_held_out(encoded, self.validation_fraction, settings.seed)
        labels = names.labels(encoded.labels)
        if self.model_filename is not None:
            labels_to_json(labels)  # raises before training what saving would raise after it
        constraints = self._file_constraints if before else None
        check_target(self.model_filename, constraints if self.constraints is None else self.constraints)
        rules = self._training_rules(labels, some_data(encoded), constraints)
        start = (before.features, before.weights) if before else None
        # BLAS would use threads for short sums, which slows training down, on a busy machine many times. The lattice
        # has its own threads: n_jobs.
        with threadpool_limits(1, user_api="blas"):
            trained = train(
                encoded,
                settings,
                dev=dev,
                on_epoch=self._hooks(),
                start=start,
                rules=rules,
                class_weight=class_weights(encoded, self.class_weight, names),
            )
        began = time.perf_counter()
        self._file_constraints = constraints
        self._characters = (before is not None and self._characters) or (spelling is not None and spelling.used)
        self._keep(Model.of(encoded, trained).without_spare_attributes(), names)
        self.generated_ = trained.features.size
        self.history_ = [epoch.to_dict() for epoch in trained.history]
        self.n_iter_ = len(trained.history)
        self.converged_ = trained.converged
        self.stop_reason_ = trained.stop_reason
        self.rate_ = getattr(trained.settings.recipe, "rate", None)
        if trained.fell_back:  # the model is not what the user asked for, so warn
            warnings.warn(f"fit: {trained.stop_reason}", UserWarning, stacklevel=2)
        if self.model_filename is not None:
            save_model(self.model_, self.model_filename)
        self._epochs = trained.history
        self._preparing_and_storing = (trained.feature_seconds, time.perf_counter() - began)
        return self

    def _training_rules(self, labels: list[Any], dataset: Dataset, otherwise: Any) -> Rules | None:
        """The rules for training, if any; invalid constraints raise an error before training in either case.

        otherwise: the constraints where the argument is None
        """
        chosen = otherwise if self.constraints is None else self.constraints
        rules = rules_for(chosen, labels)
        check_data(chosen, dataset, labels)
        return rules if self.constrain_training else None

    def _hooks(self) -> Callable[[Epoch], bool]:
        given: Any = () if self.callbacks is None else self.callbacks
        hooks: list[Any] = list(given) if hasattr(given, "__iter__") else [None]
        if not all(map(callable, hooks)):
            raise InputError("callbacks must be a list of functions that take an Epoch")
        hooks += [print_epoch] if self.verbose else []
        return lambda epoch: sum(bool(hook(epoch)) for hook in hooks) > 0  # calls every hook

    def partial_fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        classes: Iterable[Any] | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> "CRF":
        """Learns from the next part of a stream, in the order given; attributes grow as they come.

        The optimiser goes on where it was, also after pickle, save and load. So the result does not depend on how the
        stream is cut into parts, and a call costs what its own sequences cost.

        classes: every label that will ever come, in the first call; without it, the labels of the first part. A later
        call may name them again.

        >>> crf = CRF()
        >>> crf.partial_fit([[["a"], ["b"]]], [["X", "Y"]]).partial_fit([[["c"]]], [["Y"]]).num_attributes_
        3
        """
        params = self._arguments()
        settings = settings_of(params, STREAM)
        check_stream(params, settings)
        after = self._hooks()
        known = self._classes if self._find_model() else None
        listed = read_classes(classes, known)
        names = self._names.copy() if known else LabelNames(listed or ())
        template = self._chosen_template(known is not None)
        stream = self._resumed_stream(settings)
        labels = stream.labels if stream else None if listed is None else Vocabulary(list(map(names.name, listed)))
        more: dict[str, Any] = {"sample_weight": sample_weight, "labels": labels}
        more["template"] = template if stream is None or self._stream is None else self._stream_words
        more["spelling"] = spelling = None if more["template"] else Spelling()
        more |= {"attributes": stream.attributes, "edge_attributes": stream.edges} if stream else {}
        encoded = read_labelled(X, y, names, **{"attributes": Vocabulary(), **more}, grow=True, in_stream=True)
        if not len(encoded.labels):
            raise InputError("no data to train on: no token has a label; name the labels, by classes=")
        rules = self._training_rules(names.labels(encoded.labels), encoded.dataset, self._file_constraints)
        self._characters = self._characters or (spelling is not None and spelling.used)
        stream = stream or Stream(encoded.attributes, encoded.labels, settings, encoded.edges)
        began = time.perf_counter()
        epoch = self._learn(stream, encoded, settings, names, rules, class_weights(encoded, self.class_weight, names))
        self.rate_ = epoch.rate
        self.n_iter_ = getattr(self, "n_iter_", 0) + 1
        self.history_ = getattr(self, "history_", [])
        before = float(self.history_[-1]["seconds"]) if self.history_ else 0.0
        epoch = replace(epoch, number=self.n_iter_, seconds=before + time.perf_counter() - began)
        self.history_.append(epoch.to_dict())
        self._epochs, self._preparing_and_storing = [*self._epochs, epoch], (None, None)
        self.converged_, self.stop_reason_ = False, "partial_fit makes one pass"
        self.__dict__.pop("generated_", None)
        after(epoch)
        return self

    def _arguments(self) -> dict[str, Any]:
        """CRF's arguments. get_params lists those of a subclass, which may have others."""
        return {name: getattr(self, name) for name in ARGUMENTS}


def _grown(model: Model) -> dict[str, Any]:
    edges = None if model.edges is None else model.edges.copy()  # without them, weights would go to other attributes
    known: dict[str, Any] = {"attributes": model.attributes.copy(), "labels": model.labels, "edge_attributes": edges}
    return known | {"grow": True, "new_labels": True}


ARGUMENTS = tuple(inspect.signature(CRF).parameters)
CRF.__doc__ = documented_arguments(CRF.__doc__ or "", list(ARGUMENTS))
