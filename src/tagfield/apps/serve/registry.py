"""The registry: models by name, and their files, which may be replaced while the service runs.

    NAME=PATH ─▶ Served (the model and what is worked out for it once) ─▶ requests
        ▲
        └── Watcher: the file is another ─▶ load it beside the old one ─▶ swap; damaged: keep the old one, say so

A request keeps the Served that it began with, so a swap changes no answer half-way, and the old model is freed when its
last request ends.
"""

import os
import threading
import time
from collections.abc import Iterable
from json.encoder import encode_basestring as quote
from typing import Any, NamedTuple

from tagfield.apps.serve.log import log
from tagfield.apps.serve.pins import PinTypes
from tagfield.apps.serve.refusals import NOT_FOUND, Refusal
from tagfield.data.labels.rules import check_model
from tagfield.errors import InputError, TagfieldError, did_you_mean, shown
from tagfield.inference.constraints import Rules, rules_of
from tagfield.model.answers import span_kind
from tagfield.model.model import Model

Stamp = tuple[int, int, int]  # inode, size and time of the last change of a file


class ModelFile(NamedTuple):
    """A model's name and its file.

    >>> ModelFile.of("names.tagfield"), ModelFile.of("people=runs/model")
    (ModelFile(name='names', path='names.tagfield'), ModelFile(name='people', path='runs/model'))
    """

    name: str
    path: str

    @classmethod
    def of(cls, argument: str) -> "ModelFile":
        name, given, path = argument.partition("=")
        if not given or os.path.exists(argument):
            return cls(os.path.splitext(os.path.basename(argument))[0], argument)
        if not name or not path:
            raise InputError(f"{argument!r} is neither the path of a model nor NAME=PATH")
        return cls(name, path)


class Served:
    """A loaded model, with what answers need of it."""

    def __init__(self, name: str, model: Model, stamp: Stamp) -> None:
        self.name, self.model, self.stamp = name, model, stamp
        self.loaded = time.time()
        self.labels = model.label_names
        self.quoted = [quote(label) for label in self.labels]
        self.quoted_name = quote(name)
        self.kind = span_kind(self.labels)
        self.pins = PinTypes(self.labels, self.kind)
        self._rules: dict[Any, Rules | None] = {}
        self.rules(None)
        if model.template is not None:
            model.word_encoder  # noqa: B018  the first request should not wait for it

    def rules(self, constraints: str | bool | None) -> Any:
        """The rules for what a request says about constraints; asking every pair of labels takes a millisecond."""
        key = constraints.upper() if isinstance(constraints, str) else constraints
        if key not in self._rules:
            given = self.model.constraints if constraints is None else constraints
            if given is not False:
                check_model(given, self.model.info.get("scheme"))
            self._rules[key] = None if given is False else rules_of(given, self.labels)
        found = self._rules[key]
        return False if found is None else found  # None would mean those that the model was saved with

    def describe(self) -> dict[str, Any]:
        """What /v1/models says: no path, no weights."""
        model = self.model
        template = model.template
        return {
            "name": self.name,
            "labels": list(self.labels),
            "spans": self.pins.names() if self.kind != "runs" else [y for y in self.labels if y != "O"],
            "reads": "attributes" if template is None else "words",
            "text": template is not None and _reads_text(model),
            "tokenizer": None if template is None else model.default_tokenizer,
            "weights": model.features.size,
            "loaded": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.loaded)),
        }


