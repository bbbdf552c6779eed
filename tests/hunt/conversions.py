"""Random models through `convert-model`, to CRF++'s and Wapiti's files and back, against the truth.

Case ─▶ tagfield's file ─▶ Wapiti, raw mode ─▶ tagfield's file, with plain names ─▶ the answers of the Case
Case ─▶ tagfield's file ─▶ CRF++, one attribute in each column ─▶ tagfield's file ─▶ the same
a file of CRF++, with templates ─▶ tagfield's ─▶ CRF++'s: the same bytes; answers by all paths
"""

import math
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tagfield import Model
from tagfield.cli.convert_model import convert_model
from tests.hunt.answers import check, labels, probabilities
from tests.hunt.cases import Case, Truth, drawn
from tests.support.crfpp_files import PAIRS, TEMPLATES, CrfppModel, numbered, scores

SIZES = (0.5, 3.0, 30.0, 1e4)  # of weights
WORDS, TAGS = ("a", "b", "日本", "x%", "_B-1", "B", "02"), ("P", "Q")
FILLED_UP = "_"  # a column without an attribute


def round_of(seed: int) -> int:
    """One model each way; how many answers were compared."""
    rng = np.random.default_rng(seed)
    case = drawn(seed, size=float(rng.choice(SIZES)))
    with TemporaryDirectory() as folder:
        found = 0 if case.edges is not None else through_wapiti(case, Path(folder)) + through_crfpp(case, Path(folder))
        return found + from_crfpp(rng, Path(folder))


def convert(source: Path, target: Path, to: str, *, plain_names: bool = False) -> Path:
    """`tagfield convert-model`, in this process."""
    convert_model(
        str(source), str(target), to, which=None, plain_names=plain_names, without_constraints=False, quiet=True
    )
    return target


def through_wapiti(case: Case, folder: Path) -> int:
    """Raw mode has a letter before each name, which --plain-names removes."""
    case.model.save(folder / "own")
    file = convert(folder / "own", folder / "wapiti", "wapiti")
    back = Model.load(convert(file, folder / "plain", "tagfield", plain_names=True))
    return answers(case, case.truths(limited=False), back, case.X, "Wapiti and back")


def through_crfpp(case: Case, folder: Path) -> int:
    """Each attribute of a token has a column; CRF++ knows no values."""
    if any(value != 1.0 for sequence in case.tokens for token in sequence for _, value in token):
        return 0
    case.model.save(folder / "own")
    back = Model.load(convert(convert(folder / "own", folder / "crfpp", "crfpp"), folder / "own2", "tagfield"))
    columns = back.info["crfpp"]["columns"]
    if any(len(token) > columns for sequence in case.tokens for token in sequence):
        return 0
    rows = [
        [[*(f"a{i}" for i, _ in token), *[FILLED_UP] * (columns - len(token))] for token in sequence]
        for sequence in case.tokens
    ]
    words = [[row if columns > 1 else row[0] for row in sequence] for sequence in rows]
    return answers(case, case.truths(limited=False), back, back.encode_words(words), "CRF++ and back")


def answers(case: Case, truths: list[Truth], back: Model, data: Any, what: str) -> int:
    check(set(back.label_names) == set(case.names), f"{what}: labels", back.label_names, case.names)
    labels(case, truths, back.tag(data, rules=False), what)
    order = [back.label_names.index(name) for name in case.names]
    probabilities(case, truths, [node[:, order] for node in back.marginals(data, rules=False)], what)
    return len(truths)


def from_crfpp(rng: np.random.Generator, folder: Path) -> int:
    """A file that CRF++ could have written, with templates of its own."""
    sentences = [
        [(str(rng.choice(WORDS)), str(rng.choice(TAGS))) for _ in range(int(rng.integers(1, 5)))] for _ in range(4)
    ]
    names = ["O", "B-X", "I-X"][: int(rng.integers(2, 4))]
    chosen = [str(line) for lines in (TEMPLATES, PAIRS) for line in rng.permutation(lines)[: rng.integers(1, 4)]]
    ids = numbered(names, chosen, sentences[:3])  # the fourth has features that the model does not know
    size = sum(len(names) ** (1 if name[0] == "U" else 2) for name in ids)
    drawn_weights = (rng.normal(size=size) * float(rng.choice(SIZES))).round(8).tolist()
    made = CrfppModel(names, chosen, ids, drawn_weights, columns=2)
    (folder / "text").write_bytes(made.text())
    own = convert(folder / "text", folder / "converted", "tagfield")
    again = convert(own, folder / "again", "crfpp")
    check(again.read_bytes() == made.text(), "CRF++'s file is another after convert-model")
    model = Model.load(own)
    for sentence, node in zip(sentences, model.marginals(model.encode_words(sentences), rules=False), strict=True):
        truth = paths(made, sentence)
        wanted = truth.marginals(len(sentence))
        order = [model.label_names.index(name) for name in names]
        off = float(np.abs(node[:, order] - wanted).max())
        check(off <= 2e-6, "CRF++'s model: probabilities", off, chosen, sentence)
    return len(sentences)


def paths(model: CrfppModel, sentence: list[tuple[str, ...]]) -> Truth:
    """Every path of a sentence with its score, from CRF++'s definition."""
    node, pair = scores(model, sentence)  # [T, L], [T, L, L]
    found = {}
    for path in product(range(len(model.labels)), repeat=len(sentence)):
        terms = [float(node[t, y]) for t, y in enumerate(path)]
        terms += [float(pair[t, a, b]) for t, (a, b) in enumerate(pairwise(path), start=1)]
        found[path] = math.fsum(terms)
    return Truth(tuple(model.labels), found)
