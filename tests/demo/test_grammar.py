"""The parts of the corpus generators: complete grammars, correct probabilities, noise that keeps labels."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.demo.corpus import Segment, label_segments, shape
from tagfield.demo.data import GRAMMARS, WORDS
from tagfield.demo.grammar import Grammar, Lists, generate
from tagfield.demo.noise import add_typing_noise, with_typo, without_accents
from tagfield.demo.postal import COMPLETE
from tagfield.demo.random_stream import RandomStream

EACH = [(GRAMMARS["MENTIONS"], WORDS["MENTIONS"], {"text"})] + [
    (grammar, lists, {"address", "who", "end", "remark"}) for _, (grammar, lists) in COMPLETE
]
each_grammar = pytest.mark.parametrize(("grammar", "lists", "starts"), EACH)
text = st.text(st.characters(codec="utf-8", exclude_categories=("Z", "C")), min_size=1)


def rng(seed: int = 0, unseen: float = 0.0) -> RandomStream:
    return RandomStream("tests", seed=seed, part="train", unseen=unseen)


@each_grammar
def test_grammars_name_only_what_exists(grammar: Grammar, lists: Lists, starts: set[str]) -> None:
    ways = " ".join(way for options in grammar.values() for _, way in options)
    assert set(re.findall(r"<(\w+)>", ways)) <= grammar.keys()
    assert set(re.findall(r"\{(\w+)\}", ways)) <= lists.keys()
    assert all(lists.values())


@each_grammar
def test_every_name_and_list_is_used(grammar: Grammar, lists: Lists, starts: set[str]) -> None:
    reached, new = set[str](), set(starts)
    while new:
        reached |= new
        new = {name for start in new for _, way in grammar[start] for name in re.findall(r"<(\w+)>", way)} - reached
    ways = " ".join(way for name in reached for _, way in grammar[name])
    unused = grammar.keys() - reached
    assert unused <= {"area", "core", "house", "place", "composed"}  # shared by most countries, not by all
    assert lists.keys() - set(re.findall(r"\{(\w+)\}", ways)) == set()


@each_grammar
def test_entities_are_opened_and_closed_in_one_way(grammar: Grammar, lists: Lists, starts: set[str]) -> None:
    for options in grammar.values():
        for weight, way in options:
            assert weight > 0
            assert re.fullmatch(r"(?:[^\[\]]|\[[A-Z]+ [^\[\]]+ \])*", way), way


@each_grammar
def test_writing_gives_no_marks_and_no_empty_segment(grammar: Grammar, lists: Lists, starts: set[str]) -> None:
    stream = rng(unseen=0.3)
    for _ in range(200):
        for start in starts:
            for line in generate(stream, grammar, lists, start):
                assert line
                for _, words in line:
                    assert words.strip()
                    assert not re.search(r"[<>{}\[\]|~_]", words), words


def test_glue_digits_and_lines() -> None:
    grammar: Grammar = {"a": [(1, "x | [K 98 ~ b <c> ] y"), (0, "never")], "c": [(1, "")]}
    for seed in range(50):
        first, second = generate(rng(seed), grammar, {}, "a")
        assert first == [(None, "x")]
        assert second[0][0] == "K"
        assert re.fullmatch("[1-9][0-9]b", second[0][1])
        assert second[1] == (None, "y")


def test_every_fourth_word_is_held_out() -> None:
    words = [str(i) for i in range(11)]
    seen, all_seen = rng(), rng(unseen=0.5)
    assert {seen.word(words) for _ in range(2000)} == set(words) - {"3", "7"}
    assert {all_seen.word(words) for _ in range(2000)} == set(words)
    assert rng(unseen=1.0).word(["only"]) == "only"


def test_frequent_words_come_first() -> None:
    stream = rng()
    counts = [0] * 9
    for _ in range(9000):
        counts[stream.word(range(9))] += 1
    assert counts[0] > 1.5 * counts[8] > 0


def test_weighted_follows_the_weights() -> None:
    stream = rng()
    options = [(3.0, "a"), (1.0, "b"), (0.0, "c")]
    found = [stream.weighted(options) for _ in range(4000)]
    assert found.count("c") == 0
    assert 0.72 < found.count("a") / 4000 < 0.78


@given(st.lists(st.tuples(st.sampled_from([None, "CITY"]), text), max_size=6), st.integers())
def test_noise_keeps_words_and_labels(segments: list[Segment], seed: int) -> None:
    typed = add_typing_noise(rng(seed), segments, typo=0.5)
    labels = [label for *_, label in label_segments(typed)]
    assert labels == [label for *_, label in label_segments(segments)]


@given(text, st.integers())
def test_a_typo_changes_at_most_one_place(word: str, seed: int) -> None:
    typed = with_typo(rng(seed), word)
    assert abs(len(typed) - len(word)) <= 1
    if len(word) < 3 or not word.isalpha():
        assert typed == word


def test_a_word_of_accents_alone_stays() -> None:
    assert without_accents("\u0301") == "\u0301"


@given(text)
def test_shapes_are_short_and_words_without_accents_stay_words(word: str) -> None:
    assert len(shape(word)) <= len(word)
    assert not re.search("xxxx|XXXX|ddddddd", shape(word))
    assert without_accents(without_accents(word)) == without_accents(word)
