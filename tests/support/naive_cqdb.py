"""CRFsuite's list of strings, written string by string: what model/formats/cqdb.py does with arrays."""

import struct

MASK = 0xFFFFFFFF


def rotated(x: int, k: int) -> int:
    return ((x << k) | (x >> (32 - k))) & MASK


def lookup3(key: bytes) -> int:
    """Bob Jenkins' hash of some bytes, at least one."""
    r = [(0xDEADBEEF + len(key)) & MASK] * 3
    while True:
        block, key = key[:12].ljust(12, b"\0"), key[12:]
        r = [(x + word) & MASK for x, word in zip(r, struct.unpack("<3I", block), strict=True)]
        if not key:
            break
        for x, y, z, k in ((0, 2, 1, 4), (1, 0, 2, 6), (2, 1, 0, 8), (0, 2, 1, 16), (1, 0, 2, 19), (2, 1, 0, 4)):
            r[x] = ((r[x] - r[y]) & MASK) ^ rotated(r[y], k)
            r[y] = (r[y] + r[z]) & MASK
    for x, y, k in ((2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)):
        r[x] = ((r[x] ^ r[y]) - rotated(r[y], k)) & MASK
    return r[2]


def cqdb(strings: list[bytes]) -> bytes:
    """The whole list: records, hash tables with linear probing, offsets by id."""
    keys = [string + b"\0" for string in strings]
    records, offsets = b"", []
    for i, key in enumerate(keys):
        offsets.append(2072 + len(records))
        records += struct.pack("<2I", i, len(key)) + key
    tables: list[list[tuple[int, int]]] = [[] for _ in range(256)]
    for key, offset in zip(keys, offsets, strict=True):
        tables[lookup3(key) % 256].append((lookup3(key), offset))
    heads, body, at = b"", b"", 2072 + len(records)
    for entries in tables:
        slots = [(0, 0)] * (2 * len(entries))
        for hashed, offset in entries:
            place = (hashed >> 8) % len(slots)
            while slots[place][1]:
                place = (place + 1) % len(slots)
            slots[place] = (hashed, offset)
        heads += struct.pack("<2I", at + len(body) if slots else 0, len(slots))
        body += b"".join(struct.pack("<2I", *slot) for slot in slots)
    backward = at + len(body)
    by_id = b"".join(struct.pack("<I", offset) for offset in offsets)
    size = backward + len(by_id)
    head = struct.pack("<5I", size, 0, 0x62445371, len(keys), backward if keys else 0)
    return b"CQDB" + head + heads + records + body + by_id
