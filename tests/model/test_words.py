"""Words and text, as a user meets them: train on words, tag words and text, save, and mistakes that are told."""

import json
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import Model, Settings, Template, encode_files, encode_sequences, encode_words
from tagfield.data.encode import Vocabulary
from tagfield.data.text.templates.parsing import parse_template
from tagfield.errors import InputError, UnknownAttributesWarning
from tagfield.model.explain import explain
from tests.support import naive_text as naive
from tests.support.cli_process import good

SENTENCES = [
    ["Anna", "lives", "in", "New", "York", "."],
    ["Ben", "works", "in", "Paris", "."],
    ["Paris", "is", "large", "."],
    ["New", "York", "is", "larger", ",", "says", "Anna", "."],
    [],
]
LABELS = [
    ["B-PER", "O", "O", "B-LOC", "I-LOC", "O"],
    ["B-PER", "O", "O", "B-LOC", "O"],
    ["B-LOC", "O", "O", "O"],
    ["B-LOC", "I-LOC", "O", "O", "O", "O", "B-PER", "O"],
    [],
]
UNSEEN = [["Anna", "works", "in", "New", "York", "."], ["Ben", "!"], []]
SETTINGS = Settings("lbfgs", c2=0.05)
PIECES = [*"Anb .!?\n'’-1", "New York", "doesn't", "é", "東", "😀", "\u200b"]
texts = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)
names = st.sampled_from([*"abcxyé", "long name"])
values = st.booleans() | st.floats(-4, 4, width=32) | names | st.lists(names, max_size=2)
sequences = st.lists(st.lists(names, max_size=4) | st.dictionaries(names, values, max_size=3), max_size=4)
POS = [[(word, word[:1]) for word in sentence] for sentence in SENTENCES]


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)


@pytest.fixture(scope="module")
def of_attributes() -> Model:
    return Model.train(encode_sequences([[["w=a", "s"], ["w=b"]]], [["X", "Y"]]), SETTINGS)


def as_file(sentences: list, labels: list, path: Path) -> Path:
    rows = [zip(s, y, strict=True) for s, y in zip(sentences, labels, strict=True) if s]
    lines = ["".join(f"{' '.join(w) if isinstance(w, tuple) else w} {y}\n" for w, y in row) for row in rows]
    path.write_text("\n".join(lines))
    return path


def test_five_lines(tmp_path: Path) -> None:
    model = Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)
    model.save(tmp_path / "names.tagfield")
    tagged = Model.load(tmp_path / "names.tagfield").tag_text("Anna works in New York. Ben doesn't!")
    assert [(span.label, span.text) for span in tagged.spans] == [("PER", "Anna"), ("LOC", "New York"), ("PER", "Ben")]
    json.dumps(tagged.to_dict())


def test_words_and_the_same_words_in_a_file_give_the_same_model_and_labels(model: Model, tmp_path: Path) -> None:
    path = as_file(SENTENCES, LABELS, tmp_path / "train.txt")
    from_file = Model.train(encode_files(path, template="words"), SETTINGS)
    assert from_file.attributes.strings() == model.attributes.strings()
    assert from_file.weights.state.tobytes() == model.weights.state.tobytes()
    assert from_file.tag_words(UNSEEN) == model.tag_words(UNSEEN)
    again = from_file.encode_files(as_file(UNSEEN, [["O"] * len(s) for s in UNSEEN], tmp_path / "new.txt"))
    assert model.tag_words(UNSEEN) == [*from_file.tag(again), []]


def test_labels_are_those_of_the_command(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    (tmp_path / "new.txt").write_text("\n".join("".join(f"{w}\n" for w in s) for s in UNSEEN if s))
    printed = good("tag", "-m", tmp_path / "m", tmp_path / "new.txt", "--only-labels")
    assert [block.split() for block in printed.strip().split("\n\n")] == model.tag_words(UNSEEN)[:2]


def test_encoded_words_go_into_every_other_method(model: Model) -> None:
    encoded = model.encode_words(UNSEEN)
    tags = model.tag_words(UNSEEN)
    assert model.tag(encoded) == tags
    assert [len(p) for p in model.marginals(encoded)] == [len(s) for s in UNSEEN]
    assert [paths[0][0] for paths in model.n_best(encoded, 3)] == tags
    assert model.spans(encoded)[0][1].type == "LOC"
    best = model.log_probability(encoded, tags)
    assert best == pytest.approx([np.log(paths[0][1]) for paths in model.n_best(encoded, 1)], abs=1e-5)
    gold = model.encode_words(SENTENCES, LABELS)
    assert model.evaluate(gold).accuracy == 1.0
    why = explain(model, model.encode_words([UNSEEN[0]]), 3)
    assert why.label == tags[0][3]
    with pytest.raises(InputError, match="explain takes one sequence, but the data has 3"):
        explain(model, encoded, 0)


def test_rules_known_labels_and_threads(model: Model) -> None:
    [labels] = model.tag_words([["Anna", "York"]], known=[{0: "O"}], rules="BIO")
    assert labels[0] == "O"
    assert labels[1] != "I-LOC"
    many = UNSEEN * 40
    assert model.tag_words(many, threads=3) == model.tag_words(many)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda s: model.tag_words([s])[0], many)) == model.tag_words(many)


