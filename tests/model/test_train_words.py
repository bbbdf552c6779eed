"""Training on words: the same model as from a file of the words, presets, held-out data, saving, and mistakes."""

import json
import pickle
from pathlib import Path

import pytest

from tagfield import Model, Settings, Template, encode_files, encode_sequences, encode_words
from tagfield.errors import InputError
from tests.support.cli_process import good
from tests.support.named_words import LABELS, POS, SENTENCES, SETTINGS, UNSEEN, as_file


@pytest.fixture(scope="module")
def model() -> Model:
    return Model.train_words(SENTENCES, LABELS, template="words", settings=SETTINGS)


def test_a_model_trained_saved_and_loaded_finds_the_names_in_text(tmp_path: Path) -> None:
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


def test_tag_words_gives_the_labels_that_the_command_prints(model: Model, tmp_path: Path) -> None:
    model.save(tmp_path / "m")
    (tmp_path / "new.txt").write_text("\n".join("".join(f"{w}\n" for w in s) for s in UNSEEN if s))
    printed = good("tag", "-m", tmp_path / "m", tmp_path / "new.txt", "--only-labels")
    assert [block.split() for block in printed.strip().split("\n\n")] == model.tag_words(UNSEEN)[:2]


def test_words_and_files_can_be_held_out_for_scores(tmp_path: Path) -> None:
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


def test_a_model_of_words_survives_pickle_and_pruning(model: Model) -> None:
    tagged = model.tag_text("Anna works in New York.")
    assert pickle.loads(pickle.dumps(model)).tag_text("Anna works in New York.") == tagged
    assert model.pruned().tag_text("Anna works in New York.") == tagged


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
