"""Files of CRF++, written plainly from their description, and CRF++'s expansion of templates.

    CrfppModel: labels, templates, features with their ids, weights ─▶ text() and binary()

The double array is built by trying every place for every state; a screen long and slow, for models of a few hundred
features.
"""

import re
import struct
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

MACRO = re.compile(r"%x\[(-?\d+),(\d+)\]")
TEMPLATES = ["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,1]", "U02:%x[2,0]", "U03:%x[-8,1]", "U", "UB:%x[0,0]"]
PAIRS = ["B", "B01:%x[0,0]", "B02", "B%x[-1,1]", "B03:%x[0,0]/%x[1,0]"]


@dataclass
class CrfppModel:
    """The content of a model of CRF++."""

    labels: list[str]
    templates: list[str]  # U lines, then B lines
    ids: dict[str, int]  # the index of the first weight of each feature
    weights: list[float]
    columns: int = 1

    def text(self) -> bytes:
        head = f"version: 100\ncost-factor: 1\nmaxid: {len(self.weights)}\nxsize: {self.columns}\n\n"
        body = (
            "".join(f"{line}\n" for line in self.labels) + "\n" + "".join(f"{line}\n" for line in self.templates) + "\n"
        )
        order = sorted(self.ids, key=str.encode)
        features = "".join(f"{self.ids[name]} {name}\n" for name in order) + "\n"
        return (head + body + features + "".join(f"{w:.16f}\n" for w in self.weights)).encode()

    def binary(self) -> bytes:
        labels = b"".join(label.encode() + b"\0" for label in self.labels)
        templates = b"".join(line.encode() + b"\0" for line in self.templates)
        templates += bytes(-(len(labels) + len(templates)) % 4)
        cells = double_array({name.encode(): number for name, number in self.ids.items()})
        sizes = (len(self.weights), self.columns, len(cells), len(labels))
        head = struct.pack("<IidIIII", 100, 0, 1.0, *sizes)
        weights = np.array(self.weights, "<f4").tobytes()
        return head + labels + struct.pack("<I", len(templates)) + templates + cells + weights


def double_array(numbers: dict[bytes, int]) -> bytes:
    """A trie over the strings: cell s + c + 1 for byte c after state s, and cell s for its end."""
    base, check, begins = {0: 1}, {0: 0}, {1}
    waiting = [(b"", 0)]  # prefix, and the cell that gets its state
    while waiting:
        prefix, cell = waiting.pop()
        following = sorted({name[len(prefix)] for name in numbers if name.startswith(prefix) and name != prefix})
        ends = prefix in numbers
        state = 1 if cell == 0 else 2
        while (cell and state in begins) or any(q in check for q in _cells(state, following, ends)):
            state += 1
        begins.add(state)
        base[cell] = state
        for q in _cells(state, following, ends):
            check[q] = state
        if ends:
            base[state] = -numbers[prefix] - 1
        waiting += [(prefix + bytes([c]), state + c + 1) for c in following]
    size = max(check) + 1 + 257
    return b"".join(struct.pack("<iI", base.get(q, 0), check.get(q, 0)) for q in range(size))


def _cells(state: int, following: list[int], ends: bool) -> list[int]:
    return ([state] if ends else []) + [state + c + 1 for c in following]


def expand(line: str, sentence: list[tuple[str, ...]], t: int) -> str:
    """The feature that a template makes at a position."""

    def cell(match: re.Match[str]) -> str:
        row, column = t + int(match[1]), int(match[2])
        if row < 0:
            return f"_B{row}"
        return sentence[row][column] if row < len(sentence) else f"_B+{row - len(sentence) + 1}"

    return MACRO.sub(cell, line)


def numbered(labels: list[str], templates: list[str], sentences: list[list[tuple[str, ...]]]) -> dict[str, int]:
    """The features of some sentences, numbered in the order in which they occur, as `crf_learn` does."""
    ids: dict[str, int] = {}
    size = 0
    for sentence in sentences:
        for letter, width in (("U", len(labels)), ("B", len(labels) ** 2)):
            for t in range(letter == "B", len(sentence)):
                for line in templates:
                    name = expand(line, sentence, t)
                    if line.startswith(letter) and name not in ids:
                        ids[name], size = size, size + width
    return ids


def scores(model: CrfppModel, sentence: list[tuple[str, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Scores of labels [T, L] and of pairs [T, L, L], from the definition; row 0 of the pairs is 0."""
    size = len(model.labels)
    node, pair = np.zeros((len(sentence), size)), np.zeros((len(sentence), size, size))
    weights = np.array(model.weights)
    for t in range(len(sentence)):
        for line in model.templates:
            at = model.ids.get(expand(line, sentence, t))
            if at is not None and line[0] == "U":
                node[t] += weights[at : at + size]
            elif at is not None and t:
                pair[t] += weights[at : at + size * size].reshape(size, size)
    return node, pair


def sentences() -> st.SearchStrategy[list[list[tuple[str, ...]]]]:
    words = st.sampled_from(["a", "b", "日本", "x%", "_B-1", "B", "02"])
    token = st.tuples(words, st.sampled_from(["P", "Q"]))
    return st.lists(st.lists(token, min_size=1, max_size=5), min_size=1, max_size=4)


@st.composite
def models(draw: st.DrawFn) -> tuple[CrfppModel, list[list[tuple[str, ...]]]]:
    labels = draw(st.lists(st.sampled_from(["O", "B-X", "I-X", "Ü"]), min_size=1, max_size=4, unique=True))
    templates = draw(st.lists(st.sampled_from(TEMPLATES), min_size=1, max_size=4))
    templates += draw(st.lists(st.sampled_from(PAIRS), max_size=4))
    ids = numbered(labels, templates, draw(sentences()))
    size = sum(len(labels) ** (2 if name[0] == "B" else 1) for name in ids)
    number = st.one_of(st.floats(-3, 3, width=32), st.sampled_from([0.0, -0.0, 40.0, 1e-9]))
    weights = draw(st.lists(number, min_size=size, max_size=size))
    return CrfppModel(labels, templates, ids, weights, columns=2), draw(sentences())
