"""The commands, from end to end."""

import gzip
import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

import tagfield
from tagfield import CRF, Model
from tagfield.cli.commands import COMMANDS
from tagfield.train import RECIPES, Settings
from tagfield.train.recipes.catalogue import all_options
from tests.support.cli_process import COMMAND, PLAIN, TRAIN, call, environment, good, inside, refused
from tests.support.corpus import TEST, needs_corpus
from tests.support.corpus import TRAIN as CORPUS_TRAIN


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a little data and a model of it."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "train.txt").write_text(TRAIN)
    (folder / "plain.txt").write_text(PLAIN)
    good("train", folder / "train.txt", "-o", folder / "model", "--c2", "0.01", "--epochs", "20")
    return folder


# Start-up


def test_help_is_quick_because_it_imports_no_numpy() -> None:
    code = (
        "import sys\nfrom tagfield.cli.commands import run\nrun(['--help'])\n"
        "heavy = ('numpy', 'scipy', 'tagfield.native', 'tagfield.train', 'tagfield.model', 'tagfield.cli.train')\n"
        "print([m for m in heavy if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"
    for name, entry in COMMANDS.items():
        assert name in done.stdout
        assert entry.summary in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_that_begins_with_its_summary(name: str) -> None:
    assert COMMANDS[name].summary in good(name, "--help")


def test_no_argument_is_help_and_version_is_the_version() -> None:
    assert good() == good("--help") == good("-h")
    assert good("--version") == f"tagfield {tagfield.__version__}\n"


def test_the_help_of_train_names_every_recipe_and_the_defaults_of_settings() -> None:
    text = " ".join(good("train", "--help").replace("│", " ").split())
    assert all(recipe in text for recipe in RECIPES)
    for default in (str(Settings().recipe), "auto; observed for a named recipe", "0.1; 1 for a named recipe", 10, 0.25):
        assert f"[default: {default}]" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "tagfield: no command named 'nothing'; choose one of train, tag, "),
        (["trian"], "tagfield: no command named 'trian'; did you mean 'train'?"),
        (["train"], "tagfield train: missing argument"),
        (["train", "a", "-o", "b", "--wrong"], "tagfield train: no option named --wrong; see tagfield train --help"),
        (["train", "a", "-o", "b", "--epoch", "3"], "tagfield train: no option named --epoch; did you mean --epochs?"),
        (
            ["train", "a", "-o", "b", "--algorithm", "lbgfs"],
            "tagfield: no algorithm named 'lbgfs'; did you mean 'lbfgs'?",
        ),
        (["train", "a", "-o", "b", "--template", "word"], "tagfield: no template named 'word'; did you mean 'words'?"),
        (["demo-data", "adresses", "-o", "b"], "tagfield: no corpus named 'adresses'; did you mean 'addresses'?"),
        (["train", "a", "-o", "b", "--epochs", "many"], "tagfield train: invalid value for '--epochs'"),
    ],
)
def test_a_wrong_argument_is_one_sentence(arguments: list[str], message: str) -> None:
    code, out, err = inside(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert len(err.splitlines()) == 1


# train


def test_train_tells_how_it_goes_and_what_came_out(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    (tmp_path / "dev.txt").write_text("The DT B-NP\ncat NN I-NP\nruns VBZ B-XX\n\nThe DT B-NP\n")
    text = good(
        "train", "train.txt", "--dev", "dev.txt", "-o", "my model", "--epochs", "3", "--log", "log", cwd=tmp_path
    )
    lines = text.splitlines()
    assert lines[0] == (
        "input      train.txt: columns: word, pos, label (space-separated, 3 labels); template chunking (reads pos; "
        "to label plain text, train with --template ner)"
    )
    del lines[0]
    assert lines[0].startswith("train      2 sequences, 6 tokens, 3 labels, 46 attributes, read in ")
    assert lines[1] == "dev        2 sequences, 4 tokens"
    assert lines[2].endswith("labels missing from the training data, counted as errors: B-XX")
    epochs = [line for line in lines if line.startswith("epoch ")]
    assert [line.split()[1] for line in epochs] == ["1/3", "2/3", "3/3"]
    assert all(part in epochs[-1] for part in ("dev loss/token", "dev accuracy", "F1", "rate", "tokens/s"))
    assert "ended      after 3 epochs and " in text
    assert "it reached the maximum of 3 epochs" in text
    assert "saved      my model, " in text
    assert "next       tagfield eval -m 'my model' dev.txt" in text

    log = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [row["epoch"] for row in log] == [1, 2, 3]
    assert log[0].keys() >= {"objective", "loss", "seconds", "norm", "best", "rate", "accuracy", "f1"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dev.txt", "log", "my model", "train.txt"]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("features", ["observed", "all"])
def test_every_recipe_trains(recipe: str, features: str, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    options = ["--algorithm", recipe, "--features", features, "--epochs", "30", "--seed", "3"]
    options += ["--c2", "0.01"] if recipe not in ("pa", "ap", "arow") else []
    text = good("train", "train.txt", "-o", "model", *options, cwd=tmp_path)
    assert f"recipe     {recipe}" in text
    assert "token accuracy     100.00 %  (6 of 6)" in good("eval", "-m", "model", "train.txt", cwd=tmp_path)
    record = json.loads(good("info", "model", "--json", cwd=tmp_path))
    assert record["features"] == features
    assert record["info"]["settings"]["recipe"] == recipe
    assert record["info"]["settings"]["seed"] == 3


@pytest.mark.parametrize(
    ("options", "recipe", "averaged", "features"),
    [
        ([], "adaptive", True, "all"),
        (["--features", "observed"], "adaptive", True, "observed"),
        (["--no-average"], "adaptive", False, "all"),
        (["--algorithm", "u2.g1"], "u2.g1", False, "observed"),
        (["--generator", "erf:2"], "ngd", False, "observed"),
    ],
)
def test_the_default_and_recipes_by_name(
    options: list[str], recipe: str, averaged: bool, features: str, tmp_path: Path
) -> None:
    (tmp_path / "train.txt").write_text("w NN B-NP\ny NN I-NP\nz VB B-VP\n" + "x NN O\n" * 30)
    text = good("train", tmp_path / "train.txt", "-o", tmp_path / "m", "--epochs", "2", *options)
    settings = json.loads(good("info", tmp_path / "m", "--json"))["info"]["settings"]
    assert (settings["recipe"], settings["average"], settings["features"]) == (recipe, averaged, features)
    assert (f"recipe     {recipe}, averaged, " in text) == averaged
    assert (f"trained by  {recipe}, averaged, " in good("info", tmp_path / "m")) == averaged


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--generator", "auto"], "averaged, rate 0.1, c2 1, seed 0 · chosen by ngd with generator auto"),
        (["--generator", "erf:2"], "B2, γ = 0, of erf:2"),
        (["--loss", "U4"], "U4 of arctan:0.1"),
        (["--loss", "B1", "--gamma", "0.5"], "B1, γ = 0.5, of arctan:0.1"),
    ],
)
def test_the_update_that_was_asked_for_or_chosen_is_told(options: list[str], told: str, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("w NN B-NP\ny NN I-NP\nz VB B-VP\n\n" * 20)
    text = good("train", tmp_path / "train.txt", "-o", tmp_path / "m", "--epochs", "2", "--algorithm", "ngd", *options)
    assert told in text.partition("recipe     ")[2].partition("ended")[0]
    assert not logging.getLogger("tagfield.train.trainers.update_search").handlers  # what it printed with is gone
    shown = good("info", tmp_path / "m").partition("trained by  ")[2].partition("trained on")[0]
    assert told in " ".join(shown.split())


def test_options_reach_the_settings(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    given = {"features": "all", "transitions": "observed", "min_count": 1, "epochs": 4, "seed": 7, "threads": 2}
    given |= {"monitor": "accuracy", "max_dev_rise": 0.5}
    penalty = {"c2": 0.5, "period": 3, "delta": 0.1}
    margin = {"pa_type": 2, "pa_c": 0.25, "epsilon": 0.01}
    arow = {"arow_variance": 2.0, "arow_gamma": 3.0}
    newton = {"c1": 0.1, "num_memories": 3, "linesearch": "Backtracking", "max_linesearch": 9, "epsilon": 0.1}
    update = {"loss": "B2", "gamma": 0.0, "generator": "gd:5", "rate": 0.3, "adagrad_delta": 0.1, "block": 4}
    update |= {"rate_by": "attributes"}
    update |= {"respond": "states", "metric": "adaptive", "anneal": 0.5, "cost": 0.5, "calibration_eta": 0.2}
    update |= {"calibration_rate": 3.0, "calibration_samples": 9, "calibration_candidates": 3}
    update |= {"calibration_max_trials": 5} | penalty
    metrics = {
        "newton": {"newton_delta": 0.5},
        "sgdqn": {"qn_skip": 3, "qn_bound": 9.0},
        "smd": {"smd_mu": 0.25, "smd_lambda": 0.5},
    }
    together = {"minibatch": 2, "generators": "transitions=quadratic"}
    reached = {"patience", "keep_best", "batch", "pa_cost_sensitive", "pa_average", "average", "minibatch_mean"}
    reached |= {"calibrate", "prune"}
    asked_for = set().union(given, margin, arow, newton, update, *metrics.values(), together, reached)
    assert asked_for == set(all_options())  # `reached` by other tests
    for algorithm, more, flags in (
        ("pa", margin, ["--no-pa-cost-sensitive", "--no-pa-average"]),
        ("arow", arow, []),
        ("lbfgs", newton | penalty, []),
        *((name, more, []) for name, more in metrics.items()),
        ("u2.g1", together, ["--minibatch-mean"]),
        ("ngd", update, ["--average"]),
    ):
        asked = given | more
        options = [word for name, value in asked.items() for word in (f"--{name.replace('_', '-')}", str(value))]
        good("train", "train.txt", "-o", "model", *options, *flags, "--algorithm", algorithm, cwd=tmp_path)
        settings = json.loads(good("info", "model", "--json", cwd=tmp_path))["info"]["settings"]
        del asked["threads"]  # they leave no trace in a model
        assert {name: settings.get(name) for name in asked} == asked
        assert "threads" not in settings
        assert not settings.get("pa_cost_sensitive")
        assert not settings.get("pa_average")
        assert settings.get("average", False) == (algorithm == "ngd")
    told = good("info", "model", cwd=tmp_path)
    assert "of gd:5, on states, adaptive, averaged, annealed by 0.5, cost 0.5, rate 0.3" in " ".join(told.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--algorithm", "u2.g1", "--loss", "B4"], "--loss applies only to ngd, not to u2.g1"),
        (["--algorithm", "pa", "--generator", "gd"], "--generator applies only to ngd, not to pa"),
        (["--algorithm", "lbfgs", "--metric", "adaptive"], "--metric applies only to stochastic recipes, not to lbfgs"),
        (["--algorithm", "pa", "--average"], "--average applies only to stochastic recipes, not to pa"),
        (["--algorithm", "pa", "--rate", "0.1"], "--rate applies only to stochastic recipes, not to pa"),
        (["--loss", "U1", "--gamma", "0.5"], "gamma applies only to the losses B1 to B4, not to U1"),
        (["--algorithm", "lbfgs", "--batch"], "--batch applies only to stochastic recipes, not to lbfgs"),
        (["--generator", "auto", "--respond", "states"], "--respond does not apply to ngd with generator auto"),
        (["--generator", "auto", "--loss", "U4"], "--loss does not apply to ngd with generator auto"),
        (["--generator", "auto", "--batch"], "--batch does not apply to ngd with generator auto"),
        (["--batch", "--average"], "--average does not apply to ngd with batch"),
        (["--batch", "--algorithm", "adaptive"], "batch does not apply to adaptive: AdaGrad steps on one"),
        (["--loss", "U99"], "no loss named 'U99'; choose one of B1, B2, B3, B4, U1"),
        (["--generator", "nothing"], "no generator named 'nothing'"),
        (["--anneal", "inf"], "--anneal must be at most 10, got inf"),
        (["--generator", "pnorm:4", "--respond", "states"], "needs a response with a slope at 0"),
        (["--generator", "pnorm:1.5", "--anneal", "1"], "needs a response with a slope at 0"),
    ],
)
def test_options_that_would_be_left_aside_are_refused_before_anything_is_read(
    options: list[str], message: str, tmp_path: Path
) -> None:
    assert message in refused("train", "no-such-file", "-o", tmp_path / "m", *options, code=2)


@pytest.mark.parametrize("options", [["--loss", "U4"], ["--generator", "arctan:0.1"], ["--gamma", "0"], ["--batch"]])
def test_an_update_that_is_named_is_trained_with(options: list[str], tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    text = good("train", tmp_path / "train.txt", "-o", tmp_path / "m", "--epochs", "2", *options)
    assert "recipe     ngd" in text


def test_a_first_epoch_that_goes_wrong_is_noticed(tmp_path: Path) -> None:
    good("demo-data", "addresses", "-o", tmp_path, "--train", "60", "--test", "20")
    train = ["train", tmp_path / "train.txt", "-o", tmp_path / "m", "--algorithm", "u2.g1", "--rate", "100"]
    for more in (["--epochs", "1"], ["--dev", tmp_path / "test.txt"]):
        text = " ".join(good(*train, "--c2", "0", *more).split())
        assert "explain the data worse than no weights do; the weights of this epoch are kept; a smaller" in text
        assert "the weights of epoch 1 are kept" in text  # they label better than nothing does


def test_a_corpus_that_batch_can_do_nothing_with(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a X O\n\n")
    text = good("train", tmp_path / "one.txt", "-o", tmp_path / "m", "--batch", "--generator", "arctan")
    assert "after 0" in text


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    for name in ("a", "b"):
        good("train", "train.txt", "-o", name, "--epochs", "5", cwd=tmp_path)
    a, b = (json.loads(good("info", name, "--json", "--top", "50", cwd=tmp_path)) for name in "ab")
    assert a["top"] == b["top"] != []


def test_several_files_gzip_standard_input_and_columns(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("X DT The B\nX NN dog I\n")
    (tmp_path / "b.gz").write_bytes(gzip.compress(b"X DT A B\n"))
    text = good(
        "train", "a.txt", "b.gz", "-", "-o", "model", "--columns", "_ pos w y", input="X DT The B\n", cwd=tmp_path
    )
    assert "train      3 sequences, 4 tokens, 2 labels, " in text
    assert "F1" not in text  # B and I alone are labels, not chunks
    assert "input       columns _ pos w y, template chunking" in good("info", "model", cwd=tmp_path)


def test_items_are_trained_tagged_and_scored(tmp_path: Path) -> None:
    items = "@weight:2\nD\tw=the\nN\tw=dog\tlength:3.5\n\nD\tw=the\nN\tw=cat\tlength:3\n\n"
    (tmp_path / "items").write_text(items)
    good("train", "items", "-o", "model", "--format", "items", "--c2", "0.01", cwd=tmp_path)
    assert good("tag", "-m", "model", "items", cwd=tmp_path) == "D\nN\n\nD\nN\n\n"
    with_all = good("tag", "-m", "model", "items", "--probability", "--all-marginals", cwd=tmp_path).splitlines()
    assert with_all[0].startswith("@probability\t0.9")
    assert [cell.split(":")[0] for cell in with_all[1].split("\t")] == ["D", "D", "N"]
    assert json.loads(good("eval", "-m", "model", "items", "--json", cwd=tmp_path))["accuracy"] == 1.0
    assert "CRFsuite items" in good("info", "model", cwd=tmp_path)


def test_a_template_file_works_as_in_crfpp(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(TRAIN)
    (tmp_path / "template").write_text("# words\nU00:%x[0,0]\nU01:%x[-1,1]\nB\n")
    good("train", "train.txt", "-o", "model", "--template", "template", cwd=tmp_path)
    assert "template template (2 patterns)" in good("info", "model", cwd=tmp_path)


def test_info_names_gazetteers_and_does_not_print_them(tmp_path: Path) -> None:
    (tmp_path / "cities.txt").write_text("New York\nUlaanbaatar\n")
    (tmp_path / "mine").write_text("columns w y\ngazetteer cities = cities.txt\nw\nw.in(cities)\n")
    (tmp_path / "train.txt").write_text("New B-LOC\nYork I-LOC\n\nit O\n")
    good("train", "train.txt", "-o", "m", "--template", "mine", cwd=tmp_path)
    shown = good("info", "m", "--json", cwd=tmp_path)
    assert [found["name"] for found in json.loads(shown)["template"]["resources"]] == ["cities"]
    assert "Ulaanbaatar" not in shown


# tag


def test_tag_appends_a_column(home: Path) -> None:
    expected = "The DT B-NP\ncat NN I-NP\nbarks VBZ B-VP\n\n"
    assert good("tag", "-m", home / "model", home / "plain.txt") == expected
    assert good("tag", "-m", home / "model", input=PLAIN) == expected  # standard input by default
    labelled = good("tag", "-m", home / "model", home / "train.txt").splitlines()
    assert labelled[0] == "The DT B-NP B-NP"  # what conlleval reads
    assert good("tag", "-m", home / "model", input=PLAIN.replace(" ", "\t")).startswith("The\tDT\tB-NP\n")
    assert good("tag", "-m", home / "model", input=PLAIN.replace("\n", "\r\n")) == expected


def test_tag_can_tell_how_sure_it_is(home: Path) -> None:
    only = good("tag", "-m", home / "model", "--only-labels", home / "plain.txt")
    assert only == "B-NP\nI-NP\nB-VP\n\n"
    lines = good("tag", "-m", home / "model", "--probability", "--marginals", input=PLAIN).splitlines()
    mark, whole = lines[0].split()
    parts = [float(line.split()[-1]) for line in lines[1:4]]
    assert mark == "#"
    assert 0 < float(whole) <= min(parts) <= max(parts) <= 1


def test_tag_answers_each_sentence_before_the_next_one_comes(home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "tag", "-m", str(home / "model")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(3):
            process.stdin.write(PLAIN.encode())
            process.stdin.flush()
            lines = [process.stdout.readline() for _ in range(4)]
            assert (lines[0], lines[3]) == (b"The DT B-NP\n", b"\n")
        process.stdin.close()
        assert process.wait(60) == 0


def test_tag_ends_quietly_when_nobody_reads_on(home: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "tag", "-m", str(home / "model")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, complaint = process.communicate((PLAIN * 50_000).encode(), timeout=60)
        assert (process.returncode, complaint) == (0, b"")


# eval and info


def test_eval_prints_conllevals_page_and_more(home: Path) -> None:
    text = "The DT B-NP\ncat NN I-NP\nbarks VBZ B-VP\n\nThe DT B-XX\n"
    page = good("eval", "-m", home / "model", "-", "--labels", input=text)
    assert page.startswith("processed 4 tokens with 3 phrases; found: 3 phrases; correct: 2.\naccuracy:  75.00%;")
    assert "token accuracy     75.00 %  (3 of 4)\nsequence accuracy  50.00 %  (1 of 2)\n" in page
    assert "unknown label      B-XX: 1 token, counted as wrong" in page
    assert "label   precision" in page
    record = json.loads(good("eval", "-m", home / "model", "-", "--json", input=text))
    assert (record["accuracy"], record["unseen_labels"]) == (0.75, ["B-XX"])
    assert record["chunks"]["correct"] == 2


def test_info_says_what_it_is(home: Path) -> None:
    text = good("info", home / "model")
    for part in ("labels      3: B-NP I-NP B-VP", "all: ", "columns w pos y, template chunking (19 patterns)"):
        assert part in text
    assert "2 sequences, 6 tokens" in text
    assert len(good("info", home / "model", "--top", "3").split("attribute")[-1].splitlines()) == 4
    record = json.loads(good("info", home / "model", "--json", "--top", "3"))
    assert record["labels"] == ["B-NP", "I-NP", "B-VP"]
    assert record["bytes"] == (home / "model").stat().st_size
    assert len(record["top"]) == 3


def test_demo_data_writes_two_files_and_spares_others(tmp_path: Path) -> None:
    options = ["--seed", "5", "--train", "20", "--test", "5", "-o", tmp_path / "new" / "demo"]
    first = good("demo-data", "mentions", *options)
    assert first.splitlines()[0].startswith("next: tagfield train ")
    assert good("demo-data", "mentions", *options) == first  # the same bytes: nothing to spare
    (tmp_path / "new" / "demo" / "train.txt").write_text("mine")
    done = call("demo-data", "mentions", *options)
    assert (done.returncode, done.stdout) == (1, "")
    assert "exists with different content" in done.stderr
    assert (tmp_path / "new" / "demo" / "train.txt").read_text() == "mine"
    good("demo-data", "mentions", *options, "--force")


@needs_corpus
@pytest.mark.slow
def test_the_corpus_as_in_the_readme(tmp_path: Path) -> None:
    text = good("train", CORPUS_TRAIN, "--dev", TEST, "-o", "model", "--epochs", "2", "--rate", "0.05", cwd=tmp_path)
    assert "8,936 sequences, 211,727 tokens, 22 labels, 335,674 attributes" in text
    assert "7,384,828 state and 484 transition features" in text
    record = json.loads(good("eval", "-m", "model", TEST, "--json", cwd=tmp_path))
    assert record["tokens"] == 47377
    assert record["unseen_labels"] == ["I-LST"]
    assert record["accuracy"] > 0.95
    tagged = good("tag", "-m", "model", TEST, cwd=tmp_path).splitlines()
    right = sum(row.split()[-1] == row.split()[-2] for row in tagged if row)
    assert right / 47377 == record["accuracy"]


def test_c1_leaves_the_same_attributes_by_the_command_and_by_crf(tmp_path: Path) -> None:
    items = "".join(f"{label}\tw={word}\tbias\n" for word, label in zip("abcabd", "XYXXYZ", strict=True)) + "\n"
    (tmp_path / "items").write_text(items * 3)
    options = ["--format", "items", "--algorithm", "lbfgs", "--c1", "2", "--c2", "0.1"]
    text = good("train", tmp_path / "items", "-o", tmp_path / "m", *options)
    model = Model.load(tmp_path / "m")
    X = [[[f"w={word}", "bias"] for word in "abcabd"]] * 3
    crf = CRF(c1=2.0, c2=0.1, max_iterations=1000).fit(X, [list("XYXXYZ")] * 3)
    assert 0 < len(model.attributes) < 5
    assert sorted(model.attributes) == sorted(crf.attributes_)
    assert f"{model.features.counts[0]} state and" in text
