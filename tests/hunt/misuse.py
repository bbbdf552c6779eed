"""Misuse of every public call: the outcome is a result, or an error that says what is wrong.

    tagfield.__all__, its modules and the methods of its records ─▶ a call with arguments of the wrong kind ─▶ outcome

What a call may raise is a TagfieldError, or TypeError, ValueError and AttributeError as Python's own functions do;
KeyError and IndexError only from [ ]. What an argument raises itself passes through. Anything else is a finding:
another error, an endless message, a standard stream that was closed, a crash, a hang.
"""

import copy
import inspect
import math
import os
import random
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from functools import cache, partial
from io import StringIO
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

import numpy as np

import tagfield
from tagfield import CRF, Model, Settings
from tagfield.errors import TagfieldError
from tagfield.model.explain import explain
from tests.hunt.answers import check

PATIENCE = 60  # seconds for a call with small arguments
LEFT_OUT = {
    "install_as_pycrfsuite": "changes what other modules import",
    "limit_memory": "changes what every later call may do",
    "pycrfsuite.install_as_pycrfsuite": "the same",
}
SKLEARN = ("set_params", "set_fit_request", "set_predict_request", "set_score_request", "set_partial_fit_request")
ALLOWED = (TagfieldError, TypeError, ValueError, AttributeError)
CRFSUITE = (OSError, RuntimeError)  # what python-crfsuite's classes raise for files and closed taggers
LONG = ("epochs", "max_iterations", "period", "n_jobs", "threads", "delta", "window")  # legal, and without end


class Mine(Exception):
    """Raised by an argument; it passes through every call."""


def round_of(seed: int) -> int:
    """Some calls of a seed; how many."""
    rng = random.Random(seed)
    with TemporaryDirectory() as folder, ExitStack() as stack:
        for each in (_inside(folder), _input_from_file(), warnings.catch_warnings(), redirect_stdout(StringIO())):
            stack.enter_context(each)
        warnings.simplefilter("ignore")
        for _ in range(20):
            name, made = rng.choice(calls())
            call = made()
            arguments = wrong_arguments(call, rng)
            try:
                with _patience(), _streams_stay():
                    outcome(name, call, arguments)
            except AssertionError as error:
                raise AssertionError(f"{name}({_shown(arguments)}): {error}") from error
    return 20


