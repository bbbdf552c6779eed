"""The memory that this process may use, from files that look like those of a container."""

from pathlib import Path

import pytest

from tagfield import memory


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
