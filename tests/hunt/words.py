"""Models that read words, through every door that takes words or text, against the truth.

    words ─▶ tag_words · tag_text · Arrow · the service · CRFsuite's, CRF++'s and Wapiti's file and back

What a template makes of words has tests of its own, so the truth starts from the encoded attributes.
"""

import json
import warnings
from collections.abc import Iterator
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa

from tagfield import Model, Settings
from tagfield.apps.serve.answering import Answerer, Job
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.registry import ModelFile, Registry
from tagfield.errors import InputError
from tests.hunt.answers import check, labels, near, probabilities
from tests.hunt.cases import Case, Truth

WORDS = ("Anna", "Ben", "42", "left", "in", "Oslo", "é", "x-y", "U.S.")
LATER = 1e18  # a deadline that does not come


def round_of(seed: int) -> int:
    """All answers of one model of words; how many sentences there were."""
    rng = np.random.default_rng(seed)
    names = [("O", "B-X", "I-X"), ("N", "V", "D"), ("O", "B-X", "B-Y")][rng.integers(3)]
    sentences = [[str(w) for w in rng.choice(WORDS, int(rng.integers(1, 6)))] for _ in range(int(rng.integers(1, 5)))]
    gold = [[str(y) for y in rng.choice(names, len(words))] for words in sentences]
    gold[0][0], sentences[-1] = names[0], [*sentences[-1], "new"]
    learned = Model.train_words(
        [list(names), *sentences[:-1]], [list(names), *gold[:-1]], settings=Settings("lbfgs", epochs=1)
    )
    size = float(rng.choice([0.5, 3.0, 30.0, 1e5]))
    drawn = learned.weights.map(
        lambda array: np.where(
            np.signbit(array) & (array == 0), array, (rng.normal(size=array.shape) * size).astype(array.dtype)
        )
    )
    model = replace(learned, weights=drawn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ask(model, sentences, size)
    return len(sentences)


def case_of(model: Model, sentences: list[list[str]], size: float) -> Case:
    """The case that the encoded words make up."""
    encoded, find = model.encode_words(sentences), model.attributes.find
    tokens = [[[(find(name), value) for name, value in token] for token in each.tokens] for each in encoded.sequences()]
    state = np.array([model.attribute_weights(a) for a in range(len(model.attributes))])
    trans = model.weights.transitions()
    links: Any = [[[]] * len(each) for each in tokens]
    return Case(model, model.label_names, state, trans, np.zeros((0, 0, 0)), tokens, links, None, None, None, size)


def ask(model: Model, sentences: list[list[str]], size: float) -> None:
    case = case_of(model, sentences, size)
    truths = case.truths()
    encoded = model.encode_words(sentences)
    probabilities(case, truths, model.marginals(encoded), "marginals of words")
    wanted = model.tag_words(sentences)
    for name, found in doors(model, sentences):
        labels(case, truths, found, name)
        check(found == wanted, f"{name} differs from tag_words", found, wanted)
    text = "\n".join(" ".join(words) for words in sentences)
    tagged = model.tag_text(text, "lines", n_best=2) if all(map(_whole, sentences)) else None
    if tagged is not None and [s.words for s in tagged.sentences] == sentences:
        labels(case, truths, [s.labels for s in tagged.sentences], "tag_text")
        for sentence, truth in zip(tagged.sentences, truths, strict=True):
            near(case, sentence.probability or 0, truth.probability[truth.ids(sentence.labels)], "tag_text: the path")
            near(case, sentence.n_best[0][1], max(truth.probability.values()), "tag_text: n_best")
    converted(case, truths, sentences)


def _whole(words: list[str]) -> bool:
    return not any(word in ("x-y", "U.S.") for word in words)  # the tokenizer may split these


def doors(model: Model, sentences: list[list[str]]) -> Iterator[tuple[str, list[list[str]]]]:
    yield "tag_words", model.tag_words(sentences)
    yield "tag_words, two threads", model.tag_words(sentences, threads=2)
    yield "tag_words, without rules", model.tag_words(sentences, rules=False)
    yield "tag, encoded words", model.tag(model.encode_words(sentences))
    yield "tag_arrow", model.tag_arrow(pa.array(sentences)).to_pylist()
    yield "arrow_tagger", [list(map(str, row)) for row in _arrow_tagger(model, sentences)]
    with TemporaryDirectory() as folder:
        model.save(f"{folder}/words")
        yield "Model.load", Model.load(f"{folder}/words").tag_words(sentences)
        body = json.dumps({"sentences": sentences, "probabilities": True}).encode()
        job = Job(body, LATER)
        Answerer(Registry([ModelFile("words", f"{folder}/words")]), Limits(), 2).answer([job])
        check(isinstance(job.answer, bytes), "the service refused", job.answer)
        answer = json.loads(job.answer)
        yield "the service", [result["labels"] for result in answer["results"]]


def _arrow_tagger(model: Model, sentences: list[list[str]]) -> list[Any]:
    table = pa.table({"tokens": sentences})
    found: Any = Model.arrow_tagger(model, "tokens", output="labels")(table)
    return found["labels"].to_pylist()


def converted(case: Case, truths: list[Truth], sentences: list[list[str]]) -> None:
    """Files of other programs, and back."""
    X = [
        [[name for name, _ in token] for token in each.tokens]
        for each in case.model.encode_words(sentences).sequences()
    ]
    raw = [[[f"u{name}" for name in token] for token in sequence] for sequence in X]
    for form, data in (("crfsuite", X), ("wapiti", raw)):
        with TemporaryDirectory() as folder:
            try:
                case.model.save(f"{folder}/{form}", format=form)
            except InputError:
                continue  # what this format cannot hold; tests/model/formats says what that is
            back = Model.load(f"{folder}/{form}")
            if set(back.label_names) != set(case.names):
                continue  # a label without a weight
            links = None if back.edges is None else [[["b"]] * len(sequence) for sequence in data]
            labels(case, truths, back.tag(data, rules=False, edges=links), f"{form} and back")
            order = [back.label_names.index(name) for name in case.names]
            found = [node[:, order] for node in back.marginals(data, rules=False, edges=links)]
            probabilities(case, truths, found, f"{form} and back")
