"""`tagfield responses` through the real command."""

import pytest

from tagfield.cli.commands import run


@pytest.mark.parametrize(("name", "start"), [("r.png", b"\x89PNG"), ("r.svg", b"<?xml")])
def test_it_draws(tmp_path, capsys, name, start):
    path = tmp_path / name
    assert run(["responses", "-o", str(path), "--generator", "softplus"]) == 0
    assert path.read_bytes().startswith(start)
    assert f"{path}: 5 responses" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.gif"], "must end in .png or .svg"),
        (["--generator", "sine"], "no generator named 'sine'"),
        (["--reach", "0"], "--reach must be > 0, got 0"),
    ],
)
def test_bad_requests_are_one_sentence(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    assert run(["responses", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
