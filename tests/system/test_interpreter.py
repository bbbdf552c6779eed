"""Interpreters and processes: refused in a sentence, or working; never hanging."""

import multiprocessing
import os
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from tagfield import Model, Settings
from tagfield.native import _text, kernels
from tagfield.system import interpreter
from tests.support.chains import tagged

_, Y = tagged(60)
X = [[f"{label[-1]}{t % 3}" for t, label in enumerate(labels)] for labels in Y]

WITHIN = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
{first}
run = getattr(interpreters, "exec", None) or interpreters.run_string
try:
    print(run(interpreters.create(), {code!r}))
except Exception as error:
    print(error)
"""


def run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("first", ["", "import tagfield; tagfield.Model"])
@pytest.mark.parametrize("code", ["import tagfield", "from tagfield import Model", "import tagfield.native"])
def test_a_sub_interpreter_gets_a_sentence(first: str, code: str) -> None:
    assert "tagfield cannot run in a sub-interpreter" in run(WITHIN.format(first=first, code=code))


@pytest.mark.parametrize("native", [_text, kernels], ids=["_text", "_kernels"])
def test_a_native_module_alone_refuses_too(native: ModuleType) -> None:
    """Loaded from its file, without the package."""
    module, path = native.__name__.removeprefix("tagfield."), native.__file__
    code = (
        f"from importlib.machinery import ExtensionFileLoader as L; from importlib.util import *\n"
        f"spec = spec_from_loader('tagfield.{module}', L('tagfield.{module}', {path!r}))\n"
        f"spec.loader.exec_module(module_from_spec(spec))"
    )
    assert "cannot run in a sub-interpreter" in run(WITHIN.format(first="", code=code))


def test_the_lock_may_not_be_forced_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_is_gil_enabled", lambda: False, raising=False)
    monkeypatch.delenv("PYTHON_GIL", raising=False)
    interpreter.require_supported()  # importing the native modules switches it on
    monkeypatch.setenv("PYTHON_GIL", "0")
    with pytest.raises(ImportError, match="needs Python's global interpreter lock; start Python without PYTHON_GIL=0"):
        interpreter.require_supported()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_while_other_threads_are_in_the_kernels() -> None:
    model = Model.train_words(X, Y, template="words", settings=Settings("sgd", epochs=2))
    expected = model.tag_words(X)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            model.tag_words(X, threads=2)

    threads = [threading.Thread(target=busy) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(5):
            child = os.fork()
            if child == 0:
                again = Model.train_words(X, Y, template="words", settings=Settings("lbfgs", epochs=2, threads=2))
                os._exit(0 if model.tag_words(X, threads=2) == expected and again.tag_words(X[:1]) else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def tag_there(model: Model) -> list[list[str]]:
    return model.tag_words(X)


def test_a_model_goes_to_processes_that_are_spawned() -> None:
    model = Model.train_words(X, Y, template="words", settings=Settings("sgd", epochs=2))
    environment = dict(os.environ)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), environment.get("PYTHONPATH", "")])
    try:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(tag_there, (model,)) == model.tag_words(X)
    finally:
        os.environ.clear()
        os.environ.update(environment)
