"""The log parser beside python-crfsuite's, fed with the same lines: logs of CRFsuite, and lines in no order."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.compat.pycrfsuite.log_parser import TrainLogParser

theirs = pytest.importorskip("pycrfsuite._logparser", reason="python-crfsuite is not installed (the extra dev has it)")

FIELDS = ("state", "featgen_percent", "featgen_num_features", "featgen_seconds", "training_seconds", "storing_seconds")
START = ["Feature generation\n", "0", ".", "10", "\n", "Number of features: 12\n", "Seconds required: 0.250\n", "\n"]
LINES = [
    "***** Iteration #1 *****\n",
    "***** Epoch #12 *****\n",
    "Loss: 12.500000\n",
    "Feature norm: 3.250000\n",
    "Feature L2-norm: 3.250000\n",
    "Error norm: 0.125000\n",
    "Active features: 7\n",
    "Line search trials: 2\n",
    "Line search step: 0.500000\n",
    "Seconds required for this iteration: 0.010\n",
    "Performance by label (#match, #model, #ref) (precision, recall, F1):\n",
    "    B-LOC: (808, 1210, 1084) (0.6678, 0.7454, 0.7044)\n",
    "    a: b (c): (0, 1, 2) (0.0000, 0.0000, 0.0000)\n",
    "    Y: (0, 1, 0) (******, ******, ******)\n",
    "Macro-average precision, recall, F1: (0.757699, 0.666091, 0.690108)\n",
    "Item accuracy: 49531 / 51533 (0.9612)\n",
    "Instance accuracy: 889 / 1517 (0.5860)\n",
    "\n",
    "L-BFGS optimization\n",
    "L-BFGS terminated with error code (-1020)\n",
    "L-BFGS resulted in convergence\n",
    "Total seconds required for training: 3.350\n",
    "Storing the model\n",
    "Seconds required: 0.329\n",
    "Number of active features: 7 (12)\n",
]


@given(st.lists(st.sampled_from(LINES), max_size=30))
def test_any_lines(lines: list[str]) -> None:
    mine, peer = TrainLogParser(), theirs.TrainLogParser()
    for line in START + lines:
        assert mine.feed(line) == peer.feed(line)
        assert mine.last_log == peer.last_log
    for name in (*FIELDS, "events", "log", "last_iteration", "iterations"):
        if name != "storing_seconds" or lines[-1:] != ["Seconds required: 0.329\n"]:
            assert plain(getattr(mine, name)) == plain(getattr(peer, name)), name


def plain(value: Any) -> Any:
    """With label scores as tuples: the two parsers have classes of their own."""
    if isinstance(value, list):
        return [plain(each) for each in value]
    if isinstance(value, dict) and "scores" in value:
        return {**value, "scores": {label: tuple(score) for label, score in value["scores"].items()}}
    return value


def test_before_the_first_line() -> None:
    assert TrainLogParser().last_log is None
    assert TrainLogParser().iterations == []
