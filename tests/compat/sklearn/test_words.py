"""CRF(template=…): words in, in every method; files, pickles, streams; and the labels of the command."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict

from tagfield import CRF, Model, Template
from tagfield.data.encode import encode_files, encode_words
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import load_template
from tagfield.errors import InputError, UnknownAttributesWarning
from tests.support.cli_process import good
from tests.support.corpus import TEST, TRAIN, needs_corpus
from tests.support.model_files import MODELS

WORDS = [
    line.split() for line in ("Anna lives in Rome", "Ben left", "Rome is old", "Ben and Anna saw Rome", "it rains")
]
LABELS = [["PER" if w in ("Anna", "Ben") else "LOC" if w == "Rome" else "O" for w in s] for s in WORDS]
UNSEEN = [["Anna", "saw", "Ben"], [], ["Rome"]]


@pytest.fixture(scope="module")
def crf() -> CRF:
    return CRF(template="words", c2=0.05).fit(WORDS, LABELS)


def as_attributes(sentences: list) -> list:
    encoded = encode_words(sentences, template="words")
    return [[dict(token) for token in sequence.tokens] for sequence in encoded.sequences()]


def test_every_method_takes_words(crf: CRF) -> None:
    """The same as a CRF that is given the attributes which the template makes."""
    other = CRF(c2=0.05).fit(as_attributes(WORDS), LABELS)
    X, gold = UNSEEN, [["PER", "O", "PER"], [], ["LOC"]]
    A = as_attributes(X)
    assert crf.predict(X) == other.predict(A) == gold
    assert crf.predict_single(X[0]) == gold[0]
    for mine, theirs in zip(crf.predict_marginals(X), other.predict_marginals(A), strict=True):
        assert [row["PER"] for row in mine] == pytest.approx([row["PER"] for row in theirs], abs=1e-3)
    assert crf.predict_marginals_single(X[0])[0]["PER"] > 0.5
    assert [p.shape for p in crf.predict_marginals_arrays(X)] == [(3, 3), (0, 3), (1, 3)]
    assert crf.predict_nbest(X, 2)[0][0][0] == gold[0]
    assert crf.predict_log_probability(X, gold) == pytest.approx(other.predict_log_probability(A, gold), abs=1e-2)
    assert crf.predict(X, known=[{0: "O"}, None, None])[0][0] == "O"
    assert crf.score(X, gold) == 1.0
    assert crf.explain(X[0], 0).label == "PER"
    assert crf.tagger_.tag(X[0]) == gold[0]
    assert crf.tagger_.probability(gold[0]) == pytest.approx(crf.predict_nbest(X, 1)[0][0][1], rel=1e-4)
    spans = CRF(template="words", c2=0.05).fit(WORDS, [[f"I-{y}" if y != "O" else y for y in s] for s in LABELS])
    assert [(s.type, s.start, s.end) for s in spans.predict_spans(X)[0]] == [("PER", 0, 1), ("PER", 2, 3)]


def test_columns_of_several_strings_and_any_labels() -> None:
    rows = [[(word, word[0]) for word in s] for s in WORDS]
    numbers = [[{"PER": 1, "LOC": 2, "O": 0}[y] for y in s] for s in LABELS]
    crf = CRF(template="chunking", c2=0.05).fit(rows, numbers)
    assert crf.predict(rows) == numbers
    assert crf.predict([[list(token) for token in s] for s in rows]) == numbers
    with pytest.raises(InputError, match="reads pos besides the words, and text has only words"):
        crf.tag_text("Anna left")


def test_a_template_of_your_own(tmp_path: Path) -> None:
    text = "U0:%x[0,0]\nU1:%x[-1,0]\n"
    (tmp_path / "mine").write_text(text)
    found = [
        CRF(template=template, c2=0.05).fit(WORDS, LABELS)
        for template in (tmp_path / "mine", str(tmp_path / "mine"), parse_template(text).with_columns("w y"))
    ]
    assert found[0].predict(UNSEEN) == found[1].predict(UNSEEN) == found[2].predict(UNSEEN)
    assert found[0].num_attributes_ == found[2].num_attributes_
    with pytest.raises(InputError, match="no template named 'word'; did you mean 'words'"):
        CRF(template="word").fit(WORDS, LABELS)


def test_text(crf: CRF) -> None:
    tagged = crf.tag_text("Anna saw Ben. Rome?", n_best=2)
    assert tagged.labels == [["PER", "O", "PER", "O"], ["LOC", "O"]]
    assert [len(sentence.n_best) for sentence in tagged] == [2, 2]
    assert str(tagged) == "[Anna PER] saw [Ben PER]. [Rome LOC]?"
    assert [t.labels for t in crf.tag_text(["Anna", "Rome"], "whitespace", probabilities=False)] == [
        [["PER"]],
        [["LOC"]],
    ]
    limited = CRF(template="words", constraints=lambda a, b: (a, b) != ("PER", "O")).fit(WORDS, LABELS)
    assert limited.tag_text("Anna saw Ben.").labels == limited.predict([["Anna", "saw", "Ben", "."]])
    assert CRF(template="words").fit(WORDS, [[len(w) for w in s] for s in WORDS]).tag_text("Anna").labels == [[4]]


def test_scikit_learn_keeps_the_template(crf: CRF) -> None:
    assert clone(crf).get_params()["template"] == "words"
    template = load_template("words")
    assert clone(CRF(template=template)).template == template
    assert "template='words'" in repr(crf)
    search = GridSearchCV(CRF(template="words"), {"c2": [0.1, 1.0], "template": ["words", template]}, cv=2, n_jobs=2)
    assert search.fit(WORDS, LABELS).best_estimator_.predict(UNSEEN)[2] == ["LOC"]
    assert [len(row) for row in cross_val_predict(CRF(template="words"), WORDS, LABELS, cv=2)] == [4, 2, 3, 5, 2]


def test_held_out_words(crf: CRF) -> None:
    fitted = CRF("sgd", template="words", max_iterations=3).fit(WORDS, LABELS, eval_set=(WORDS, LABELS))
    assert [epoch["accuracy"] > 0 for epoch in fitted.history_] == [True] * 3
    stopped = CRF("sgd", template="words", early_stopping=True, validation_fraction=0.4, max_iterations=9)
    assert stopped.fit(WORDS, LABELS).history_[0]["accuracy"] >= 0


def test_pickle_save_and_load(crf: CRF, tmp_path: Path) -> None:
    crf.save(tmp_path / "m")
    for again in (pickle.loads(pickle.dumps(crf)), CRF.load(tmp_path / "m"), CRF(model_filename=tmp_path / "m")):
        assert again.predict(UNSEEN) == crf.predict(UNSEEN)
        assert again.tag_text("Anna left Rome.") == crf.tag_text("Anna left Rome.")
    loaded = CRF.load(tmp_path / "m")
    assert isinstance(loaded.template, Template)
    assert clone(loaded).fit(WORDS, LABELS).predict(UNSEEN) == crf.predict(UNSEEN)
    assert Model.load(tmp_path / "m").tag_words(UNSEEN) == crf.predict(UNSEEN)


def test_a_stream_of_words_does_not_depend_on_its_cuts(tmp_path: Path) -> None:
    classes = ["PER", "LOC", "O"]
    whole = CRF(template="words").partial_fit(WORDS, LABELS, classes=classes)
    cut = CRF(template="words")
    for x, y in zip(WORDS, LABELS, strict=True):
        cut.partial_fit([x], [y], classes=classes)
        cut = pickle.loads(pickle.dumps(cut))
    assert cut.model_.weights.state.tobytes() == whole.model_.weights.state.tobytes()
    assert cut.model_.template == load_template("words")
    assert cut.predict(WORDS) == whole.predict(WORDS)
    cut.save(tmp_path / "m")
    more = CRF.load(tmp_path / "m").partial_fit([["Carla", "left"]], [["PER", "O"]])
    whole.partial_fit([["Carla", "left"]], [["PER", "O"]])
    assert more.model_.weights.state.tobytes() == whole.model_.weights.state.tobytes()
    assert "w[0]=Carla" in more.model_.attributes


def test_a_stream_of_words_can_be_pruned_pickled_and_continued() -> None:
    crf = CRF(template="words").partial_fit(WORDS, LABELS)
    again = pickle.loads(pickle.dumps(crf.prune(0.01)))
    assert again.predict(UNSEEN) == crf.predict(UNSEEN)
    assert "w[0]=Carla" in again.partial_fit([["Carla"]], [["PER"]]).model_.attributes
    assert "w[0]=Carla" in crf.partial_fit([["Carla"]], [["PER"]]).partial_fit([["Dora"]], [["PER"]]).model_.attributes


def test_warm_start_keeps_the_template(crf: CRF) -> None:
    again = CRF(template="words", warm_start=True).fit(WORDS, LABELS)
    again.fit([["Carla", "left"]], [["PER", "O"]])
    assert "w[0]=Carla" in again.model_.attributes
    again.template = "chunking"
    with pytest.raises(InputError, match="has template words, so it cannot continue with template chunking; fit anew"):
        again.fit(WORDS, LABELS)
    bare = CRF(warm_start=True).fit([[["a"]]], [["X"]])
    bare.template = "words"
    with pytest.raises(InputError, match="has no template, so it cannot continue with template words"):
        bare.fit([["a"]], [["X"]])


# Input of the wrong kind


def test_auto_takes_the_preset_that_fits_the_labels() -> None:
    chunks = [[label if label == "O" else f"B-{label}" for label in sentence] for sentence in LABELS]
    assert CRF(template="auto").fit(WORDS, LABELS).model_.template == load_template("pos")
    fitted = CRF(template="auto", warm_start=True).fit(WORDS, chunks)
    assert fitted.fit(WORDS, LABELS).model_.template == load_template("ner")  # a model keeps its template
    stream = CRF(template="auto").partial_fit(WORDS, chunks).partial_fit(WORDS, chunks)
    assert stream.model_.template == load_template("ner")
    bare = CRF(warm_start=True).fit([[["a"]]], [["X"]])
    bare.template = "auto"
    with pytest.raises(InputError, match="has no template, so it cannot continue with words; fit anew"):
        bare.fit(WORDS, LABELS)


def test_words_without_a_template_name_the_template() -> None:
    with pytest.warns(UserWarning, match=r"X\[0\]\[0\] is the string 'Anna', .*CRF\(template=\"auto\"\)"):
        CRF().fit(WORDS, LABELS)
    fitted = CRF().fit([[["a"]]], [["X"]])
    with pytest.raises(InputError, match=r'CRF\(template="ner"\)'):
        fitted.predict(WORDS)
    with pytest.raises(InputError, match="no template, so it cannot read words"):
        fitted.tag_text("Anna left")


@pytest.mark.parametrize(
    "X", [[[{"w": "Anna"}]], [[["w=Anna", "bias"]]], [[3]], ["Anna"], "Anna", [None], None], ids=str
)
def test_a_crf_of_words_refuses_anything_else(crf: CRF, X: object) -> None:
    for call in (crf.predict, crf.predict_marginals, crf.predict_spans):
        with pytest.raises(InputError):
            call(X)
    with pytest.raises(InputError):
        CRF(template="words").fit(X, [["PER"]])


def test_a_crf_of_attributes_warns_if_it_knows_hardly_any() -> None:
    fitted = CRF().fit([[{"w": "a"}, {"w": "b"}]], [["X", "Y"]])
    with pytest.warns(UnknownAttributesWarning, match="knows 0 of the 30") as told:
        fitted.predict([[{"word": str(n)} for n in range(30)]])
    assert told[0].filename == __file__


# The command


def test_a_model_of_the_command_reads_words(tmp_path: Path) -> None:
    rows = ["".join(f"{w} {y}\n" for w, y in zip(*pair, strict=True)) for pair in zip(WORDS, LABELS, strict=True)]
    (tmp_path / "t.txt").write_text("\n".join(rows))
    good("train", tmp_path / "t.txt", "-o", tmp_path / "m", "--template", "words", "--epochs", "5")
    printed = good("tag", "-m", tmp_path / "m", tmp_path / "t.txt", "--only-labels")
    labels = [block.split() for block in printed.strip().split("\n\n")]
    assert CRF.load(tmp_path / "m").predict(WORDS) == labels
    assert Model.load(tmp_path / "m").tag_words(WORDS) == labels


@needs_corpus
@pytest.mark.slow
def test_labels_equal_those_of_the_command_on_conll2000(tmp_path: Path) -> None:
    def read(path: Path, most: int) -> tuple[list, list]:
        blocks = [
            [line.split() for line in block.split("\n")] for block in path.read_text().strip().split("\n\n")[:most]
        ]
        return [[(w, p) for w, p, _ in b] for b in blocks], [[y for *_, y in b] for b in blocks]

    X, y = read(TRAIN, 800)
    crf = CRF("adaptive", template="chunking", max_iterations=5).fit(X, y)
    crf.save(tmp_path / "m")
    printed = good("tag", "-m", tmp_path / "m", TEST, "--only-labels")
    words, _ = read(TEST, 10**6)
    labels = [block.split() for block in printed.strip().split("\n\n")]
    assert crf.predict(words) == labels
    model = Model.load(tmp_path / "m")
    np.testing.assert_array_equal(
        model.encode_words(words).dataset.attribute, model.encode_files(TEST).dataset.attribute
    )
    assert encode_files(TEST).template == model.template


def test_an_empty_sequence_is_left_out_where_transitions_look_at_the_input() -> None:
    template = parse_template("U00:%x[0,0]\nB01:%x[0,0]\nB\n")
    X, y = [["a", "b"], ["c", "d"]], [["X", "Y"], ["Y", "X"]]
    with pytest.warns(UserWarning, match="1 of 3 sequences are empty"):
        crf = CRF(template=template).fit([X[0], [], X[1]], [y[0], [], y[1]])
    alone = CRF(template=template).fit(X, y)
    assert crf.model_.top_edges() == alone.model_.top_edges()
    assert crf.state_features_ == alone.state_features_


def test_a_warm_start_keeps_the_weights_of_edge_attributes() -> None:
    template = parse_template("U00:%x[0,0]\nB01:%x[0,0]\nB\n")
    X, y = [["a", "b"], ["c", "d"]], [["X", "Y"], ["Y", "X"]]
    crf = CRF(template=template, warm_start=True, c2=0.01).fit(X, y)
    assert crf.model_.edges is not None
    assert crf.model_.edges.strings() == ["B01:b", "B01:d"]
    before = {edge[:3]: edge[3] for edge in crf.model_.top_edges()}
    crf.set_params(max_iterations=1).fit([["a", "e"], *X[::-1]], [["X", "Y"], *y[::-1]], X_dev=X, y_dev=y)
    assert crf.model_.edges.strings() == ["B01:b", "B01:d", "B01:e"]
    after = {edge[:3]: edge[3] for edge in crf.model_.top_edges()}
    assert all(abs(after[key] - w) < 0.2 * abs(w) for key, w in before.items())
    assert crf.fit(X[:1], y[:1]).predict(X) == y


def test_a_model_of_raw_edges_is_not_continued() -> None:
    crf = CRF.load(MODELS / "raw.wapiti").set_params(warm_start=True)
    with pytest.raises(InputError, match="no template, so CRF cannot continue it"):
        crf.fit([[["ua"], ["ub"]]], [["B-NP", "I-NP"]])
