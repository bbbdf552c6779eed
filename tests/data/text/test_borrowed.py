"""Strings that the native readers borrow, while Python code changes or frees what holds them."""

import gc
import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tagfield.data.encode import Vocabulary, encode_sequences, encode_words
from tagfield.data.text.templates.plan import open_encoder
from tagfield.data.text.templates.presets import PRESETS
from tagfield.errors import InputError
from tagfield.native._text import Gazetteer, TemplateEncoder, encode_objects, probability_lists


class Bomb:
    """A cycle, so only the garbage collector frees it; it calls `action` then."""

    def __init__(self, action: Callable[[], None]) -> None:
        self.me, self.action = self, action

    def __del__(self) -> None:
        self.action()


def long_name(i: int) -> str:
    return f"attribute {i} " * 40  # so long that its memory is used again at once


class Names(set):  # type: ignore[type-arg]
    """A subclass of set, which is copied before it is read."""


@pytest.mark.parametrize("container", [set, frozenset, Names])
@pytest.mark.parametrize("nested", [False, True])
def test_the_collector_may_free_strings_while_a_set_is_opened(container: Callable, nested: bool) -> None:
    """Up to Python 3.11 a new container may start a collection; here it starts a little later each time."""
    names = [long_name(0), long_name(1)]
    last = ["s:x"] if nested else ["x"]
    threshold = gc.get_threshold()
    gc.freeze()  # what was there before is not looked at in each collection
    try:
        for later in range(1, 40):
            first, made = [long_name(0), long_name(1)], []

            def free(first: list[str] = first, made: list[bytes] = made) -> None:
                first.clear()
                made.extend(b"*" * len(long_name(0)) for _ in range(4))

            X = [[first, {"s": container(["x"])} if nested else container(["x"])]]
            attributes, labels = Vocabulary(), Vocabulary()
            gc.collect()
            Bomb(free)
            gc.set_threshold(later)
            encode_objects(X, None, attributes, False, labels, True)
            gc.set_threshold(*threshold)
            assert attributes.strings() in (names + last, last)  # the first token may be empty before it is read
    finally:
        gc.set_threshold(*threshold)
        gc.unfreeze()


class Shrinking:
    """A token that empties the sentence it is in, and the token before it, while it is read."""

    def __init__(self, sentence: list, first: list) -> None:
        self.sentence, self.first = sentence, first

    def __iter__(self) -> Iterator[str]:
        self.sentence.clear()
        self.first.clear()
        yield "last"


def test_a_token_may_empty_its_sentence_while_it_is_read() -> None:
    first = [long_name(0)]
    sentence: list = [first]
    sentence += [Shrinking(sentence, first), [long_name(2)]]
    encoded = encode_sequences([sentence])
    assert encoded.attributes.strings() == [long_name(0), "last"]
    assert encoded.dataset.tokens.tolist() == [0, 2]


def test_a_generator_may_empty_the_sentences_before() -> None:
    sentences = [[[long_name(s)]] for s in range(5)]

    def each() -> Iterator[list]:
        for sentence in sentences:
            yield sentence
            sentence[0].clear()
            sentence.clear()

    assert encode_sequences(each()).attributes.strings() == [long_name(s) for s in range(5)]
    words = [[long_name(s)] for s in range(200)]

    def later() -> Iterator[list[str]]:
        for sentence in words:
            yield sentence
            sentence.clear()

    names = Vocabulary()
    encode_words(later(), template="words", attributes=names, grow=True)
    assert f"w[0]={long_name(199)}" in names


