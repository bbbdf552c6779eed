"""The article in small: every study on the built-in corpora, the page filled, figures drawn, links that lead on."""

import re
from pathlib import Path

import pytest

from studies.__main__ import INTERRUPTED, main
from studies.article import MARK, anchor, parts
from studies.corpora import built_in, public
from studies.feature_kinds import kind_gains, kind_table
from studies.run_studies import Findings, Workspace, load_findings, run_steps, steps
from studies.study_list import same_runs, studies
from tagfield.compare.results_file import RESULTS_FILE, read_lines
from tagfield.errors import InputError

PAGE = Path(__file__).parents[2] / "docs" / "paper.md"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folder of the results, and the page."""
    home = tmp_path_factory.mktemp("paper")
    before = PAGE.read_bytes()
    assert main(["--small", "--workers", "0", "-o", str(home), "--publish", str(PAGE)]) == 0
    assert PAGE.read_bytes() == before
    return home, home / "paper.md"


@pytest.mark.slow
def test_every_part_is_computed_and_nothing_else_is_touched(made: tuple[Path, Path]) -> None:
    filled, committed = made[1].read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    assert MARK.sub(r"\2", filled) == MARK.sub(r"\2", committed)
    asked = [name for _, name, _, _ in MARK.findall(filled)]
    assert len(asked) == len(set(asked))
    known = parts(Findings())
    assert {name for name in known if name.startswith("claim-")} <= set(asked), "a claim is not on the page"
    for _, name, text, _ in MARK.findall(filled):
        assert text.strip(), name
        assert "not run" not in text, name


@pytest.mark.slow
def test_every_claim_names_its_command_and_its_test(made: tuple[Path, Path]) -> None:
    text = made[1].read_text(encoding="utf-8")
    for _, name, part, _ in MARK.findall(text):
        if name.startswith("claim-"):
            assert 'Command: `make paper PAPER_FLAGS="--only ' in part
            assert f"tests/studies/test_claims.py::test_{name.removeprefix('claim-')}" in part
            assert re.match(r"> .+\n\n\*\*(Holds|Holds in part|Not shown|Does not hold|Not tested)\.\*\* ", part)


@pytest.mark.slow
def test_links_and_figures_lead_somewhere(made: tuple[Path, Path]) -> None:
    text = made[1].read_text(encoding="utf-8")
    headings = {anchor(line.lstrip("# ")) for line in text.splitlines() if line.startswith("#")}
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, at = target.partition("#")
        if not path:
            assert at in headings, target
        elif not path.startswith("http"):
            assert (PAGE.parent / path).exists(), target
    drawn = {path.name for path in (made[1].parent / "figures").iterdir()}
    used = set(re.findall(r"\(figures/(paper-[\w-]+\.png)\)", text))
    assert used == drawn
    assert all(path.stat().st_size < 400_000 for path in (PAGE.parent / "figures").glob("paper-*.png"))


@pytest.mark.slow
def test_started_again_it_trains_nothing(made: tuple[Path, Path]) -> None:
    home = made[0]
    before = {path: path.read_bytes().count(b'"kind":"epoch"') for path in home.rglob(RESULTS_FILE)}
    said: list[str] = []
    run_steps(Workspace(built_in(), None, home, True, 0, None, said.append))
    assert {path: path.read_bytes().count(b'"kind":"epoch"') for path in home.rglob(RESULTS_FILE)} == before
    assert len(before) > len(steps(True))  # with those of tuning


@pytest.mark.slow
def test_runs_with_the_same_settings_are_taken_from_the_other_study(made: tuple[Path, Path]) -> None:
    table, strength = (list(read_lines(made[0] / name / RESULTS_FILE)) for name in ("table", "strength"))
    found = {study.name: study for study in studies(True)}
    taken = {
        line["run"] for line in same_runs(made[0] / "table", found["strength"].plan, table[0]["data"]["fingerprint"])
    }
    assert {name.split("/")[0] for name in taken} == {"u1.g1", "u2.g1p", "u2.g2", "u2.g3"}
    for line in (line for line in strength if line.get("run") in taken):
        assert line in table
    assert same_runs(made[0] / "table", found["strength"].plan, "other data") == []


@pytest.mark.slow
def test_each_kind_of_feature_is_beside_sgd_and_the_whole_recipe(made: tuple[Path, Path]) -> None:
    found = load_findings(made[0], small=True)
    rows = kind_gains(found)
    names = [f"U2*.G1, {kind} linear" for kind in ("transitions", "states", "s")]
    pairs = [("u2.g1", "sgd"), *((name, other) for other in ("sgd", "u2.g1") for name in names)]
    assert [(row.one, row.other) for row in rows] == pairs
    runs = {run.run.key: run for run in found.results["kinds"].runs}
    whole, plain = runs["u2.g1/all/0"], runs["u2.g1/all/0/states=quadratic"]
    assert whole.curve("test_accuracy").tolist() != plain.curve("test_accuracy").tolist()
    assert whole.epochs == next(run for run in found.results["wnut17"].runs if run.run.key == "u2.g1/all/0").epochs
    assert kind_table(Findings()) == "The study has not run."


def test_one_study_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--small", "--workers", "0", "-o", str(tmp_path), "--only", "ingredients"]) == 0
    printed = capsys.readouterr().out
    assert "## Higher accuracy, other corpora\n\n> " in printed
    assert "Faster, tuned" not in printed
    assert list(load_findings(tmp_path, small=True).results) == ["ingredients"]
    with pytest.raises(InputError, match=r"no study named 'x'; choose from table, strength, "):
        run_steps(Workspace(built_in(), None, tmp_path, True, 0, None, lambda _: None), ["x"])


def test_an_interrupt_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("studies.__main__.run_steps", stop)
    assert main(["--small", "-o", str(tmp_path)]) == INTERRUPTED


def test_missing_corpora_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match=r"conll2000/train\.txt'; the article needs conll2000, wnut17"):
        public(tmp_path)
    assert main([str(tmp_path), "-o", str(tmp_path / "out")]) == 1
    assert "article: no file" in capsys.readouterr().err
