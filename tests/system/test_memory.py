"""The memory that this process may use, from files that look like those of a container."""

import subprocess
import sys
from pathlib import Path

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError, MemoryLimitError
from tagfield.model.model import Model
from tagfield.system import memory
from tagfield.train import Settings
from tagfield.train.loop.footprint import check_training, training_bytes
from tagfield.train.problem.problem import Problem
from tests.support.cli_process import inside


def made(folder: Path, groups: str, **limits: str) -> list[float]:
    """The limits that are found, where `limits` maps folders (with __ for /) to what their file holds."""
    (folder / "cgroup").write_text(groups)
    for where, text in limits.items():
        path = folder / where.replace("__", "/")
        path.mkdir(parents=True, exist_ok=True)
        name = "memory.limit_in_bytes" if where.startswith("sys__memory") else "memory.max"
        (path / name).write_text(text)
    return list(memory.group_limits(folder / "cgroup", folder / "sys"))


def test_version_2_takes_every_group_above(tmp_path: Path) -> None:
    limits = {"sys__a__b": "max\n", "sys__a": "5000\n", "sys": "9000\n"}
    assert made(tmp_path, "0::/a/b\n", **limits) == [5000.0, 9000.0]


def test_version_1_reads_the_memory_controller_only(tmp_path: Path) -> None:
    groups = "5:cpu,cpuacct:/x\n4:memory:/y\n"
    assert made(tmp_path, groups, sys__memory__y="700\n", sys__memory="800\n", sys="1\n") == [700.0, 800.0]


@pytest.mark.parametrize("groups", ["0::/elsewhere\n", "", "nonsense\n"])
def test_what_is_missing_is_no_limit(groups: str, tmp_path: Path) -> None:
    assert made(tmp_path, groups) == []
    assert list(memory.group_limits(tmp_path / "none", tmp_path)) == []


def test_the_least_limit_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    physical = memory.usable_memory()
    monkeypatch.setattr(memory, "group_limits", lambda: iter([10.0, 1e30]))
    assert memory.usable_memory() == 10.0 < physical
    monkeypatch.setattr(memory, "group_limits", lambda: iter([]))
    monkeypatch.setattr(memory.os, "sysconf", lambda name: -1 if "PAGES" in name else 1)
    assert memory.usable_memory() < 1e8


def test_the_limit_is_a_share_of_what_there_is_or_what_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    assert memory.max_memory() == pytest.approx(memory.SHARE * memory.usable_memory())
    with memory.memory_limited("3GB"):
        assert memory.max_memory() == 3e9
        with memory.memory_limited(None), memory.memory_limited(5.0):
            assert memory.max_memory() == 5.0
        assert memory.max_memory() == 3e9
    monkeypatch.setenv(memory.VARIABLE, "plenty")
    with pytest.raises(InputError, match="TAGFIELD_MAX_MEMORY: 'plenty' is not a size of memory"):
        memory.max_memory()


def test_a_hundred_thousand_labels_are_refused_before_their_transitions_are_made() -> None:
    """Each pair of labels has a weight: 40 GB, and counts of twice that."""
    X, y = [[["a"]] * 100_000], [[f"L{k}" for k in range(100_000)]]
    with memory.memory_limited(8e9), pytest.raises(MemoryLimitError, match=r"100,000² transitions needs about \d+"):
        Model.train(encode_sequences(X, y), "sgd")


@pytest.mark.parametrize(
    "algorithm", ["sgd", *(pytest.param(name, marks=pytest.mark.slow) for name in ("lbfgs", "adaptive", "pa", "arow"))]
)
def test_the_peak_of_training_is_refused_where_the_weights_alone_would_fit(algorithm: str) -> None:
    """In a process of its own, whose peak is measured: what passes a limit stays below it."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom tagfield import *\n"
        "from tagfield.system.memory import resident_memory\n"
        "X = [[[f'a{5 * i + j}' for j in range(5)]] for i in range(30_000)]\n"
        "data = encode_sequences(X, [[f'L{i % 40}'] for i in range(30_000)])\n"
        "Model.train(encode_sequences(X[:2], [['P'], ['Q']]), Settings(sys.argv[1], epochs=1))\n"
        "before = resident_memory()\nPath('/proc/self/clear_refs').write_text('5')\n"
        "Model.train(data, Settings(sys.argv[1], features='all', epochs=9))\n"
        "print(1024 * int(Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0]) - before)"
    )
    run = subprocess.run([sys.executable, "-c", code, algorithm], capture_output=True, text=True, check=True)
    peak = float(run.stdout)
    X = [[[f"a{5 * i + j}" for j in range(5)]] for i in range(30_000)]
    encoded = encode_sequences(X, [[f"L{i % 40}"] for i in range(30_000)])
    problem = Problem.of(encoded, Settings(algorithm, features="all"))
    told = training_bytes(problem.settings.recipe, problem.features, 0.0, 1, scored=False)
    assert 0.6 * peak < told + 24e6 < 1.8 * peak  # 24 MB: the weights, which the process has as the problem's
    with (
        memory.memory_limited(memory.resident_memory() + 0.8 * told),
        pytest.raises(MemoryLimitError, match="training 6,0"),
    ):
        check_training(problem, scored=False)


def test_the_commands_take_the_limit(tmp_path: Path) -> None:
    data = tmp_path / "a.txt"
    data.write_text("a B-X\n\n" * 100_000)
    model = tmp_path / "m"
    code, _, said = inside("train", data, "-o", model, "--max-memory", "1MB", input="", cwd=None)
    assert code == 1, said
    assert "needs about" in said
    assert "--max-memory" in said
    assert not model.exists()
    assert inside("train", data, "-o", model, "--max-memory", "4GB", "--epochs", "1", input="", cwd=None)[0] == 0
    code, _, said = inside("tag", "-m", model, data, "--max-memory", "lots", input="", cwd=None)
    assert code == 2
    assert "write it like 500MB or 4GB" in said
