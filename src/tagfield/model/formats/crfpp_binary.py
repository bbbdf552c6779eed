"""Reads CRF++'s binary models.

    header: version, type, cost factor, maxid, xsize, D, Y ─▶ Y bytes of labels ─▶ P, P bytes of templates
         ─▶ double array, D bytes ─▶ maxid weights, float32

The double array is a trie over the features. From state s, byte c leads to cell q = s + c + 1 if check[q] = s, and then
to state base[q]; a string ends in s if check[s] = s and base[s] < 0, with the number −base[s] − 1. CRF++ looks strings
up; here all are listed, level by level from the root. A tree visits each cell once, so a second visit means a damaged
file, and the work is bounded by the size of the file.
"""

import re
import struct

import numpy as np

from tagfield.data.dataset import Longs
from tagfield.errors import ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.crfpp_model import VERSION, Found, parts_of
from tagfield.model.formats.packed import Packed

FORMAT = "crfpp-binary"
# versions 100 to 199, and version 100 of a big-endian machine, which is refused
STARTS = re.compile(rb"[\x64-\xc7]\0{7}.{29}|\0\0\0d\0{4}", re.DOTALL)
NOT_WRITTEN = (
    "tagfield reads the binary files of CRF++, but does not write them; write format 'crfpp', and then "
    "`crf_learn -C TEXT BINARY`"
)
HEADER = struct.Struct("<IidIIII")
CELL = np.dtype([("base", "<i4"), ("check", "<u4")])
LONGEST = 1 << 15  # bytes of a feature
EXPANSION = 32  # bytes of names for each byte of the file, at most; names in a trie share their beginnings


def read_parts(data: memoryview, name: str) -> Parts:
    """The model in the bytes of a file; a damaged file raises ModelFileError."""
    file = Packed(name, np.frombuffer(data, np.uint8))
    if len(file) < HEADER.size + 4:
        raise file.damaged(f"it has only {len(file)} bytes")
    version, kind, cost, count, columns, trie, labels = HEADER.unpack_from(data)
    if version.to_bytes(4, "little")[::-1] == VERSION.to_bytes(4, "little"):
        raise ModelFileError(
            f"{name!r} was written on a big-endian machine; write the model as text there (crf_learn -t), and load that"
        )
    if version // 100 != VERSION // 100:
        raise ModelFileError(f"{name!r} has version {version} of CRF++'s format; tagfield reads versions 100 to 199")
    label_names = _strings(file, HEADER.size, labels, "its labels")
    at = HEADER.size + labels
    size = file.word(at, "the size of its templates")
    padded = _strings(file, at + 4, size, "its templates")
    templates = [line for line in padded if line]  # zeros fill the block up to a multiple of four bytes
    at += 4 + size
    if trie % CELL.itemsize or at + trie + 4 * count != len(file):
        raise file.damaged("its parts do not add up to its size")
    cells = np.frombuffer(file.bytes(at, trie, "its features").tobytes(), CELL)
    ids, names = features_of(cells["base"].astype(np.int64), cells["check"].astype(np.int64), file)
    weight = np.frombuffer(file.bytes(at + trie, 4 * count, "its weights").tobytes(), "<f4")
    with np.errstate(invalid="ignore"):
        doubles = weight.astype(np.float64)
    about = {"version": version, "type": kind, "cost_factor": f"{cost:g}"}
    found = Found(name, len(file), label_names, templates, columns, ids, names, doubles, about)
    return parts_of(found, FORMAT, np.float64)  # in double, as all models of other programs are decoded


def _strings(file: Packed, start: int, size: int, what: str) -> list[bytes]:
    raw = file.bytes(start, size, what).tobytes()
    if raw[-1:] != b"\0":
        raise file.damaged(f"{what} do not end")
    return raw[:-1].split(b"\0")


def features_of(base: Longs, check: Longs, file: Packed) -> tuple[Longs, list[bytes]]:
    """Number and name of each string in a double array [n cells]."""
    if not len(base) or base[0] <= 0:
        raise file.damaged("its list of features has no beginning")
    cells = np.flatnonzero(check)
    byte = cells - check[cells] - 1
    cells = cells[(byte >= 0) & (byte < 256)]
    cells = cells[np.argsort(check[cells], kind="stable")]
    owners = check[cells]  # ascending: the cells that a state leads to are a range
    parent = np.full(len(base), -1, np.int64)  # of a visited cell: the cell before it, or 0 for the root
    ends: list[tuple[int, Longs, Longs]] = []  # length, last cell, number
    before, states = np.zeros(1, np.int64), base[:1]
    length = 0
    visited = 0
    while len(states):
        if length > LONGEST:
            raise file.damaged(f"a feature is longer than {LONGEST:,} bytes")
        if (states <= 0).any() or (states >= len(base)).any():
            raise file.damaged("its list of features leads beyond its end")
        is_end = (check[states] == states) & (base[states] < 0)
        if is_end.any():
            ends.append((length, before[is_end], -base[states[is_end]] - 1))
        first, last = np.searchsorted(owners, states), np.searchsorted(owners, states, side="right")
        sizes = last - first
        visited += int(sizes.sum())
        if visited > len(base):
            raise file.damaged("its list of features leads in circles")
        rank = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        reached = cells[np.repeat(first, sizes) + rank]
        reached_from = np.repeat(before, sizes)
        if (parent[reached] >= 0).any() or len(np.unique(reached)) < len(reached):
            raise file.damaged("its list of features leads in circles")
        parent[reached] = reached_from
        before, states = reached, base[reached]
        length += 1
    return _spelled(ends, parent, check, file)


def _spelled(
    ends: list[tuple[int, Longs, Longs]], parent: Longs, check: Longs, file: Packed
) -> tuple[Longs, list[bytes]]:
    """The names, spelled backwards from their last cells."""
    total = sum(length * len(last) for length, last, _ in ends)
    if total > EXPANSION * len(file) + (1 << 20):
        raise file.damaged(f"its features would take {total / 2**30:.1f} GiB")
    names: list[bytes] = []
    for length, last, _ in ends:
        letters = np.empty((len(last), length), np.uint8)
        at = last
        for k in range(length - 1, -1, -1):
            letters[:, k] = at - check[at] - 1
            at = parent[at]
        raw = letters.tobytes()
        names += [raw[k : k + length] for k in range(0, len(raw), length)] if length else [b""] * len(last)
    ids = [number for *_, number in ends]
    return np.concatenate(ids) if ids else np.empty(0, np.int64), names