class Registry:
    """The models of a service.

    slow_patterns: also load models whose regular expressions may take too long for a word

    >>> Registry([ModelFile("names", "no/such/file")])
    Traceback (most recent call last):
    tagfield.errors.InputError: cannot open no/such/file: No such file or directory
    """

    def __init__(self, files: Iterable[ModelFile], *, slow_patterns: bool = False) -> None:
        self._files = {file.name: file for file in files}
        self._slow_patterns = slow_patterns
        self._served = {name: load(file, slow_patterns) for name, file in self._files.items()}
        self._tried: dict[str, Stamp | None] = {name: served.stamp for name, served in self._served.items()}
        self._seen = dict(self._tried)
        self._problems: dict[str, str] = {}
        self._lock = threading.Lock()  # one round of `refresh` at a time
        self.swaps = self.failures = 0
        self.most_labels = max(len(served.labels) for served in self._served.values())

    def find(self, name: str | None) -> Served:
        """The model of this name; without a name, the only one or the first."""
        if name is None:
            return next(iter(self._served.values()))
        served = self._served.get(name)
        if served is None:
            raise Refusal(NOT_FOUND, f"no model named {shown(name, 40)}; {did_you_mean(name[:80], self._served)}")
        return served

    def describe(self) -> list[dict[str, Any]]:
        """What /v1/models says."""
        return [
            served.describe() | {"problem": self._problems.get(name)} for name, served in list(self._served.items())
        ]

    def refresh(self) -> None:
        """Load what has changed on disk; a file that is being written looks different in each round, and waits."""
        with self._lock:
            for name, file in self._files.items():
                stamp = stamp_of(file.path)
                settled, self._seen[name] = stamp == self._seen[name], stamp
                if settled and stamp != self._tried[name]:
                    self._tried[name] = stamp
                    self._replace(file, stamp)

    def _replace(self, file: ModelFile, stamp: Stamp | None) -> None:
        before = self._served[file.name]
        if stamp == before.stamp:
            self._problems.pop(file.name, None)  # the old file is back
            return
        try:
            self._served[file.name] = load(file, self._slow_patterns)
        except (TagfieldError, OSError, MemoryError) as error:
            self.failures += 1
            since = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(before.loaded))
            what = "is gone" if stamp is None else "was replaced by one that cannot be loaded"
            self._problems[file.name] = f"the file {what}; the model loaded at {since} still answers"
            log("error", "the new model file cannot be loaded; the old model still answers", model=file.name, why=error)
        else:
            self.swaps += 1
            self.most_labels = max(len(served.labels) for served in self._served.values())
            self._problems.pop(file.name, None)
            log("info", "the model was replaced", model=file.name, path=file.path)


def load(file: ModelFile, slow_patterns: bool = False) -> Served:
    """Load a model; InputError or ModelFileError if that cannot be done."""
    try:
        stamp = _stamp(os.stat(file.path))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot open {file.path}: {getattr(error, 'strerror', None) or error}") from None
    model = Model.load(file.path)
    if model.template is None and model.edges:
        raise InputError(f"{file.path} has transitions that look at the input and no template; it cannot be served")
    for resource in model.template.resources if model.template and not slow_patterns else ():
        if resource.kind == "regex" and not resource.expression.linear:
            raise InputError(
                f"{file.path}: a word could make regex {resource.name} = {shown(resource.text)} take very long; "
                "write it without backreferences, or serve it to clients that you trust with --allow-slow-patterns"
            )
    return Served(file.name, model, stamp)


def stamp_of(path: str) -> Stamp | None:
    """What changes with a file; None if there is no file."""
    try:
        return _stamp(os.stat(path))
    except (OSError, ValueError):
        return None


def _stamp(found: os.stat_result) -> Stamp:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _reads_text(model: Model) -> bool:
    try:
        model.read_text([])
    except InputError:
        return False
    return True


def check_names(files: list[ModelFile]) -> None:
    """Raise InputError if two models have one name.

    >>> check_names([ModelFile("m", "a/m"), ModelFile("m", "b/m")])
    Traceback (most recent call last):
    tagfield.errors.InputError: two models are named 'm'; name one of them: NAME=b/m
    """
    names: set[str] = set()
    for file in files:
        if file.name in names:
            raise InputError(f"two models are named {file.name!r}; name one of them: NAME={file.path}")
        names.add(file.name)
