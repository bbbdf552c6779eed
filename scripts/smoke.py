#!/usr/bin/env python
"""python -I scripts/smoke.py: check that an installed tagfield works with its required packages only.

    demo data ─▶ train ─▶ eval ─▶ tag ─▶ save, load ─▶ the same in every build of the kernels that this processor runs

`make wheel` and the workflow run it in a bare virtualenv, where only the wheel and its requirements are; -I keeps the
sources of the current folder out. It takes seconds. On a failure it prints what was expected and what was found, and
exits with code 1.
"""

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.metadata import requires, version
from pathlib import Path

SENTENCES = [["Anna", "lives", "in", "New", "York", "."], ["Ben", "works", "in", "Paris", "."]]
LABELS = [["B-PER", "O", "O", "B-LOC", "I-LOC", "O"], ["B-PER", "O", "O", "B-LOC", "O"]]
LEAST_F1 = 0.8  # of a model of 300 addresses; it reaches 0.87
CHECKS: list[Callable[[], object]] = []


class Failure(Exception):
    """Something does not work."""


def check(function: Callable[[], object]) -> Callable[[], object]:
    """Make a function one of CHECKS."""
    CHECKS.append(function)
    return function


def expect(found: object, expected: object, what: str) -> None:
    """Raise Failure unless they are equal."""
    if found != expected:
        raise Failure(f"{what}: expected {expected!r}, found {found!r}")


def run(*command: str, code: int = 0, **environment: str) -> str:
    """What a command prints; Failure if it ends with another code."""
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, encoding="utf-8", errors="replace", check=False
    )
    if done.returncode != code:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}, not {code}:\n{done.stdout}{done.stderr}")
    return done.stdout + (done.stderr if code else "")


def tagfield(*arguments: str, code: int = 0, **environment: str) -> str:
    """What `tagfield ARGUMENTS` prints."""
    return run(sys.executable, "-I", "-X", "utf8", "-m", "tagfield", *arguments, code=code, **environment)


@check
def the_package() -> str:
    """It is the installed one, typed, and its version is that of its metadata."""
    import tagfield

    home = Path(tagfield.__file__).parent
    expect(home.is_relative_to(sysconfig.get_path("platlib")), True, f"tagfield in {home} is an installed one")
    expect(tagfield.__version__, version("tagfield"), "the version")
    expect((home / "py.typed").exists(), True, "py.typed")
    return f"tagfield {tagfield.__version__}, Python {sys.version.split()[0]}"


@check
def the_commands() -> str:
    """From demo data to labelled text."""
    script = Path(sysconfig.get_path("scripts")) / ("tagfield.exe" if os.name == "nt" else "tagfield")
    expect(run(str(script), "--version").strip(), f"tagfield {version('tagfield')}", "tagfield --version")
    tagfield("demo-data", "addresses", "-o", "demo", "--train", "300", "--test", "100")
    tagfield("train", "demo/train.txt", "--dev", "demo/test.txt", "-o", "demo/model", "--quiet")
    scores = json.loads(tagfield("eval", "-m", "demo/model", "demo/test.txt", "--json"))
    if not scores["chunks"]["f1"] > LEAST_F1:
        raise Failure(f"F1 is {scores['chunks']['f1']}, and should be above {LEAST_F1}")
    lines = tagfield("tag", "-m", "demo/model", "--text", "--format", "jsonl", "demo/new.txt").splitlines()
    expect(len([json.loads(line)["sentences"] for line in lines]), 10, "lines of tagged text")
    tagfield("pack", "demo/train.txt", "-o", "demo/corpus", "--quiet")
    tagfield("train", "demo/corpus", "-o", "demo/packed", "--quiet")
    tagfield("tag", "-m", "missing", "demo/new.txt", code=3)
    return f"F1 {scores['chunks']['f1']:.3f}"


@check
def the_library() -> str:
    """Training, probabilities, and a model file that gives the same labels."""
    from tagfield import Model, Settings

    for recipe in ("adaptive", "u2.g1", "pa", "lbfgs"):
        model = Model.train_words(SENTENCES, LABELS, settings=Settings.of(recipe, epochs=20))
        expect(model.tag_words(SENTENCES), LABELS, f"labels of {recipe}")
        model.save("names.tagfield")
        again = Model.load("names.tagfield")
        expect(again.tag_words(SENTENCES), LABELS, f"labels of {recipe} from its file")
        again.save("again.tagfield")
        same = Path("names.tagfield").read_bytes() == Path("again.tagfield").read_bytes()
        expect(same, True, f"{recipe}: a model that was loaded and saved is the same file")
    sums = [round(float(row.sum()), 4) for row in again.marginals(again.encode_words(SENTENCES))[0]]
    expect(sums, [1.0] * len(SENTENCES[0]), "sums of probabilities")
    expect(str(again.tag_text("Anna works in Paris.")), "[Anna PER] works in [Paris LOC].", "tagged text")
    return "4 recipes"


@check
def the_kernels() -> str:
    """Every build that this processor runs gives the same labels, on one thread and on two."""
    from tagfield import Model
    from tagfield.native import built_levels

    expected = tagfield("tag", "-m", "demo/model", "demo/test.txt")
    levels = built_levels()
    for level in levels:
        expect(tagfield("tag", "-m", "demo/model", "demo/test.txt", TAGFIELD_CPU=level), expected, f"labels of {level}")
        probabilities = []
        for threads in ("1", "2"):
            tagfield("train", "demo/train.txt", "-o", "demo/one", "--threads", threads, "--quiet", TAGFIELD_CPU=level)
            model = Model.load("demo/one")
            probabilities.append([row.tolist() for row in model.marginals(model.encode_words(SENTENCES))])
        expect(probabilities[0] == probabilities[1], True, f"{level}: one thread and two give the same bits")
    return ", ".join(levels)


@check
def what_is_missing() -> str:
    """Without an extra, what needs it says how to install it."""
    extras = {line.partition("extra == ")[2].strip("'\"") for line in requires("tagfield") or [] if "extra ==" in line}
    told = []
    for module, extra, code in (
        ("sklearn", "sklearn", "from tagfield import CRF; CRF()"),
        ("pyarrow", "arrow", "from tagfield import Model; Model.load('names.tagfield').tag_arrow({})"),
        ("matplotlib", "plots", "sys.argv[1:] = ['responses', '-o', 'f.png']; from tagfield.cli import main; main()"),
        ("uvicorn", "serve", "sys.argv[1:] = ['serve', 'names.tagfield']; from tagfield.cli import main; main()"),
    ):
        expect(extra in extras, True, f"there is an extra {extra}")
        missing = f"import sys; sys.modules[{module!r}] = None; {code}"
        done = subprocess.run([sys.executable, "-I", "-c", missing], capture_output=True, encoding="utf-8", check=False)
        advice = f"pip install 'tagfield[{extra}]'"
        if done.returncode == 0 or advice not in done.stderr:
            raise Failure(f"without {module} there should be the advice {advice}, found {done.stderr or done.stdout}")
        told.append(extra)
    return ", ".join(told)


def main() -> int:
    """Run every check in a folder of its own."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            for function in CHECKS:
                print(f"{function.__name__.replace('_', ' '):<16} {function()}", flush=True)
        except Failure as failure:
            print(f"smoke.py: {failure}", file=sys.stderr)
            return 1
        finally:
            os.chdir(before)
    return 0


if __name__ == "__main__":
    sys.exit(main())
