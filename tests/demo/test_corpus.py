"""The built-in corpora: the same bytes for the same seed, valid BIO, unseen words in the test part, real difficulty."""

import hashlib
import io
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache

import pytest
from seqeval.metrics import f1_score

from tagfield.data.text.encoders.columns import read_columns
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import PRESETS
from tagfield.demo import Corpus, Sentence, addresses, mentions, write_columns
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary

MAKERS = {"addresses": addresses, "mentions": mentions}
# sha256 of train and test as columns, seed 0, default sizes: a change of it changes every published figure
GOLDEN = {
    "addresses": "b7ba06eaf7ff656c5c3339fbd1347ddc9747df0085f02a49b7628276c546b156",
    "mentions": "463bff5fe1daf5134722a11f91e2a738252c1c6647fa344fb777498b17bf2608",
}
TYPES = {
    "addresses": "NAME ORG STREET NUMBER UNIT FLOOR BUILDING POBOX DISTRICT CITY REGION POSTCODE COUNTRY",
    "mentions": "PRODUCT ROLE PLACE DATE AMOUNT CODE",
}
each_corpus = pytest.mark.parametrize("name", MAKERS)


@cache
def corpus_of(name: str, seed: int = 0) -> Corpus:
    return MAKERS[name](seed)


def columns(sentences: list[Sentence]) -> str:
    file = io.StringIO()
    write_columns(sentences, file)
    return file.getvalue()


def rows(sentences: list[Sentence]) -> Iterator[tuple[str, str, str]]:
    return (row for sentence in sentences for row in sentence)


@each_corpus
def test_the_same_seed_gives_the_same_bytes_on_every_machine(name: str) -> None:
    corpus = corpus_of(name)
    text = columns(corpus.train) + columns(corpus.test)
    assert hashlib.sha256(text.encode()).hexdigest() == GOLDEN[name]


@each_corpus
def test_seeds_and_parts_differ(name: str) -> None:
    first, second = corpus_of(name), corpus_of(name, 1)
    assert columns(first.train) != columns(second.train)
    seen = {tuple(sentence) for sentence in first.train}
    assert sum(tuple(sentence) in seen for sentence in first.test) < 0.02 * len(first.test)


@each_corpus
def test_a_part_does_not_depend_on_the_size_of_the_other(name: str) -> None:
    make = MAKERS[name]
    assert make(3, train=20, test=10).train == make(3, train=50, test=0).train[:20]
    assert make(3, train=20, test=10).test == make(3, train=0, test=30).test[:10]


@each_corpus
def test_sizes(name: str) -> None:
    corpus = corpus_of(name)
    assert (len(corpus.train), len(corpus.test)) == (3000, 1000)
    assert MAKERS[name](train=0, test=0) == Corpus([], [])
    with pytest.raises(InputError, match="train and test must be ≥ 0, got -1 and 2"):
        MAKERS[name](train=-1, test=2)


@each_corpus
def test_columns_can_be_read_back(name: str) -> None:
    corpus = corpus_of(name)
    blocks = columns(corpus.test).split("\n\n")
    assert blocks.pop() == ""
    assert [[tuple(line.split()) for line in block.split("\n")] for block in blocks] == corpus.test


@each_corpus
def test_the_chunking_preset_reads_them(name: str) -> None:
    corpus = corpus_of(name)
    source = Source(name, columns(corpus.train).encode())
    attributes_seen = Vocabulary()
    labels = Vocabulary()
    data, _, locations = read_columns([source], PRESETS["chunking"], attributes_seen, labels)
    assert len(locations.line) == len(corpus.train)
    names = labels.strings()
    assert [names[label] for label in data.labels] == [label for *_, label in rows(corpus.train)]
    expected = {text for sentence in corpus.train for item in attributes(sentence) for text in item}
    assert set(attributes_seen.strings()) == expected


@each_corpus
def test_labels_are_bio_and_every_type_is_there(name: str) -> None:
    corpus = corpus_of(name)
    kinds = set(TYPES[name].split())
    for part in (corpus.train, corpus.test):
        assert {label[2:] for _, _, label in rows(part)} == kinds | {""}
        for sentence in part:
            assert sentence
            before = "O"
            for _, _, label in sentence:
                assert label == "O" or label[:2] in ("B-", "I-")
                if label.startswith("I-"):
                    assert before[2:] == label[2:], sentence
                before = label
    counts = Counter(label for _, _, label in rows(corpus.train))
    assert len(counts) >= 10
    assert min(counts[f"B-{kind}"] for kind in kinds) >= 50


@each_corpus
def test_no_label_is_new_in_test(name: str) -> None:
    corpus = corpus_of(name)
    assert {label for *_, label in rows(corpus.test)} <= {label for *_, label in rows(corpus.train)}


