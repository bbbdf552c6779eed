"""Threads that share models, encoders and vocabularies: each gets what it would get alone.

one Model, one CRF, one WordEncoder ─▶ threads that tag, encode, explain and train at once ─▶ the answers of one thread
one file ─▶ threads that load it, while another replaces it ─▶ every load is one of the two models
"""

import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tagfield import CRF, Model, Settings
from tests.hunt.answers import check

THREADS = 6
WORDS = [f"w{k}" for k in range(40)] + ["Anna", "Oslo", "in", "."]


def round_of(seed: int) -> int:
    """One round of every race; how many calls were made."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return shared_model(rng) + shared_encoder(rng) + swapped_file(rng)


def sentences_of(rng: np.random.Generator, count: int, more: str = "") -> list[list[str]]:
    return [[str(w) + more for w in rng.choice(WORDS, int(rng.integers(1, 9)))] for _ in range(count)]


def trained(rng: np.random.Generator, **options: Any) -> Model:
    X = sentences_of(rng, 8)
    y = [[str(label) for label in rng.choice(["O", "B-X", "I-X"], len(words))] for words in X]
    y[0][0] = "B-X"
    return Model.train_words(X, y, settings=Settings(seed=int(rng.integers(1000)), epochs=3, **options))


def shared_model(rng: np.random.Generator) -> int:
    """Answers of every kind from one model, while others train."""
    model = trained(rng)
    with TemporaryDirectory() as folder:
        model.save(f"{folder}/model")
        crf = CRF.load(f"{folder}/model")
    X = [sentences_of(rng, 4) for _ in range(THREADS)]
    asked = [
        lambda words: model.tag_words(words),
        lambda words: [node.tolist() for node in model.marginals(model.encode_words(words))],
        lambda words: model.n_best(model.encode_words(words), 3),
        lambda words: model.spans(model.encode_words(words)),
        lambda words: str(model.tag_text(" ".join(words[0]), "whitespace")),
        lambda words: crf.predict(words),
        lambda words: hash(model) == hash(model),
    ]
    calls = [(ask, words) for ask in asked for words in X]
    alone = [ask(words) for ask, words in calls]
    fresh = trained(np.random.default_rng(5))
    with ThreadPoolExecutor(THREADS) as pool:
        training = pool.submit(lambda: trained(np.random.default_rng(5)))
        together = list(pool.map(lambda call: call[0](call[1]), calls))
        check(
            together == alone,
            "an answer depends on other threads",
            [a == b for a, b in zip(alone, together, strict=True)],
        )
        check(training.result().weights == fresh.weights, "training depends on other threads")
    return len(calls)


def shared_encoder(rng: np.random.Generator) -> int:
    """One WordEncoder and one vocabulary: names are added while others are read."""
    model = trained(rng)
    words = [sentences_of(rng, 5, more=str(k % 3)) for k in range(THREADS * 2)]
    alone = [model.encode_words(each) for each in words]
    vocabulary = model.attributes.copy()
    before = vocabulary.strings()

    def work(k: int) -> bool:
        vocabulary.add(f"new {k}")
        known = vocabulary.find(before[k % len(before)]) == k % len(before)
        return known and model.encode_words(words[k]) == alone[k]

    with ThreadPoolExecutor(THREADS) as pool:
        check(all(pool.map(work, range(len(words)))), "an encoding depends on other threads")
    added = vocabulary.strings()[len(before) :]
    check(sorted(added) == sorted(f"new {k}" for k in range(len(words))), "names were lost", added)
    return len(words)


def swapped_file(rng: np.random.Generator) -> int:
    """A file that is replaced while others load it."""
    models = [trained(rng), trained(rng, c2=0.5)]
    with TemporaryDirectory() as folder:
        path = Path(folder, "model")
        models[0].save(path)

        def work(k: int) -> bool:
            if k % 3 == 0:
                models[k // 3 % 2].save(path)
                return True
            return Model.load(path) in models

        with ThreadPoolExecutor(THREADS) as pool:
            check(all(pool.map(work, range(18))), "a loaded model is neither of the two")
        check([each.name for each in Path(folder).iterdir()] == ["model"], "files were left behind")
    return 18
