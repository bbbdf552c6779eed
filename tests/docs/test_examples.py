"""What the README and examples/ show is run here, on data of a few sentences."""

import re
import runpy
from pathlib import Path

import pytest

from tests.support.cli_process import inside

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SMALLER = {  # what a test adds
    "demo-data": ["--train", "40", "--test", "20"],
    "train": ["--epochs", "3"],
    "tune": ["--budget", "6", "--folds", "2"],
}


def blocks(language: str) -> list[str]:
    """The fenced blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_the_readmes_python_prints_what_it_says(tmp_path, monkeypatch, capsys):
    code = "\n".join(blocks("python"))
    promised = re.findall(r"print\(.*\)  # (.+)$", code, re.MULTILINE)
    assert promised
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == promised


def test_the_readmes_commands_work(tmp_path):
    commands = [line.split("#")[0].split() for block in blocks("sh") for line in block.splitlines()]
    commands = [words[1:] for words in commands if words[:1] == ["tagfield"]]
    assert {"train", "tag", "eval"} <= {words[0] for words in commands}
    for words in commands:
        code, out, err = inside(*words, *SMALLER.get(words[0], []), input="", cwd=tmp_path)
        assert code == 0, (words, err)
        assert out or err, words


def test_the_page_of_recipes_names_every_one():
    from tagfield import RECIPES

    listed = re.findall(r"^\| `([\w.]+)` \| \w+ \| (.*) \|$", (ROOT / "docs" / "recipes.md").read_text(), re.MULTILINE)
    assert listed == [(name, recipe.about) for name, recipe in RECIPES.items()]


def test_the_readme_is_short():
    assert len(README.splitlines()) < 150


@pytest.mark.parametrize(
    "page",
    ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "benchmarks/README.md", "docs/recipes.md"],
)
def test_every_link_leads_somewhere(page):
    folder = (ROOT / page).parent
    links = re.findall(r"\[[^\]]*\]\(([^)#]+)[^)]*\)", (ROOT / page).read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (folder / link).exists()]
    assert not missing


def test_the_fisher_matrix_is_drawn(tmp_path, capsys):
    picture = tmp_path / "fisher.png"
    example = runpy.run_path(str(ROOT / "examples" / "fisher_matrix.py"))
    example["main"](str(picture))
    assert picture.read_bytes().startswith(b"\x89PNG")
    out = capsys.readouterr().out
    assert "M is 15 × 15 and has rank 8: 7 directions change no probability" in out
    p, q = (example["probabilities"](example["walk"](example[way])[-1]) for way in ("closed_form", "shortest"))
    assert abs(p - q).max() < 1e-8
    assert abs(example["walk"](example["closed_form"])[-1] - example["walk"](example["shortest"])[-1]).max() > 0.01


def test_a_generator_of_ones_own_trains_and_is_drawn(tmp_path, capsys):
    picture = tmp_path / "own.png"
    example = runpy.run_path(str(ROOT / "examples" / "own_generator.py"))
    found = example["main"]([str(picture), "--train", "60", "--test", "30", "--epochs", "5"])
    assert list(found) == ["arcsinh", "arctan"]
    # Guessing the most frequent label gives less than a third.
    assert all(scores.accuracy > 0.5 for scores in found.values())
    assert found["arcsinh"] != found["arctan"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["arcsinh", "arctan", "plot:"]
