"""Every option there is: one sentence of help, a place on the command line, and where it belongs."""

import re

import pytest

from tagfield.train.recipes.catalogue import all_options
from tagfield.train.recipes.fields import Found, default_text
from tagfield.train.recipes.settings import shown_default
from tests.support.cli_process import call

OPTIONS = all_options()
EVERY = pytest.mark.parametrize("found", list(OPTIONS.values()), ids=list(OPTIONS))


@EVERY
def test_help_is_one_sentence_in_a_group(found: Found) -> None:
    help = found.option.help
    assert re.fullmatch(r"[A-Z][^.]*\.", re.sub(r"\d\.\d", "", help)), help
    assert found.option.group
    assert default_text(found)


@pytest.fixture(scope="module")
def help_text() -> str:
    done = call("train", "--help", COLUMNS="300", TERM="dumb")
    assert done.returncode == 0, done.stderr
    return done.stdout


@EVERY
def test_the_command_line_shows_it_in_its_group(found: Found, help_text: str) -> None:
    shown = f"--{found.name.replace('_', '-')}"
    panels = re.split(r"╭─ ", help_text)
    [panel] = [panel for panel in panels if re.search(rf"│ +{shown} ", panel)]
    assert panel.startswith(f"{found.option.group} ─")
    [line] = [line for line in panel.splitlines() if re.search(rf"│ +{shown} ", line)]
    assert found.option.help in line
    assert f"[default: {shown_default(found)}]" in line
