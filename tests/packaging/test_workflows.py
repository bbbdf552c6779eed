"""The workflows are as narrow as they say: pinned actions, few permissions, no secrets, and commands that exist."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.scripts import ROOT, pyproject

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
REQUIREMENTS = sorted((ROOT / "requirements").glob("*.txt"))

pytestmark = pytest.mark.skipif(not WORKFLOWS, reason="a source distribution has no workflows")


def load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
    return found


def jobs() -> list[tuple[str, dict[str, Any]]]:
    return [(f"{path.stem}/{name}", job) for path in WORKFLOWS for name, job in load(path)["jobs"].items()]


@pytest.mark.parametrize("path", WORKFLOWS, ids=[path.stem for path in WORKFLOWS])
def test_actions_are_pinned_to_commits(path: Path) -> None:
    lines = [
        line.strip().removeprefix("- ") for line in path.read_text(encoding="utf-8").splitlines() if "uses:" in line
    ]
    assert lines
    assert [line for line in lines if not PINNED.fullmatch(line)] == []


def test_permissions_are_read_only_but_for_two_jobs() -> None:
    assert [load(path)["permissions"] for path in WORKFLOWS] == [{"contents": "read"}] * len(WORKFLOWS)
    assert {name: job["permissions"] for name, job in jobs() if "permissions" in job} == {
        "wheels/publish": {"id-token": "write"},
        "wheels/release": {"contents": "write"},
    }


def test_there_are_no_secrets_and_no_credentials_left() -> None:
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert "secrets." not in text
        assert "password" not in re.sub("#.*", "", text)
        assert text.count("actions/checkout@") == text.count("persist-credentials: false")


def test_only_a_tag_publishes_and_only_after_everything_else() -> None:
    publish = dict(jobs())["wheels/publish"]
    assert publish["environment"] == "pypi"
    assert publish["if"] == "github.event_name == 'push' && startsWith(github.ref, 'refs/tags/v')"
    assert set(publish["needs"]) == {"notes", "wheels", "sdist"}
    assert dict(jobs())["wheels/release"]["needs"] == "publish"


def test_every_job_ends() -> None:
    assert [name for name, job in jobs() if "timeout-minutes" not in job] == []


def test_commands_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    commands = [step["run"] for _, job in jobs() for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        if command.startswith("make "):
            assert {word for word in command.split()[1:] if "=" not in word} <= targets, command
        for name in re.findall(r"(?:scripts|requirements|tests)/[\w./-]+", command):
            assert (ROOT / name).exists(), command


def test_the_same_pythons_everywhere() -> None:
    project = pyproject()
    named = [line.rpartition(":: ")[2] for line in project["project"]["classifiers"] if ":: Python :: 3." in line]
    assert dict(jobs())["test/test"]["strategy"]["matrix"]["python"] == named
    assert project["tool"]["cibuildwheel"]["build"] == " ".join(f"cp{name.replace('.', '')}-*" for name in named)
    assert project["project"]["requires-python"] == f">={named[0]}"


@pytest.mark.parametrize("path", REQUIREMENTS, ids=[path.stem for path in REQUIREMENTS])
def test_requirements_are_exact_with_hashes_and_name_no_index(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"https?:|file://|index-url|find-links|trusted-host", text)
    entries = re.split(r"\n(?=\w)", re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).strip())
    for entry in entries:
        assert re.match(r"[\w.-]+==[\w.]+( ; [^\\]+)? \\\n", entry), entry
        assert "--hash=sha256:" in entry


def test_the_build_uses_what_pyproject_asks_for() -> None:
    pinned = (ROOT / "requirements/build.txt").read_text(encoding="utf-8")
    for line in pyproject()["build-system"]["requires"]:
        name, least = line.split(">=")
        found = re.search(rf"^{name}==([\d.]+)", pinned, re.MULTILINE)
        assert found
        assert [int(part) for part in found[1].split(".")] >= [int(part) for part in least.split(".")]
