"""Drawn models and data against the programs themselves: Wapiti, and the tagger of CRF++.

Set TAGFIELD_ORACLES to a Python interpreter that has libwapiti and pycrfpp (`pip install libwapiti pycrfpp` in an
environment of its own). Without it these tests are skipped; tests/golden/models has answers of both programs.
"""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tagfield import Model
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.wapiti.template import parse_wapiti as parse_wapiti_patterns
from tagfield.model.formats.wapiti_writer import to_bytes
from tests.support.crfpp_files import CrfppModel, numbered
from tests.support.model_files import parse_wapiti

ORACLES = os.environ.get("TAGFIELD_ORACLES", "")
pytestmark = pytest.mark.skipif(not ORACLES, reason="TAGFIELD_ORACLES names no Python with libwapiti and pycrfpp")

WAPITI = """
import ctypes, importlib.util, sys
library = ctypes.CDLL(importlib.util.find_spec("libwapiti").origin)
arguments = [b"wapiti", *(argument.encode() for argument in sys.argv[1:])]
sys.exit(library.main(len(arguments), (ctypes.c_char_p * (len(arguments) + 1))(*arguments, None)))
"""
CRFPP = """
import json, pycrfpp, sys
tagger, found = pycrfpp.Tagger(f"-m {sys.argv[1]} -v 2"), []
for sentence in json.load(sys.stdin):
    tagger.clear()
    for token in sentence:
        tagger.add("\\t".join(token))
    tagger.parse()
    size = range(tagger.size())
    labels = [tagger.y2(t) for t in size]
    found.append([labels, [[tagger.prob(t, y) for y in range(tagger.ysize())] for t in size]])
print(json.dumps(found))
"""
PATTERNS = ["u:%x[0,0]", "u:%X[-1,0]/%x[1,1]", 'u:%t[0,0,"^\\u"]', 'u:%m[0,0,"..?$"]', "u:%x[@-1,0]", "u", "*:%x[0,1]"]
PATTERNS += ["b", "b:%x[0,0]", "*", 'b:%m[-1,0,"^."]', "u:%x[-5,0]", "b:%x[1,1]/%x[0,1]"]
TEMPLATES = ["U:%x[0,0]", "U1:%x[-1,0]/%x[0,1]", "U2:%x[8,0]", "U", "B", "B1:%x[0,0]", "B2:%x[-1,1]", "B3"]
WORDS = ["the", "Dog", "größe", "日本", "x", "A1", "%", "_x-1"]


def draw(rng: np.random.Generator, count: int) -> list[list[tuple[str, str, str]]]:
    def token() -> tuple[str, str, str]:
        word = str(rng.choice(WORDS))
        return word, str(rng.choice(["N", "V"])), str(rng.choice(["A", "B", "O"])) if rng.random() < 0.3 else word[:1]

    return [[token() for _ in range(int(rng.integers(1, 8)))] for _ in range(count)]


