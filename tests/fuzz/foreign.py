"""The doors of other programs' models: CRFsuite, CRF++, Wapiti, and pickles, which are searched and never run.

    bytes, with the sizes in their header made right ─▶ Model.load_bytes or models_in ─▶ tag, explain, write again

A mutation that changes the length of a file would end at the first check of its size, so sizes are repaired in
three in four inputs: those whose checksum says so.
"""

import contextlib
import gzip
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tagfield import Model
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats import FORMATS, read_bytes
from tagfield.model.formats.crfpp_writer import to_bytes as to_crfpp
from tagfield.model.formats.crfsuite_writer import to_bytes as to_crfsuite
from tagfield.model.formats.pickles import models_in
from tagfield.model.formats.wapiti_writer import to_bytes as to_wapiti
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet
from tests.support.model_files import MODELS

MAGIC, SIZE = b"lCRF", slice(4, 8)  # where a file of CRFsuite says how long it is
WRITERS = {"crfsuite": to_crfsuite, "crfpp": to_crfpp, "crfpp-binary": to_crfpp, "wapiti": to_wapiti}


def crfsuite(data: bytes) -> None:
    """Models of CRFsuite."""
    if data.startswith(MAGIC) and len(data) >= 8 and zlib.crc32(data) % 4:
        data = data[:4] + len(data).to_bytes(4, "little") + data[8:]
    _use(data, "crfsuite")


def crfpp_text(data: bytes) -> None:
    """Models of CRF++, as text."""
    _use(data, "crfpp")


def crfpp_binary(data: bytes) -> None:
    """Models of CRF++, as its programs read them."""
    _use(data, "crfpp-binary")


def wapiti(data: bytes) -> None:
    """Models of Wapiti."""
    _use(data, "wapiti")


def pickles(data: bytes) -> None:
    """Pickles, also compressed ones; the first byte says whether these bytes are packed now."""
    how, data = data[:1], data[1:]
    for found in models_in({b"g": gzip.compress, b"z": zlib.compress}.get(how, bytes)(data), "fuzzed.pkl"):
        found.describe()
        _answer(Model(**vars(found.parts)))


def _use(data: bytes, format: str) -> None:
    model = Model.load_bytes(data)
    _answer(model)
    if FORMATS[format].known_by(data[:4096]):
        with contextlib.suppress(InputError):  # names with blanks can be read, and not be written
            again = read_bytes(WRITERS[format](model))
            assert again.labels.strings() == model.labels.strings()


def _answer(model: Model) -> None:
    """Everything that a model can be asked in one breath."""
    repr(model)
    with contextlib.suppress(InputError):  # it may read other columns, or none
        if model.template is None:
            sequence = model.encode([[["w=a", "bias"], {"é": 2.0}], []])
        else:
            sequence = model.encode_words([[("Anna", "NNP"), ("runs", "VB"), (",", "PU")]])
        best = model.tag(sequence)
        assert [len(path) for path in best] == [len(nodes) for nodes in model.marginals(sequence)]
        model.n_best(sequence, 3)
    model.top_features(3)


def _crfsuite_models() -> list[bytes]:
    plain = FeatureSet.from_triples(
        2, 2, ([0, 1, 1], [0, 0, 1], [1.5, -2.0, 0.5]), ([0], [1], [-0.5]), dtype=np.float64
    )
    names = [f"w={letter}" for letter in "abcdefgh"]
    ids = np.arange(8)
    wide = FeatureSet.from_triples(
        8, 3, (ids, ids % 3, ids + 0.25), (ids[:3], ids[:3], ids[:3] - 1.0), dtype=np.float64
    )
    parts = (
        Parts(Vocabulary(["A", "B"]), Vocabulary(["w=a", "bias"]), *plain, None, {}),
        Parts(Vocabulary(["A", "", "é"]), Vocabulary(names), *wide, None, {}),
    )
    return [to_crfsuite(each) for each in parts]


def _pickles() -> list[bytes]:
    one, two = _crfsuite_models()
    dumped = [pickle.dumps({"modelfile": one, "other": [1.5, "é"]}, protocol) for protocol in (0, 2, 4)]
    made = [b"-" + each for each in dumped] + [b"g" + dumped[2], b"z" + pickle.dumps([one, two, one], 5)]
    return [*made, b"-" + gzip.compress(dumped[2])]


def _files(*names: str) -> Callable[[], list[bytes]]:
    return lambda: [Path(MODELS, name).read_bytes() for name in names]


DOORS: dict[str, Callable[[bytes], None]] = {
    "crfsuite": crfsuite,
    "crfpp_text": crfpp_text,
    "crfpp_binary": crfpp_binary,
    "wapiti": wapiti,
    "pickles": pickles,
}
MADE: dict[str, Callable[[], list[bytes]]] = {
    "crfsuite": _crfsuite_models,
    "crfpp_text": _files("edges.crfpp.txt", "plain.crfpp.txt"),
    "crfpp_binary": _files("edges.crfpp", "plain.crfpp"),
    "wapiti": _files("compact.wapiti", "macros.wapiti", "raw.wapiti", "twice.wapiti"),
    "pickles": _pickles,
}
