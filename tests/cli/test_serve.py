"""`tagfield serve`: what it refuses before it listens."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli_process import call, refused
from tests.support.service import names_model


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("serve") / "names"
    names_model().save(path)
    return path


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (["--host", "0.0.0.0"], 2, "other machines can reach the service; give it a token with --token"),
        (["--host", "::"], 2, "give it a token"),
        (["--host", "example.org"], 2, "give it a token"),
        (["--token", "short"], 2, "at least 8 characters"),
        (["--token", "a token with spaces"], 2, "without spaces"),
        (["--max-tokens", "0"], 2, "--max-tokens must be at least 1"),
        (["--timeout", "0"], 2, "--timeout must be above 0"),
        (["--host", "127.0.0.1", "--port", "99999"], 2, "--port"),
        (["--prot", "1"], 2, "did you mean --port?"),
    ],
)
def test_wrong_options(model: Path, options: list[str], code: int, said: str) -> None:
    assert said in refused("serve", model, *options, code=code)


def test_wrong_models(model: Path, tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"x")
    assert "no-such-file" in refused("serve", "no-such-file", code=3)
    assert "bad" in refused("serve", tmp_path / "bad", code=3)
    assert "two models are named 'names'" in refused("serve", model, model, code=2)


def test_the_port_is_taken(model: Path) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert f"cannot listen on 127.0.0.1 port {port}" in refused("serve", model, "--port", str(port), code=2)


def test_without_the_extra_it_says_how_to_install_it(model: Path, tmp_path: Path) -> None:
    (tmp_path / "uvicorn.py").write_text("raise ModuleNotFoundError(name='uvicorn')")
    done = call("serve", model, PYTHONPATH=str(tmp_path))
    assert done.returncode == 2
    assert done.stderr == "tagfield: tagfield serve needs uvicorn; install it with: pip install 'tagfield[serve]'\n"


def test_the_library_does_not_import_the_server() -> None:
    code = "import sys, tagfield.model.model, tagfield.cli.commands; print({'uvicorn', 'httptools'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
