"""SIGKILL at drawn moments: nothing that was acknowledged is lost, and what resumes ends as if it had not been killed.

More of it: `python -m tests.faults.kills NAME SEED ROUNDS`, and `tests.faults.kills.run` for other programs.
"""

import importlib.util
import sys

import pytest

from tests.faults.kills import run

posix = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL needs POSIX")
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="a cluster needs Ray")


@posix
def test_annotate_loses_no_acknowledged_sentence() -> None:
    assert run("annotate", 5, 2) == []


@posix
@pytest.mark.slow
def test_annotate_loses_no_acknowledged_sentence_in_many_kills() -> None:
    assert run("annotate", 6, 12) == []


@posix
@pytest.mark.slow
def test_a_tuning_that_is_killed_resumes_and_chooses_the_same() -> None:
    assert run("tune", 7, 5) == []


@posix
@needs_ray
@pytest.mark.slow
def test_a_training_on_a_cluster_that_is_killed_resumes_with_the_same_bits() -> None:
    assert run("train", 8, 3) == []
