"""Training on a corpus on disk: the bits of the same corpus in memory, for any window, number of shards and recipe."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tagfield import CRF, Corpus, InputError, Model, Settings, encode_files
from tagfield.data.corpus import pack, packing
from tagfield.inference.lattice import open_corpus
from tagfield.system.memory import memory_limited, resident_memory
from tagfield.train import train
from tagfield.train.loop.footprint import check_training
from tagfield.train.problem import order, sentences
from tagfield.train.problem.on_disk import WindowCounts, problem_of
from tagfield.train.problem.sentences import OnDisk
from tagfield.weights.features import feature_set

SMALL = 16  # sentences of a segment, so that a small corpus has several windows


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PIECE", 3000)
    monkeypatch.setattr(packing, "SMALLEST", 1)
    monkeypatch.setattr(sentences, "SEGMENT", SMALL)
    monkeypatch.setattr(sentences, "POOL", 8 * SMALL)
    for name, value in (("CHUNK", 4), ("CHUNKS", 16), ("POOL", 64)):
        monkeypatch.setattr(order, name, value)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "a.txt"
    lines = []
    for _ in range(331):
        words = rng.integers(0, 40, rng.integers(1, 9))
        lines += [f"w{w} T{w % 5} {'BIO'[(w + t) % 3]}" for t, w in enumerate(words)] + [""]
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def corpus(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    monkeypatch = pytest.MonkeyPatch()
    monkeypatch.setattr(packing, "PIECE", 3000)
    monkeypatch.setattr(packing, "SMALLEST", 1)
    made = pack(file, tmp_path_factory.mktemp("corpus") / "c", template="chunking", shard_size=10_000)
    monkeypatch.undo()
    assert len(made.shards) > 3
    return made


def same_weights(one: Model, other: Model) -> None:
    for mine, theirs in zip(one.weights.arrays(), other.weights.arrays(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert {**one.info, "seconds": 0} == {**other.info, "seconds": 0}
    assert one.attributes == other.attributes


# Each is trained five times. What is slow takes more than a second, mostly at calibrating its rate again and again.
SETTINGS = [
    Settings.of("sgd", features="observed", min_count=2, rate=0.1, epochs=3),
    Settings.of("adaptive", features="all", min_count=3, average=True, rate=0.1, epochs=3),
    Settings("arow"),
    Settings("lbfgs", epochs=5),
    Settings.of("lbfgs", epochs=5, c1=0.1),
    Settings.of("ngd", batch=True, epochs=3),
    Settings.of("u2.g1", minibatch=10, average=True, epochs=3, rate=0.1),
]
SLOW_SETTINGS = [
    Settings(),
    Settings.of("u2.g1", features="all"),
    Settings.of("sgd", features="observed", min_count=2),
    Settings.of("adaptive", features="all", min_count=3, average=True),
    Settings("pa"),
    Settings("ap"),
    Settings.of("ngd", generator="auto"),
    Settings.of("u2.g1", minibatch=10, average=True, epochs=3),
    Settings.of("u2.g1", minibatch=100, minibatch_mean=True, epochs=3),
    Settings.of("ngd", loss="U4", minibatch=10**6, epochs=3),
]


@pytest.mark.parametrize(
    "settings", [*SETTINGS, *(pytest.param(each, marks=pytest.mark.slow) for each in SLOW_SETTINGS)], ids=str
)
def test_windows_and_memory_give_the_same_model(file: Path, corpus: Corpus, settings: Settings) -> None:
    expected = Model.train(encode_files(file, template="chunking"), settings)
    for window in (1, 9000, "1GB"):
        same_weights(Model.train(corpus, settings, window=window), expected)
    same_weights(Model.train(corpus.path, settings, window=5000), expected)


@pytest.mark.parametrize("window", [1, 20_000, 1e9])
def test_windows_follow_the_order(corpus: Corpus, window: float) -> None:
    disk, data = OnDisk(corpus, window), corpus.encoded().dataset
    order = np.random.default_rng(1).permutation(331)[:200]
    found, numbers = [], []
    for part in disk.parts(order):
        assert len(part.order) <= SMALL
        numbers += part.sentences.tolist()
        found.append(part.corpus)
    assert numbers == order.tolist()
    assert len({id(each) for each in found}) <= 1 + -(-200 // disk.window)
    np.testing.assert_array_equal(disk.take(order).labels, data.take(order).labels)
    assert list(disk.parts(order[:0])) == []


@pytest.mark.parametrize("kind", ["observed", "all"])
@pytest.mark.parametrize("minimum", [1, 2, 5])
def test_counts_over_windows_are_those_of_the_whole(corpus: Corpus, kind: str, minimum: int) -> None:
    sizes = len(corpus.attributes), len(corpus.labels)
    expected = feature_set(open_corpus(corpus.encoded().dataset), *sizes, kind, minimum, "observed")
    found = feature_set(WindowCounts(OnDisk(corpus, 9000)), *sizes, kind, minimum, "observed")
    for mine, theirs in zip(found.marks.arrays(), expected.marks.arrays(), strict=True):
        np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs))


def test_held_out_data_and_class_weights_give_the_run_of_memory(file: Path, corpus: Corpus) -> None:
    encoded = encode_files(file, template="chunking")
    dev = encode_files(
        file, template=corpus.template, attributes=corpus.attributes, labels=corpus.labels, edge_attributes=corpus.edges
    )
    settings, weight = Settings.of("sgd", epochs=2, rate=0.1), [1.0, 2.0, 0.5]
    one = train(encoded, settings, dev=dev, class_weight=weight)
    other = train(corpus, settings, dev=dev, class_weight=weight, window=9000)
    np.testing.assert_array_equal(one.weights.state, other.weights.state)
    assert [epoch.scores for epoch in one.history] == [epoch.scores for epoch in other.history]


def test_the_window_is_small_and_what_needs_memory_says_so(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = problem_of(corpus, Settings("sgd"), None, None, None, 9000)
    assert problem.disk is not None
    assert problem.disk.window * corpus.sentence_bytes <= 9000
    assert problem.disk.bytes <= 18_000
    large, told = replace(problem, disk=OnDisk(corpus, 200_000)), r"weights with sgd needs .* use a smaller --window"
    with memory_limited(resident_memory() + 1e5), pytest.raises(InputError, match=told):
        check_training(large, scored=False)
    with pytest.raises(Exception, match="needs the whole corpus in memory"):
        _ = problem.dataset.labels
    monkeypatch.setattr("tagfield.system.memory.room_left", lambda: 1e3)
    with pytest.raises(
        InputError, match=r"whole corpus, which lbfgs with c1 reads at once, .* reads it by windows, such"
    ):
        problem_of(corpus, Settings.of("lbfgs", c1=0.1), None, None, None, 9000)


def test_a_window_that_is_no_size_is_refused(corpus: Corpus) -> None:
    with pytest.raises(InputError, match="is not a size of memory"):
        train(corpus, Settings("sgd"), window="large")


def test_crf_fits_a_corpus(file: Path, corpus: Corpus) -> None:
    rows = [[line.split() for line in part.split("\n") if line] for part in file.read_text().split("\n\n")]
    X, y = [[tuple(row[:2]) for row in part] for part in rows], [[row[2] for row in part] for part in rows]
    expected = CRF("u2.g1", template="chunking", max_iterations=2, class_weight=None).fit(X, y)
    for data in (corpus, corpus.path):
        crf = CRF("u2.g1", max_iterations=2).fit(data)
        np.testing.assert_array_equal(crf.model_.weights.state, expected.model_.weights.state)
        assert crf.predict(X[:5]) == expected.predict(X[:5])
    generated = CRF("u2.g1", template="chunking", max_iterations=2).fit((x for x in X), (each for each in y))
    np.testing.assert_array_equal(generated.model_.weights.state, expected.model_.weights.state)
    balanced = CRF("l2sgd", max_iterations=1, class_weight="balanced", template="chunking").fit(X, y)
    packed = CRF("l2sgd", max_iterations=1, class_weight="balanced").fit(corpus)
    np.testing.assert_array_equal(packed.model_.weights.state, balanced.model_.weights.state)
    for given, told in (
        ({"y": y}, "y must be left out"),
        ({"sample_weight": [1.0] * 331}, "sample_weight does not apply"),
    ):
        with pytest.raises(InputError, match=told):
            CRF().fit(corpus, **given)
    for arguments, told in (
        ({"warm_start": True}, "warm_start does"),
        ({"early_stopping": True}, "needs held-out data"),
    ):
        with pytest.raises(InputError, match=told):
            CRF(**arguments).fit(corpus)


def test_a_hashed_model_tags_what_it_was_trained_on(file: Path, tmp_path: Path) -> None:
    hashed = pack(file, tmp_path / "c", template="chunking", hash_bits=14)
    model = Model.train(hashed, Settings("u2.g1", epochs=5))
    model.save(tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert again.attributes.hash_bits == 14
    words = [[("w3", "T3"), ("w4", "T4")]]
    assert again.tag_words(words) == model.tag_words(words)
    named = Model.train(encode_files(file, template="chunking"), Settings("u2.g1", epochs=5))
    assert again.tag_words(words) == named.tag_words(words)
    with pytest.raises(InputError, match="the attributes of the model are hashed and have no names"):
        again.save(tmp_path / "m2", format="crfsuite")
    with pytest.raises(InputError, match="the attributes are hashed"):
        again.pruned(0.1)
    assert again.top_features(1)[0][0].startswith("#")


def test_a_small_corpus_that_does_not_fit_is_read_by_windows(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = Model.train(corpus, Settings.of("default", epochs=2))
    monkeypatch.setattr("tagfield.train.problem.on_disk.room_left", lambda: 2.0 * corpus.memory - 1)
    settings = Settings.of("default", epochs=2)
    assert problem_of(corpus, settings, None, None, None, 1e9).disk is not None
    same_weights(Model.train(corpus, settings), expected)
