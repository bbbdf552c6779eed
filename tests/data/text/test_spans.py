"""Spans of characters as labels of tokens, against a plain version; cuts and overlaps."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.text.records import Document, Sentence, TextSpan
from tagfield.data.text.spans import Policy, align, cover, to_document, to_sentences
from tagfield.data.text.tokenizer.tokenizer import tokenize
from tagfield.errors import InputError

TEXT = "New Yorkers like New York"


def naive_cover(tokens: list[tuple[int, int]], spans: list[TextSpan], on_cut: str) -> set[tuple[int, int, str]]:
    """For each span by itself: the tokens that it shares a character with, unless it cuts one and is dropped."""
    found = set()
    for start, end, label in spans:
        touched = [k for k, (a, b) in enumerate(tokens) if a < end and start < b]
        cuts = any(tokens[k][0] < start or tokens[k][1] > end for k in touched)
        if touched and not (cuts and on_cut == "drop"):
            found.add((touched[0], touched[-1] + 1, label))
    return found


SPANS = st.tuples(st.integers(0, 25), st.integers(0, 25), st.sampled_from(["X", "Y"])).map(
    lambda s: TextSpan(min(s[:2]), max(s[:2]), s[2])
)


@pytest.mark.parametrize("on_cut", ["widen", "drop"])
@settings(deadline=None)
@given(spans=st.lists(SPANS, max_size=5))
def test_each_kept_chunk_is_one_of_the_plain_version_and_the_longest_wins(on_cut: str, spans: list[TextSpan]) -> None:
    [tokens] = tokenize(TEXT)
    document = Document(TEXT, tuple(spans))
    kept = cover(tokens, document, Policy(on_cut=on_cut, on_overlap="longest"))
    possible = naive_cover(tokens, spans, on_cut)
    assert set(map(tuple, kept)) <= possible
    taken = [t for chunk in kept for t in range(chunk.start, chunk.end)]
    assert len(taken) == len(set(taken))
    for start, end, label in possible - set(map(tuple, kept)):  # one at least as long stands in its way
        assert any(c.start < end and start < c.end and c.end - c.start >= end - start for c in kept), label


@pytest.mark.parametrize(
    ("span", "message"),
    [
        (TextSpan(4, 8, "LOC"), r"the span 'York' \(4 to 8, LOC\) cuts the token 'Yorkers' \(4 to 11\); correct it"),
        (TextSpan(1, 3, "LOC"), r"the span 'ew' \(1 to 3, LOC\) cuts the token 'New' \(0 to 3\)"),
        (TextSpan(3, 4, "LOC"), r"the span ' ' \(3 to 4, LOC\) covers no token; remove it"),
        (TextSpan(5, 5, "LOC"), r"the span '' \(5 to 5, LOC\)"),
    ],
)
def test_a_cut_is_shown_with_its_place(span: TextSpan, message: str) -> None:
    document = Document(TEXT, (span,), where="a.jsonl, line 7")
    with pytest.raises(InputError, match=rf"a\.jsonl, line 7: {message}"):
        list(to_sentences(document, tokenize, Policy()))


def test_overlaps_are_errors_or_the_longest_wins() -> None:
    document = Document(TEXT, (TextSpan(17, 20, "A"), TextSpan(17, 25, "B"), TextSpan(17, 25, "B")), where="a, line 1")
    with pytest.raises(InputError, match=r"the spans 'New York' \(17 to 25, B\) and 'New' \(17 to 20, A\) overlap"):
        list(to_sentences(document, tokenize, Policy()))
    policy = Policy(on_overlap="longest", scheme="iobes")
    [sentence] = to_sentences(document, tokenize, policy)
    assert sentence.labels == ("O", "O", "O", "B-B", "E-B")
    assert policy.counts == {"overlapping": 1}


def test_spaces_at_the_ends_of_a_span_cut_nothing() -> None:
    [sentence] = to_sentences(Document("a Bo c", (TextSpan(1, 5, "X"),)), tokenize, Policy())
    assert sentence.labels == ("O", "B-X", "O")


def test_no_sentence_ends_inside_a_span() -> None:
    text = "He read Who? Me. Then he slept."
    document = Document(text, (TextSpan(8, 15, "BOOK"),), id="d")
    found = list(to_sentences(document, tokenize, Policy()))
    assert all((s.labels or ("O",))[0][0] != "I" for s in found)
    assert [word for s in found for word in s.words] == [text[a:b] for sent in tokenize(text) for a, b in sent]
    assert {s.id for s in found} == {"d"}


@settings(deadline=None)
@given(labels=st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y"]), min_size=1, max_size=6))
def test_labels_to_spans_and_back(labels: list[str]) -> None:
    sentence = Sentence(tuple((f"w{k}",) for k in range(len(labels))), tuple(labels))
    document = to_document(sentence)
    [again] = to_sentences(document, tokenize, Policy())
    assert to_document(again).spans == document.spans
    assert again.words == sentence.words


def test_labels_that_spans_cannot_hold() -> None:
    with pytest.raises(InputError, match="here: some tokens have no label"):
        to_document(Sentence((("a",), ("b",)), ("O", None), where="here"))
    with pytest.raises(InputError, match="here: the label 'NN' of token 1 is neither O"):
        to_document(Sentence((("a",),), ("NN",), where="here"))


WORDS = st.lists(st.text("ab.é😀", min_size=1, max_size=3), max_size=6)


GAPS = st.sampled_from(["", " ", "\n", " \u00a0\t"])


@given(WORDS, st.data())
def test_words_with_any_white_space_between_them_are_found_where_they_were_put(
    words: list[str], data: st.DataObject
) -> None:
    text, places = data.draw(GAPS), []
    for word in words:
        places.append((len(text), len(text) + len(word)))
        text += word + data.draw(GAPS)
    assert align(words, text) == tuple(places)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["a", "c"], "a-c"),  # other text between
        (["a"], "a b"),  # behind
        (["b"], "a b"),  # before
        (["a", "b"], "a"),
        (["b", "a"], "a b"),
        (["é"], "e\u0301"),  # the same to the eye, not to the computer
        ([], "a"),
    ],
)
def test_words_that_do_not_make_up_the_text_have_no_places(words: list[str], text: str) -> None:
    assert align(words, text) is None


def test_a_word_with_a_space_is_found_as_a_whole() -> None:
    assert align(["New York", "is"], "New York is") == ((0, 8), (9, 11))
    assert align(["New York"], "New  York") is None
