"""fit and partial_fit: from CRF's arguments and the data to a FittedModel.

    fit          X, y ─▶ read_labelled, or a packed corpus ─▶ held-out data ─▶ train ─▶ Model ─▶ FittedModel
    partial_fit  X, y ─▶ read_labelled ─▶ Stream.learn ─▶ FittedModel with a live stream

What saving would refuse is refused before training.
"""

import os
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from threadpoolctl import threadpool_limits  # scikit-learn depends on it too

from tagfield.compat.sklearn.fitted_model import FittedModel, LiveStream
from tagfield.compat.sklearn.labels import LabelNames
from tagfield.compat.sklearn.modelfile import check_target, save_model
from tagfield.compat.sklearn.parameters import STREAM, settings_of
from tagfield.compat.sklearn.reading import class_weights, read_labelled
from tagfield.compat.sklearn.string_tokens import StringTokens
from tagfield.data.corpus import Corpus, is_corpus
from tagfield.data.dataset import Dataset
from tagfield.data.encode import AUTO, Encoded, Vocabulary
from tagfield.data.labels.rules import check_data
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules
from tagfield.model.info import labels_to_json, rules_for
from tagfield.model.model import Model
from tagfield.system.checks import number
from tagfield.train import RECIPES, Epoch, Settings, Trained, train
from tagfield.train.loop.streaming import Stream
from tagfield.train.recipes.preconditioners import PRECONDITIONERS
from tagfield.train.recipes.stochastic import Stochastic

Arguments: TypeAlias = SimpleNamespace  # CRF's arguments, by name
SAMPLE = 10_000  # sequences of a packed corpus that constraints are compared with


class Given(NamedTuple):
    """The arguments of `CRF.fit`."""

    X: Any
    y: Iterable[Any] | None = None
    X_dev: Iterable[Any] | None = None
    y_dev: Iterable[Any] | None = None
    sample_weight: Any = None
    eval_set: Any = None


def fit(arguments: Arguments, before: FittedModel | None, given: Given) -> tuple[FittedModel, Trained]:
    """Train a model; `before` is the one to continue from, if any."""
    settings = settings_of(vars(arguments))
    check_folder(arguments.model_filename)
    names = before.names.copy() if before else LabelNames()
    strings = None
    splits = arguments.early_stopping and given.X_dev is None and given.eval_set is None
    encoded: Encoded | Corpus
    packed = open_packed(given, arguments.warm_start, splits)
    if packed is not None:
        encoded, names = packed, LabelNames(packed.labels)
    else:
        more = {"template": chosen_template(arguments.template, before)} | (_grown(before.model) if before else {})
        strings = None if more["template"] else StringTokens()
        encoded = read_labelled(
            given.X, given.y, names, sample_weight=given.sample_weight, strings=strings, depth=4, **more
        )
    dev = held_out(given, encoded, names)
    if arguments.early_stopping and dev is None and isinstance(encoded, Encoded):
        encoded, dev = split_held_out(encoded, arguments.validation_fraction, settings.seed)
    classes = names.labels(encoded.labels)
    if arguments.model_filename is not None:
        labels_to_json(classes)
    saved = before.saved_constraints if before else None
    chosen = saved if arguments.constraints is None else arguments.constraints
    check_target(arguments.model_filename, chosen)
    rules = training_rules(chosen, classes, _some(encoded), arguments.constrain_training)
    start = before.model.start if before and before.model else None
    # BLAS would use threads for short sums, which slows training down, on a busy machine many times. The lattice has
    # its own threads: n_jobs.
    with threadpool_limits(1, user_api="blas"):
        trained = train(
            encoded,
            settings,
            dev=dev,
            on_epoch=hooks(arguments),
            start=start,
            rules=rules,
            class_weight=class_weights(encoded, arguments.class_weight, names),
        )
    began = time.perf_counter()
    characters = (before is not None and before.characters) or (strings is not None and strings.found)
    fitted = FittedModel(names, tuple(classes), saved, characters, tuple(trained.history))
    fitted.model = fitted.named(Model.of(encoded, trained).without_spare_attributes(), arguments.constraints)
    if arguments.model_filename is not None:
        save_model(fitted.model, arguments.model_filename)
    fitted.seconds = (trained.feature_seconds, time.perf_counter() - began)
    return fitted, trained


