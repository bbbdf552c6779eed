"""Probabilistic context-free grammars, which generate the texts of both corpora.

A grammar maps each symbol to weighted expansions. An expansion is a string of space-separated words:

    <symbol>      expand this symbol           ~      join both neighbours: "Linden ~ str." becomes Lindenstr.
    {list}        draw a word from the list    |      end of a line of text
    [TYPE … ]     an entity of this type       9, 8   a digit from 1 to 9, a digit from 0 to 9

Entities and plain words occur in the same positions; only the words and their context tell them apart.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tagfield.demo.corpus import Segment
from tagfield.demo.random_stream import RandomStream

Grammar: TypeAlias = Mapping[str, Sequence[tuple[float, str]]]
Lists: TypeAlias = Mapping[str, Sequence[str]]


def generate(rng: RandomStream, grammar: Grammar, lists: Lists, symbol: str) -> list[list[Segment]]:
    """Expands a symbol into lines, each a list of segments; drops empty lines.

    >>> grammar = {"text": [(1, "[CITY {towns} ~ ton ] now | <end>")], "end": [(1, "bye")]}
    >>> generate(RandomStream("doc", seed=0, part="train"), grammar, {"towns": ["Ash"] * 4}, "text")
    [[('CITY', 'Ashton'), (None, 'now')], [(None, 'bye')]]
    """
    lines: list[list[Segment]] = [[]]
    kind: str | None = None
    inside: list[str] = []
    for word in _joined(_words(rng, grammar, lists, symbol)):
        if word == "|":
            lines.append([])
        elif word[0] == "[" and len(word) > 1:
            kind, inside = word[1:], []
        elif word == "]":
            lines[-1].append((kind, " ".join(inside)))
            kind = None
        elif kind is None:
            lines[-1].append((None, word))
        else:
            inside.append(word)
    return [line for line in lines if line]


def _words(rng: RandomStream, grammar: Grammar, lists: Lists, symbol: str) -> list[str]:
    words: list[str] = []
    for word in rng.weighted(grammar[symbol]).split():
        if word[0] == "<":
            words += _words(rng, grammar, lists, word[1:-1])
        elif word[0] == "{":
            words += rng.word(lists[word[1:-1]]).split()
        else:
            words.append("".join(_digit(rng, char) for char in word))
    return words


def _digit(rng: RandomStream, char: str) -> str:
    if char == "9":
        return str(rng.number(1, 9))
    return str(rng.number(0, 9)) if char == "8" else char


def _joined(words: list[str]) -> list[str]:
    joined: list[str] = []
    join_next = False
    for word in words:
        if word == "~":
            join_next = True
        elif join_next:
            joined[-1] += word
            join_next = False
        else:
            joined.append(word)
    return joined
