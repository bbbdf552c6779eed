"""Where sentences end, given their tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.tokenizer.sentences import cut_sentences
from tagfield.data.text.tokenizer.tokens import find_tokens, shadow_of

PIECES = st.sampled_from(
    ["Anna", "went", ".", "!", "?", "…", "。", '"', "'", "(", ")", " ", "\n", "\n\n", "Dr.", "U.S."]
)


def cut(text: str) -> list[str]:
    shadow = shadow_of(text)
    return [text[tokens[0][0] : tokens[-1][1]] for tokens in cut_sentences(shadow, find_tokens(shadow))]


@given(st.lists(PIECES, max_size=20).map("".join))
def test_sentences_together_are_the_tokens_and_none_is_empty(text: str) -> None:
    shadow = shadow_of(text)
    tokens = find_tokens(shadow)
    sentences = cut_sentences(shadow, tokens)
    assert [token for sentence in sentences for token in sentence] == tokens
    assert all(sentences)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One\ntwo", ["One\ntwo"]),
        ("One\n\ntwo", ["One", "two"]),
        ("One \n \n two", ["One", "two"]),
        ("He went. she stayed", ["He went. she stayed"]),
        ("Why? she said. No.", ["Why? she said.", "No."]),
        ("They left etc. Then", ["They left etc.", "Then"]),
        ("They left etc. then", ["They left etc. then"]),
        ("Go... Now", ["Go...", "Now"]),
        ('He said "go." "No." Then', ['He said "go."', '"No."', "Then"]),
        ("終。次", ["終。", "次"]),  # whatever follows
        ("It rose 5. (See b.)", ["It rose 5.", "(See b.)"]),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, sentences: list[str]) -> None:
    assert cut(text) == sentences


def test_no_token_is_no_sentence_and_one_is_one() -> None:
    assert cut_sentences("", []) == []
    assert cut_sentences(".", [(0, 1)]) == [[(0, 1)]]