def test_several_columns() -> None:
    model = Model.train_words(POS, LABELS, template="chunking", settings=SETTINGS)
    assert model.tag_words(POS) == LABELS
    with pytest.raises(InputError, match=r"X\[0\]\[0\]\): found 1 string, but template chunking reads 2 columns"):
        model.tag_words([["Anna"]])
    with pytest.raises(InputError, match=r"template chunking reads pos besides the words.*tuples \(w, pos\)"):
        model.tag_text("Anna lives.")


def test_text_fills_columns_that_the_template_skips(tmp_path: Path) -> None:
    rows = [[("_", word, "x") for word in s] for s in SENTENCES]
    template = parse_template("U0:%x[0,w]\nU1:%x[-1,1]\nU2:%x[0,w.shape]").with_columns("_ w _ y")
    model = Model.train_words(rows, LABELS, template=template, settings=SETTINGS)
    assert model.tag_text("Anna lives in New York.").labels == model.tag_words(rows[:1])


def test_text_does_not_go_into_a_column_of_another_kind() -> None:
    template = parse_template("U0:%x[0,pos]").with_columns("w pos y")
    model = Model.train_words(POS, LABELS, template=template, settings=SETTINGS)
    with pytest.raises(InputError, match="reads pos besides the words"):
        model.tag_text("Anna lives.")


def test_held_out_words_and_files(tmp_path: Path) -> None:
    seen = []
    model = Model.train_words(
        SENTENCES, LABELS, settings=Settings("sgd", epochs=3), dev=(SENTENCES, LABELS), on_epoch=seen.append
    )
    assert [epoch.scores.accuracy > 0 for epoch in seen] == [True] * 3
    assert isinstance(model.template, Template)
    path = as_file(POS, LABELS, tmp_path / "t.txt")
    of_file = Model.train(path, SETTINGS, dev=path)
    assert of_file.tag_words(POS[:2]) == LABELS[:2]
    (tmp_path / "items").write_text("X\ta\nY\tb\n")
    of_items = Model.train(encode_files(tmp_path / "items", format="items"), SETTINGS, dev=tmp_path / "items")
    assert of_items.tag([[["a"], ["b"]]]) == [["X", "Y"]]


def test_data_of_another_kind_is_refused() -> None:
    for data in (3, None, SENTENCES, [["a"]], []):
        with pytest.raises(InputError, match=r"for lists of words use Model\.train_words"):
            Model.train(data)
    for dev in ([SENTENCES], SENTENCES, "ab c"):
        with pytest.raises(InputError, match="dev must be a pair"):
            Model.train_words(SENTENCES, LABELS, dev=dev)


# Text


def test_offsets_and_probabilities_of_text(model: Model) -> None:
    text = "Anna works in New York.\n\nBen doesn’t."
    tagged = model.tag_text(text, n_best=2, rules="BIO")
    assert [s.text for s in tagged] == ["Anna works in New York.", "Ben doesn’t."]
    encoded = model.encode_words([s.words for s in tagged])
    nodes, paths = model.marginals(encoded, rules="BIO"), model.n_best(encoded, 2, rules="BIO")
    spans = model.spans(encoded, rules="BIO")
    for sentence, node, best, found in zip(tagged, nodes, paths, spans, strict=True):
        assert [labels for labels, _ in sentence.n_best] == [labels for labels, _ in best]
        assert [p for _, p in sentence.n_best] == pytest.approx([p for _, p in best], abs=1e-6)  # sums in another order
        assert sentence.labels == best[0][0]
        assert sentence.probability == pytest.approx(best[0][1], rel=1e-4)
        for token, row in zip(sentence, node, strict=True):
            assert text[token.start : token.end] == token.text
            assert token.probability == pytest.approx(row[model.labels.find(token.label)])
        for span, other in zip(sentence.spans, found, strict=True):
            assert text[span.start : span.end] == span.text == " ".join(sentence.words[other.start : other.end])
            assert (span.label, span.probability) == (other.type, pytest.approx(other.probability))


