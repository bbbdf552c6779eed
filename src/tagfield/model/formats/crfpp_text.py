"""Reads CRF++'s text models, which `crf_learn -t` writes beside the binary ones.

    version: 100 …   header ─▶ labels ─▶ templates ─▶ features: "id string" ─▶ weights, one on a line

An empty line closes each part but the last. The text has 16 decimals, the binary file only float32, so the text is the
better source. The cost factor is read and kept, and changes nothing, as in CRF++ itself.
"""

import base64
import math
import re
import zlib

import numpy as np

from tagfield.data.dataset import Doubles
from tagfield.errors import ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.crfpp_model import VERSION, Found, parts_of

STARTS = re.compile(b"version: ")
FIELDS = (b"version", b"cost-factor", b"maxid", b"xsize")
LONGEST_NUMBER = 400  # characters of a weight


def read_parts(data: memoryview, name: str) -> Parts:
    """The model in the bytes of a file; a damaged file raises ModelFileError."""
    text = bytes(data)
    at, blocks = 0, []
    for what in ("header", "labels", "templates", "features"):
        block, at = _block(text, at, name, what)
        blocks.append(block)
    header, labels, templates, features = blocks
    version, cost, count, columns = _header(header, name)
    ids, names = _features(features, name)
    weight = _weights(text[at:], count, name)
    about = {"version": version, "cost_factor": cost, "negative_zeros": pack_signs(weight)}
    found = Found(name, len(text), labels, templates, columns, np.array(ids, np.int64), names, weight, about)
    return parts_of(found, "crfpp", np.float64)


def _damaged(name: str, what: str) -> ModelFileError:
    return ModelFileError(f"{name!r} is damaged: {what}; copy the file again, or train the model again")


def _block(text: bytes, at: int, name: str, what: str) -> tuple[list[bytes], int]:
    """The lines up to the next empty line, and where the text goes on."""
    if text[at : at + 1] == b"\n":
        return [], at + 1
    end = text.find(b"\n\n", at)
    if end < 0:
        if b"\r\n\r\n" in text[at:]:
            raise ModelFileError(
                f"{name!r} has Windows line ends (CRLF), which CRF++ refuses; convert them to LF first"
            )
        raise _damaged(name, f"its {what} do not end" if what.endswith("s") else f"its {what} does not end")
    return text[at:end].split(b"\n"), end + 2


def _header(lines: list[bytes], name: str) -> tuple[int, str, int, int]:
    fields = dict(line.partition(b": ")[::2] for line in lines)
    try:
        if tuple(fields) != FIELDS:
            raise ValueError
        version, count, columns = (int(fields[key]) for key in (b"version", b"maxid", b"xsize"))
        cost = fields[b"cost-factor"].decode("ascii")
        if not math.isfinite(float(cost)):
            raise ValueError
    except ValueError:
        raise _damaged(name, "its header is none of CRF++") from None
    if version // 100 != VERSION // 100:
        raise ModelFileError(f"{name!r} has version {version} of CRF++'s format; tagfield reads versions 100 to 199")
    if count < 1:
        raise _damaged(name, f"its header says {count} weights")
    return version, cost, count, columns


def _features(lines: list[bytes], name: str) -> tuple[list[int], list[bytes]]:
    ids, names = [], []
    for line in lines:
        number, _, string = line.partition(b" ")
        if not number.isdigit() or len(number) > 12 or not string:
            raise _damaged(name, f"the line {line[:60].decode('utf-8', 'replace')!r} is no feature")
        ids.append(int(number))
        names.append(string)
    return ids, names


def _weights(text: bytes, count: int, name: str) -> Doubles:
    lines = text.split(b"\n")
    if lines.pop() != b"" or len(lines) != count:
        raise _damaged(name, f"it has {len(lines):,} whole lines of weights, but its header says {count:,}")
    if max(map(len, lines)) > LONGEST_NUMBER:
        raise _damaged(name, "a weight is no number")
    try:
        # an array of bytes has the width of its longest line, so a block must not be large
        blocks = [np.array(lines[k : k + 65536]).astype(np.float64) for k in range(0, count, 65536)]
    except ValueError:
        raise _damaged(name, "a weight is no number") from None
    return np.concatenate(blocks)


def pack_signs(weight: Doubles) -> str:
    """Which of the weights that are 0 have a minus sign, in the order of the file; "" if none has.

    >>> unpack_signs(pack_signs(np.array([0.0, 1.0, -0.0])), 2).tolist()
    [False, True]
    """
    signs = np.signbit(weight[weight == 0])
    return base64.b64encode(zlib.compress(np.packbits(signs).tobytes())).decode() if signs.any() else ""


def unpack_signs(packed: str, count: int) -> np.typing.NDArray[np.bool_]:
    """The inverse of `pack_signs` for `count` zeros; ValueError if it does not fit."""
    if not packed:
        return np.zeros(count, bool)
    size = -(-count // 8)
    try:
        raw = zlib.decompressobj().decompress(base64.b64decode(packed), size + 1)
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if len(raw) != size:
        raise ValueError(f"{len(raw)} bytes of signs for {count} weights")
    return np.unpackbits(np.frombuffer(raw, np.uint8), count=count).astype(bool)