def learn(
    arguments: Arguments,
    before: FittedModel | None,
    given: Given,
    classes: Iterable[Any] | None,
    number: int,
    seconds: float,
) -> FittedModel:
    """Continue a stream, or begin one, with the next part of the data.

    number: of the epoch that this is; seconds: of the epochs before it
    """
    settings = settings_of(vars(arguments), STREAM)
    check_stream(vars(arguments), settings)
    listed = read_classes(classes, before.classes if before else None)
    names = before.names.copy() if before else LabelNames(listed or ())
    live, template = before and before.live, chosen_template(arguments.template, before)
    more: dict[str, Any] = {"template": live.words if live else template, "sample_weight": given.sample_weight}
    strings = None if more["template"] else StringTokens()
    if before:
        stream = before.stream(settings)
        more |= {"labels": stream.labels, "attributes": stream.attributes, "edge_attributes": stream.edges}
    else:
        known = None if listed is None else Vocabulary(list(map(names.name, listed)))
        more |= {"labels": known, "attributes": Vocabulary()}
    encoded = read_labelled(given.X, given.y, names, strings=strings, grow=True, in_stream=True, depth=4, **more)
    if not len(encoded.labels):
        raise InputError("no data to train on: no token has a label; name the labels with classes=")
    saved = before.saved_constraints if before else None
    chosen = saved if arguments.constraints is None else arguments.constraints
    labels = names.labels(encoded.labels)
    rules = training_rules(chosen, labels, encoded.dataset, arguments.constrain_training)
    if not before:
        stream = Stream(encoded.attributes, encoded.labels, settings, encoded.edges)
    began = time.perf_counter()
    epoch = stream.learn(encoded, settings, rules, class_weights(encoded, arguments.class_weight, names))
    live = replace(live, settings=settings) if live else LiveStream.of(stream, settings, encoded.template)
    fitted = before or FittedModel(names, tuple(labels))
    characters = fitted.characters or (strings is not None and strings.found)
    epoch = replace(epoch, number=number, seconds=seconds + time.perf_counter() - began)
    epochs = (*fitted.epochs, epoch)
    return replace(fitted, characters=characters, epochs=epochs, seconds=(None, None), model=None, live=live)


def chosen_template(template: Any, before: FittedModel | None) -> Template | str | None:
    """The template of `template=`, or AUTO; training that continues from a model keeps the model's."""
    auto = isinstance(template, str) and template == AUTO
    given = None if template is None or auto else load_template(template)
    if before is None:
        return AUTO if auto else given
    had = before.template
    if auto and had is None:
        raise InputError("the fitted model has no template, so it cannot continue with words; fit anew")
    if given is not None and (had is None or given.with_columns(had.columns) != had):
        found = "no template" if had is None else f"template {had.name}"
        raise InputError(f"the fitted model has {found}, so it cannot continue with template {given.name}; fit anew")
    return had


def training_rules(constraints: Any, labels: list[Any], dataset: Dataset, constrained: bool) -> Rules | None:
    """The rules for training, if any; invalid constraints raise an error before training in either case."""
    rules = rules_for(constraints, labels)
    check_data(constraints, dataset, labels)
    return rules if constrained else None


def hooks(arguments: Arguments) -> Callable[[Epoch], bool]:
    """What is called after every pass: the callbacks, and for verbose=True `print_epoch`."""
    given: Any = () if arguments.callbacks is None else arguments.callbacks
    found: list[Any] = list(given) if hasattr(given, "__iter__") else [None]
    if not all(map(callable, found)):
        raise InputError("callbacks must be a list of functions that take an Epoch")
    found += [print_epoch] if arguments.verbose else []
    return lambda epoch: sum(bool(hook(epoch)) for hook in found) > 0  # calls every hook


def print_epoch(epoch: Epoch) -> None:
    """Print the line of `verbose=True` for one epoch, in sklearn-crfsuite's format."""
    line = f"Iter {epoch.number:<3d} time={epoch.seconds:<7.2f} loss={epoch.objective:<10.2f} "
    line += f"feature_norm={epoch.norm:<6.2f}"
    if epoch.scores is not None:
        line += f" accuracy={epoch.scores.accuracy:.4f}"
        line += f" F1={epoch.scores.f1:.4f}" if epoch.scores.has("f1") else ""
    print(line)


def check_folder(path: Any) -> None:
    """Raise InputError before training if the folder of the model file does not exist.

    >>> check_folder(None)
    """
    try:
        folder = "" if path is None else os.path.dirname(os.fspath(path))
    except TypeError:
        raise InputError(f"model_filename must be a path, got {path!r}") from None
    if folder and not os.path.isdir(folder):
        raise InputError(f"model_filename: no folder named {folder!r}; create it first")


def open_packed(given: Given, warm_start: bool, splits: bool) -> Corpus | None:
    """The corpus on disk that X is; None if X is sequences.

    splits: held-out data would have to be split off

    >>> open_packed(Given([["a"]], [["X"]]), False, False)
    """
    X = given.X
    if not isinstance(X, Corpus) and not is_corpus(X):
        return None
    corpus = X if isinstance(X, Corpus) else Corpus.open(X)
    for wrong, what in (
        (given.y is not None, "y must be left out: a packed corpus has its labels"),
        (
            given.sample_weight is not None,
            "sample_weight does not apply to a packed corpus; write @weight lines into item files and pack them",
        ),
        (warm_start, "warm_start does not apply to a packed corpus, whose attributes have ids of their own; fit anew"),
        (splits, "early_stopping on a packed corpus needs held-out data; pass eval_set"),
    ):
        if wrong:
            raise InputError(what)
    return corpus


def _some(encoded: Encoded | Corpus) -> Dataset:
    """The data, or the beginning of a corpus on disk."""
    if isinstance(encoded, Encoded):
        return encoded.dataset
    return encoded.take(np.arange(min(SAMPLE, len(encoded))))


