"""The comparison: what runs, what is recorded, and that it resumes after a crash."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.compare.compare import compare
from tagfield.compare.plan import PAPER, Plan
from tagfield.compare.progress import ComparisonStatus
from tagfield.compare.results import load_results
from tagfield.compare.results_file import RESULTS_FILE, ResultsFile
from tagfield.compare.shared_data import fingerprint, load_data, save_data
from tagfield.data.encode import Encoded, encode_sequences
from tagfield.demo import addresses
from tagfield.errors import InputError, TrainingError
from tagfield.train import RECIPES

SMALL = Plan(("sgd", "u2.g1", "pa", "lbfgs"), ("observed", "all"), seeds=2, epochs=3, iterations=4)


def encode_addresses(train: int, test: int) -> tuple[Encoded, Encoded]:
    corpus = addresses(seed=1, train=train, test=test)
    sides = []
    for sentences in (corpus.train, corpus.test):
        X = [[[f"w={word}", f"s={shape}"] for word, shape, _ in rows] for rows in sentences]
        sides.append((X, [[label for _, _, label in rows] for rows in sentences]))
    learned = encode_sequences(*sides[0])
    return learned, encode_sequences(*sides[1], attributes=learned.attributes, labels=learned.labels)


@pytest.fixture(scope="module")
def data() -> tuple[Encoded, Encoded]:
    return encode_addresses(60, 20)


def figures(folder: Path) -> dict[str, object]:
    """Everything that a comparison recorded, except times."""
    found: dict[str, object] = {}
    for result in load_results(folder).runs:
        closing = {name: value for name, value in result.closing.items() if name != "seconds"}
        epochs = [{k: v for k, v in line.items() if k != "seconds"} for line in result.epochs]
        assert result.run.key not in found, "a run is in the results file twice"
        found[result.run.key] = (closing, epochs)
    return found


@pytest.fixture(scope="module")
def finished(data: tuple[Encoded, Encoded], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("finished")
    compare(*data, SMALL, folder, workers=2)
    return folder


def test_the_papers_recipes_are_in_the_table() -> None:
    assert set(PAPER) <= set(RECIPES)


def test_a_plan_runs_everything_once_and_lbfgs_without_seeds() -> None:
    keys = [run.key for run in SMALL.runs()]
    assert len(keys) == len(set(keys)) == 2 * (1 + 3 * 2)
    assert keys[:2] == ["lbfgs/all/0", "lbfgs/observed/0"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recipes": ("sgdd",)}, "no recipe named 'sgdd'"),
        ({"features": ("some",)}, "no feature set named 'some'"),
        ({"recipes": ()}, "at least one recipe"),
        ({"seeds": 0}, "seeds must be at least 1, got 0"),
        ({"epochs": 0}, "epochs must be at least 1, got 0"),
        ({"c2": float("nan")}, "c2 must be ≥ 0 and finite, got nan"),
    ],
)
def test_a_plan_that_cannot_run_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Plan(**change)  # type: ignore[arg-type]


def test_data_comes_back_from_its_file_as_it_was(data: tuple[Encoded, Encoded], tmp_path: Path) -> None:
    save_data(tmp_path / "d", *data)
    again = load_data(tmp_path / "d")
    assert fingerprint(*again) == fingerprint(*data)
    assert again[1].gold_labels() == data[1].gold_labels()


def test_every_epoch_of_every_run_is_recorded(finished: Path) -> None:
    results = load_results(finished)
    assert not results.missing
    assert {result.run.key for result in results.runs} == {run.key for run in SMALL.runs()}
    for result in results.runs:
        assert [line["epoch"] for line in result.epochs] == list(range(1, SMALL.length(result.run) + 1))
        for metric in ("train_accuracy", "train_f1", "test_accuracy", "test_f1"):
            assert ((result.curve(metric) >= 0) & (result.curve(metric) <= 1)).all()
        assert (np.diff(result.curve("seconds")) > 0).all()
        kept = result.epochs[result.closing["kept"] - 1]
        assert kept["test_accuracy"] == pytest.approx(result.closing["test"]["accuracy"])
        confusion = result.closing["confusion"]
        counts = np.array(confusion["counts"])
        assert counts.sum() == result.closing["test"]["tokens"]
        assert np.trace(counts) == round(kept["test_accuracy"] * counts.sum())
    assert not (finished / "encoded.safetensors").exists()


def test_a_second_call_trains_nothing_and_changes_nothing(data: tuple[Encoded, Encoded], finished: Path) -> None:
    before = figures(finished)
    states = []
    compare(*data, SMALL, finished, on_progress=lambda status: states.append((status.done, status.total)))
    assert states == [(14, 14)]
    assert figures(finished) == before


def test_more_recipes_and_seeds_can_be_added(data: tuple[Encoded, Encoded], tmp_path: Path) -> None:
    compare(*data, Plan(("sgd",), ("all",), seeds=1, epochs=2), tmp_path, workers=1)
    first = figures(tmp_path)
    results = compare(*data, Plan(("u2.g1", "sgd"), ("all",), seeds=2, epochs=2), tmp_path, workers=2)
    assert len(results.runs) == 4
    assert not results.missing
    assert figures(tmp_path).items() >= first.items()


def test_other_settings_or_data_are_refused(data: tuple[Encoded, Encoded], finished: Path) -> None:
    with pytest.raises(InputError, match=r"has results for c2 = 1.0, not 2.0"):
        compare(*data, Plan(("sgd",), epochs=3, iterations=4, c2=2.0), finished)
    with pytest.raises(InputError, match="has results for other data"):
        compare(*encode_addresses(61, 20), SMALL, finished)


def test_two_comparisons_do_not_share_a_folder(data: tuple[Encoded, Encoded], tmp_path: Path) -> None:
    code = "import sys; from tagfield.compare.results_file import ResultsFile; ResultsFile(sys.argv[1]).__enter__()"
    with ResultsFile(tmp_path):
        other = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert "another comparison is writing" in other.stderr


def test_a_failed_run_is_recorded_and_the_others_go_on(tmp_path: Path) -> None:
    X = [[{"a": 1e30}, {"b": -1e30}], [{"b": 1e30}, {"a": 1e30}]] * 3
    train = encode_sequences(X, [["X", "Y"], ["Y", "X"]] * 3)
    results = compare(train, train, Plan(("u2.g1", "sgd"), ("all",), seeds=1, epochs=2), tmp_path, workers=1)
    assert len(results.runs) == 2
    failed = [result for result in results.runs if result.failed]
    assert failed
    assert all(result.closing["error"] for result in failed)
    before = figures(tmp_path)
    states = []
    compare(train, train, results.plan, tmp_path, on_progress=lambda status: states.append(status.done))
    assert states == [2], "a failed run was tried again"
    assert figures(tmp_path) == before


@given(cut=st.floats(0, 1), zeros=st.integers(0, 40))
def test_a_ledger_torn_anywhere_keeps_whole_runs(
    finished: Path, tmp_path_factory: pytest.TempPathFactory, cut: float, zeros: int
) -> None:
    raw = (finished / RESULTS_FILE).read_bytes()
    folder = tmp_path_factory.mktemp("torn")
    (folder / RESULTS_FILE).write_bytes(raw[: int(cut * len(raw))] + bytes(zeros))
    with ResultsFile(folder) as results_file:
        kept = [line for line in results_file.lines if line["kind"] == "epoch"]
        assert {line["run"] for line in kept} <= results_file.finished
    rows = (folder / RESULTS_FILE).read_bytes().splitlines()
    assert set(rows) <= set(raw.splitlines())
    with ResultsFile(folder) as again:
        assert again.lines == results_file.lines


def test_a_damaged_line_is_reported_with_its_number(tmp_path: Path) -> None:
    (tmp_path / RESULTS_FILE).write_text('{"kind": "experiment"}\nnonsense\n{"kind": "session"}\n')
    with pytest.raises(InputError, match=r"results.jsonl, line 2"):
        load_results(tmp_path)


INTERRUPTED = """
import sys
sys.path.insert(0, sys.argv[2])
from tests.compare.test_compare import SMALL, compare, encode_addresses
compare(*encode_addresses(60, 20), SMALL, sys.argv[1], workers=2)
"""


@pytest.mark.parametrize("lines", [9, *(pytest.param(lines, marks=pytest.mark.slow) for lines in (3, 25))])
def test_killed_and_started_again_it_ends_with_the_same_figures(
    data: tuple[Encoded, Encoded], finished: Path, tmp_path: Path, lines: int
) -> None:
    here = str(Path(__file__).parents[2])
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED, str(tmp_path), here])
    path = tmp_path / RESULTS_FILE
    while process.poll() is None and (not path.exists() or path.read_bytes().count(b"\n") < lines):
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    reached = len(load_results(tmp_path).runs)
    with open(path, "ab") as file:
        file.write(b'{"kind":"epoch","run":"sgd/all/1","ep')  # an unfinished line, as after a kill during a write
    compare(*data, SMALL, tmp_path, workers=2)
    assert figures(tmp_path) == figures(finished)
    assert reached < len(SMALL.runs()), "it finished before the kill, so nothing was resumed"
    sessions = [line for line in path.read_text().splitlines() if json.loads(line)["kind"] == "session"]
    assert len(sessions) == 2


def test_a_killed_worker_ends_the_comparison_with_a_clear_error(
    data: tuple[Encoded, Encoded], finished: Path, tmp_path: Path
) -> None:
    def children() -> set[int]:
        tasks = Path("/proc/self/task").iterdir()
        return {int(child) for entry in tasks for child in (entry / "children").read_text().split()}

    def kill_a_worker(status: ComparisonStatus) -> None:
        if status.latest.get("kind") == "epoch":
            for child in children() - others:
                os.kill(child, signal.SIGKILL)

    if not Path("/proc/self/task").is_dir():
        pytest.skip("finding the workers needs /proc")
    others = children()
    with pytest.raises(TrainingError, match=r"was killed by signal 9, possibly out of memory; finished runs are kept"):
        compare(*data, SMALL, tmp_path, workers=1, on_progress=kill_a_worker)
    compare(*data, SMALL, tmp_path, workers=2)
    assert figures(tmp_path) == figures(finished)


def test_the_time_left_counts_down() -> None:
    plan = Plan(("sgd", "lbfgs"), ("all",), seeds=2, epochs=10)
    state = ComparisonStatus(plan)
    assert state.seconds_left() is None
    assert state.share() == 0
    left = []
    for run in plan.runs():
        state.begin(run)
        for epoch in range(1, plan.epochs + 1):
            state.add({"kind": "epoch", "run": run.key, "epoch": epoch}, 1.0)
            left.append(state.seconds_left() or 0.0)
        state.add({"kind": "run", "run": run.key}, 0.1)
    assert left == sorted(left, reverse=True)
    assert (state.done, state.seconds_left(), state.share()) == (3, 0.0, 1.0)


def test_transitions_that_look_at_the_input_reach_the_workers(tmp_path: Path) -> None:
    X, y = [[["a"], ["b"]]] * 4, [["X", "Y"]] * 4
    one, two = (encode_sequences(X, y, edges=[[[], [name]]] * 4) for name in ("e", "f"))
    save_data(tmp_path / "data", one, one)
    loaded = load_data(tmp_path / "data")
    assert [part.edges is not None and part.edges.strings() for part in loaded] == [["e"], ["e"]]
    assert fingerprint(*loaded) == fingerprint(one, one)
    assert fingerprint(one, one) != fingerprint(two, two)
    results = compare(one, one, Plan(("lbfgs",), ("observed",), seeds=1, iterations=2), tmp_path / "out", workers=1)
    assert len(results.runs) == 1
