"""Answers of a batch: each is what it would be alone, whatever stands beside it."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.apps.serve import answering, decoding
from tagfield.apps.serve.answering import Answerer, Job
from tagfield.apps.serve.decoding import SLICE
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.refusals import Refusal
from tagfield.apps.serve.registry import ModelFile, Registry
from tests.support.service import PEOPLE, PLACES

WORDS = st.sampled_from([*PEOPLE, *" ".join(PLACES).split(), "lives", "in", ".", "went", "to"])
SENTENCE = st.lists(WORDS, max_size=6)
LATER = 1e18  # a deadline that does not come


@pytest.fixture(scope="module")
def registry(folder: Path) -> Registry:
    return Registry([ModelFile.of(str(folder / f"{name}.tagfield")) for name in ("names", "plain", "chunks")])


def answer(registry: Registry, *bodies: object, explain: bool = False, limits: Limits | None = None) -> list:
    """The answers of one batch: records, or refusals as (status, sentence)."""
    jobs = [Job(json.dumps(body).encode(), LATER, explain=explain) for body in bodies]
    Answerer(registry, limits or Limits(), 2).answer(jobs)
    found = []
    for job in jobs:
        assert job.answer is not None
        refused = isinstance(job.answer, Refusal)
        found.append((job.answer.status, str(job.answer)) if refused else json.loads(job.answer))
    return found


REQUESTS = st.one_of(
    st.fixed_dictionaries({"words": SENTENCE}, optional={"n_best": st.integers(0, 3), "spans": st.booleans()}),
    st.fixed_dictionaries({"sentences": st.lists(SENTENCE, max_size=4)}, optional={"probabilities": st.booleans()}),
    st.fixed_dictionaries({"text": SENTENCE.map(" ".join)}, optional={"constraints": st.sampled_from(["BIO", False])}),
    st.fixed_dictionaries({"texts": st.lists(SENTENCE.map(" ".join), max_size=3)}),
    st.fixed_dictionaries({"words": st.just(["Anna", "left"]), "known": st.just({"0": "O"})}),
    st.just({"model": "plain", "attributes": [["w=a"], ["w=b"]]}),
    st.sampled_from(
        [{"words": [3]}, {"words": [""]}, {"text": 1}, {"model": "x", "text": ""}, {"words": ["a"], "known": ["?"]}]
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(REQUESTS, min_size=1, max_size=8))
def test_a_batch_answers_as_single_requests_do(registry: Registry, bodies: list) -> None:
    together, alone = answer(registry, *bodies), [answer(registry, body)[0] for body in bodies]
    assert together == alone


def test_a_wrong_request_is_named_by_its_own_places(registry: Registry) -> None:
    right, wrong = {"sentences": [["Anna"]] * 3}, {"sentences": [["Ben"], ["a", ""]]}
    found = answer(registry, right, wrong, right)
    assert found[0] == found[2]
    assert found[0]["results"][0]["labels"] == ["B-PER"]
    assert found[1][0] == 400
    assert "sentence 2, token 2" in found[1][1]


def test_large_requests_are_decoded_in_slices(registry: Registry, names: Model) -> None:
    sentences = [["Anna", "lives", "in", "New", "York", "."]] * (SLICE // 3) + [["Ben"] * (SLICE + 5)]
    [found] = answer(registry, {"sentences": sentences})
    assert [each["labels"] for each in found["results"]] == names.tag_words(sentences)


def test_too_late(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(seconds=2.5)
    job = Job(b'{"words": ["a"]}', time.monotonic() - 1)
    Answerer(registry, limits).answer([job])
    assert isinstance(job.answer, Refusal)
    assert (job.answer.status, str(job.answer)) == (
        503,
        "the request took longer than 2.5 s; send less in one request, or try again later",
    )
    job = Job(json.dumps({"sentences": [["a"] * SLICE] * 2}).encode(), time.monotonic() + 60)
    decode = answering.decode

    def slowly(call, *rest):  # the deadline comes between two slices
        return decode(call._replace(deadline=time.monotonic() + 1e-4), *rest)

    monkeypatch.setattr(answering, "decode", slowly)
    Answerer(registry, limits).answer([job])
    assert isinstance(job.answer, Refusal)
    assert job.answer.status == 503


def test_a_failure_is_logged_without_the_text(registry: Registry, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("Anna is a secret")

    monkeypatch.setattr(answering, "decode", fail)
    assert answer(registry, {"text": "Anna"}) == [(500, "the server failed to answer this request; its log says where")]
    line = json.loads(capsys.readouterr().err)
    assert line["error"] == "RuntimeError"
    assert "secret" not in str(line)


def test_a_sentence_too_long_for_its_labels_is_refused(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "CELLS", 100)
    fine, long = {"words": ["a"] * 25}, {"words": ["a"] * 26}
    found = answer(registry, fine, long, fine)
    assert found[1] == (413, "a sentence of 26 tokens is too long for 4 labels; split it")
    assert found[0] == found[2] == answer(registry, fine)[0]
    assert len(found[0]["labels"]) == 25
    [(status, said)] = answer(registry, {**fine, "n_best": 2})
    assert (status, "4 labels and 2 paths" in said) == (413, True)
    [(status, said)] = answer(registry, {"words": ["a"] * 1001, "token": 3}, explain=True)
    assert (status, "1,001 tokens" in said) == (413, True)


def test_n_best_of_long_inputs_is_refused(registry: Registry) -> None:
    [(status, said)] = answer(registry, {"words": ["a"] * 20_000, "n_best": 100})
    assert (status, "too many for 20,000 tokens" in said) == (400, True)
