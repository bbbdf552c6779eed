"""A real server: every endpoint, and the answers are those of the model."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model
from tagfield.apps.serve.openapi import EXPLAIN_EXAMPLE, TAG_EXAMPLE, openapi
from tagfield.data.text.templates.parsing import parse_template
from tests.support.service import Service, served

TEXT = "Anna lives in New York. Ben went to Rome."


def test_text_with_offsets_and_probabilities(service: Service, names: Model) -> None:
    status, found = service.post("/v1/tag", {"text": TEXT, "n_best": 2})
    assert status == 200
    assert found["model"] == "names"
    tagged = names.tag_text(TEXT, n_best=2)
    for mine, theirs in zip(found["sentences"], tagged.to_dict()["sentences"], strict=True):
        assert (mine["start"], mine["end"]) == (theirs["start"], theirs["end"])
        for kind in ("tokens", "spans", "n_best"):
            for one, other in zip(mine[kind], theirs[kind], strict=True):
                assert one == {**other, "probability": pytest.approx(other["probability"], rel=1e-5)}
    assert [(span["text"], span["label"]) for span in found["sentences"][0]["spans"]] == [
        ("Anna", "PER"),
        ("New York", "LOC"),
    ]


def test_the_other_inputs(service: Service, names: Model, folder) -> None:
    words = ["Clara", "went", "to", "San", "Marino"]
    status, one = service.post("/v1/tag", {"words": words, "probabilities": False})
    assert (status, one["labels"]) == (200, names.tag_words([words])[0])
    assert one["spans"] == [{"start": 0, "end": 1, "label": "PER"}, {"start": 3, "end": 5, "label": "LOC"}]
    _, many = service.post("/v1/tag", {"sentences": [words, [], ["Bob"]], "spans": False})
    assert [each["labels"] for each in many["results"]] == [one["labels"], [], ["B-PER"]]
    assert many["results"][0]["spans"] == []
    _, texts = service.post("/v1/tag", {"texts": [TEXT, "", "Ben"], "tokenizer": "whitespace"})
    assert [len(each["sentences"]) for each in texts["results"]] == [1, 0, 1]
    _, plain = service.post("/v1/tag", {"model": "plain", "attributes": [["w=b"], {"w=a": 1.0}]})
    assert plain["labels"] == ["Y", "X"]
    _, several = service.post("/v1/tag", {"model": "plain", "sequences": [[["w=a"]], [["w=b"]]]})
    assert [each["labels"] for each in several["results"]] == [["X"], ["Y"]]
    _, columns = service.post("/v1/tag", {"model": "cut", "words": [["The", "DT"], ["cat", "NN"]]})
    assert columns["labels"] == ["B-NP", "I-NP"]


def test_known_labels_and_constraints(service: Service) -> None:
    known = [{"start": 5, "end": 10, "label": "PER"}]
    _, found = service.post("/v1/tag", {"text": TEXT, "known": known, "constraints": "bio"})
    assert [span["text"] for span in found["sentences"][0]["spans"]] == ["Anna", "lives", "New York"]
    assert found["sentences"][0]["tokens"][1]["probability"] == 1
    for known in ({"0": "O"}, ["O", None], [["O"], None]):
        _, found = service.post("/v1/tag", {"words": ["Anna", "left"], "known": known})
        assert found["labels"][0] == "O"


def test_explain(service: Service, names: Model) -> None:
    status, found = service.post("/v1/explain", {"text": TEXT, "token": 6, "expected": "B-LOC"})
    assert status == 200
    assert (found["text"], found["label"], found["compared_with"]) == ("Ben", "B-PER", "B-LOC")
    assert sum(term["amount"] for term in found["terms"]) + found["other_terms"] == pytest.approx(
        found["difference"], abs=1e-3
    )
    assert sum(label["probability"] for label in found["labels"]) == pytest.approx(1, abs=1e-4)
    _, pinned = service.post("/v1/explain", {"words": ["Ben"], "token": 0, "known": ["O"]})
    assert (pinned["label"], pinned["compared_with"], pinned["terms"]) == ("O", None, [])
    _, plain = service.post("/v1/explain", {"model": "plain", "attributes": [["w=a"], ["w=b"]], "token": 1})
    assert (plain["label"], plain["text"]) == ("Y", None)


def test_small_requests_for_several_paths_are_answered_in_a_thread(folder) -> None:
    """The event loop must not wait for them, also if the name of the field is escaped."""
    words = json.dumps(["a"] * 1000)
    batches = []
    with served(folder / "names.tagfield") as service:
        for field in ('"n_best": 0', '"n_best": 50', '"n\\u005fbest": 50'):
            assert service.post("/v1/tag", f'{{"words": {words}, {field}}}'.encode())[0] == 200
            found = re.search(r"^tagfield_thread_batches_total (\d+)$", service.get("/metrics")[1], re.MULTILINE)
            assert found is not None
            batches.append(int(found[1]))
    assert batches == [0, 1, 2]


def test_hostile_words_are_answered_within_the_timeout(tmp_path) -> None:
    """Expressions that take twice as long for each further character, if Python's `re` searches them."""
    expressions = ["(a+)+$", r"^(\w+\s?)*$", "(a|a)*b$", "a*a*a*a*b"]
    lines = ["columns w y", *(f"regex r{k} = {each}" for k, each in enumerate(expressions)), "w"]
    template = parse_template("\n".join([*lines, *(f"w.match(r{k})" for k in range(len(expressions)))]))
    Model.train_words([["aa", "x"]], [["A", "B"]], template=template, settings="lbfgs").save(tmp_path / "m")
    with served(tmp_path / "m", "--timeout", "20") as service:
        for words in (["a" * 26 + "!"], ["a" * size + "!" for size in range(20, 120)], ["a" * 15_000 + "!"]):
            status, found = service.post("/v1/tag", {"words": words})
            assert (status, len(found["labels"])) == (200, len(words))
            assert service.post("/v1/explain", {"words": words, "token": 0})[0] == 200
        assert service.post("/v1/tag", {"text": "a" * 200_000 + "!"})[0] == 200


