"""The default: one for every door, better than what it was chosen over, and decided by the data alone."""

import json
from pathlib import Path

import numpy as np
import pytest

from tagfield import CRF, Model, encode_files, encode_sequences, pack
from tagfield.data.encode import Encoded
from tagfield.data.text.sources import Source
from tagfield.demo import Sentence, addresses, mentions
from tagfield.errors import InputError, MemoryLimitError
from tagfield.train import DEFAULT, Settings, train
from tagfield.train.recipes.default import COPIES, default_features, default_rate, weight_bytes
from tests.support.cli_process import good
from tests.support.corpus import HOME

WNUT = HOME.parent / "wnut17"


def encode(sentences: list[Sentence], known: Encoded | None = None) -> Encoded:
    text = "\n\n".join("\n".join(f"{word} {label}" for word, _, label in sentence) for sentence in sentences)
    source = Source("made", f"{text}\n".encode())
    if known is None:
        return encode_files(source, template="words")
    return encode_files(source, template="words", attributes=known.attributes, labels=known.labels)


def f1(train_on: Encoded, test: Encoded, settings: Settings) -> float:
    scores = train(train_on, settings, dev=test).history[-1].scores
    assert scores is not None
    return 100 * scores.f1


def test_every_door_leads_to_the_same_settings(tmp_path: Path) -> None:
    corpus = addresses(seed=0, train=40, test=0)
    encoded = encode(corpus.train)
    (tmp_path / "train.txt").write_text(
        "\n\n".join("\n".join(f"{word} {label}" for word, _, label in each) for each in corpus.train) + "\n"
    )
    good("train", "train.txt", "--template", "words", "-o", "model", cwd=tmp_path)
    by_command = json.loads(good("info", "model", "--json", cwd=tmp_path))["info"]["settings"]
    wanted = Settings().for_data(encoded).saved() | {"monitor": "f1"}
    assert by_command == Model.train(encoded).info["settings"] == train(encoded).settings.saved() == wanted
    assert wanted.items() >= (DEFAULT | {"features": "all"}).items()
    X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 5, [["X", "Y"], ["Y", "X"]] * 5
    crf = CRF("default").fit(X, y)
    assert crf.predict(X) == y
    assert crf.n_iter_ == DEFAULT["epochs"]
    np.testing.assert_array_equal(
        crf.model_.weights.state,
        Model.train(encode_sequences(X, y), Settings.of(max_dev_rise=None, keep_best=False)).weights.state,
    )


def test_arguments_of_crf_change_the_default() -> None:
    X, y = [[["a"], ["b"]]] * 3, [["X", "Y"]] * 3
    crf = CRF("default", all_possible_states=False, max_iterations=2, c2=0.5, average=False).fit(X, y)
    made = crf.model_.info["settings"]
    assert (made["features"], made["epochs"], made["c2"], made["average"]) == ("observed", 2, 0.5, False)
    with pytest.raises(InputError, match="num_memories applies only to lbfgs, not to adaptive"):
        CRF("default", num_memories=3).fit(X, y)


def test_a_stream_takes_the_default_with_observed_features() -> None:
    X, y = [[["a"], ["b"]], [["a"], ["b"]]] * 10, [["X", "Y"], ["X", "Y"]] * 10
    crf = CRF("default")
    for x, labels in zip(X, y, strict=True):
        crf.partial_fit([x], [labels], classes=["X", "Y"])
    assert crf.predict(X) == y
    assert crf.model_.features.counts == (2, 1)


@pytest.mark.parametrize(("make", "ahead"), [(addresses, 0.2), (mentions, 1.0)])
def test_it_is_ahead_of_the_recipes_it_was_chosen_over(make: object, ahead: float) -> None:
    """Chunk F1 on the built-in corpora, where one label dominates (mentions) and where none does."""
    corpus = make(seed=3, train=400, test=200)  # type: ignore[operator]
    known = encode(corpus.train)
    test = encode(corpus.test, known)
    found = f1(known, test, Settings())
    for recipe in ("u2.g1", "sgd"):
        assert found > f1(known, test, Settings.of(recipe, average=True, epochs=5)) + ahead


def test_small_data_is_learned() -> None:
    """Two sentences are enough, and labels do not have to be chunks."""
    X, y = [[["the"], ["dog"]], [["a"], ["cat"]]], [["D", "N"], ["D", "N"]]
    assert Model.train(encode_sequences(X, y)).tag(X) == y


