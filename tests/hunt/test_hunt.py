"""A few rounds of each kind, and what the hunt tells of a finding."""

import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.hunt import answers, conversions, kinds, misuse, swaps, worker
from tests.hunt.cases import drawn

ROUNDS = {"answers": 20, "words": 5, "misuse": 5, "races": 1, "conversions": 5}
SLOW = {"swaps"}  # a service that looks at its files twice a second


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.slow] if kind in SLOW else []) for kind in kinds.KINDS]
)
def test_the_first_rounds_find_nothing(kind: str) -> None:
    for seed in range(ROUNDS.get(kind, 1)):
        assert kinds.KINDS[kind](seed) > 0


def test_a_seed_gives_the_same_case() -> None:
    assert drawn(7).model == drawn(7).model
    assert drawn(7).X == drawn(7).X
    assert drawn(7).model != drawn(8).model


def test_the_truth_notices_another_model() -> None:
    case = drawn(3)
    shifted = drawn(3).model.weights.map(lambda array: -array)
    object.__setattr__(case.model, "weights", shifted)
    case.model.__dict__.pop("field")
    with pytest.raises(AssertionError):
        answers.ask(case)


def test_a_finding_is_told_with_its_seed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(seed: int) -> int:
        assert seed != 6, "six"
        return 2

    monkeypatch.setitem(kinds.KINDS, "answers", fails)
    worker.main("answers", 60, 5, 3)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["seed"] for line in lines if "finding" in line] == [6]
    assert "six" in next(line["finding"] for line in lines if "finding" in line)
    assert lines[-1] == {"seed": 8, "rounds": 3, "tried": 4}


def test_the_table_and_the_exit_code() -> None:
    command = [sys.executable, "scripts/hunt.py", "answers", "--seed", "1", "--rounds", "2"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert [line.split()[:2] for line in found.stdout.splitlines()[2:]] == [["answers", "2"], ["all", "2"]]
    assert subprocess.run([*command[:2], "nothing"], capture_output=True).returncode == 2


@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_a_call_that_closes_a_standard_stream_is_a_finding(descriptor: int) -> None:
    before = os.fstat(descriptor)
    with pytest.raises(AssertionError, match=f"file descriptor {descriptor}"), misuse._streams_stay():
        os.close(descriptor)
    assert os.path.samestat(os.fstat(descriptor), before)


def test_a_number_that_is_opened_as_a_path_is_a_finding() -> None:
    def reads(path: int) -> None:
        if os.path.isfile(path) and os.path.getsize(path):
            open(path, "rb").close()

    with misuse._input_from_file(), pytest.raises(AssertionError), misuse._streams_stay():
        misuse.outcome("reads", reads, {"path": 0})


def test_a_conversion_that_changes_answers_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = conversions.scores
    monkeypatch.setattr(conversions, "scores", lambda *given: tuple(-score for score in scores(*given)))
    with pytest.raises(AssertionError, match="probabilities"):
        conversions.round_of(0)


@pytest.mark.parametrize("wrong", [{"labels": ["A", "B"]}, None])
def test_an_answer_of_neither_model_is_a_finding(wrong: Any, tmp_path: Path) -> None:
    wanted = [[{"labels": ["A", "A"]}], [{"labels": ["B", "B"]}]]

    class File:
        now = 0

        def save(self, path: Path) -> None:
            File.now = 1 - File.now

    class Fake:
        asked = threading.Event()

        def post(self, path: str, body: bytes) -> tuple[int, Any]:
            right = wanted[File.now][0]
            if threading.current_thread() is threading.main_thread():
                return 200, right
            self.asked.set()
            return 200, wrong or wanted[0][0]

        def log(self) -> dict[str, str]:
            self.asked.wait(60)
            return {"message": "the model was replaced", "level": "info"}

    made: list[Any] = [File(), File()]
    service: Any = Fake()
    if wrong is None:
        assert swaps.swap(service, tmp_path, made, [b""], wanted, random.Random(1)) > swaps.SWAPS
    else:
        with pytest.raises(AssertionError, match="neither model"):
            swaps.swap(service, tmp_path, made, [b""], wanted, random.Random(1))
