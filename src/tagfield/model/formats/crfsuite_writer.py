"""Writes CRFsuite's model files, byte for byte as CRFsuite writes them for these weights.

    weights ─▶ zeros dropped ─▶ attributes without a weight dropped, the others renumbered in their order
            ─▶ header · FEAT · CQDB of labels · CQDB of attributes · LFRF · AFRF

Records are sorted by type, attribute or label, and label. CRFsuite never fills in the number of weights of its header,
so it is 0 here as well.
"""

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.cqdb import write_strings
from tagfield.model.formats.crfsuite import CHUNK_HEADER, HEADER, MAGIC, RECORD, TRANSITION, TYPE, VERSION
from tagfield.model.formats.names import arrays_of
from tagfield.model.formats.packed import WORD, Bytes

LARGEST = 2**32 - 1  # offsets have 32 bits
STRING = 9 + 16 + 4 + 8  # bytes beside each string: its record, two slots, its offset, its list of references
EMPTY = 2072 + 12 + 8  # and beside each list of strings


def notes(parts: Parts, target: str) -> tuple[list[str], bool]:
    """Nothing to note; a template is not kept."""
    return [], False


def to_bytes(parts: Parts) -> bytes:
    """The file of a model; InputError if the format cannot hold it.

    >>> from tagfield.native._text import Vocabulary
    >>> from tagfield.weights.layout import FeatureSet
    >>> made = FeatureSet.from_triples(1, 2, ([0], [0], [1.5]), ([0], [1], [-0.5]))
    >>> len(to_bytes(Parts(Vocabulary(["A", "B"]), Vocabulary(["a"]), *made, None, {})))
    4400
    """
    if parts.edges is not None and len(parts.edges):
        raise InputError(
            "the model has transitions that look at the input, which CRFsuite's format cannot hold; save it in "
            "tagfield's format"
        )
    at = parts.features.coordinates()
    state, trans = at.values(parts.weights)[:2]
    alive, linked = state != 0, trans != 0
    kept, owner = np.unique(at.attribute[alive], return_inverse=True)
    before, first_edge = at.before[linked], len(owner)
    records = np.zeros(first_edge + len(before), RECORD)
    records["type"][first_edge:] = TRANSITION
    records["src"] = np.concatenate([owner, before])
    records["dst"] = np.concatenate([at.label[alive], at.after[linked]])
    records["weight"] = np.concatenate([state[alive], trans[linked]])
    label_text = _without_nul(*arrays_of(parts.labels), "label")
    attribute_text = _without_nul(*arrays_of(parts.attributes.subset(kept.astype(np.int64))), "attribute")
    _check_size(len(records), label_text, attribute_text)

    feat = b"FEAT" + _words(CHUNK_HEADER + records.nbytes, len(records)) + records.tobytes()
    label_strings, attribute_strings = write_strings(*label_text), write_strings(*attribute_text)
    at_labels = HEADER + len(feat)
    at_attributes = at_labels + len(label_strings)
    end = at_attributes + len(attribute_strings)
    pad = -end % WORD
    at_edges = end + pad
    edges = _references(b"LFRF", before, len(parts.labels), first_edge, at_edges, spare=2)
    at_states = at_edges + len(edges)
    states = _references(b"AFRF", owner, len(kept), 0, at_states)
    size = at_states + len(states)
    counts = (VERSION, 0, len(parts.labels), len(kept))
    header = MAGIC + _words(size) + TYPE + _words(*counts, HEADER, at_labels, at_attributes, at_edges, at_states)
    return b"".join([header, feat, label_strings, attribute_strings, bytes(pad), edges, states])


def _references(magic: bytes, owner: Longs, count: int, first: int, start: int, spare: int = 0) -> bytes:
    """LFRF or AFRF: the numbers of each owner's records, which follow each other from `first` on.

    The offsets of the last `spare` lists, once those of the first and the last label, are 0.
    """
    sizes = np.bincount(owner, minlength=count).astype(np.int64)
    ends = np.cumsum(sizes + 1)
    body = np.empty(int(len(owner) + count), "<u4")
    lists = ends - sizes - 1
    numbers = np.ones(len(body), bool)
    numbers[lists] = False
    body[lists], body[numbers] = sizes, np.arange(first, first + len(owner))
    at_body = start + CHUNK_HEADER + WORD * (count + spare)
    offsets = np.concatenate([at_body + WORD * lists, np.zeros(spare, np.int64)]).astype("<u4")
    size = CHUNK_HEADER + offsets.nbytes + body.nbytes
    return magic + _words(size, count + spare) + offsets.tobytes() + body.tobytes()


def _without_nul(text: Bytes, offsets: Longs, what: str) -> tuple[Bytes, Longs]:
    found = np.flatnonzero(text == 0)
    if len(found):
        name = int(np.searchsorted(offsets, found[0], side="right")) - 1
        shown = text[offsets[name] : offsets[name + 1]].tobytes().decode("utf-8", "replace")
        raise InputError(f"the {what} {shown[:60]!r} holds a NUL, which CRFsuite's format cannot store; rename it")
    return text, offsets


def _check_size(records: int, *names: tuple[Bytes, Longs]) -> None:
    strings = sum(len(text) + (len(offsets) - 1) * STRING + EMPTY for text, offsets in names)
    size = HEADER + records * (RECORD.itemsize + WORD) + strings
    if size > LARGEST:
        raise InputError(
            f"the model takes {size / 2**30:.1f} GiB, but files of CRFsuite hold less than 4 GiB; prune it "
            "(Model.pruned), or save it in tagfield's format"
        )


def _words(*numbers: int) -> bytes:
    return np.array(numbers, "<u4").tobytes()
