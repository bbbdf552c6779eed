"""Containerfile: an unprivileged user, no token, files that exist, and a health check that tells health."""

import json
import re
import subprocess
import sys
from pathlib import Path

from tests.support.cli_process import refused
from tests.support.scripts import ROOT
from tests.support.service import names_model, served

LINES = re.sub(
    r"\\\n\s*", "", re.sub(r"^#.*\n", "", (ROOT / "Containerfile").read_text(), flags=re.MULTILINE)
).splitlines()
TOKEN = "a-token-of-the-test"


def instructions(name: str, stage: int) -> list[str]:
    """What follows an instruction, in a stage: 0 builds, 1 runs."""
    stages = "\n".join(LINES).split("\nFROM ")[1:]
    return [line.partition(" ")[2] for line in stages[stage].splitlines() if line.startswith(f"{name} ")]


def test_it_runs_as_an_unprivileged_user_and_needs_no_compiler() -> None:
    (user,) = instructions("USER", 1)
    assert all(int(number) >= 1000 for number in user.split(":"))
    assert instructions("RUN", 1) == []
    assert instructions("COPY", 1) == ["--from=build /opt/tagfield /opt/tagfield"]


def test_the_token_is_not_in_it() -> None:
    assert "TOKEN" not in "\n".join(LINES)
    assert "--token" not in "\n".join(LINES)


def test_what_it_copies_exists_and_is_not_ignored() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    for line in instructions("COPY", 0):
        for name in line.split()[:-1]:
            assert (ROOT / name).exists()
            assert f"!{name.partition('/')[0]}" in ignored


def test_its_command_wants_a_token_and_then_serves(tmp_path: Path) -> None:
    program, command, *options = json.loads(instructions("ENTRYPOINT", 1)[0])
    assert (program, command) == ("tagfield", "serve")
    names_model().save(tmp_path / "model.tagfield")
    said = refused(command, *options, tmp_path / "model.tagfield", code=2)
    assert "on 0.0.0.0 other machines can reach the service; give it a token" in said
    port = options[options.index("--port") + 1]
    assert instructions("EXPOSE", 1) == [port]
    check = json.loads(instructions("HEALTHCHECK", 1)[0].partition("CMD ")[2])
    assert check[0] == "python"
    with served(tmp_path / "model.tagfield", "--host", "0.0.0.0", TAGFIELD_TOKEN=TOKEN) as service:
        healthy = [word.replace(f":{port}/", f":{service.port}/") for word in check[1:]]
        assert subprocess.run([sys.executable, *healthy], check=False).returncode == 0
        assert service.post("/v1/tag", {"text": "Anna lives in Oslo."})[0] == 401
        assert service.post("/v1/tag", {"text": "Anna lives in Oslo."}, authorization=f"Bearer {TOKEN}")[0] == 200
    sick = subprocess.run([sys.executable, *healthy], check=False, capture_output=True)
    assert sick.returncode == 1