def held_out(given: Given, encoded: Encoded | Corpus, names: LabelNames) -> Encoded | None:
    """Held-out data, encoded with the vocabularies of the training data; a label unknown to them counts as an error."""
    X_dev, y_dev, eval_set = given.X_dev, given.y_dev, given.eval_set
    if eval_set is not None:
        if X_dev is not None or y_dev is not None:
            raise InputError("X_dev and eval_set cannot be used together; pass one of them, not both")
        pair = eval_set[0] if isinstance(eval_set, list) and len(eval_set) == 1 else eval_set
        several = isinstance(pair, list) and all(isinstance(each, tuple) and len(each) == 2 for each in pair)
        if not isinstance(pair, tuple | list) or len(pair) != 2 or several:
            raise InputError("eval_set must be a single pair (X, y)")
        X_dev, y_dev = pair
    if X_dev is None and y_dev is None:
        return None
    if X_dev is None or y_dev is None:
        raise InputError("X_dev and y_dev go together; pass both or neither")
    try:
        dev = read_labelled(
            X_dev if encoded.template is not None else StringTokens().split(X_dev),
            y_dev,
            names,
            template=encoded.template,
            attributes=encoded.attributes,
            labels=encoded.labels,
            edge_attributes=encoded.edges,
        )
    except InputError as error:
        raise InputError(f"held-out data: {error}") from None
    if not dev.labelled:
        raise InputError("held-out data has tokens without a label; label every token, or leave those sequences out")
    return dev


def split_held_out(encoded: Encoded, fraction: float, seed: int) -> tuple[Encoded, Encoded]:
    """Split off a random fraction of the sequences for early stopping."""
    if not 0 < number("validation_fraction", fraction) < 1:
        raise InputError(f"validation_fraction must be between 0 and 1, got {fraction}")
    if not encoded.labelled:
        raise InputError("early_stopping needs fully labelled held-out data; pass eval_set")
    size = max(1, round(fraction * len(encoded)))
    if size >= len(encoded):
        raise InputError(f"{len(encoded)} sequences are too few to hold out a fraction of {fraction:g}; pass eval_set")
    order = np.random.default_rng(seed).permutation(len(encoded))
    return encoded.take(np.sort(order[size:])), encoded.take(np.sort(order[:size]))


def read_classes(classes: Iterable[Any] | None, known: tuple[Any, ...] | None) -> list[Any] | None:
    """The argument `classes` of partial_fit as a list; raises InputError if it is invalid or has new labels.

    >>> read_classes((c for c in "XY"), None)
    ['X', 'Y']
    """
    if classes is None:
        return None
    if isinstance(classes, str | bytes) or not hasattr(classes, "__iter__"):
        raise InputError(f"classes must be a list of labels, got {type(classes).__name__}")
    listed = [label.item() if isinstance(label, np.generic) else label for label in classes]
    listed = [label.decode(errors="replace") if isinstance(label, bytes) else label for label in listed]
    if any(label is None or not isinstance(label, Hashable) for label in listed):
        raise InputError("classes must be hashable labels, without None, which stands for an unknown label")
    new = [] if known is None else [label for label in listed if label not in known]
    if new:
        raise InputError(f"classes has the new label {new[0]!r}; pass every label to the first call of partial_fit")
    return listed


def check_stream(params: Mapping[str, Any], settings: Settings) -> None:
    """Raise InputError if an argument of CRF cannot be used with partial_fit, before any data is read.

    >>> check_stream({"algorithm": "u2.g1"}, Settings("u2.g1"))
    """
    if isinstance(params.get("class_weight"), str):
        raise InputError("class_weight='balanced' needs all of the data, so partial_fit cannot use it; give a dict")
    if params.get("early_stopping") or settings.min_count > 1:
        name = "early_stopping" if params.get("early_stopping") else "min_freq"
        raise InputError(f"{name} needs all of the data, so partial_fit cannot use it; use fit, or leave {name} out")
    recipe = settings.recipe
    if recipe.suffix:
        raise InputError(f"{recipe.name}{recipe.suffix} needs all of the data, so partial_fit cannot use it; use fit")
    if isinstance(recipe, Stochastic) and recipe.preconditioner is not None and not recipe.streams:
        raise InputError(
            f"partial_fit cannot use the metric {recipe.preconditioner.kind}, which measures curvature over all of the "
            f"data; use one of {', '.join(['flat', *(each.kind for each in PRECONDITIONERS if not each.one_by_one)])}"
        )
    if not recipe.streams:
        offered = ", ".join(["l2sgd", *(name for name, other in RECIPES.items() if other.streams)])
        raise InputError(f"partial_fit cannot use {recipe.name}, which needs all of the data; choose one of {offered}")


def _grown(model: Model | None) -> dict[str, Any]:
    """What to read the data of a warm start with: the vocabularies of the model, which may grow."""
    assert model is not None
    edges = None if model.edges is None else model.edges.copy()  # without them, weights would go to other attributes
    known: dict[str, Any] = {"attributes": model.attributes.copy(), "labels": model.labels, "edge_attributes": edges}
    return known | {"grow": True, "new_labels": True}
