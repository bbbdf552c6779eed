r"""Regular expressions of templates, in bounded time.

    text ─▶ short enough that `re` is quick in the worst case? ─▶ `re`
              └─ no ─▶ an automaton can follow the expression? ─▶ automaton.py: linear time, the same answer
                         └─ no: a backreference or the like ─▶ `re`; slow_search.py if it may take very long

`re` tries one way after the other, so (a+)+$ takes twice as long for each further a. How many steps it may take at most
is counted from the tree of the expression, for a text of n characters:

    one character                         1 step                               1 way to match
    x y                                   steps(x) + ways(x) · steps(y)        ways(x) · ways(y)
    x | y                                 steps(x) + steps(y)                  ways(x) + ways(y)
    x{k,m}                                steps(x) · Σ ways(x)^i               Σ ways(x)^i, for i ≤ min(m, n / |x| + 1)
    (?=x), (?>x), \1                      steps(x), |x| for \1                 1
"""

import re
from functools import cached_property
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

from tagfield.data.text.templates.automaton import GREEDY_OR_LAZY, ONE_CHARACTER, Automaton, NotRegular
from tagfield.data.text.templates.slow_search import slow_search

QUICK = 10_000  # steps of `re`: a tenth of a millisecond
LONGEST = 1 << 24  # characters of a text
FROM_START = ((_constants.AT, _constants.AT_BEGINNING), (_constants.AT, _constants.AT_BEGINNING_STRING))


class Expression:
    r"""A regular expression that is searched in texts, with the answers of Python's `re`.

    >>> Expression("(a+)+$").search("a" * 1000 + "b")
    False
    """

    def __init__(self, text: str) -> None:
        self.pattern = re.compile(text)
        self._tree = _parser.parse(text)
        self._quick = self._longest(QUICK)  # characters

    def search(self, text: str) -> bool:
        """Whether the expression is found anywhere in the text."""
        if len(text) <= self._quick:  # most words
            return self.pattern.search(text) is not None
        if self._automaton is not None:
            return self._automaton.search(text)
        return self.pattern.search(text) is not None if self.linear else slow_search(self.pattern.pattern, text)

    @cached_property
    def linear(self) -> bool:
        r"""Whether the time grows in proportion to the text.

        >>> Expression("(a+)+$").linear, Expression(r"(.)\1").linear, Expression(r"(.+)\1$").linear
        (True, True, False)
        """
        return self._automaton is not None or self._steps(2 * LONGEST) < 3 * self._steps(LONGEST) < float("inf")

    @cached_property
    def _automaton(self) -> Automaton | None:
        try:
            return Automaton(self.pattern.pattern)
        except (NotRegular, RecursionError):
            return None

    def _longest(self, steps: float) -> int:
        """The longest text that takes at most so many steps."""
        low, high = 0, LONGEST
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self._steps(middle) <= steps else (low, middle - 1)
        return low

    def _steps(self, n: int) -> float:
        """An upper bound of the steps of `re` for a text of n characters: it begins anew at each of them."""
        steps, _ = _sequence(self._tree, n, self._tree.state.groupwidths)
        first = self._tree[0] if len(self._tree) else None
        if first in FROM_START and not self._tree.state.flags & re.MULTILINE:
            return n + steps
        return (n + 1) * steps


def _sequence(tree: Any, n: int, groups: Any) -> tuple[float, float]:
    """Steps and ways of parts that follow each other; groups: the shortest and longest text of each group."""
    steps, ways = 1.0, 1.0
    for code, value in tree:
        more, times = _item(code, value, n, groups)
        steps, ways = steps + ways * more, ways * times
    return steps, ways


def _item(code: Any, value: Any, n: int, groups: Any) -> tuple[float, float]:
    if code in ONE_CHARACTER or code is _constants.AT:
        return 1.0, 1.0
    if code is _constants.BRANCH:
        each = [_sequence(inner, n, groups) for inner in value[1]]
        return sum(steps for steps, _ in each), sum(ways for _, ways in each)
    if code is _constants.SUBPATTERN:
        return _sequence(value[-1], n, groups)
    if code in GREEDY_OR_LAZY or code is _constants.POSSESSIVE_REPEAT:
        low, high, inner = value
        steps, ways = _sequence(inner, n, groups)
        most = min(int(high), max(low, n // max(1, inner.getwidth()[0]) + 1))
        if code is _constants.POSSESSIVE_REPEAT:
            return steps * (most + 1), 1.0
        return steps * _powers(ways, 0, most), _powers(ways, low, most)
    if code in (_constants.ASSERT, _constants.ASSERT_NOT):
        return _sequence(value[1], n, groups)[0], 1.0
    if code is _constants.ATOMIC_GROUP:
        return _sequence(value, n, groups)[0], 1.0
    if code is _constants.GROUPREF:
        return 1.0 + min(n, groups[value][1]), 1.0
    if code is _constants.GROUPREF_EXISTS:
        each = [_sequence(inner or (), n, groups) for inner in value[1:]]
        return sum(steps for steps, _ in each), sum(ways for _, ways in each)
    return float("inf"), float("inf")


def _powers(base: float, low: int, high: int) -> float:
    """base^low + … + base^high, at least.

    >>> _powers(1, 2, 5), _powers(2, 0, 3), _powers(2, 0, 5000)
    (4.0, 15.0, inf)
    """
    if base <= 1:
        return float(high - low + 1)
    if base == float("inf"):
        return base
    try:
        return float((base ** (high + 1) - base**low) / (base - 1))
    except OverflowError:
        return float("inf")
