"""Grammars with chances: how both corpora write a text.

A grammar gives each name its weighted ways, each a row of words apart by spaces:

    <name>        written in turn              ~      glues its neighbours: "Linden ~ str." is Lindenstr.
    {list}        a word of a list             |      the end of a line of the text
    [TYPE … ]     an entity of that type       9, 8   a digit from 1 to 9, a digit from 0 to 9

Entities and plain words can stand in the same places: only the words and what is around them tell them apart.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tagfield.text.demo.chance import Chance
from tagfield.text.demo.corpus import Segment

Grammar: TypeAlias = Mapping[str, Sequence[tuple[float, str]]]
Lists: TypeAlias = Mapping[str, Sequence[str]]


def listed(text: str) -> list[str]:
    """A list of words apart by white space; an underscore stands for a space inside a name.

    >>> listed("Salem New_York")
    ['Salem', 'New York']
    """
    return [word.replace("_", " ") for word in text.split()]


def written(chance: Chance, grammar: Grammar, lists: Lists, name: str) -> list[list[Segment]]:
    """Write a name of the grammar; return its lines, each a list of segments. Empty lines are left out.

    >>> grammar = {"text": [(1, "[CITY {towns} ~ ton ] now | <end>")], "end": [(1, "bye")]}
    >>> written(Chance("doc", seed=0, part="train"), grammar, {"towns": ["Ash"] * 4}, "text")
    [[('CITY', 'Ashton'), (None, 'now')], [(None, 'bye')]]
    """
    lines: list[list[Segment]] = [[]]
    kind: str | None = None
    inside: list[str] = []
    for word in _glued(_words(chance, grammar, lists, name)):
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


def _words(chance: Chance, grammar: Grammar, lists: Lists, name: str) -> list[str]:
    words: list[str] = []
    for word in chance.weighted(grammar[name]).split():
        if word[0] == "<":
            words += _words(chance, grammar, lists, word[1:-1])
        elif word[0] == "{":
            words += chance.word(lists[word[1:-1]]).split()
        else:
            words.append("".join(_digit(chance, char) for char in word))
    return words


def _digit(chance: Chance, char: str) -> str:
    if char == "9":
        return str(chance.number(1, 9))
    return str(chance.number(0, 9)) if char == "8" else char


def _glued(words: list[str]) -> list[str]:
    glued: list[str] = []
    glue = False
    for word in words:
        if word == "~":
            glue = True
        elif glue:
            glued[-1] += word
            glue = False
        else:
            glued.append(word)
    return glued