def test_the_rate_falls_with_the_attributes_per_token(tmp_path: Path) -> None:
    """By the data in memory and on disk alike; a rate that is given stays, and named recipes calibrate theirs."""
    for count, rate in ((1, 0.4), (18, 0.4), (20, 0.4), (25, 0.26), (28, 0.2), (100, 0.1)):
        item = [f"a{number}" for number in range(count)]
        encoded = encode_sequences([[item, item]], [["X", "Y"]])
        assert default_rate(count) == Settings().for_data(encoded).recipe.rate == rate
        assert Settings.of("adaptive", rate_by="attributes").for_data(encoded).recipe.rate == rate
        assert Settings.of(rate=0.3).for_data(encoded).recipe.rate == 0.3
        assert Settings("adaptive").for_data(encoded).recipe.rate is None
    (tmp_path / "a.txt").write_text("The B-NP\ndog I-NP\n\nIt B-NP\n")
    packed, encoded = pack(tmp_path / "a.txt", tmp_path / "corpus"), encode_files(tmp_path / "a.txt")
    assert Settings().for_data(packed) == Settings().for_data(encoded)


def test_what_the_data_decided_can_be_seen(tmp_path: Path) -> None:
    item = [f"a{number}" for number in range(28)]
    encoded = encode_sequences([[item, item]], [["X", "Y"]])
    assert "rate by attributes" in Settings().describe()
    assert "rate 0.2," in Settings().for_data(encoded).describe()
    assert Model.train(encoded).info["settings"]["rate"] == 0.2
    (tmp_path / "train.txt").write_text("a B-X\nb O\n\n")
    said = good("train", "train.txt", "--template", "words", "-o", "model", cwd=tmp_path)
    assert "default    rate 0.4 for 1" in said
    assert "all features, 6 passes" in said
    said = good("train", "train.txt", "--template", "words", "-o", "model", "--recipe", "sgd", cwd=tmp_path)
    assert "default   " not in said


def test_features_that_take_too_many_bytes_are_observed(monkeypatch: pytest.MonkeyPatch) -> None:
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    needed = weight_bytes(2, 2)
    assert needed == 2 * 8 * 4 * COPIES
    for most, kind in ((needed, "all"), (needed - 1, "observed")):
        monkeypatch.setattr("tagfield.train.recipes.default.MOST_BYTES", most)
        assert default_features(2, 2) == Settings().for_data(encoded).features == kind
        trained = train(encoded)
        assert (trained.settings.features, trained.features.kind) == (kind, kind)
        assert Model.of(encoded, trained).tag([[["a"], ["b"]]]) == [["X", "Y"]]
        assert Settings(features="observed").for_data(encoded).features == "observed"
        assert Settings(features="all").for_data(encoded).features == "all"


def test_the_machine_does_not_change_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """A small machine trains the same features as a large one, or it says what would fit."""
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]])
    for room in (weight_bytes(2, 2), 1e15):
        monkeypatch.setattr("tagfield.system.memory.room_left", lambda room=room: room)
        assert Settings().for_data(encoded).features == "all"
    monkeypatch.setattr("tagfield.system.memory.room_left", lambda: weight_bytes(2, 2) - 1)
    with pytest.raises(MemoryLimitError, match=r"2 attributes and 2 labels needs .*--features observed"):
        train(encoded)
    assert Settings(features="observed").for_data(encoded).features == "observed"


def test_the_command_says_why_features_are_observed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.txt").write_text("a B-X\nb O\n\n")
    given = ["train", "train.txt", "--template", "words", "-o", "model"]
    assert "features   observed" not in good(*given, cwd=tmp_path)
    monkeypatch.setattr("tagfield.train.recipes.default.MOST_BYTES", 1000.0)
    assert "features   observed, because a weight for every pair would take 8" in good(*given, cwd=tmp_path)
    assert "features   observed" not in good(*given, "--features", "observed", cwd=tmp_path)


@pytest.mark.skipif(not (WNUT / "train.txt").is_file(), reason=f"WNUT-17 is not in {WNUT}")
def test_it_finds_more_names_in_tweets_than_the_papers_recipe() -> None:
    """A tenth of WNUT-17's training part, where the recipes of the paper miss most names."""
    whole = encode_files(WNUT / "train.txt", template="words")
    order = np.random.default_rng(0).permutation(len(whole))
    held, rest = np.sort(order[: len(order) // 10]), np.sort(order[len(order) // 10 :])
    known, test = whole.take(rest), whole.take(held)
    found = f1(known, test, Settings())
    assert found > 40
    assert found > f1(known, test, Settings.of("u2.g1", average=True, epochs=5)) + 1