@each_corpus
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_test_has_words_that_training_lacks(name: str, seed: int) -> None:
    corpus = corpus_of(name, seed)
    known = {word for word, *_ in rows(corpus.train)}
    test = list(rows(corpus.test))
    entities = [word for word, _, label in test if label != "O" and word.isalpha()]
    assert 0.05 < sum(word not in known for word, *_ in test) / len(test) < 0.25
    assert 0.08 < sum(word not in known for word in entities) / len(entities) < 0.4


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_mentions_are_skewed(seed: int) -> None:
    corpus = corpus_of("mentions", seed)
    for part in (corpus.train, corpus.test):
        labels = [label for *_, label in rows(part)]
        assert 0.85 < labels.count("O") / len(labels) < 0.88


@pytest.mark.parametrize(
    ("name", "word", "kinds"),
    [
        ("addresses", "Lincoln", {"NAME", "STREET", "CITY", "ORG"}),
        ("addresses", "Victoria", {"NAME", "STREET", "DISTRICT", "CITY"}),
        ("addresses", "7", {"NUMBER", "UNIT", "FLOOR"}),
        ("mentions", "nice", {"", "PRODUCT", "PLACE"}),
        ("mentions", "driver", {"", "ROLE"}),
        ("mentions", "may", {"", "DATE", "PRODUCT"}),
    ],
)
def test_words_are_ambiguous(name: str, word: str, kinds: set[str]) -> None:
    assert kinds <= {label[2:] for found, _, label in rows(corpus_of(name).train) if found == word}


@each_corpus
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_most_frequent_label_of_a_word_is_a_poor_guess(name: str, seed: int) -> None:
    corpus = corpus_of(name, seed)
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for word, _, label in rows(corpus.train):
        votes[word][label] += 1
    best = {word: counts.most_common(1)[0][0] for word, counts in votes.items()}
    gold = [[label for *_, label in sentence] for sentence in corpus.test]
    guess = [[best.get(word, "O") for word, *_ in sentence] for sentence in corpus.test]
    right = sum(a == b for g, h in zip(gold, guess, strict=True) for a, b in zip(g, h, strict=True))
    assert right / sum(map(len, gold)) < {"addresses": 0.75, "mentions": 0.93}[name]
    assert f1_score(gold, guess) < 0.6


@each_corpus
def test_the_time_grows_with_the_size_and_no_faster(name: str) -> None:
    def seconds(times: int) -> float:
        begin = time.process_time()
        MAKERS[name](7, train=500 * times, test=200 * times)
        return time.process_time() - begin

    assert min(seconds(4) for _ in range(2)) < 10 * min(seconds(1) for _ in range(2))


CHUNKING = [  # the attributes of the chunking preset: (column, offset) joined
    *([("w", i)] for i in range(-2, 3)),
    *([("w", i), ("w", i + 1)] for i in (-1, 0)),
    *([("pos", i)] for i in range(-2, 3)),
    *([("pos", i), ("pos", i + 1)] for i in range(-2, 2)),
    *([("pos", i), ("pos", i + 1), ("pos", i + 2)] for i in (-2, -1, 0)),
]


NAMES = ["|".join(f"{name}[{offset}]" for name, offset in template) for template in CHUNKING]
PLACES = [[({"w": 0, "pos": 1}[name], offset) for name, offset in template] for template in CHUNKING]


def attributes(sentence: Sentence) -> list[list[str]]:
    items = []
    for at in range(len(sentence)):
        item = ["__BOS__"] * (at == 0) + ["__EOS__"] * (at == len(sentence) - 1)
        for name, places in zip(NAMES, PLACES, strict=True):
            if at + places[0][1] >= 0 and at + places[-1][1] < len(sentence):
                item.append(f"{name}=" + "|".join(sentence[at + offset][column] for column, offset in places))
        items.append(item)
    return items


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "accuracy", "f1"), [("addresses", (0.93, 0.975), (0.88, 0.96)), ("mentions", (0.95, 0.985), (0.75, 0.92))]
)
def test_a_crf_finds_it_hard(
    name: str, accuracy: tuple[float, float], f1: tuple[float, float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    crfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is in the bench extra")
    corpus = corpus_of(name)
    trainer = crfsuite.Trainer("l2sgd", {"c2": 1.0, "max_iterations": 30}, verbose=False)
    for sentence in corpus.train:
        trainer.append(attributes(sentence), [label for *_, label in sentence])
    model = str(tmp_path_factory.mktemp("crf") / "model")
    trainer.train(model)
    tagger = crfsuite.Tagger()
    tagger.open(model)
    gold = [[label for *_, label in sentence] for sentence in corpus.test]
    guess = [tagger.tag(attributes(sentence)) for sentence in corpus.test]
    right = sum(a == b for g, h in zip(gold, guess, strict=True) for a, b in zip(g, h, strict=True))
    assert accuracy[0] < right / sum(map(len, gold)) < accuracy[1]
    assert f1[0] < f1_score(gold, guess) < f1[1]
