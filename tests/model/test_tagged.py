"""Tagged text: JSON and what is printed; offsets are those of the text."""

import json

from tagfield.model.tagged import TaggedSentence, TaggedToken
from tests.support.tagged_texts import NAMES, TEXT, tagged


def test_json_holds_everything() -> None:
    made = tagged(TEXT, NAMES)
    found = json.loads(json.dumps(made.to_dict()))
    assert set(found) == {"text", "sentences"}
    assert found["text"] == TEXT
    assert [set(s) for s in found["sentences"]] == [{"start", "end", "probability", "tokens", "spans"}] * 2
    for sentence, record in zip(made, found["sentences"], strict=True):
        assert TEXT[record["start"] : record["end"]] == sentence.text
        for token in record["tokens"]:
            assert list(token) == ["text", "start", "end", "label", "probability"]
            assert TEXT[token["start"] : token["end"]] == token["text"]
        for span in record["spans"]:
            assert list(span) == ["start", "end", "label", "text", "probability"]
            assert TEXT[span["start"] : span["end"]] == span["text"]
    assert [span["label"] for s in found["sentences"] for span in s["spans"]] == ["PER", "LOC"]


def test_n_best_is_in_the_json_if_it_was_asked_for() -> None:
    sentence = TaggedSentence("a", 0, [TaggedToken("a", 0, 1, "X", 0.5)], [], 0.5, [(["X"], 0.5), (["Y"], 0.25)])
    assert sentence.to_dict()["n_best"] == [
        {"labels": ["X"], "probability": 0.5},
        {"labels": ["Y"], "probability": 0.25},
    ]


def test_str_and_repr_show_spans_or_the_label_of_every_token() -> None:
    made = tagged(TEXT, NAMES)
    assert str(made) == "  [Anna PER] <b>lives</b>\n\nin New  [York LOC]."
    assert str(made.sentences[1]) == "in New  [York LOC]."
    assert repr(made) == r"TaggedText('  [Anna PER] <b>lives</b>\n\nin New  [York LOC].', 2 sentences)"
    assert repr(made.sentences[1]) == "TaggedSentence('in New  [York LOC].')"
    assert str(tagged("It rains", {"It": "PRP"}, "VB")) == "It/PRP rains/VB"
    assert str(tagged("It rains. Bad!", {}, "X")) == "It/X rains/X ./X\nBad/X !/X"
    assert str(tagged("It rains", {})) == "It rains"
    long = repr(tagged("word " * 100, {}))
    assert len(long) < 90
    assert "…" in long
    assert made.sentences[0].words[0] == "Anna"
    assert made.labels[0][0] == "B-PER"
    assert (len(made), len(made.sentences[1]), len(made.tokens)) == (2, 4, len(list(made.sentences[0])) + 4)
