"""Tokenizers: what people expect of English text, exact offsets for any text, time that grows with its length."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.tokenizer.tokenizer import TOKENIZERS, tokenize
from tagfield.errors import InputError

INVISIBLE = ("Cc", "Cf", "Zs", "Zl", "Zp")
# Pieces that meet the rules; text drawn from the whole of Unicode nearly never does.
PIECES = [
    "Dr",
    "U.S",
    ".",
    "...",
    "'s",
    "n't",
    "can",
    "not",
    "’",
    '"',
    "(",
    ")",
    "http://",
    "www.",
    "@",
    "#",
    "1,2",
    "-",
    "_",
]
PIECES += [
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "A",
    "é",
    "e\u0301",
    "東",
    "は",
    "。",
    "😀",
    "\u200d",
    "\ufe0f",
    "🇩",
    "ー",
    "C++",
    ":)",
    "&",
]
PIECES += [":)", "&", "-", "_", "\u00ad", "\u200b", "\ufeff", "\x00", "\ud800", "नि", "สวัสดี", "!", "?", ",", "\u2029"]
texts = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=40).map("".join)


def words(text: str, tokenizer=None) -> list[list[str]]:
    return [[text[start:end] for start, end in sentence] for sentence in tokenize(text, tokenizer)]


def split(text: str) -> str:
    return " | ".join(" ".join(sentence) for sentence in words(text))


ENGLISH = {
    "Anna doesn't know. Ask Dr. Lee!": "Anna does n't know . | Ask Dr. Lee !",
    "I can't, shouldn't've, cannot.": "I ca n't , should n't 've , can not .",
    "Don’t touch Anna’s O’Brien": "Do n’t touch Anna ’s O’Brien",
    "dogs' rock'n'roll 1980's '90s": "dogs ' rock'n'roll 1980 's '90s",
    "He left the U.S. The U.S. Army stayed.": "He left the U.S. | The U.S. Army stayed .",
    "J.\nSmith, J. R. R. Tolkien, e.g. vitamin C. The end": "J. Smith , J. R. R. Tolkien , e.g. vitamin C . | The end",
    "U.S.-based, Ph.D. (U.S.A.)": "U.S.-based , Ph.D. ( U.S.A. )",
    "On Jan. 5 at 5 p.m. Everyone left.": "On Jan. 5 at 5 p.m. | Everyone left .",
    "See No. 5. No. Fig. 3": "See No. 5 . | No . | Fig. 3",
    "It costs $1,234.56 (up 5%), -5 or .5": "It costs $ 1,234.56 ( up 5 % ) , -5 or .5",
    "10:30 8/22/96 1990-1995 and/or 10am": "10:30 8/22/96 1990-1995 and / or 10am",
    "state-of-the-art AT&T C++ node.js": "state-of-the-art AT&T C++ node.js",
    "Wait... what?! Really… Yes!!!": "Wait ... what ?! | Really … | Yes !!!",
    '"Stop!" he said. "Why?" Then': '" Stop ! " he said . | " Why ? " | Then',
    "(It ended.) Then [more] {x} «y»": "( It ended . ) | Then [ more ] { x } « y »",
    "see https://x.org/a_(b)?q=1, www.foo.org.": "see https://x.org/a_(b)?q=1 , www.foo.org .",
    "<http://x.org> anna.b+c@x-y.co.uk.": "< http://x.org > anna.b+c@x-y.co.uk .",
    "@anna #tag :-) <3 &amp; -LRB-": "@anna #tag :-) <3 &amp; -LRB-",
    "he—left -- now – end.Next": "he — left -- now – end . | Next",
    "A title\n\nA line\nbroken": "A title | A line broken",
    "Anna 's book does n't": "Anna 's book does n't",
    "東京です。多い！ Cafe\u0301": "東 京 で す 。 | 多 い ！ | Cafe\u0301",
    "👨\u200d👩\u200d👧❤\ufe0f😀🇩🇪🇫🇷👍🏽1\ufe0f\u20e3": "👨\u200d👩\u200d👧 ❤\ufe0f 😀 🇩🇪 🇫🇷 👍🏽 1\ufe0f\u20e3",
    "नमस्ते दुनिया": "नमस्ते दुनिया",
    "": "",
    " \n\t\u200b": "",
}


@pytest.mark.parametrize("text", ENGLISH)
def test_words_and_sentences_of_english(text: str) -> None:
    assert split(text) == ENGLISH[text]


def test_characters_and_whitespace_split_at_each_character_or_space() -> None:
    assert words("東京 だ。はい\nい", "characters") == [["東", "京", "だ", "。"], ["は", "い"], ["い"]]
    assert words("It 's  fine .\r\n\r\nWell\u00a0done", "whitespace") == [["It", "'s", "fine", "."], ["Well", "done"]]


@given(text=texts)
def test_lines_are_cut_by_themselves(text: str) -> None:
    pieces = text.split("\n")
    assert words(text, "lines") == [sentence for piece in pieces for sentence in words(piece)]


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=texts)
def test_tokens_are_ordered_disjoint_and_lose_nothing(name: str, text: str) -> None:
    sentences = tokenize(text, name)
    assert all(sentences)
    covered, after = set(), 0
    for start, end in (token for sentence in sentences for token in sentence):
        assert after <= start < end <= len(text)
        covered.update(range(start, end))
        after = end
    for at, char in enumerate(text):
        if not (char.isspace() or unicodedata.category(char) in INVISIBLE):
            assert at in covered, (at, char)
        elif char.isspace():
            assert at not in covered
    assert tokenize(text, name) == sentences


@given(text=texts)
def test_tokens_given_as_strings_are_found_again(text: str) -> None:
    assert tokenize(text, lambda text: words(text, "whitespace")) == tokenize(text, "whitespace")


HOSTILE = [
    "a.a.",
    "A.A.",
    "http://",
    "a@",
    "(((",
    "n't",
    "1,",
    "-",
    ":)",
    "www.,",
    "http://x(",
    '".',
    ". (",
    "'s",
    "a.b@",
    "&a",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_grows_with_the_length(piece: str) -> None:
    """Sixteen times the text takes about sixteen times as long; with quadratic time it would be 256 times."""

    def seconds(times: int) -> float:
        text, best = piece * times, float("inf")
        for _ in range(3):
            start = time.process_time()
            tokenize(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(16_000) < 64 * seconds(1_000) + 0.05


WRONG = {
    "no tokenizer named 'word'; did you mean 'words'": "word",
    "no tokenizer named 'nltk'; choose one of words, lines, whitespace, characters, a function": "nltk",
    "tokenizer must be a name or a function": 3,
    "must return a list of sentences, got NoneType": lambda text: None,
    "must return a list of sentences, got str": lambda text: text,
    r"sentence 1 must be a list of \(start, end\) pairs or of strings, got int": lambda text: [[(0, 2)], 7],
    r"sentence 0, token 1 is \(1, 4\); expected 2 ≤ start < end ≤ 6": lambda text: [[(0, 2), (1, 4)]],
    r"sentence 1, token 0 is \(3, 9\)": lambda text: [[(0, 2)], [(3, 9)]],
    r"sentence 0, token 0 is \(2, 2\)": lambda text: [[(2, 2)]],
    r"sentence 0, token 0 must be a pair \(start, end\) or a string, got \(1, 2, 3\)": lambda text: [[(1, 2, 3)]],
    r"token 0 must be a pair \(start, end\) or a string, got \(0.0, 2.0\)": lambda text: [[(0.0, 2.0)]],
    "token 1: 'Be' is not what the text has at character 3, 'be,'": lambda text: ["to", "Be"],
    "token 0: '' is not what": lambda text: [[""]],
}


@pytest.mark.parametrize("message", WRONG)
def test_a_tokenizer_that_returns_something_wrong_is_refused_with_the_place(message: str) -> None:
    with pytest.raises(InputError, match=message):
        tokenize("to be,", WRONG[message])


def test_text_must_be_a_string() -> None:
    with pytest.raises(InputError, match="text must be a string, got bytes"):
        tokenize(b"to be")


def test_a_flat_list_is_one_sentence() -> None:
    assert tokenize("to be", lambda text: [(0, 2), (3, 5)]) == [[(0, 2), (3, 5)]]
    assert tokenize("to be", lambda text: iter([iter(["to"]), [], ["be"]])) == [[(0, 2)], [(3, 5)]]
