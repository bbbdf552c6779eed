"""The report of a comparison: the table in its formats, the plots, the Markdown page; and the commands."""

import csv
import io
import json
import math
import statistics
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tagfield.compare.line_styles import STYLES, style_of
from tagfield.compare.paper_results import PAPER_ACCURACY, SIZES, WEIGHTS, matches_paper
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.compare.plots import limits
from tagfield.compare.report import write_report
from tagfield.compare.report_page import page_text
from tagfield.compare.results import Results, RunResult, load_results
from tagfield.compare.results_file import RESULTS_FILE
from tagfield.compare.results_page import HANDWRITTEN, compare_with_paper, results_text, write_results
from tagfield.compare.share_image import write_share_image
from tagfield.compare.summary import LearningCurves, summarise
from tagfield.compare.tables import csv_text, curves_csv, markdown_table, summary_record
from tagfield.errors import InputError
from tagfield.train import RECIPES
from tests.support.cli_process import good, refused
from tests.support.corpus import TEST, TRAIN, needs_corpus

PLAN = ["--recipes", "sgd,u2.g1,u2.g3,adaptive,lbfgs", "--features", "all"]
PLAN += ["--seeds", "2", "--epochs", "3", "--iterations", "4"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison on addresses, made by the commands themselves."""
    home = tmp_path_factory.mktemp("compared")
    good("demo-data", "addresses", "-o", home, "--train", "60", "--test", "20")
    files = ["--train", home / "train.txt", "--test", home / "test.txt"]
    said = good("compare", *files, *PLAN, "-o", home / "out")
    assert "9 runs on " in said
    assert "9/9 " in said
    assert f"next: tagfield report {home / 'out'}" in said
    return home / "out"


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    return load_results(folder)


def test_every_recipe_has_its_own_style() -> None:
    looks = [style_of(name) for name in RECIPES]
    assert len({(look.colour, look.dashes, look.marker) for look in looks}) == len(RECIPES)
    assert len({look.colour for look in STYLES.values()}) == len(STYLES)


def test_the_table_says_what_the_ledger_says(folder: Path, results: Results) -> None:
    lines = [json.loads(line) for line in (folder / RESULTS_FILE).read_text().splitlines()]
    rows = summarise(results)
    assert {(row.recipe, row.features) for row in rows} == {
        (line["recipe"], line["features"]) for line in lines if line["kind"] == "run"
    }
    for row in rows:
        mine = [
            line
            for line in lines
            if line["kind"] == "run" and (line["recipe"], line["features"]) == (row.recipe, row.features)
        ]
        accuracies = [line["test"]["accuracy"] for line in mine]
        assert row.accuracy is not None
        assert row.accuracy.mean == pytest.approx(statistics.mean(accuracies))
        assert row.seeds == len(mine) == (1 if row.recipe == "lbfgs" else 2)
        if len(mine) > 1:
            assert row.accuracy.sd == pytest.approx(statistics.stdev(accuracies))
        else:
            assert row.accuracy.sd is None
            assert "±" not in str(row.accuracy)


def test_a_run_that_stopped_early_is_extended_with_its_last_values(results: Results) -> None:
    first, second = (run for run in results.runs if run.run.recipe == "sgd" and run.run.features == "all")
    short = RunResult(second.run, second.epochs[:1], second.closing)
    curves = LearningCurves.of([first, short])
    assert len(curves.mean["test_f1"]) == 3
    expected = (first.epochs[2]["test_f1"] + short.epochs[0]["test_f1"]) / 2
    assert curves.mean["test_f1"][2] == pytest.approx(expected)


def test_markdown_csv_and_json_agree(results: Results) -> None:
    rows = summarise(results)
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in markdown_table(results).splitlines()]
    assert len({len(line) for line in table}) == 1
    records = list(csv.DictReader(io.StringIO(csv_text(results))))
    parsed = json.loads(json.dumps(summary_record(results)))["rows"]
    assert len(table) - 2 == len(records) == len(parsed) == len(rows)
    for cells, record, one, row in zip(table[2:], records, parsed, rows, strict=True):
        assert cells[:2] == [record["recipe"], record["features"]] == [one["recipe"], one["features"]]
        assert row.accuracy is not None
        assert cells[2] == str(row.accuracy)
        assert float(record["accuracy_mean"]) == one["accuracy"]["mean"] == row.accuracy.mean


def test_the_curves_are_all_there(results: Results) -> None:
    lines = list(csv.DictReader(io.StringIO(curves_csv(results))))
    assert len(lines) == 4 * 3 + 4
    assert {line["epoch"] for line in lines if line["recipe"] == "sgd"} == {"1", "2", "3"}
    assert all(math.isfinite(float(line["test_accuracy_mean"])) for line in lines)


@pytest.fixture(scope="module")
def reported(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the report in r and the page in docs, each with its figures; and what the command said."""
    home = tmp_path_factory.mktemp("reported")
    return home, good("report", folder, "-o", home / "r", "--publish", home / "docs" / "results.md")


def test_figures_are_drawn_and_the_same_every_time(reported: tuple[Path, str]) -> None:
    drawn, again = (sorted((reported[0] / name / "figures").glob("*.png")) for name in ("r", "docs"))
    assert {path.stem for path in drawn} == {"baselines-all", "sigmoids-all", "beyond-all", "time-all"}
    for path, other in zip(drawn, again, strict=True):
        assert path.name == other.name
        assert path.read_bytes()[:4] == b"\x89PNG"
        drawing = path.with_suffix(".svg")
        assert drawing.read_bytes() == other.with_suffix(".svg").read_bytes()
        tree = ElementTree.parse(drawing)
        assert len(list(tree.iter("{http://www.w3.org/2000/svg}path"))) > 20
        links = [value for node in tree.iter() for name, value in node.attrib.items() if name.endswith("href")]
        assert links
        assert all(link.startswith("#") for link in links)


def test_a_collapse_does_not_flatten_the_others() -> None:
    low, high = limits([[0.95, 0.96], [0.95, 0.1]])
    assert low > 80
    assert high > 96


def test_without_matplotlib_the_rest_is_written(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    made = write_report(results, tmp_path)
    assert "pip install 'tagfield[plots]'" in made.no_plots
    assert made.page.is_file()


def test_the_report_command_and_what_it_writes_and_keeps(reported: tuple[Path, str], results: Results) -> None:
    home, said = reported
    page = home / "docs" / "results.md"
    assert "token accuracy %" in said
    assert sorted(path.name for path in (home / "r").iterdir()) == [
        "curves.csv",
        "figures",
        "index.html",
        "share.png",
        "summary.csv",
        "summary.json",
        "summary.md",
    ]
    text = page.read_text()
    pictures = [line.split("](")[1].rstrip(")") for line in text.splitlines() if line.startswith("![")]
    assert len(pictures) == 4
    assert all((home / "docs" / picture).is_file() for picture in pictures)
    page.write_text("# old\n" + HANDWRITTEN + "\n\n## Mine\n")  # publishing again keeps what was written by hand
    write_results(results, page)
    assert page.read_text() == text + "\n" + HANDWRITTEN + "\n\n## Mine\n"


def test_an_unfinished_or_empty_comparison(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # other tests look at the plots
    rows = (folder / RESULTS_FILE).read_text().splitlines(keepends=True)
    last = max(i for i, row in enumerate(rows) if '"kind":"run"' in row)
    (tmp_path / RESULTS_FILE).write_text("".join(rows[:last]))
    assert "1 run of 9 not finished yet" in good("report", tmp_path)
    assert "have not finished yet" in (tmp_path / "report" / "index.html").read_text()
    (tmp_path / RESULTS_FILE).write_text("".join(rows[:2]))
    assert "no run has finished yet" in refused("report", tmp_path)
    assert "no results.jsonl in" in refused("report", tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--recipes", "sgd,nope"], "no recipe named 'nope'"),
        (["--recipes", "ngd"], "ngd needs a loss and a generator"),
        (["--features", "few"], "no feature set named 'few'"),
        (["--epochs", "0"], "epochs must be at least 1, got 0"),
        (["--format", "xml"], "no format named 'xml'"),
    ],
)
def test_compare_says_what_is_wrong_before_it_starts(
    folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    files = ["--train", folder.parent / "train.txt", "--test", folder.parent / "test.txt"]
    assert message in refused("compare", *files, *arguments, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_fetch_knows_its_corpora(tmp_path: Path) -> None:
    assert "no corpus named 'conll1999'" in refused("fetch", "conll1999")
    assert "is not a folder or archive" in refused("fetch", "conll2000", "--from", tmp_path / "nowhere")


def paper_results(shift: float) -> Results:
    """Results on data of the paper's size, each accuracy `shift` points above the paper's."""
    runs = []
    for name, kinds in PAPER_ACCURACY.items():
        for kind, (mean, _) in kinds.items():
            for seed in range(1 if name == "lbfgs" else 2):
                accuracy = (mean + shift) / 100
                scores = {"accuracy": accuracy, "chunks": {"f1": 0.93}, "labels": {}}
                closing = {"weights": WEIGHTS[kind], "rate": 0.1, "epochs": 1, "seconds": 1.0, "test": scores}
                closing["known"] = {"tokens": 47321, "correct": round(accuracy * 47321)}
                epoch = {"epoch": 1, "seconds": 1.0, "objective": 2.0, "test_accuracy": accuracy, "test_f1": 0.9}
                epoch |= {"train_accuracy": 0.99, "train_f1": 0.99}
                runs.append(RunResult(PlannedRun(name, kind, seed), [epoch], closing))
    sizes = {part: {"sentences": s, "tokens": t} for part, (s, t) in SIZES.items()}
    data = {**sizes, "labels": 22, "attributes": 335_674, "unseen_labels": ["I-LST"], "fingerprint": ""}
    return Results(Plan(seeds=2), data, [], runs)


def test_the_papers_figures_stand_beside_ours_on_its_data() -> None:
    near = paper_results(-0.03)
    assert matches_paper(near)
    said = compare_with_paper(near)
    assert said[0].startswith("16 of the paper's 16 results are reproduced within ±0.06")
    assert said[1:] == [
        "observed (small): of u2.g1, u2.g1p, u2.g2, u2.g3, all at or above sgd (95.95).",
        "all (large): of u2.g1, u2.g1p, u2.g2, u2.g3, all at or above sgd (95.99).",
    ]
    text = results_text(near, ["time-all.png"])
    assert "| sgd    | observed |" in text
    assert "95.98 ± 0.02" in text
    assert "−0.03" in text
    assert "](figures/time-all.png)" in text
    far = compare_with_paper(paper_results(-0.2))
    assert far[0].startswith("0 of the paper's 16 results")
    assert "pa on all: -0.20." in far


def test_other_data_is_not_the_papers(results: Results) -> None:
    assert not matches_paper(results)
    assert compare_with_paper(results) == []
    assert "the paper's" not in markdown_table(results)


def test_results_of_nothing_cannot_be_reported(results: Results, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run has finished yet"):
        write_report(Results(results.plan, results.data, [], []), tmp_path)


@needs_corpus
@pytest.mark.slow
def test_a_small_version_of_the_papers_experiment(tmp_path: Path) -> None:
    """Two recipes, two seeds, ten epochs on CoNLL-2000: sizes to the digit, accuracies within bounds."""
    plan = ["--recipes", "sgd,u2.g1", "--features", "observed,all", "--seeds", "2", "--epochs", "10"]
    said = good("compare", "--train", TRAIN, "--test", TEST, *plan, "--report", "-o", tmp_path)
    assert "the paper's" in said
    results = load_results(tmp_path)
    assert matches_paper(results)
    accuracy = {}
    for row in summarise(results):
        assert row.weights == WEIGHTS[row.features]
        assert row.accuracy is not None
        assert row.f1 is not None
        accuracy[row.recipe, row.features] = 100 * row.accuracy.mean
        assert 93.0 < 100 * row.f1.mean < 94.2
    assert accuracy["sgd", "all"] == pytest.approx(95.98, abs=0.08)
    assert accuracy["u2.g1", "all"] == pytest.approx(96.01, abs=0.08)
    assert accuracy["sgd", "observed"] == pytest.approx(95.88, abs=0.12)
    assert accuracy["u2.g1", "observed"] == pytest.approx(95.95, abs=0.12)
    assert accuracy["u2.g1", "all"] >= accuracy["sgd", "all"] - 0.04
    assert (
        len(list((tmp_path / "report" / "figures").glob("*.svg"))) == 2
    )  # only the time plots; two recipes are too few for the others
    known = {run.closing["known"]["tokens"] for run in results.runs}
    assert known == {47_321}
    first = next(run for run in results.runs if run.run == PlannedRun("sgd", "observed", 0))
    assert first.closing["rate"] == 0.1
    for found, expected in zip(first.curve("objective"), (36_170, 22_075, 18_440, 16_837, 15_880), strict=False):
        assert found == pytest.approx(expected, rel=0.01)


def test_the_page_ends_with_it_and_the_image_has_the_size_of_a_link(results: Results, tmp_path: Path) -> None:
    text = page_text(results)
    assert text.index("What to use</h2>") > text.index('id="settings"')
    path = write_share_image(results, tmp_path / "share.png")
    assert path is not None
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert (int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")) == (1200, 630)