def test_models_health_and_metrics(service: Service) -> None:
    _, found = service.get("/v1/models")
    assert [(model["name"], model["reads"], model["text"]) for model in found["models"]] == [
        ("names", "words", True),
        ("plain", "attributes", False),
        ("cut", "words", False),
    ]
    assert found["models"][0]["spans"] == ["PER", "LOC"]
    assert found["models"][0]["problem"] is None
    assert service.get("/healthz")[0] == service.get("/readyz")[0] == 200
    service.post("/v1/tag", {"text": "Anna"})
    _, text = service.get("/metrics")
    assert re.search(r'^tagfield_requests_total\{path="/v1/tag",status="200"\} [1-9]', text, re.MULTILINE)
    assert re.search(r"^tagfield_memory_bytes [1-9]", text, re.MULTILINE)
    for line in text.splitlines():
        assert re.fullmatch(r"# (HELP|TYPE) \S+ .+|[a-z_]+(\{[^{}]+\})? \S+", line), line


def test_openapi_has_every_path_and_its_examples_work(service: Service) -> None:
    _, found = service.get("/openapi.json")
    from tagfield.apps.serve.limits import Limits

    assert found == json.loads(json.dumps(openapi(Limits())))
    for path, verbs in found["paths"].items():
        [verb] = verbs
        example = {"/v1/tag": TAG_EXAMPLE, "/v1/explain": EXPLAIN_EXAMPLE}.get(path)
        status, _ = service.get(path) if verb == "get" else service.post(path, example)
        assert status == 200, path
        assert service.send("DELETE", path, None)[0] == 405


def test_every_answer_forbids_other_hosts(service: Service) -> None:
    for path in ("/", "/docs", "/page/main.js", "/v1/models", "/nothing"):
        connection = service.connect()
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.headers["content-security-policy"] or "").startswith("default-src 'self'")
        assert answer.headers["x-content-type-options"] == "nosniff"
        connection.close()