@given(text=texts)
def test_any_text_is_tagged_as_its_words_are(model: Model, text: str) -> None:
    tagged = model.tag_text(text)
    assert all(text[token.start : token.end] == token.text for token in tagged.tokens)
    assert all(text[span.start : span.end] == span.text for span in tagged.spans)
    assert tagged.labels == model.tag_words([sentence.words for sentence in tagged])
    assert all(0 <= token.probability <= 1.0001 for token in tagged.tokens)
    json.dumps(tagged.to_dict())


def test_text_without_probabilities(model: Model) -> None:
    sure, plain = (model.tag_text("Anna works in New York.", probabilities=p) for p in (True, False))
    assert str(sure) == str(plain)
    assert {t.probability for t in plain.tokens} | {s.probability for s in plain.spans} == {None}
    assert plain.sentences[0].probability is None


def test_many_texts_at_once(model: Model) -> None:
    texts = ["Anna left. Ben stayed.", "", " \n", "New York!"]
    assert model.tag_text(texts) == [model.tag_text(text) for text in texts]
    assert [len(tagged) for tagged in model.tag_text(tuple(texts))] == [2, 0, 0, 1]
    assert model.tag_text([]) == []
    with pytest.raises(InputError, match="text 1: text must be a string, got NoneType"):
        model.tag_text(["Anna", None])
    with pytest.raises(InputError, match="text must be a string or a list of strings, got bytes"):
        model.tag_text(b"Anna")


def test_tokenizers(model: Model) -> None:
    text = "Anna lives in New York ."
    assert model.tag_text(text, tokenizer="whitespace").labels == model.tag_words([text.split()])
    assert model.tag_text(text, tokenizer=str.split).labels == model.tag_words([text.split()])
    with pytest.raises(InputError, match="did you mean 'whitespace'"):
        model.tag_text(text, tokenizer="whitespaces")


def test_a_segmenter_gives_words() -> None:
    """Characters are the tokens, and spans are the words."""
    template = Template("characters", parse_template("U0:%x[0,0]\nU1:%x[-1,0]\nU2:%x[1,0]").patterns, ("w", "y"), True)
    words = [["東京", "は", "広い"], ["広い", "東京"], ["東京都", "は", "広い"]]
    labels = [[y for w in s for y in ("S" if len(w) == 1 else "B" + "M" * (len(w) - 2) + "E")] for s in words]
    characters = [list("".join(s)) for s in words]
    model = Model.train_words(characters, labels, template=template, settings=SETTINGS)
    tagged = model.tag_text("東京は広い")
    assert tagged == model.tag_text("東京は広い", tokenizer="characters")
    assert [(span.text, span.label) for span in tagged.spans] == [("東京", "word"), ("は", "word"), ("広い", "word")]


def test_neighbouring_names_of_iobes_are_two() -> None:
    sentences, labels = [["Anna", "Ben"], ["Anna", "Lee", "sings"]], [["S-PER", "S-PER"], ["B-PER", "E-PER", "O"]]
    model = Model.train_words(sentences, labels, settings=SETTINGS)
    assert [span.text for span in model.tag_text("Anna Ben").spans] == ["Anna", "Ben"]
    assert [span.text for span in model.tag_text("Anna Lee sings").spans] == ["Anna Lee"]


def test_a_model_of_words_survives_pickle_and_pruning(model: Model) -> None:
    tagged = model.tag_text("Anna works in New York.")
    assert pickle.loads(pickle.dumps(model)).tag_text("Anna works in New York.") == tagged
    assert model.pruned().tag_text("Anna works in New York.") == tagged


# Input of the wrong kind


def test_a_model_without_a_template_refuses_words(of_attributes: Model) -> None:
    for call in (of_attributes.tag_words, of_attributes.encode_words):
        with pytest.raises(InputError, match="no template, so it cannot read words; use tag with attribute"):
            call([["a", "b"]])
    with pytest.raises(InputError, match="no template"):
        of_attributes.tag_text("a b")
    with pytest.raises(InputError, match=r"X\[0\]\[0\] is of type str; .* words need a template: CRF\(template="):
        of_attributes.tag([["a", "b"]])