def outcome(name: str, call: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Make the call; AssertionError if what it raises is not what it should."""
    try:
        found = call(**arguments)
        if inspect.isgenerator(found) or isinstance(found, Iterator):
            for _, _ in zip(range(50), found, strict=False):
                pass
    except Mine:
        return
    except ALLOWED as error:
        check(str(error), "an error without a message", type(error))
        if isinstance(error, TagfieldError):
            check(len(str(error)) < 20_000, "a message without end", str(error)[:300])
            check("Traceback" not in str(error), "a trace in the message", str(error))
    except OverflowError as error:
        check(name.startswith("metrics.") and "sklearn" in _place(error), repr(error), _place(error))  # beta=1e308
    except CRFSUITE as error:
        check(
            name.startswith(("Tagger.", "pycrfsuite.")) and not isinstance(error, RecursionError),
            repr(error),
            _place(error),
        )
    except (KeyError, IndexError) as error:
        check(name.endswith("__getitem__"), "an error of Python's own", repr(error), _place(error))
    except BaseException as error:
        raise AssertionError(f"raised {type(error).__name__}: {str(error)[:300]} at {_place(error)}") from error


def _place(error: BaseException) -> str:
    trace, place = error.__traceback__, ""
    while trace is not None:
        place, trace = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}", trace.tb_next
    return place


def _shown(arguments: dict[str, Any]) -> str:
    def short(value: Any) -> str:
        try:
            return repr(value)[:80]
        except BaseException as error:
            return f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"

    return ", ".join(f"{name}={short(value)}" for name, value in arguments.items())


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextmanager
def _input_from_file() -> Iterator[None]:
    """Standard input is a file with content, so that a number that is opened as if it were a path is noticed."""
    before = os.dup(0)
    try:
        with TemporaryFile() as file:
            file.write(b"Anna B-PER\n\n")
            file.seek(0)
            os.dup2(file.fileno(), 0)
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


@contextmanager
def _streams_stay() -> Iterator[None]:
    """AssertionError if a descriptor of a standard stream was closed or replaced; it is then as it was before.

    Python would end with exit code 120 much later, because it cannot flush the stream.
    """
    kept = [os.dup(k) for k in range(3)]
    try:
        yield
        for k, copy_of in enumerate(kept):
            try:
                same = os.path.samestat(os.fstat(k), os.fstat(copy_of))
            except OSError:
                same = False
            check(same, f"closed or replaced the file descriptor {k}")
    finally:
        for k, copy_of in enumerate(kept):
            os.dup2(copy_of, k)
            os.close(copy_of)


@contextmanager
def _patience() -> Iterator[None]:
    def late(number: int, frame: Any) -> None:
        raise AssertionError(f"took more than {PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@cache
def subjects() -> dict[str, Any]:
    """A good object of each public record, to call methods of."""
    X, y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]
    model = Model.train_words(X, y, settings=Settings("lbfgs", epochs=5))
    tagger = tagfield.pycrfsuite.Tagger()
    model.save("model.crfsuite", format="crfsuite")
    tagger.open("model.crfsuite")
    text = model.tag_text("Anna left. It left.")
    encoded = model.encode_words(X, y)
    attributes = [[{"w": "a", "n": 1.5}, ["b"]], [{"w": "c"}]]
    crf = CRF(max_iterations=5).fit(attributes, [["X", "Y"], ["X"]])
    return {
        "Model": model,
        "CRF": crf,
        "Encoded": encoded,
        "Dataset": encoded.dataset,
        "Template": model.template,
        "Settings": Settings(),
        "Scores": model.evaluate(encoded),
        "TaggedText": text,
        "TaggedSentence": text.sentences[0],
        "Tagger": tagger,
    }


@cache
def calls() -> list[tuple[str, Callable[[], Callable[..., Any]]]]:
    """Every public function, constructor and method, by name; methods are those of a fresh copy."""
    found: dict[str, Callable[[], Callable[..., Any]]] = {"explain": lambda: explain}
    spaces = [("", tagfield, tagfield.__all__)]
    for module in ("metrics", "scorers", "utils", "templates", "pycrfsuite"):
        space = getattr(tagfield, module)
        spaces.append((f"{module}.", space, [n for n in dir(space) if not n.startswith("_")]))
    for prefix, space, names in spaces:
        for name in names:
            each = getattr(space, name)
            ours = getattr(each, "__module__", "") or ""
            if (
                callable(each)
                and ours.startswith("tagfield")
                and not (isinstance(each, type) and issubclass(each, BaseException))
            ):
                found[prefix + name] = partial(getattr, space, name)
    for name, subject in subjects().items():
        for method in dir(type(subject)):
            each = getattr(subject, method, None)
            if method in SKLEARN:
                continue
            if callable(each) and (
                not method.startswith("_") or method in ("__eq__", "__getitem__", "__add__", "__len__")
            ):
                found[f"{name}.{method}"] = partial(_method, name, method)
    kept = {name: made for name, made in found.items() if name not in LEFT_OUT and _parameters(made()) is not None}
    return sorted(kept.items())


def _method(of: str, name: str) -> Any:
    return getattr(copy.copy(subjects()[of]), name)


def _parameters(call: Callable[..., Any]) -> list[inspect.Parameter] | None:
    try:
        given = inspect.signature(call).parameters.values()
    except (TypeError, ValueError):
        return None
    return [p for p in given if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]


def wrong_arguments(call: Callable[..., Any], rng: random.Random) -> dict[str, Any]:
    """Some arguments are as they should be, and others are anything."""
    chosen = {}
    for parameter in _parameters(call) or []:
        optional = parameter.default is not parameter.empty
        if (optional and rng.random() < 0.6) or parameter.name in LONG:
            continue
        good = GOOD.get(parameter.name)
        chosen[parameter.name] = copy.copy(good) if good is not None and rng.random() < 0.5 else anything(rng)
    return chosen


GOOD: dict[str, Any] = {
    "X": [["Anna", "left"]],
    "y": [["B-PER", "O"]],
    "xseq": [{"w": "a"}, ["b"]],
    "text": "Anna left.",
    "path": "made",
    "paths": "made",
    "t": 0,
    "count": 2,
    "n": 2,
    "known": [{0: "O"}],
    "template": "words",
    "labels": ["O", "B-PER"],
    "data": b"abc",
}


def anything(rng: random.Random) -> Any:
    """A value of any kind."""
    return rng.choice(VALUES)(rng)


def _recursive() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _deep(levels: int = 300) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


def _raises() -> Iterator[Any]:
    yield ["a"]
    raise Mine("from the argument")


def _refuses(*_: Any) -> Any:
    raise Mine("from a function")


class _Odd:
    """An object whose every question raises."""

    def __len__(self) -> int:
        raise Mine("len")

    def __iter__(self) -> Iterator[Any]:
        raise Mine("iter")

    def __str__(self) -> str:
        raise Mine("str")

    def __repr__(self) -> str:
        return "<odd>"


VALUES: list[Callable[[random.Random], Any]] = [
    lambda rng: None,
    lambda rng: rng.choice([True, False]),
    lambda rng: rng.choice([0, 1, -1, 2, -(2**31), 2**31, 2**63, -(2**64), 10**30]),
    lambda rng: rng.choice([0.0, -0.0, 0.5, -1.5, 1e308, math.inf, -math.inf, math.nan]),
    lambda rng: rng.choice(["", "a", "BIO", "words", "\x00", "\ud800", "a\nb", "é" * 3, "x" * 5000, "../none", "%s{}"]),
    lambda rng: rng.choice([b"", b"abc", b"\xff\xfe", bytearray(b"x"), memoryview(b"xy")]),
    lambda rng: rng.choice([[], [[]], [[[]]], [None], [[None]], [["a"]], [[["a"]]], [[{}]], [[{"a": 1}]], [["a", 1]]]),
    lambda rng: rng.choice([{}, {"a": 1}, {0: "O"}, {None: None}, {"a": {"b": {"c": math.nan}}}]),
    lambda rng: rng.choice([(), ("a",), {"a"}, frozenset(), range(3), slice(1), ...]),
    lambda rng: rng.choice([_recursive(), [_recursive()], _deep()]),
    lambda rng: rng.choice([_raises(), iter([]), (x for x in [["a"]]), _Odd(), [_Odd()], [[_Odd()]], object()]),
    lambda rng: rng.choice([len, lambda: None, lambda *a: None, lambda *a: "x", lambda *a: math.nan, _refuses, print]),
    lambda rng: rng.choice(
        [np.zeros(0), np.zeros((2, 2)), np.array(["a", "b"]), np.array([[math.nan]]), np.int64(3), np.array(None)]
    ),
    lambda rng: rng.choice([int, Model, np, 3 + 4j, NotImplemented, "O", "B-PER", ["B-PER", "O"], [["B-PER", "O"]]]),
    lambda rng: rng.choice([["a"] * 1000, [["a"] * 1000], [[{"a": 1e30}]], [[{"a": math.inf}]], [[{"a" * 10_000: 1}]]]),
    lambda rng: subjects()[rng.choice(["Model", "Encoded", "Dataset", "Settings", "Template", "CRF"])],
]