@pytest.mark.parametrize("seed", range(12))
def test_drawn_models_of_wapiti_label_alike(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    train, test = draw(rng, 20), draw(rng, 20)
    for name, data in (("train", train), ("test", test)):
        (tmp_path / name).write_text("\n".join("".join("\t".join(row) + "\n" for row in each) for each in data) + "\n")
    patterns = [str(line) for line in rng.choice(PATTERNS, 6)] + ["u:%x[0,0]"]
    (tmp_path / "patterns").write_text("\n".join(patterns) + "\n")
    more = [["-1", "0.3", "-c"], ["-1", "0", "-2", "0.5"], ["-a", "sgd-l1"], ["-a", "rprop"]][seed % 4]
    wapiti("train", "-i", "15", "-p", "patterns", *more, "train", "model", cwd=tmp_path)
    wapiti("label", "-s", "-c", "-m", "model", "test", "best", cwd=tmp_path)
    wapiti("label", "-s", "-p", "-c", "-m", "model", "test", "posterior", cwd=tmp_path)
    model = Model.load(tmp_path / "model")
    assert to_bytes(model) == (tmp_path / "model").read_bytes()
    assert model.template is not None
    read = len(model.template.columns) - 1  # columns that no pattern reads are not known to the model
    data = [[row[:read] for row in sentence] for sentence in test]
    best = parse_wapiti((tmp_path / "best").read_text())
    assert model.tag_words(data) == [[label for label, _ in each] for each in best]
    names = model.labels.strings()
    posteriors = parse_wapiti((tmp_path / "posterior").read_text())
    for rows, each in zip(model.marginals(model.encode_words(data)), posteriors, strict=True):
        for row, (label, score) in zip(rows, each, strict=True):
            assert row[names.index(label)] == pytest.approx(score, abs=1e-6)
    model.save(tmp_path / "own")
    Model.load(tmp_path / "own").save(tmp_path / "again", format="wapiti")
    wapiti("label", "-s", "-c", "-m", "again", "test", "best2", cwd=tmp_path)
    assert (tmp_path / "best2").read_bytes() == (tmp_path / "best").read_bytes()


@pytest.mark.parametrize("seed", range(12))
def test_drawn_models_of_crfpp_label_alike(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    cells = [[row[:2] for row in sentence] for sentence in draw(rng, 20)]
    labels = ["A", "B", "O", "Ü"][: int(rng.integers(1, 5))]
    templates = [*sorted((str(line) for line in rng.choice(TEMPLATES, 6)), reverse=True), "B4:%x[0,1]"]
    ids = numbered(labels, templates, cells[:10])
    size = sum(len(labels) ** (2 if name[0] == "B" else 1) for name in ids)
    wanted = CrfppModel(labels, templates, ids, rng.normal(size=size).tolist(), columns=2)
    (tmp_path / "model").write_bytes(wanted.binary())
    (tmp_path / "text").write_bytes(wanted.text())
    answers = run(CRFPP, tmp_path / "model", input=json.dumps(cells))
    for name in ("model", "text"):
        model = Model.load(tmp_path / name)
        for found, (best, _) in zip(model.tag_words(cells), json.loads(answers), strict=True):
            assert found == best
        for rows, (_, marginals) in zip(model.marginals(model.encode_words(cells)), json.loads(answers), strict=True):
            np.testing.assert_allclose(rows, marginals, atol=2e-6)  # CRF++ adds float32 numbers


def wapiti(*arguments: str, cwd: Path) -> None:
    run(WAPITI, *arguments, cwd=cwd)


def run(program: str, *arguments: str | Path, input: str = "", cwd: Path | None = None) -> str:
    command = [ORACLES, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, input=input, capture_output=True, text=True, cwd=cwd, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_tagfield_trains_with_patterns_wapiti_labels_alike(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    train, test = draw(rng, 30), draw(rng, 20)
    template = parse_wapiti_patterns("\n".join(PATTERNS)).with_columns("w x1 y")
    X, y = ([[row[:2] for row in each] for each in train], [[row[2] for row in each] for each in train])
    model = Model.train_words(X, y, template=template, settings="lbfgs")
    model.save(tmp_path / "model", format="wapiti")
    rows = [[row[:2] for row in each] for each in test]
    (tmp_path / "test").write_text("\n".join("".join("\t".join(row) + "\n" for row in each) for each in rows) + "\n")
    wapiti("label", "-s", "-m", "model", "test", "best", cwd=tmp_path)
    found = parse_wapiti((tmp_path / "best").read_text())
    assert model.tag_words(rows) == [[label for label, _ in each] for each in found]


@pytest.mark.parametrize("template", ["crfpp", "chunking", "phrases", TEMPLATES])
def test_what_tagfield_trains_crfpp_labels_alike(template: str | list[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    train, test = draw(rng, 30), draw(rng, 20)
    chosen = template if isinstance(template, str) else parse_template("\n".join(template)).with_columns("w x1 y")
    X, y = ([[row[:2] for row in each] for each in train], [[row[2] for row in each] for each in train])
    model = Model.train_words(X, y, template=chosen, settings="lbfgs")
    model.save(tmp_path / "text", format="crfpp")
    again = read_text(tmp_path / "text")
    (tmp_path / "model").write_bytes(again.binary())
    rows = [[row[:2] for row in each] for each in test]
    data: list[list[list[str]]] = [[list(row) for row in each] for each in rows]
    if again.templates[0] == "U%x[0,0]":  # functions: one attribute in each column
        encoded = model.encode_words(rows)
        data = [[[name for name, _ in item] for item in each.tokens] for each in encoded.sequences()]
        data = [[(item + ["_"] * again.columns)[: again.columns] for item in each] for each in data]
        assert max(len(item) for each in data for item in each) <= again.columns
    answers = json.loads(run(CRFPP, tmp_path / "model", input=json.dumps(data)))
    assert model.tag_words(rows) == [best for best, _ in answers]
    for got, (_, marginals) in zip(model.marginals(model.encode_words(rows)), answers, strict=True):
        np.testing.assert_allclose(got, marginals, atol=1e-5)  # float32 on both sides


def read_text(path: Path) -> CrfppModel:
    head, labels, templates, features, weights = path.read_text().split("\n\n")
    ids = {line.partition(" ")[2]: int(line.partition(" ")[0]) for line in features.splitlines()}
    columns = int(head.rpartition(": ")[2])
    return CrfppModel(labels.split("\n"), templates.split("\n"), ids, [float(w) for w in weights.split()], columns)
