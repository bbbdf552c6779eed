"""Wapiti's patterns, said plainly: the observations of each token as bytes, and its regular expressions."""

import re

CLASSES = {
    "d": bytes.isdigit,
    "a": bytes.isalpha,
    "w": bytes.isalnum,
    "s": bytes.isspace,
    "l": bytes.islower,
    "u": bytes.isupper,
    "p": lambda byte: byte in b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}
MACRO = re.compile(r'%([xtmXTM])\[(@?)([+-]?\d+),(\d+)(?:,"((?:\\.|[^"\\])*)")?\]')


def observations(patterns: list[str], rows: list[tuple[str, ...]]) -> list[list[bytes]]:
    """For each token, the observation of each pattern."""
    return [[observation(pattern, rows, t) for pattern in patterns] for t in range(len(rows))]


def observation(pattern: str, rows: list[tuple[str, ...]], t: int) -> bytes:
    made, at = pattern[0].lower().encode(), 1
    for macro in MACRO.finditer(pattern):
        kind, absolute, row, column, expression = macro.groups()
        made += pattern[at : macro.start()].encode()
        at = macro.end()
        n = int(row)
        place = t + n if not absolute else n - 1 if n >= 0 else len(rows) + n
        value = cell(rows, place, int(column))
        if kind in "tT":
            value = b"false" if search(expression.encode(), value) is None else b"true"
        if kind in "mM":
            value = search(expression.encode(), value) or b""
        made += bytes(b + 32 if 65 <= b <= 90 else b for b in value) if kind.isupper() else value
    return (made + pattern[at:].encode()).split(b"\0")[0]  # the end of a string in C


def cell(rows: list[tuple[str, ...]], t: int, column: int) -> bytes:
    if 0 <= t < len(rows):
        return rows[t][column].encode()
    sign, distance = ("-", -t) if t < 0 else ("+", t - len(rows) + 1)
    return f"_x{sign}{distance if distance <= 4 else '#'}".encode()


def search(expression: bytes, text: bytes) -> bytes | None:
    """The leftmost match: as many bytes as were taken on the way to it, with the NUL behind the text if need be."""
    anchored = expression.startswith(b"^")
    for start in range(1 if anchored else len(text) + 1):
        taken: list[int] = []
        if match(expression[anchored:], text, start, taken):
            return (text + b"\0")[start : start + len(taken)]
    return None


def match(expression: bytes, text: bytes, at: int, taken: list[int]) -> bool:
    """Whether there is a match at `at`, where * tries few before many, and ? one before none."""
    if expression in (b"", b"$"):
        return not expression or at == len(text)
    atom = expression[: 2 if expression[:1] == b"\\" else 1]
    rest = expression[len(atom) :]
    often, here = rest[:1], at < len(text) and holds(atom, text[at : at + 1])
    if often == b"*":
        before = len(taken)
        if match(rest[1:], text, at, taken):
            return True
        del taken[before:]
    if here:
        taken.append(at)  # it stays there if the rest fails
        if match(expression if often == b"*" else rest[1:] if often == b"?" else rest, text, at + 1, taken):
            return True
    return often == b"?" and match(rest[1:], text, at, taken)


def holds(atom: bytes, byte: bytes) -> bool:
    """Whether one byte fits."""
    if atom[:1] != b"\\":
        return atom in (b".", byte)
    name = chr(atom[1])
    if name.lower() not in CLASSES:
        return atom[1:] == byte
    return CLASSES[name.lower()](byte) != name.isupper()
