"""The template language, said plainly: the values of a cell, token by token, and the attributes that follow.

A cell of a pattern is (row, column, calls), and a call is (function, arguments). Nothing is cached or shared.
"""

import itertools
import re
import unicodedata

Call = tuple[str, tuple]
Cell = tuple[int, int, tuple[Call, ...]]
Sentence = list[tuple[str, ...]]

PHRASES = {"ab": ["a b", "a b a", "b", "B-1 a"], "case": ["A b", "bB"]}  # "case" ignores case
PATHS = {"a": "0010", "B": "01", "ab": "111"}
EXPRESSIONS = {"number": r"^\d+$", "letters": "a.?b"}


def attributes(rows: Sentence, patterns: list[tuple[str, list[Cell]]], padding: bool, edges: bool) -> list[list[str]]:
    """The attributes of each token; a pattern is a name and its cells, whose values are joined by |."""
    tokens: list[list[str]] = []
    for t in range(len(rows)):
        tokens.append([])
        for name, cells in patterns:
            options = [around(rows, t + row, column, calls, padding) for row, column, calls in cells]
            tokens[t] += [name + "|".join(chosen) for chosen in itertools.islice(itertools.product(*options), 4096)]
    if edges and rows:
        tokens[0].append("__BOS__")
        tokens[-1].append("__EOS__")
    return tokens


def around(rows: Sentence, t: int, column: int, calls: tuple[Call, ...], padding: bool) -> list[str]:
    if 0 <= t < len(rows):
        return values(rows, t, column, calls)
    beyond = f"_B{t}" if t < 0 else f"_B+{t - len(rows) + 1}"
    return [beyond] if padding else []


def values(rows: Sentence, t: int, column: int, calls: tuple[Call, ...]) -> list[str]:
    """The values of a cell: none, one or several."""
    if not calls:
        return [rows[t][column]]
    *before, (name, arguments) = calls
    if name == "same":
        other = t + arguments[0]
        here = values(rows, t, column, tuple(before))
        return ["yes"] if here and 0 <= other < len(rows) and values(rows, other, column, tuple(before)) == here else []
    if name == "in":
        return in_phrases([values(rows, u, column, tuple(before)) for u in range(len(rows))], arguments[0])[t]
    found = [made for value in values(rows, t, column, tuple(before)) for made in function(name, value, *arguments)]
    return sorted(set(found), key=found.index)


def in_phrases(cells: list[list[str]], name: str) -> list[list[str]]:
    fold = str.lower if name == "case" else str
    words = [fold(cell[0]) if cell else None for cell in cells]
    phrases = [fold(phrase).split() for phrase in PHRASES[name]]
    made: list[list[str]] = [[] for _ in words]
    t = 0
    while t < len(words):
        size = max((len(p) for p in phrases if words[t : t + len(p)] == p), default=0)
        for u in range(t, t + size):
            made[u] = ["B-" + name if u == t else "I-" + name]
        t += size or 1
    return made


def function(name: str, c: str, *arguments: object) -> list[str]:
    """One cell, one function."""
    if name.startswith(("is", "has")):
        return ["yes"] if TESTS[name](c) else []
    if name in ("prefix", "suffix"):
        (n,) = arguments
        return [c[:n] if name == "prefix" else c[max(0, len(c) - n) :]]
    if name == "ngrams":
        text, (first, last) = "^" + c + "$", arguments
        return [text[i : i + n] for n in range(first, last + 1) for i in range(len(text)) if i + n <= len(text)]
    if name == "cluster":
        return [PATHS[c][: arguments[0]]] if c in PATHS else []
    if name == "match":
        return [arguments[0]] if re.search(EXPRESSIONS[arguments[0]], c) else []
    return SIMPLE[name](c)


def letters(c: str) -> str:
    return "".join("X" if x.isupper() else "d" if x.isdigit() else "x" if x.isalpha() else x for x in c)


def split(c: str) -> list[str]:
    return re.sub("[‐‑–—/]", "-", c).split("-")


def kind(c: str) -> str:
    if c.isdigit():
        return "digit"
    if all(not x.isalnum() for x in c):
        return "punct"
    if c.isalpha():
        title = c[0].isupper() and c[1:].islower()
        return (
            "lower"
            if c.islower()
            else ("upper1" if c[1:] == "" else "upper")
            if c.isupper()
            else "title"
            if title
            else "mixed"
        )
    signs = {letters(x) if letters(x) in "Xxd-" else "" if x.isalnum() else "." for x in c}
    return "".join(s for s in "dXx-." if s in signs) or "other"


def squeeze(classes: list[str]) -> list[str]:
    return ["+".join(k for k, _ in itertools.groupby(classes))]


SIMPLE = {
    "lower": lambda c: [c.lower()],
    "longshape": lambda c: [letters(c)],
    "shape": lambda c: ["".join(k if k in "Xxd" else k * len(list(g)) for k, g in itertools.groupby(letters(c)))],
    "kind": lambda c: [kind(c)],
    "length": lambda c: [str(len(c)) if len(c) < 6 else "6-8" if len(c) < 9 else "9-12" if len(c) < 13 else "13+"],
    "zeros": lambda c: [re.sub("[0-9]", "0", c)],
    "digits": lambda c: [re.sub("[0-9]", "0", c)] if re.search("[0-9]", c) else [],
    "parts": lambda c: [p for p in split(c) if p] if len(split(c)) > 1 else [],
    "firstpart": lambda c: [p for p in split(c) if p][:1] if len(split(c)) > 1 else [],
    "lastpart": lambda c: [p for p in split(c)[-1:] if p] if len(split(c)) > 1 else [],
    "script": lambda c: squeeze([SCRIPTS.get(x, "latin") for x in c]),
    "category": lambda c: squeeze([unicodedata.category(x) for x in c]),
}
TESTS = {
    **{name: getattr(str, name) for name in ("istitle", "isupper", "islower", "isdigit", "isalpha", "isalnum")},
    "ispunct": lambda c: not any(x.isalnum() for x in c),
    "hasdigit": lambda c: any(x.isdigit() for x in c),
    "hasupper": lambda c: any(x.isupper() for x in c),
    "hashyphen": lambda c: "-" in c,
}
SCRIPTS = {"漢": "han", "か": "hiragana", "ー": "katakana", "ก": "thai", "่": "thai", "\u0307": "combining"}
SCRIPTS |= dict.fromkeys("12356890", "digit") | dict.fromkeys("-/_.", "punctuation") | dict.fromkeys("$+^", "symbol")
