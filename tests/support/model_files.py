"""The model files in tests/golden/models, and the data that their programs labelled."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from tagfield import Model, encode_sequences

MODELS = Path(__file__).parent.parent / "golden" / "models"


def read_sentences(name: str) -> list[list[tuple[str, ...]]]:
    """The cells of each token, without the label, which stands last."""
    found: list[list[tuple[str, ...]]] = [[]]
    for line in (MODELS / name).read_text().splitlines():
        if line.strip():
            found[-1].append(tuple(line.split())[:-1])
        else:
            found.append([])
    return [sentence for sentence in found if sentence]


def read_wapiti(name: str) -> list[list[tuple[str, float]]]:
    """The labels and scores in a file of answers."""
    return parse_wapiti((MODELS / name).read_text())


def parse_wapiti(text: str) -> list[list[tuple[str, float]]]:
    """Label and score of each token, as `wapiti label -s` prints them."""
    found: list[list[tuple[str, float]]] = []
    for line in text.splitlines():
        if re.match(r"# \d", line):
            found.append([])
        elif line.strip():
            label, _, score = line.split("\t")[-1].rpartition("/")
            found[-1].append((label, float(score)))
    return found


def read_crfpp(name: str) -> list[dict[str, Any]]:
    """Labels and marginals of each sentence."""
    found: list[dict[str, Any]] = json.loads((MODELS / name).read_text())
    return found


def mutants(data: bytes, rng: np.random.Generator, count: int) -> list[bytes]:
    """Damaged copies of a file: bytes changed, removed, repeated, cut off, and numbers replaced by extreme ones."""
    made = []
    for _ in range(count):
        raw = bytearray(data)
        for _ in range(int(rng.integers(1, 4))):
            at, size = int(rng.integers(len(raw))), int(rng.integers(1, 9))
            kind = int(rng.integers(7))
            if kind == 0:
                raw[at] = int(rng.integers(256))
            elif kind == 1:
                del raw[at : at + size]
            elif kind == 2:
                raw[at:at] = raw[at : at + size]
            elif kind == 3:
                del raw[at:]
            elif kind == 4:
                raw[at : at + 4] = int(rng.choice([0, 1, 2**16, 2**31 - 1, 2**31, 2**32 - 1])).to_bytes(4, "little")
            elif kind == 5:
                raw[at : at + 1] = rng.choice([b"9", b"999999999", b"-1", b"\n\n", b"\0", b"nan", b"1e999", b" "])
            else:
                raw[at] ^= 1 << int(rng.integers(8))
            if not raw:
                raw = bytearray(b"#")
        made.append(bytes(raw))
    return made


def tiny(names: list[str], labels: list[str]) -> Model:
    """A model with a weight of its own for each attribute and label."""
    X = [[[name] for name in names for _ in labels]]
    return Model.train(encode_sequences(X, [[label for _ in names for label in labels]]), "lbfgs")