def test_a_model_with_a_template_refuses_attributes_that_it_does_not_make(model: Model) -> None:
    dicts = [[{"word": "Anna", "bias": 1.0}, {"word": "sleeps"}]]
    lists = [[["word=Anna", "bias"], ["word=sleeps"]]]
    for X in (dicts, lists):
        for call in (model.tag, model.marginals, model.spans, model.encode):
            with pytest.raises(InputError, match=r"knows 0 of the 3 attributes.*template words .*use tag_words"):
                call(X)
    with pytest.raises(InputError, match="use tag_words"):
        model.tag([[["Anna"]]])
    with pytest.raises(InputError, match=r"Model\.tag_words"):
        model.tag(SENTENCES)


def test_a_model_with_a_template_takes_the_attributes_that_it_makes(model: Model) -> None:
    encoded = encode_words(UNSEEN, template="words")
    attributes = [[dict(token) for token in sequence.tokens] for sequence in encoded.sequences()]
    assert model.tag(attributes) == model.tag_words(UNSEEN)
    assert model.tag([[[], []], []]) == [model.tag([[[], []]])[0], []]


def test_a_model_that_knows_hardly_any_attribute_warns_once() -> None:
    X, y = [[["w=a", "s"], ["w=b"]]], [["X", "Y"]]
    model = Model.train(encode_sequences(X, y), SETTINGS)
    strange = [[[f"word:{n}", f"lower:{n}"] for n in range(12)]]
    with pytest.warns(UnknownAttributesWarning, match=r"0 of the 24 .*: 'word:0', 'lower:0', 'word:1'\); make") as told:
        model.tag(strange)
    assert len(told) == 1
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.tag(strange)  # once is enough
        again = Model.train(encode_sequences(X, y), SETTINGS)
        again.tag([[["new"]] * 19])  # too few to tell
        again.tag([[["w=a"], *[["new"]] * 9] * 9])  # a tenth is known
    with pytest.warns(UnknownAttributesWarning):
        again.encode(strange)


@given(X=st.lists(sequences, max_size=4), known=st.sets(st.sampled_from("abc"), max_size=3), gather=st.booleans())
def test_what_is_unknown_is_counted_as_the_naive_twin_counts(X: list, known: set, gather: bool) -> None:
    found = encode_sequences(X, attributes=Vocabulary(sorted(known)), gather=gather).unknown
    unknown = [name for x in X for token in x for name, _ in naive.attributes(token) if name not in known]
    assert found.occurrences == len(unknown)
    assert len(found.some) == min(3, len(unknown)) or any(isinstance(token, dict) for x in X for token in x)
    assert set(found.some) <= set(unknown)


def test_what_is_unknown_is_counted() -> None:
    known = encode_sequences([[["a", "b"]]])
    X = [[["a", "x", "a"], {"y": 1.5, "b": 2.0}], [{"z": True}, ["é", "w"]], []]
    for gather in (True, False):
        found = encode_sequences(X, attributes=known.attributes, gather=gather)
        assert found.unknown.occurrences == 5
        assert found.unknown.some[0] == "x"
        assert set(found.unknown.some) <= {"x", "y", "z", "é", "w"}
        assert len(found.dataset.position) == 3
    assert encode_sequences(X).unknown.occurrences == 0


def test_without_a_template_the_preset_follows_the_labels() -> None:
    assert encode_words(SENTENCES, LABELS).template.name == "ner"  # type: ignore[union-attr]
    assert encode_words(POS, LABELS, template="auto").template.name == "chunking"  # type: ignore[union-attr]
    drawn = (iter(sentence) for sentence in [["看", "看"]])  # read once, and then encoded
    model = Model.train_words(drawn, (iter(labels) for labels in [["B", "E"]]), settings=SETTINGS)
    assert model.template is not None
    assert (model.template.name, model.tag_words([["看", "看"]])) == ("segmentation", [["B", "E"]])
    assert Model.train_words([["to", "be"]], [["TO", "VB"]]).template.name == "pos"  # type: ignore[union-attr]


def test_a_template_that_cannot_be_chosen_is_asked_for() -> None:
    with pytest.raises(InputError, match="a token has 3 strings, and no preset reads that many; give a template"):
        encode_words([[("a", "b", "c")]], [["X"]])
    with pytest.raises(InputError, match="give that template, or use model"):
        encode_words(SENTENCES, attributes=encode_words(SENTENCES, LABELS).attributes)
    for wrong in (None, "Anna", [5], [[5]], [{"a": 1}], 5):
        with pytest.raises(InputError):
            encode_words(wrong, LABELS)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="X is None; pass a list of sequences"):
        encode_sequences(None)  # type: ignore[arg-type]
