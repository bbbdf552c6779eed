"""A newcomer's first hour as scripts: their own file, the commands, and the few lines of Python that the README has."""

import json
import tomllib
import warnings
from pathlib import Path

import pytest

import tagfield
from tagfield import CRF, InputError, Model, Settings, Template, UnknownAttributesWarning, encode_files, read, write
from tagfield.templates import parse_template
from tests.support.cli_process import good, inside, refused

PEOPLE = ["Anna", "Ben", "Clara", "Bob", "Maria"]
PLACES = ["Oslo", "New York", "Paris", "San Marino", "Rome"]


def corpus() -> tuple[list[list[str]], list[list[str]]]:
    sentences, labels = [], []
    for person in PEOPLE:
        for place in PLACES:
            for middle in ("lives in", "went to", "doesn't like"):
                sentences.append([person, *middle.replace("doesn't", "does n't").split(), *place.split(), "."])
                inside = ["I-LOC"] * (len(place.split()) - 1)
                labels.append(["B-PER", *["O"] * (len(sentences[-1]) - 2 - len(inside) - 1), "B-LOC", *inside, "O"])
    return sentences, labels


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with two.txt, a word and its label on each line."""
    lines = ["".join(f"{w} {y}\n" for w, y in zip(x, y, strict=True)) + "\n" for x, y in zip(*corpus(), strict=True)]
    (tmp_path / "two.txt").write_text("".join(lines))
    (tmp_path / "new.txt").write_text("Anna lives in Oslo. Bob doesn't.\n")
    return tmp_path


def test_words_and_text(home: Path) -> None:
    model = Model.train(home / "two.txt")
    assert model.tag_words([["Anna", "lives", "in", "Oslo"]]) == [["B-PER", "O", "O", "B-LOC"]]
    tagged = model.tag_text("Anna lives in Oslo. Bob doesn't.")
    first, second = tagged
    assert (first.words, second.words) == (["Anna", "lives", "in", "Oslo", "."], ["Bob", "does", "n't", "."])
    found = [(span.label, span.text, span.start, span.end) for span in first.spans]
    assert found == [("PER", "Anna", 0, 4), ("LOC", "Oslo", 14, 18)]
    assert all(0 < span.probability <= 1 for span in tagged.spans)
    crf = CRF("default", template="ner").fit(*corpus())
    new = [["Clara", "went", "to", "Rome", "."]]
    assert crf.predict(new) == model.tag_words(new) == [["B-PER", "O", "O", "B-LOC", "O"]]
    assert crf.predict_marginals(new)[0][0]["B-PER"] > 0.5
    assert crf.predict_nbest(new, 1)[0][0][0] == crf.predict(new)[0]
    assert crf.explain(new[0], 0).label == "B-PER"
    assert CRF(template="ner").partial_fit(*corpus()).predict(new)[0][0] == "B-PER"
    (home / "new").write_text("Clara\nwent\nto\nRome\n.\n\n")
    good("train", "two.txt", "-o", "m", cwd=home)
    assert good("tag", "-m", "m", "new", "--only-labels", cwd=home).split() == crf.predict(new)[0]


def test_no_silent_mismatch(home: Path) -> None:
    model = Model.train(home / "two.txt")
    with pytest.raises(InputError, match="use tag_words"):
        model.tag([[{"w": "Anna"}]])
    plain = Model.train(tagfield.encode_sequences([[{"w": w} for w in x] for x in corpus()[0]], corpus()[1]))
    with pytest.raises(InputError, match="use tag with"):
        plain.tag_words([["Anna"]])
    with pytest.warns(UnknownAttributesWarning, match="knows 0 of the 30 attributes in this call .*'v:Anna'"):
        plain.tag([[{"v": "Anna"}] * 30])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain.tag([[{"v": "Anna"}] * 30])  # once


TOKENS = '{"tokens": ["Anna", "left", "Oslo"], "labels": ["B-PER", "O", "B-LOC"]}\n'
TEXT = '{"text": "Anna left Oslo", "%s": [[0, 4, "PER"], [10, 14, "LOC"]]}\n'
FILES = {
    "tabs.txt": "Anna\tB-PER\nleft\tO\nOslo\tB-LOC\n",
    "header.txt": "word\tlabel\nAnna\tB-PER\nleft\tO\nOslo\tB-LOC\n",
    "start.txt": "-DOCSTART- O\n\nAnna B-PER\nleft O\nOslo B-LOC\n",
    "tokens.jsonl": TOKENS,
    "spans.jsonl": TEXT % "spans",
    "entities.jsonl": TEXT % "entities",
    "label.jsonl": TEXT % "label",
    "kaggle.csv": "Sentence #,Word,POS,Tag\nSentence: 1,Anna,NNP,B-PER\n,left,VBD,O\n,Oslo,NNP,B-LOC\n",
    "items": "B-PER\tw=Anna\nO\tw=left\nB-LOC\tw=Oslo\n",
}


@pytest.mark.parametrize("name", FILES)
def test_the_format_is_found_out(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FILES[name])
    encoded = encode_files(tmp_path / name)
    assert encoded.gold_labels() == [["B-PER", "O", "B-LOC"]]
    assert encoded.describe()
    said = good("train", name, "-o", "m", cwd=tmp_path)
    assert said.startswith(f"input      {name}: ")


def test_convert_and_rows_of_hugging_face(tmp_path: Path) -> None:
    rows = [{"tokens": ["Anna", "left", "Oslo"], "ner_tags": [1, 0, 2]}]
    found = read(rows, label_names=["O", "B-PER", "B-LOC"])
    write(found, tmp_path / "a.jsonl", format="spans")
    assert '"spans"' in (tmp_path / "a.jsonl").read_text()
    good("convert", "a.jsonl", "b.txt", cwd=tmp_path)
    good("convert", "b.txt", "c.csv", cwd=tmp_path)
    good("convert", "c.csv", "d.spacy", cwd=tmp_path)
    assert [s.labels for s in read(tmp_path / "d.spacy").sentences()] == [("B-PER", "O", "B-LOC")]
    (tmp_path / "cut.jsonl").write_text('{"text": "Anna left", "spans": [[0, 2, "PER"]]}\n')
    assert "'An'" in refused("convert", "cut.jsonl", "x.txt", cwd=tmp_path, code=3)
    good("convert", "cut.jsonl", "x.txt", "--on-cut", "widen", cwd=tmp_path)
    assert (tmp_path / "x.txt").read_text().splitlines()[0].split() == ["Anna", "B-PER"]


def test_json_out(home: Path) -> None:
    good("train", "two.txt", "-o", "m", cwd=home)
    [line] = inside("tag", "-m", "m", "--text", "--format", "jsonl", "new.txt", cwd=home)[1].splitlines()
    spans = json.loads(line)["sentences"][0]["spans"]
    assert [(span["text"], span["label"], span["start"]) for span in spans] == [("Anna", "PER", 0), ("Oslo", "LOC", 14)]
    inline = inside("tag", "-m", "m", "--text", "--format", "inline", "new.txt", cwd=home)[1]
    assert inline.startswith("[Anna PER] lives in [Oslo LOC]. [Bob PER] ")


def test_presets_and_templates(home: Path) -> None:
    assert encode_files(home / "two.txt").template.name == "ner"
    (home / "pos.txt").write_text("Anna NNP\nsings VBZ\n\n")
    assert encode_files(home / "pos.txt").template.name == "pos"
    (home / "cities.txt").write_text("Oslo\nNew York\n")
    head = "columns w y\ngazetteer cities = cities.txt\nregex year = ^(19|20)\\d\\d$\n"
    (home / "mine.txt").write_text(head + "w.lower[-1:1]\nw.in(cities)\nw.match(year)\n")
    model = Model.train(encode_files(home / "two.txt", template=home / "mine.txt"))
    assert any("B-cities" in name for name in model.attributes.strings())
    assert isinstance(parse_template("columns w y\nw.lower.suffix1:5\n"), Template)
    model.save(home / "m")
    (home / "cities.txt").unlink()  # the model holds the list
    assert Model.load(home / "m").tag_words(corpus()[0][:3]) == model.tag_words(corpus()[0][:3])


def test_one_default_everywhere(home: Path) -> None:
    good("train", "two.txt", "-o", "m", cwd=home)
    settings = json.loads(good("info", "m", "--json", cwd=home))["info"]["settings"]
    assert (settings["recipe"], settings["average"], settings["features"]) == ("adaptive", True, "all")
    assert Model.train(home / "two.txt").info["settings"] == settings
    made = Settings().for_data(encode_files(home / "two.txt")).to_dict()
    assert {name: settings[name] for name in ("rate", "c2", "cost", "epochs")} == {
        name: made[name] for name in ("rate", "c2", "cost", "epochs")
    }


def test_tune(home: Path) -> None:
    said = good("tune", "two.txt", "--budget", "6", "--folds", "2", cwd=home).splitlines()
    assert any(line.startswith("Use ") for line in said)
    assert any(line.startswith("next   tagfield train two.txt -o model") for line in said)
    assert "train" in tomllib.loads((home / "tagfield.toml").read_text())
    good("train", "two.txt", "-o", "m", "--config", "tagfield.toml", cwd=home)
    assert tagfield.tune(home / "two.txt", budget=6, folds=2).best.recipe.name


def test_short_reprs_and_progress(home: Path) -> None:
    encoded = encode_files(home / "two.txt")
    model = Model.train(encoded)
    for shown in (model, encoded, encoded.dataset, model.evaluate(model.encode_files(home / "two.txt")), Settings()):
        assert len(repr(shown)) < 400
        assert "<" in shown._repr_html_()
    losses: list[float] = []
    Model.train(encoded, on_epoch=lambda epoch: losses.append(epoch.loss) and None)
    assert losses == sorted(losses, reverse=True)


def test_manners(home: Path) -> None:
    assert "did you mean 'lbfgs'?" in refused("train", "two.txt", "-o", "m", "--algorithm", "lbgfs", cwd=home, code=2)
    refused("train", "none.txt", "-o", "m", cwd=home, code=3)
    refused("train", "two.txt", "-o", "no/such/folder/m", cwd=home, code=1)
    assert json.loads(good("train", "two.txt", "-o", "m", "--json", "-q", cwd=home))["model"] == "m"
    assert "<bool>" not in good("train", "--help")


def test_scores_fit_the_labels(tmp_path: Path) -> None:
    (tmp_path / "pos.txt").write_text("Anna NNP\nsings VBZ\n\nBen NNP\nleft VBD\n\n" * 5)
    (tmp_path / "seg.txt").write_text("今 B\n天 E\n好 S\n\n我 S\n们 S\n\n" * 5)
    (tmp_path / "runs.txt").write_text("Doe author\nJ. author\n1999 year\n\n" * 5)
    found = {}
    for name in ("pos", "seg", "runs"):
        good("train", f"{name}.txt", "-o", "m", cwd=tmp_path)
        found[name] = json.loads(good("eval", "-m", "m", f"{name}.txt", "--json", cwd=tmp_path))
    assert "chunks" not in found["pos"]
    assert (found["seg"]["scheme"], found["seg"]["chunks"]["f1"]) == ("words", 1.0)
    runs = json.loads(good("eval", "-m", "m", "runs.txt", "--runs", "--json", cwd=tmp_path))
    assert runs["scheme"] == "runs"


def test_data_is_never_replaced_by_accident(home: Path) -> None:
    before = (home / "two.txt").read_bytes()
    for command in (
        ["train", "two.txt", "-o", "two.txt"],
        ["tune", "two.txt", "-o", "two.txt"],
        ["convert", "two.txt", "two.txt"],
    ):
        assert "two.txt is an input file" in refused(*command, cwd=home, code=2)
    (home / "notes").write_text("mine")
    assert "notes exists and is not a model" in refused("train", "two.txt", "-o", "notes", cwd=home)
    assert (home / "two.txt").read_bytes() == before
    assert (home / "notes").read_text() == "mine"
    good("train", "two.txt", "-o", "m", cwd=home)
    good("train", "two.txt", "-o", "m", cwd=home)  # a model may be trained again


def test_plain_text_without_text_gets_the_right_advice(home: Path) -> None:
    said = good("train", "two.txt", "-o", "m", cwd=home)
    assert "tagfield tag -m m --text FILE" in said
    assert "add --text, if this is running text" in inside("tag", "-m", "m", "new.txt", cwd=home)[2]
    (home / "pairs").write_text("Anna sings\nBen runs\n")
    code, out, err = inside("tag", "-m", "m", "pairs", cwd=home)
    assert (code, out) == (3, "")
    assert "the last column has no label of the model (found 'sings'); add --text" in err


def test_a_template_for_a_file_and_labels_that_follow_a_scheme(home: Path) -> None:
    (home / "a.csv").write_text(FILES["kaggle.csv"])
    assert "to label plain text, train with --template ner" in good("train", "a.csv", "-o", "m", cwd=home)
    assert Model.train(home / "a.csv", template="ner").tag_text("Anna left Oslo").spans[0].text == "Anna"
    good("train", "two.txt", "-o", "m", "--recipe", "adaptive", "--epochs", "1", cwd=home)
    labels = good("tag", "-m", "m", "--text", "--only-labels", "--constraints", "BIO", "new.txt", cwd=home).split()
    assert all(b[:2] != "I-" or a[2:] == b[2:] for a, b in zip(["O", *labels], labels, strict=False))
    one = "".join(line for line in (home / "two.txt").read_text().splitlines(keepends=True) if line.strip())
    (home / "one.txt").write_text(one)
    assert "put an empty line after each sentence" in good("train", "one.txt", "-o", "m", cwd=home)