WRONG = [
    ({"txt": "a"}, "did you mean 'text'?"),
    ({}, "a request has one of text, texts, words"),
    ({"text": "a", "words": ["a"]}, "found text and words"),
    ({"text": 3}, "text must be a string, got a number"),
    ({"texts": "a"}, "texts must be a list, got a string"),
    ({"texts": ["a", None]}, "texts[1] must be a string, got null"),
    ({"words": "a b"}, "words must be a list of tokens, got a string"),
    ({"words": ["a", 3]}, "token 2"),
    ({"words": [""]}, "the string is empty"),
    ({"sentences": [["a"], 3]}, "sentences[1] must be a list"),
    ({"attributes": [["w=a"]]}, "send text, words or sentences"),
    ({"model": "plain", "text": "a"}, "reads attributes or sequences, not text"),
    ({"model": "plain", "words": ["a"]}, "reads attributes or sequences, not words"),
    ({"model": "cut", "text": "a"}, "reads pos besides the words"),
    ({"text": "a", "tokenizer": "word"}, "did you mean 'words'?"),
    ({"words": ["a"], "tokenizer": "words"}, "tokenizer applies only to text"),
    ({"text": "a", "n_best": 1000}, "n_best must be a number from 0 to 100"),
    ({"text": "a", "n_best": True}, "n_best must be a number"),
    ({"text": "a", "probabilities": "yes"}, "probabilities must be true or false"),
    ({"text": "a", "constraints": "BOI"}, "BOI"),
    ({"text": "a", "constraints": True}, "constraints must be 'BIO'"),
    ({"text": "a", "known": [{"start": 0, "end": 1, "label": "PRE"}]}, "did you mean 'PER'?"),
    ({"text": "a", "known": [{"start": 5, "end": 9, "label": "PER"}]}, "there is no token"),
    ({"text": "a", "known": {"0": "O"}}, "known must be a list of spans"),
    ({"text": TEXT, "known": [{"start": 0, "end": 40, "label": "PER"}]}, "one sentence into the next"),
    ({"words": ["a"], "known": ["O", "O"]}, "has 1 tokens, but known[0] has 2"),
    ({"words": ["a"], "known": {"7": "O"}}, "positions 0 to 0"),
    ({"words": ["a"], "known": {"x": "O"}}, "positions as names"),
    ({"sentences": [["a"]], "known": []}, "known must be a list with 1 entries"),
    ({"text": "\ud800"}, "lone surrogate"),
]


@pytest.mark.parametrize(("body", "said"), WRONG, ids=[said[:24] for _, said in WRONG])
def test_wrong_requests_get_a_sentence(service: Service, body: object, said: str) -> None:
    status, found = service.post("/v1/tag", body)
    assert status == 400
    assert said in found["error"]


def test_wrong_questions_and_paths(service: Service) -> None:
    assert service.post("/v1/tag", {"text": "a", "model": "nmaes"}) == (
        404,
        {"error": "no model named 'nmaes'; did you mean 'names'?"},
    )
    for body, said in (
        ({"words": ["a"]}, "token must be the index"),
        ({"words": ["a"], "token": 1}, "token 1 does not exist"),
        ({"words": ["a"], "token": 0, "expected": "B-PRE"}, "did you mean 'B-PER'?"),
        ({"texts": ["a"], "token": 0}, "no field named 'texts'"),
    ):
        status, found = service.post("/v1/explain", body)
        assert status == 400
        assert said in found["error"]
    for path in ("/v1", "/page/../app.py", "/page/%2e%2e/app.py", "/etc/passwd", "//", "/v1/tag/"):
        assert service.get(path)[0] == 404
    assert service.get("/v1/tag")[0] == 405
    assert service.get("/v1/models", host="evil.example")[0] == service.get("/metrics", host="")[0] == 421
    assert service.get("/healthz", host="probe")[0] == 200


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 300) | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    [
        "model",
        "text",
        "texts",
        "words",
        "sentences",
        "attributes",
        "sequences",
        "known",
        "n_best",
        "constraints",
        "token",
    ]
)


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.dictionaries(FIELDS, JSON, max_size=3),
        st.fixed_dictionaries({"words": st.lists(st.text(max_size=4), max_size=4), "known": JSON}),
        st.fixed_dictionaries({"text": st.text(max_size=30), "known": st.lists(JSON, max_size=2)}),
    ),
    st.sampled_from(["/v1/tag", "/v1/explain"]),
)
def test_whatever_is_sent_the_answer_is_json(service: Service, body: object, path: str) -> None:
    status, found = service.post(path, body)
    assert status in (200, 400, 404)
    assert status == 200 or set(found) == {"error"}


@pytest.mark.parametrize(
    "body",
    [
        b"\xff\xfe{}",
        b'{"text": NaN}',
        b"[" * 100_000,
        b'{"n_best": 1' + b"0" * 9000 + b', "text": "a"}',
        b"",
        b"3",
        b'{"text"',
    ],
)
def test_bodies_that_are_not_requests(service: Service, body: bytes) -> None:
    status, found = service.post("/v1/tag", body)
    assert status == 400
    assert found["error"].startswith("the body")
