"""Shell completion, in real shells: what Tab offers after a command line."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tagfield.cli.commands import COMMANDS
from tagfield.train import RECIPES
from tests.support.cli_process import environment

SHELLS = {name: shutil.which(name) for name in ("bash", "zsh", "fish")}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with a `tagfield` on the PATH and a file to complete."""
    folder = tmp_path_factory.mktemp("completion")
    (folder / "bin").mkdir()
    command = folder / "bin" / "tagfield"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m tagfield "$@"\n')
    command.chmod(0o755)
    (folder / "corpus.txt").write_text("")
    return folder


def shell(name: str, home: Path, script: str) -> str:
    found = SHELLS[name]
    if found is None:
        pytest.skip(f"{name} is not installed")
    flags = {"bash": ["--norc", "--noprofile"], "zsh": ["-f"], "fish": ["--no-config"]}[name]
    done = subprocess.run(
        [found, *flags, "-c", script],
        capture_output=True,
        text=True,
        cwd=home,
        timeout=120,
        env=environment(HOME=str(home), PATH=f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def bash(home: Path, *words: str) -> list[str]:
    """What bash's own machinery offers for the last word, with the script that --show-completion prints."""
    quoted = " ".join(f"'{word}'" for word in words)
    script = (
        'eval "$(_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 tagfield --show-completion bash)"\n'
        f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}\n"
        "function=$(complete -p tagfield | sed 's/.*-F \\([^ ]*\\).*/\\1/')\n"
        "$function tagfield\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    return [line for line in shell("bash", home, script).splitlines() if line]


def test_bash_completes_commands(home: Path) -> None:
    assert set(bash(home, "tagfield", "")) >= set(COMMANDS)
    assert bash(home, "tagfield", "tr") == ["train"]


@pytest.mark.slow
def test_bash_completes_the_options_of_a_command(home: Path) -> None:
    assert set(bash(home, "tagfield", "train", "--ep")) == {"--epochs", "--epsilon"}
    assert {"--average", "--no-average", "--config"} <= set(bash(home, "tagfield", "train", "corpus.txt", "--"))
    assert "--scheme" in bash(home, "tagfield", "eval", "-m", "model", "--")


@pytest.mark.slow
def test_bash_completes_recipes_templates_and_choices(home: Path) -> None:
    assert bash(home, "tagfield", "train", "corpus.txt", "--algorithm", "") == list(RECIPES)
    assert bash(home, "tagfield", "train", "corpus.txt", "--algorithm", "lb") == ["lbfgs"]
    assert "words" in bash(home, "tagfield", "train", "--template", "w")
    assert {"observed", "all"} <= set(bash(home, "tagfield", "train", "--features", ""))
    assert bash(home, "tagfield", "eval", "--scheme", "ru") == ["runs"]
    assert bash(home, "tagfield", "demo-data", "addr") == ["addresses"]


def test_bash_completes_files_where_a_file_is_wanted(home: Path) -> None:
    assert bash(home, "tagfield", "train", "cor") == []  # nothing of ours, so `complete -o default` offers files
    show = "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 tagfield --show-completion bash"
    assert "-o default" in shell("bash", home, f'eval "$({show})"; complete -p tagfield')


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_other_shells_get_the_same_names(name: str, home: Path) -> None:
    arguments = "_TYPER_COMPLETE_ARGS='tagfield train --algorithm l' _TAGFIELD_COMPLETE=complete_" + name
    action = "_TYPER_COMPLETE_FISH_ACTION=get-args " if name == "fish" else ""
    assert "lbfgs" in shell(name, home, f"env {action}{arguments} tagfield")
    script = shell(name, home, f"env _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 tagfield --show-completion {name}")
    assert {"zsh": "#compdef tagfield", "fish": "complete --command tagfield"}[name] in script


def test_installing_writes_to_the_home_folder_only(home: Path) -> None:
    text = shell("bash", home, "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION=1 tagfield --install-completion bash")
    assert "bash completion installed in" in text
    assert (home / ".bash_completions" / "tagfield.sh").is_file()
    assert "tagfield.sh" in (home / ".bashrc").read_text()
