r"""Regular expressions in linear time: does Python's `re` find this expression in a text?

    tree of Python's own parser ─▶ nodes of an automaton ─▶ states, made when they are first reached
    text ─▶ sort of each character ─▶ from state to state ─▶ found, or not

A state is the set of nodes that the characters so far lead to, so every character is looked at once, whatever the
expression is: (a+)+$ takes as long as a+$. What a character or a place fits is asked of `re` itself, once for each sort
of character, so classes, case and word boundaries are Python's own, to the last code point.

RE2 does not fit here. Its classes, case folding, $ and \b differ from Python's, and it has no wheels for musl.
"""

import re
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

NODES = 500  # of an automaton
HELD = 100_000  # nodes of all states that are remembered: a few megabytes
CHARACTERS = 10_000  # whose sort is remembered
ONE_CHARACTER = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
GREEDY_OR_LAZY = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)


class NotRegular(Exception):
    """The expression has a part that no automaton can follow, or is too large for one."""


class _Sort:
    """Characters that the expression cannot tell apart.

    fits: bit k is set if they fit test k
    kind: a character that looks the same to ^, $ and \\b: a line break, a letter of ASCII, another letter, or -
    last: whether it is a line break at the end of the text
    """

    __slots__ = ("fits", "kind", "last")

    def __init__(self, fits: int, kind: str, last: bool) -> None:
        self.fits, self.kind, self.last = fits, kind, last


class _State:
    """The nodes that are reached, and what is before them."""

    __slots__ = ("before", "following", "nodes")

    def __init__(self, nodes: frozenset[int], before: str) -> None:
        self.nodes, self.before = nodes, before
        self.following: dict[_Sort, _State] = {}


_FOUND = _State(frozenset(), "")


class Automaton:
    r"""An expression as `re` reads it; NotRegular if it has backreferences, look-arounds or the like.

    >>> digits = Automaton(r"^(\d+)+$")
    >>> digits.search("1٣"), digits.search("1" * 1000 + "a")
    (True, False)
    """

    def __init__(self, expression: str) -> None:
        tree = _parser.parse(expression)
        self._tests: list[re.Pattern[str]] = []
        self._numbers: dict[Any, int] = {}  # of the tests
        self._nodes: list[Any] = [None]  # (test, next), (place, next), or a list of nexts; the first one is the end
        self._steps = 0
        self._first = self._sequence(tree, tree.state.flags, 0)
        self._sorts: dict[str, _Sort] = {}  # of characters
        self._known: dict[tuple[int, str, bool], _Sort] = {}
        self._states: dict[tuple[frozenset[int], str], _State] = {}
        self._held = 0
        self._start = self._state(frozenset(), "")
        self._break = self._sort("\n", last=True)

    def search(self, text: str) -> bool:
        """Whether the expression is found anywhere in the text."""
        state, sorts = self._start, self._sorts
        for character in text[:-1] if text.endswith("\n") else text:
            sort = sorts.get(character) or self._sort(character)
            state = state.following.get(sort) or self._follow(state, sort)
            if state is _FOUND:
                return True
        if text.endswith("\n"):
            state = self._follow(state, self._break)
        return state is _FOUND or self._reach(state, None) is None

    # From the tree to nodes, from the last to the first

    def _sequence(self, tree: Any, flags: int, then: int) -> int:
        for item in reversed(tree):
            then = self._item(item, flags, then)
        return then

    def _item(self, item: Any, flags: int, then: int) -> int:
        """The node where a part of the expression begins; behind it comes the node `then`."""
        self._steps += 1
        if self._steps > NODES:
            raise NotRegular(f"more than {NODES:,} parts")
        code, value = item
        if code in ONE_CHARACTER:
            return self._add((self._test(item, flags), then))
        if code is _constants.AT:
            return self._add((_compiled(item, flags), then))
        if code is _constants.BRANCH:
            return self._add([self._sequence(each, flags, then) for each in value[1]])
        if code is _constants.SUBPATTERN:
            _, more, less, inner = value
            return self._sequence(inner, combined(flags, more, less), then)
        if code in GREEDY_OR_LAZY:
            low, high, inner = value
            end = then
            if high is _constants.MAXREPEAT:
                then = self._add([])
                self._nodes[then] += [self._sequence(inner, flags, then), end]
            else:
                for _ in range(high - low):
                    then = self._add([self._sequence(inner, flags, then), end])
            for _ in range(low):
                then = self._sequence(inner, flags, then)
            return then
        raise NotRegular(str(code).lower().replace("_", " "))

    def _add(self, node: Any) -> int:
        self._nodes.append(node)
        return len(self._nodes) - 1

    def _test(self, item: Any, flags: int) -> int:
        key = repr(item), flags
        if key not in self._numbers:
            self._numbers[key] = len(self._tests)
            self._tests.append(_compiled(item, flags))
        return self._numbers[key]

    # From state to state; threads may share an automaton, since every change is one operation on a dict

    def _sort(self, character: str, last: bool = False) -> _Sort:
        fits = sum(1 << k for k, test in enumerate(self._tests) if test.match(character))
        word = "a" if character.isascii() else "é"
        kind = "\n" if character == "\n" else word if character.isalnum() or character == "_" else "-"
        sort = self._known.setdefault((fits, kind, last), _Sort(fits, kind, last))
        if not last:
            if len(self._sorts) >= CHARACTERS:
                self._sorts.clear()
            self._sorts[character] = sort
        return sort

    def _state(self, nodes: frozenset[int], before: str) -> _State:
        self._held += 1 + len(nodes)
        if self._held > HELD:
            self._held, self._states = 0, {}
            self._start = self._state(frozenset(), "")
        return self._states.setdefault((nodes, before), _State(nodes, before))

    def _follow(self, state: _State, sort: _Sort) -> _State:
        """The state after one more character."""
        nodes = self._reach(state, sort)
        found = _FOUND if nodes is None else self._state(nodes, sort.kind)
        state.following[sort] = found
        return found

    def _reach(self, state: _State, sort: _Sort | None) -> frozenset[int] | None:
        """The nodes behind the next character, or behind the end of the text; None if the end node comes first."""
        around = state.before if sort is None else state.before + sort.kind + ("" if sort.last else "-")
        waiting = [self._first, *state.nodes]  # a match may begin anywhere
        seen, behind = set(waiting), set()
        while waiting:
            node = self._nodes[waiting.pop()]
            if node is None:
                return None
            if isinstance(node, list):
                following = node
            else:
                test, then = node
                if isinstance(test, int):
                    if sort is not None and sort.fits >> test & 1:
                        behind.add(then)
                    continue
                following = [then] if test.match(around, len(state.before)) else []
            for then in following:
                if then not in seen:
                    seen.add(then)
                    waiting.append(then)
        return frozenset(behind)


def combined(flags: int, more: int, less: int) -> int:
    """The flags within a group such as (?i:…), by the rules of `re`."""
    if more & _parser.TYPE_FLAGS:
        flags &= ~_parser.TYPE_FLAGS
    return (flags | more) & ~less


def _compiled(item: Any, flags: int) -> re.Pattern[str]:
    """One part of an expression as an expression of its own."""
    state = _parser.State()
    state.flags = flags
    made: re.Pattern[str] = _compiler.compile(_parser.SubPattern(state, [item]))
    return made
