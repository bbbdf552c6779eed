"""The text room, said plainly: one short function for each thing that native/text does."""

import math
import re
from collections.abc import Iterable, Iterator

import numpy as np

Attribute = tuple[str, float]
Row = list[str]


def columns(text: str) -> list[list[Row]]:
    """Sentences of rows of cells."""
    refuse_lone_returns(text)
    sentences: list[list[Row]] = [[]]
    for line in text.split("\n"):
        row = [cell for cell in re.split("[ \t]+", line.removesuffix("\r")) if cell]
        if row:
            sentences[-1].append(row)
        elif sentences[-1]:
            sentences.append([])
    sentences = [sentence for sentence in sentences if sentence]
    if len({len(row) for sentence in sentences for row in sentence}) > 1:
        raise ValueError("ragged")
    return sentences


def refuse_lone_returns(text: str) -> None:
    if "\r" in text.replace("\r\n", "").removesuffix("\r"):
        raise ValueError("a carriage return alone")


def expand(rows: list[Row], patterns: Iterable[str], padding: bool, edges: bool) -> list[list[str]]:
    """The attributes of each token; columns are numbers."""

    def cell(t: int, column: int) -> str:
        if 0 <= t < len(rows):
            return rows[t][column]
        if not padding:
            raise IndexError
        return f"_B{t}" if t < 0 else f"_B+{t - len(rows) + 1}"

    tokens: list[list[str]] = []
    for t in range(len(rows)):
        tokens.append([])
        for pattern in patterns:
            try:
                made = re.sub(r"%x\[(-?\d+),(\d+)\]", lambda m, t=t: cell(t + int(m[1]), int(m[2])), pattern)
            except IndexError:
                continue
            tokens[t].append(made)
    if edges:
        tokens[0].append("__BOS__")
        tokens[-1].append("__EOS__")
    return tokens


def items(text: str) -> Iterator[tuple[list[list[Attribute]], list[str], float]]:
    """Sequences of item lines: (tokens, labels, weight)."""
    refuse_lone_returns(text)
    tokens: list[list[Attribute]] = []
    labels: list[str] = []
    weight = None
    for line in [*text.split("\n"), ""]:
        line = line.removesuffix("\r")
        if not line:
            if weight is not None and not tokens:
                raise ValueError("a weight of nothing")
            if tokens:
                yield tokens, labels, 1.0 if weight is None else weight
            tokens, labels, weight = [], [], None
        elif line.startswith("@"):
            if not line.startswith("@weight:") or weight is not None:
                raise ValueError("declaration")
            weight = number(line[8:])
            if not 0 <= weight < math.inf:
                raise ValueError("weight")
        else:
            label, *fields = line.split("\t")
            name, value = split_field(label)
            if value is not None:
                raise ValueError("label")
            labels.append(name)
            pairs = [split_field(field) for field in fields if field]
            tokens.append([(name, number(value) if value else 1.0) for name, value in pairs])


def split_field(field: str) -> tuple[str, str | None]:
    """(name without escapes, text of the value)."""
    match = re.fullmatch(r"((?:\\\\|\\:|[^:])*?)(?::(.*))?", field, re.DOTALL)
    assert match
    return re.sub(r"\\([\\:])", r"\1", match[1]), match[2]


def number(text: str) -> float:
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text, re.ASCII):
        raise ValueError("number")
    value = float(text)
    with np.errstate(over="ignore"):
        if not np.isfinite(np.float32(value)):
            raise ValueError("range")
    return value


def attributes(token: object, prefix: str = "") -> list[Attribute]:
    """A token as python-crfsuite reads it, except that sets are sorted."""
    if not isinstance(token, dict):
        strings = sorted(token, key=str.encode) if isinstance(token, set | frozenset) else token
        return [(prefix + name, 1.0) for name in strings]  # type: ignore[attr-defined]
    found: list[Attribute] = []
    for key, value in token.items():
        if isinstance(value, str):
            found.append((f"{prefix}{key}:{value}", 1.0))
        elif isinstance(value, dict | list | tuple | set | frozenset):
            found += attributes(value, f"{prefix}{key}:")
        else:
            found.append((prefix + key, float(value)))
    return found


def pack(
    sentences: list[list[list[Attribute]]],
    ids: dict[str, int],
    frozen: bool = False,
    gather: bool = True,
    grouped: bool = True,
) -> dict[str, list]:
    """Dataset's arrays as lists. New names join `ids` unless it is frozen; without `gather` a slot has one place.

    grouped: slots by the group of their id, (id / 4) % 8, those with one place first; those of edges are not
    """
    out: dict[str, list] = {"tokens": [0], "slots": [0], "occurrences": [0]}
    out |= {name: [] for name in ("attribute", "stop", "position", "value")}
    for tokens in sentences:
        known = []
        for token in tokens:
            pairs = [(name if frozen else ids.setdefault(name, len(ids)), value) for name, value in token]
            known.append([(ids[a], v) for a, v in pairs if a in ids] if frozen else pairs)
        slots: dict[int, list[tuple[int, float]]] = {}
        for rank in range(max(map(len, known), default=0)):
            for token in known:
                if rank < len(token):
                    slots.setdefault(token[rank][0], [])
        for t, token in enumerate(known):
            for id, value in token:
                slots[id].append((t, value))
        single = [(id, [(t, value)]) for t, token in enumerate(known) for id, value in token]
        stop = 0
        by_group = list(slots.items())
        if grouped:
            by_group.sort(key=lambda slot: (slot[0] // 4 % 8, len(slot[1]) > 1))
        for id, places in by_group if gather else single:
            stop += len(places)
            out["attribute"].append(id)
            out["stop"].append(stop)
            out["position"] += [t for t, _ in places]
            out["value"] += [value for _, value in places]
        out["tokens"].append(out["tokens"][-1] + len(tokens))
        out["slots"].append(len(out["attribute"]))
        out["occurrences"].append(len(out["position"]))
    return out
