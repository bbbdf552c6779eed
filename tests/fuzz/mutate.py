"""Mutations of bytes: single bytes, pieces, pieces of other inputs, and what parsers stumble over."""

import random

AWKWARD = (
    *(
        b"\0",
        b"\n",
        b"\r\n",
        b"\t",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\xc2\xa0",
        b"\xe2\x80\xa8",
        b"\\ud800",
    ),
    *(
        b"\xf0\x9f\x98\x80",
        b"\\",
        b'"',
        b"'",
        b"[",
        b"]",
        b"{",
        b"}",
        b":",
        b",",
        b"%x[0,0]",
        b"#",
        b"-",
        b"1e999",
        b"NaN",
    ),
    *(
        b"-1",
        b"18446744073709551616",
        b"9223372036854775807",
        b"0x",
        b"null",
        b"true",
        b"[[[[[[[[",
        b'{"a":',
        b"\x1f\x8b",
    ),
)
NUMBERS = tuple(
    n.to_bytes(size, "little", signed=True) for size in (4, 8) for n in (-1, 0, 1, 255, 2**31 - 1, -(2**31))
)
LARGEST = 1 << 16


def mutate(data: bytes, pool: list[bytes], rng: random.Random) -> bytes:
    """A variant of the input, by one to eight changes.

    >>> rng = random.Random(0)
    >>> mutate(b"The DT", [b"dog NN"], rng) != mutate(b"The DT", [b"dog NN"], rng)
    True
    """
    made = bytearray(data)
    for _ in range(1 << rng.randrange(4)):
        at = rng.randrange(len(made) + 1)
        length = min(rng.choice((1, 1, 2, 4, 8, 16, 64)), len(made) - at)
        match rng.randrange(8):
            case 0:
                made[at : at + 1] = bytes([rng.randrange(256)])
            case 1:
                del made[at : at + length]
            case 2:
                made[at:at] = rng.choice(AWKWARD)
            case 3:
                made[at : at + length] = rng.choice(AWKWARD)
            case 4:
                made[at:at] = made[at : at + length] * rng.choice((1, 1, 2, 100))
            case 5:
                number = rng.choice(NUMBERS)
                made[at : at + len(number)] = number
            case 6:
                other = rng.choice(pool)
                start = rng.randrange(len(other) + 1)
                made[at:at] = other[start : start + rng.choice((1, 4, 16, 64))]
            case _ if at < len(made):
                made[at] ^= 1 << rng.randrange(8)
    return bytes(made[:LARGEST])