def test_a_vocabulary_may_grow_while_files_are_read_with_it() -> None:
    """Files are expanded without the interpreter's lock; the strings that they are looked up in must stay."""
    encoder = open_encoder(PRESETS["words"], [0, 1], "tiny")
    encoder.read(b"".join(b"word%d X\n" % i + b"\n" * (i % 9 == 0) for i in range(5_000)), "tiny", 0, "line 1")
    few = ["w[0]=word1", "w[0]=word7"]
    alone = encoder.expand(Vocabulary(few), True)[0][3].tolist()
    assert alone == [0, 1]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        for _ in range(20):
            attributes, stop = Vocabulary(few), threading.Event()

            def grow(attributes: Vocabulary = attributes, stop: threading.Event = stop) -> None:
                for count in range(100_000):
                    attributes.add(f"grown {count}")
                    if stop.is_set():
                        return

            growing = threading.Thread(target=grow)
            growing.start()
            both = encoder.expand(attributes, True)[0][3].tolist()
            stop.set()
            growing.join()
            assert both == alone
            assert attributes.find(attributes[len(attributes) - 1]) == len(attributes) - 1
    finally:
        sys.setswitchinterval(interval)


def test_copies_share_their_strings_until_one_grows() -> None:
    one = Vocabulary(["a", "b"])
    two = one.copy()
    assert two.add("c") == 2
    assert one.add("d") == 2
    assert (one.strings(), two.strings()) == (["a", "b", "d"], ["a", "b", "c"])


def encoder_of_words() -> TemplateEncoder:
    return open_encoder(PRESETS["words"], [0], "X")


def test_an_encoder_refuses_a_second_call_while_it_is_in_use() -> None:
    encoder = encoder_of_words()

    def reentering() -> Iterator[list[str]]:
        yield ["a"]
        encoder.encode_words([["b"]], None, Vocabulary(), False, Vocabulary(), True)

    with pytest.raises(InputError, match="in use"):
        encoder.encode_words(reentering(), None, Vocabulary(), False, Vocabulary(), True)
    attributes = Vocabulary()
    encoder.encode_words([["b"]], None, attributes, False, Vocabulary(), True)  # it can be used again
    assert "w[0]=b" in attributes


def test_a_vocabulary_that_grew_while_files_were_learned_is_not_lost() -> None:
    """Two calls that both add to one vocabulary: one of them ends in a sentence, and no id is given twice."""
    attributes, done = Vocabulary(["first"]), list[str]()
    text = b"".join(b"word%d X\n" % i + b"\n" * (i % 9 == 0) for i in range(20_000))
    encoder = open_encoder(PRESETS["words"], [0, 1], "tiny")
    encoder.read(text, "tiny", 0, "line 1")

    def learn() -> None:
        try:
            encoder.expand(attributes, False)
            done.append("")
        except InputError as error:
            done.append(str(error))

    thread = threading.Thread(target=learn)
    thread.start()
    while not done:
        attributes.add(f"grown {len(attributes)}")
    thread.join()
    assert not done[0] or "another thread" in done[0]
    strings = attributes.strings()
    assert len(set(strings)) == len(strings)
    assert all(attributes.find(string) == i for i, string in enumerate(strings[:100]))


class Fickle:
    """A sequence that makes its items anew each time."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> str:
        if i > 1:
            raise IndexError
        return long_name(i)


def test_phrases_own_their_words() -> None:
    phrases = Gazetteer([Fickle(), Fickle()])  # type: ignore[list-item]
    encoder = TemplateEncoder([True], 100, "a word")
    column = encoder.find_phrases(0, phrases, "x")
    encoder.set_patterns([(["g=", ""], [(0, column)])], [], False)
    attributes = Vocabulary()
    encoder.encode_words([[long_name(0), long_name(1)]], None, attributes, False, Vocabulary(), True)
    assert attributes.strings() == ["g=B-x", "g=I-x"]


def test_offsets_that_change_after_they_were_checked() -> None:
    offsets = np.array([0, 2], np.int64)

    class Label(str):
        def __hash__(self) -> int:
            offsets[1] = 1 << 40
            return super().__hash__()

    node = np.full((2, 2), 0.5, np.float32)
    lists = probability_lists(node, (Label("a"), Label("b")), offsets)
    assert [len(each) for each in lists] == [2]
