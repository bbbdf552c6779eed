"""CQDB: strings and their ids 0 .. n − 1, as CRFsuite's models store labels and attributes.

    24 bytes: CQDB, size, flags 0, byte order, n, where the backward array is
    256 × (offset, slots): the hash tables                 table = hash mod 256, first slot = (hash >> 8) mod slots
    records: id, length with the NUL, the string, NUL
    tables: 2 slots for each string of (hash, offset of its record), (0, 0) if free; linear probing
    backward array: offset of the record of each id

All numbers are unsigned, 32 bits, little-endian; offsets count from the first byte of the CQDB. Reading takes the
backward array, so it needs no hash. Writing is byte for byte what CRFsuite writes.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Longs
from tagfield.model.formats.packed import WORD, Bytes, Packed

Words: TypeAlias = NDArray[np.uint32]

MAGIC, BYTE_ORDER = b"CQDB", 0x62445371
TABLES = 256
HEADER = 6 * WORD
RECORDS = HEADER + TABLES * 2 * WORD  # where the first record starts
RECORD_HEADER = 2 * WORD
PIECE = 1 << 22  # bytes that are copied at a time


def read_strings(data: Packed, start: int, what: str) -> tuple[Bytes, Longs]:
    """The strings of the CQDB that begins at `start`: their bytes, and where each of them starts [n+1]."""
    header = data.bytes(start, RECORDS, f"the list of {what}")
    if header[:4].tobytes() != MAGIC:
        raise data.damaged(f"there is no list of {what} at byte {start}")
    size, _, order, count, backward = data.words(start + WORD, 5, what).tolist()
    if order != BYTE_ORDER:
        raise data.damaged(f"the list of {what} has the wrong byte order")
    data.check(start, size, f"the list of {what}")
    if not count:
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    inside = Packed(data.name, data.data[start : start + size])
    if backward < RECORDS:
        raise data.damaged(f"the list of {what} has no strings by id")
    at = inside.words(backward, count, f"the list of {what} by id")  # [n]
    ids, sizes = (inside.gather(at + shift, f"one of the {what}") for shift in (0, WORD))
    if at.min() < RECORDS or not np.array_equal(ids, np.arange(count)):
        raise data.damaged(f"the ids of the {what} are not 0 to {count - 1}")
    if sizes.min() < 1 or sizes.sum() > size or int((at + RECORD_HEADER + sizes).max()) > size:
        raise data.damaged(f"one of the {what} is longer than the list")
    ends = at + RECORD_HEADER + sizes
    if inside.data[ends - 1].any():
        raise data.damaged(f"one of the {what} does not end with a NUL")
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(sizes - 1, out=offsets[1:])
    return _strings(inside.data, at + RECORD_HEADER, sizes - 1, offsets), offsets


def _strings(data: Bytes, starts: Longs, sizes: Longs, offsets: Longs) -> Bytes:
    """The bytes of all strings, one after the other; copied in pieces, since the index of a byte takes eight."""
    gap = RECORD_HEADER + 1
    if (starts[1:] == starts[:-1] + sizes[:-1] + gap).all():  # in the order of their ids, as CRFsuite writes them
        first, last = int(starts[0]), int(starts[-1] + sizes[-1])
        keep = np.ones(last - first, bool)
        between = (starts[1:] - gap - first)[:, None] + np.arange(gap)
        keep[between.reshape(-1)] = False
        return data[first:last][keep]
    found = np.empty(int(offsets[-1]), np.uint8)
    pieces = np.minimum(np.searchsorted(offsets, np.arange(0, offsets[-1] + 2 * PIECE, PIECE)), len(sizes))
    for one, other in zip(pieces[:-1].tolist(), pieces[1:].tolist(), strict=True):
        own = sizes[one:other]
        if len(own):
            inner = np.arange(int(own.sum())) - np.repeat(np.cumsum(own) - own, own)
            found[offsets[one] : offsets[other]] = data[np.repeat(starts[one:other], own) + inner]
    return found


def write_strings(text: Bytes, offsets: Longs) -> bytes:
    """The CQDB of some strings, given by their bytes and where each starts [n+1].

    >>> made = write_strings(np.frombuffer(b"AB", np.uint8), np.array([0, 1, 2]))
    >>> found, at = read_strings(Packed("", np.frombuffer(made, np.uint8)), 0, "labels")
    >>> len(made), found.tobytes(), at.tolist()
    (2132, b'AB', [0, 1, 2])
    """
    count = len(offsets) - 1
    sizes = np.diff(offsets) + 1  # with the NUL
    starts = RECORDS + np.concatenate([[0], np.cumsum(sizes + RECORD_HEADER)]).astype(np.int64)  # [n+1]
    hashes = hash_strings(text, offsets)
    table = hashes % TABLES
    slots = 2 * np.bincount(table, minlength=TABLES)
    first_slot = np.concatenate([[0], np.cumsum(slots)])
    slot = _probe(hashes, table, slots, first_slot)
    pairs = np.zeros((int(first_slot[-1]), 2), "<u4")
    pairs[slot, 0], pairs[slot, 1] = hashes, starts[:-1]
    tables = np.zeros((TABLES, 2), "<u4")
    tables[:, 0] = np.where(slots > 0, starts[-1] + first_slot[:-1] * 2 * WORD, 0)
    tables[:, 1] = slots
    backward = int(starts[-1]) + pairs.nbytes
    size = backward + WORD * count
    header = np.array([size, 0, BYTE_ORDER, count, backward if count else 0], "<u4")
    records = _records(text, offsets, sizes)
    return b"".join([MAGIC, *(part.tobytes() for part in (header, tables, records, pairs, starts[:-1].astype("<u4")))])


def _records(text: Bytes, offsets: Longs, sizes: Longs) -> Bytes:
    """Id, length, string and NUL of each string."""
    count = len(sizes)
    starts = np.concatenate([[0], np.cumsum(sizes + RECORD_HEADER)])
    made = np.zeros(int(starts[-1]), np.uint8)
    numbers = np.stack([np.arange(count), sizes], axis=1).astype("<u4").view(np.uint8).reshape(count, RECORD_HEADER)
    heads = (starts[:-1, None] + np.arange(RECORD_HEADER)).reshape(-1)
    keep = np.ones(len(made), bool)
    keep[heads] = False
    keep[starts[1:] - 1] = False
    made[keep] = text
    made[heads] = numbers.reshape(-1)
    return made


def _probe(hashes: Longs, table: Longs, slots: Longs, first_slot: Longs) -> Longs:
    """The slot of each string [n], among the slots of all tables.

    CRFsuite inserts strings in the order of their ids, each into the first free slot from its own on. Here all of them
    ask for their slot at once, the lowest id keeps it, and the others ask for the next one; an id also gives its slot
    up to a lower one. That ends in the same slots.
    """
    count = len(hashes)
    base, size = first_slot[table], slots[table]
    step = (hashes >> 8) % np.maximum(size, 1)
    held = np.full(int(first_slot[-1]), count, np.int64)  # who holds each slot; `count`: no one
    asking = np.arange(count)
    while len(asking):
        wanted = base[asking] + step[asking]
        before = held[wanted]
        np.minimum.at(held, wanted, asking)
        lost = held[wanted] != asking
        evicted = np.unique(before[(before < count) & (before != held[wanted])])
        asking = np.concatenate([asking[lost], evicted])
        step[asking] = (step[asking] + 1) % size[asking]
    found = np.empty(count, np.int64)
    taken = np.flatnonzero(held < count)
    found[held[taken]] = taken
    return found


def hash_strings(text: Bytes, offsets: Longs) -> Longs:
    """Bob Jenkins' lookup3 of each string with its NUL [n]: the variant for bytes, 32 bits, initial value 0.

    >>> [f"{h:08x}" for h in hash_strings(np.frombuffer(b"biasw=hello", np.uint8), np.array([0, 4, 11])).tolist()]
    ['76a409d1', 'a9fb605e']
    """
    sizes = np.diff(offsets) + 1
    state = np.repeat((0xDEADBEEF + sizes).astype(np.uint32)[None], 3, axis=0)  # a, b, c [3, n]
    order = np.argsort(sizes, kind="stable")
    ends = np.sort(sizes)
    block = 0
    while True:
        active = order[np.searchsorted(ends, 12 * block, side="right") :]  # longer than what was hashed
        if not len(active):
            hashes: Longs = state[2].astype(np.int64)
            return hashes
        at = offsets[active, None] + 12 * block + np.arange(12)
        inside = at < offsets[active + 1, None]
        padded = np.where(inside, text[np.where(inside, at, 0)] if len(text) else 0, 0).astype(np.uint8)
        words = np.ascontiguousarray(padded).view("<u4").astype(np.uint32)  # [active, 3]
        a, b, c = (state[i, active] + words[:, i] for i in range(3))
        more = sizes[active] > 12 * (block + 1)
        mixed, final = _mix(a, b, c), _final(a, b, c)
        for i in range(3):
            state[i, active] = np.where(more, mixed[i], final[i])
        block += 1


def _rotated(x: Words, k: int) -> Words:
    return (x << np.uint32(k)) | (x >> np.uint32(32 - k))


def _mix(*words: Words) -> list[Words]:
    """Six steps (x, y, z, k): x −= y; x ^= y rotated by k; y += z."""
    r = list(words)
    for x, y, z, k in ((0, 2, 1, 4), (1, 0, 2, 6), (2, 1, 0, 8), (0, 2, 1, 16), (1, 0, 2, 19), (2, 1, 0, 4)):
        r[x] = (r[x] - r[y]) ^ _rotated(r[y], k)
        r[y] = r[y] + r[z]
    return r


def _final(*words: Words) -> list[Words]:
    """Seven steps (x, y, k): x ^= y; x −= y rotated by k."""
    r = list(words)
    for x, y, k in ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)):
        r[x] = (r[x] ^ r[y]) - _rotated(r[y], k)
    return r
