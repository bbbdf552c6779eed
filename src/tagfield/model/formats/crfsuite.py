"""Reads CRFsuite's model files (`lCRF`), which python-crfsuite and sklearn-crfsuite write.

    header: 48 bytes ─▶ FEAT: records (type, src, dst, weight)      type 0: attribute ─▶ label; 1: label ─▶ label
                     ─▶ CQDB of labels, CQDB of attributes          names by id (cqdb.py)
                     ─▶ LFRF, AFRF                                  the records of each label and of each attribute

CRFsuite follows the references and checks none of them; a damaged file ends its process. This reader compares every
offset, count and id with the file, takes each record once, and refuses a record that its attribute or label does not
own. What it accepts is scored as CRFsuite scores it: the weights of a pair that has two records add up, the last record
of a transition wins.
"""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles, Longs
from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.cqdb import read_strings
from tagfield.model.formats.names import vocabulary_of
from tagfield.model.formats.packed import WORD, Packed
from tagfield.native._text import Vocabulary, lost_name
from tagfield.system.memory import room_left
from tagfield.weights.layout import FeatureSet

MAGIC, TYPE, VERSION = b"lCRF", b"FOMC", 100
STARTS = re.compile(MAGIC)
HEADER, CHUNK_HEADER = 48, 12
RECORD = np.dtype([("type", "<u4"), ("src", "<u4"), ("dst", "<u4"), ("weight", "<f8")])  # 20 bytes
STATE, TRANSITION = 0, 1
OLD = "it has weights for the first or last label, as CRFsuite before 0.12 wrote them; train the model again"


def read_parts(data: memoryview, name: str) -> Parts:
    """The model in the bytes of a file; a damaged file raises ModelFileError."""
    file = Packed(name, np.frombuffer(data, np.uint8))
    if len(file) <= HEADER:
        raise file.damaged(f"it has only {len(file)} bytes")
    size, _, version, _, labels, attributes, *offsets = file.words(4, 11, "the header").tolist()
    if bytes(data[:4]) != MAGIC or bytes(data[8:12]) != TYPE or version != VERSION:
        raise file.damaged("it is no CRFsuite model of version 100")
    if size != len(file):
        raise file.damaged(f"its header says {size} bytes, but it has {len(file)}")
    label_names = _names(file, offsets[1], labels, "labels")
    attribute_names = _names(file, offsets[2], attributes, "attributes")
    _check_hashes(file, offsets[2], attributes)
    records = _records(file, offsets[0])
    if (records["type"] > TRANSITION).any():
        raise ModelFileError(f"{name!r}: {OLD}")
    before, edge = _references(file, offsets[3], b"LFRF", labels, 2, len(records))
    attribute, state = _references(file, offsets[4], b"AFRF", attributes, 0, len(records))
    if len(edge) + len(state) != len(records) or np.bincount(np.concatenate([edge, state])).max(initial=1) > 1:
        raise file.damaged("its weights do not belong to one attribute or label each")
    for owner, chosen, kind in ((before, edge, TRANSITION), (attribute, state, STATE)):
        own = records[chosen]
        if (own["type"] != kind).any() or (own["src"] != owner).any():
            raise file.damaged("a weight belongs to another attribute or label than it says")
        if (own["dst"] >= labels).any():
            raise file.damaged(f"a weight belongs to a label beyond the {labels} labels")
    weight = records["weight"].astype(np.float64)
    if not np.isfinite(weight).all():
        raise file.damaged("a weight is not a finite number")
    if labels * labels * 16.0 > room_left():
        raise ModelFileError(f"{name!r} has {labels:,} labels; their transitions do not fit into memory")
    label = records["dst"].astype(np.int64)
    try:
        features, weights = FeatureSet.from_triples(
            attributes,
            labels,
            _added_up(attribute, label[state], weight[state], labels),
            _last(before, label[edge], weight[edge], labels),
            sparse=True,
            dtype=np.float64,
        )
    except InputError as error:
        raise ModelFileError(f"{name!r}: {error}") from None
    info = {"format": "crfsuite", "trained_by": "CRFsuite"}
    return Parts(label_names, attribute_names, features, weights, None, info)


def _names(file: Packed, start: int, count: int, what: str) -> Vocabulary:
    text, offsets = read_strings(file, start, what)
    if len(offsets) - 1 != count:
        raise file.damaged(f"it lists {len(offsets) - 1} {what}, but its header says {count}")
    try:
        return vocabulary_of(text, offsets)
    except InputError as error:
        raise file.damaged(f"{what}: {error}") from None


def _check_hashes(file: Packed, start: int, count: int) -> None:
    """Refuse a list in which a search misses a name: CRFsuite and tagfield.pycrfsuite look attributes up by hash."""
    try:
        lost = lost_name(file.data, start, count)
    except InputError as error:
        raise ModelFileError(f"{file.name!r}: {error}") from None
    if lost >= 0:
        raise file.damaged(f"attribute {lost} is not found by its hash")


def _records(file: Packed, start: int) -> NDArray[Any]:
    """The records of FEAT [F]."""
    if file.bytes(start, CHUNK_HEADER, "the list of weights")[:4].tobytes() != b"FEAT":
        raise file.damaged(f"there is no list of weights at byte {start}")
    count = file.word(start + 2 * WORD, "the number of weights")
    part = file.bytes(start + CHUNK_HEADER, count * RECORD.itemsize, "the list of weights")
    return np.frombuffer(part, RECORD)


def _references(file: Packed, start: int, magic: bytes, count: int, spare: int, most: int) -> tuple[Longs, Longs]:
    """Owner and number of every record that LFRF or AFRF lists; the last `spare` lists must be empty."""
    what = f"the chunk {magic.decode()}"
    if file.bytes(start, CHUNK_HEADER, what)[:4].tobytes() != magic:
        raise file.damaged(f"there is no {what[4:]} at byte {start}")
    if file.word(start + 2 * WORD, what) != count + spare:
        raise file.damaged(f"{what} does not have {count + spare} lists")
    lists = file.words(start + CHUNK_HEADER, count + spare, what)
    if any(at and file.word(at, what) for at in lists[count:].tolist()):
        raise ModelFileError(f"{file.name!r}: {OLD}")
    at = lists[:count]
    sizes = file.gather(at, what)
    total = int(sizes.sum())
    if total > most:
        raise file.damaged(f"{what} lists more weights than there are")
    rank = np.arange(total) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    numbers = file.gather(np.repeat(at + WORD, sizes) + WORD * rank, what)
    if (numbers >= most).any():
        raise file.damaged(f"{what} lists a weight beyond the {most} weights")
    return np.repeat(np.arange(count), sizes), numbers


def _added_up(row: Longs, label: Longs, weight: Doubles, labels: int) -> tuple[Longs, Longs, Doubles]:
    """The triples with one weight for each pair: the sum, as CRFsuite scores a pair that occurs twice."""
    keys = row * labels + label
    if (keys[1:] > keys[:-1]).all():
        return row, label, weight
    pairs, of = np.unique(keys, return_inverse=True)
    sums: Doubles = np.bincount(of, weights=weight, minlength=len(pairs)).astype(np.float64)
    return *np.divmod(pairs, labels), sums


def _last(row: Longs, label: Longs, weight: Doubles, labels: int) -> tuple[Longs, Longs, Doubles]:
    """The triples with one weight for each pair: the last one, as CRFsuite stores transitions."""
    keys = (row * labels + label)[::-1]
    pairs, first = np.unique(keys, return_index=True)
    return *np.divmod(pairs, max(labels, 1)), weight[::-1][first]
