"""Progress and results in a real notebook, run by a real kernel; and silence where nobody watches."""

import subprocess
import sys
from typing import Any

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.evaluate import evaluate
from tagfield.model.model import Model
from tagfield.train import Epoch, Settings, train
from tagfield.train.progress.notebook import NotebookProgress
from tagfield.train.progress.status import RunStatus

X, Y = [[["a"], ["b"]], [["b"], ["a"]]] * 10, [["B-<X>", "O"], ["O", "B-<X>"]] * 10

SETUP = """
from tagfield import Model, Settings, encode_sequences
from tagfield.train import train
encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 10, [["B-<X>", "O"], ["O", "B-<X>"]] * 10)
settings = Settings.of("sgd", rate=0.1, epochs=4)
"""


@pytest.fixture(scope="module")
def cells() -> list[Any]:
    """The outputs of each cell of a notebook."""
    nbformat = pytest.importorskip("nbformat", reason="notebooks need nbclient and ipykernel")
    client = pytest.importorskip("nbclient", reason="notebooks need nbclient and ipykernel")
    pytest.importorskip("ipykernel", reason="notebooks need nbclient and ipykernel")
    sources = [
        SETUP,
        "model = Model.train(encoded, settings, dev=encoded)",
        "model = Model.train(encoded, settings, progress=False)",
        "model",
        "encoded",
        "encoded.dataset",
        "model.evaluate(encoded)",
        "settings",
        "train(encoded, settings)",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    code = "import nbclient, nbformat, sys\n"
    code += "n = nbformat.reads(sys.stdin.read(), 4)\n"
    code += "nbclient.NotebookClient(n, timeout=120, kernel_name='python3').execute()\nprint(nbformat.writes(n))\n"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], input=nbformat.writes(made), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert client is not None
    return [cell.outputs for cell in nbformat.reads(done.stdout, 4).cells]


def test_training_shows_one_table_that_was_updated(cells: list[Any]) -> None:
    [output] = cells[1]
    assert output.output_type == "display_data"
    html = output.data["text/html"]
    assert "epoch 4 of 4" in html
    for head in ("dev loss/token", "dev accuracy", "dev F1", "kept"):
        assert f">{head}</th>" in html
    assert "<progress" not in html  # it is over
    assert cells[2] == []  # progress=False


@pytest.mark.parametrize(
    ("cell", "start", "parts"),
    [
        (3, "<Model: 2 labels, 2 attributes, ", ["B-&lt;X&gt;, O", "sgd"]),
        (4, "<Encoded: 20 sequences, 40 tokens, 2 labels, 2 attributes>", ["2: a, b", "B-&lt;X&gt;, O"]),
        (5, "<Dataset: 20 sequences, 40 tokens, ", ["occurrences"]),
        (6, "<Scores: F1 100.00 % (iob), token accuracy 100.00 %, 40 tokens>", ["&lt;X&gt;", "precision"]),
        (7, "Settings.of('sgd', epochs=4, rate=0.1)", ["epochs", "rate"]),
        (8, "<Trained: sgd, 4 epochs in ", ["objective", "loss", ">yes</td>"]),
    ],
)
def test_results_are_short_and_tables_are_escaped(cells: list[Any], cell: int, start: str, parts: list[str]) -> None:
    [output] = cells[cell]
    assert output.data["text/plain"].startswith(start)
    assert len(output.data["text/plain"].splitlines()) <= 2
    html = output.data["text/html"]
    assert html.startswith("<table")
    assert "<X>" not in html
    for part in parts:
        assert part in html


def test_a_script_stays_silent_and_progress_true_speaks_on_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    encoded = encode_sequences(X, Y)
    settings = Settings.of("sgd", rate=0.1, epochs=3)
    Model.train(encoded, settings)
    assert capfd.readouterr() == ("", "")
    seen: list[Epoch] = []
    Model.train(encoded, settings, progress=True, on_epoch=seen.append)
    out, err = capfd.readouterr()
    assert out == ""
    assert [line.split()[1] for line in err.splitlines()] == ["1/3", "2/3", "3/3"]
    assert len(seen) == 3


def test_your_callback_can_still_stop_it() -> None:
    encoded = encode_sequences(X, Y)
    model = Model.train(encoded, Settings.of("sgd", rate=0.1, epochs=9), progress=True, on_epoch=lambda _: True)
    assert model.info["epochs"] == 1


def test_the_html_of_a_run_on_its_way() -> None:
    course = RunStatus(4, 100, dev=False, chunks=False, now=lambda: 0.0)
    progress = NotebookProgress(course)
    assert progress.html() == '<div><progress max="4" value="0"></progress> the first pass, 0:00 elapsed</div>'
    course.add(Epoch(1, 9.0, 0.1, loss=0.25))
    assert '<progress max="4" value="1"></progress> epoch 1 of 4' in progress.html()
    assert ">0.2500</td>" in progress.html()


def test_labels_without_chunks_have_a_table_of_labels() -> None:
    html = evaluate([["N", "V"]], [["N", "N"]])._repr_html_()
    assert ">macro</td>" in html
    assert ">V</td>" in html
    assert "Scores: token accuracy 50.00 %" in repr(evaluate([["N", "V"]], [["N", "N"]]))


def test_reprs_do_not_grow_with_the_data() -> None:
    encoded = encode_sequences([[[f"w{i}"]] for i in range(2000)], [[f"L{i % 300}"] for i in range(2000)])
    trained = train(encoded, Settings.of("sgd", rate=0.1, epochs=2))
    model = Model.of(encoded, trained)
    for each in (encoded, encoded.dataset, model, trained, trained.settings, model.evaluate(encoded)):
        assert len(repr(each)) < 250
        assert "\n" not in repr(each)
    assert len(encoded._repr_html_()) < 3000
