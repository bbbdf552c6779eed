"""Label schemes: chunks of tokens ⇄ labels such as B-PER I-PER O.

    IOB1    I-X I-X O I-X B-X      B- only where a chunk follows one of the same type
    BIO     B-X I-X O B-X B-X      also called IOB2
    IOBES   B-X E-X O S-X S-X      B- begins, I- inside, E- ends, S- a single token
    BILOU   B-X L-X O U-X U-X      the same with L- for E- and U- for S-

One function reads them all, also BMES and mixtures, because no two schemes give a prefix different meanings.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tagfield.errors import InputError

OUTSIDE = "O"

_PREFIXES = {  # scheme: the letters of a first, an inner, a last and a lone token
    "iob1": "IIII",  # a chunk that touches the one before it, of the same type, begins with B instead
    "bio": "BIIB",
    "iobes": "BIES",
    "bilou": "BILU",
}
SCHEMES = tuple(_PREFIXES)

_CHUNK = re.compile(r"([BIESLUM])(?:-(.*))?", re.DOTALL)
_BEGINS, _ENDS = frozenset("BSU"), frozenset("ESLU")


class Chunk(NamedTuple):
    """Tokens start to end (exclusive) of one type."""

    start: int
    end: int
    label: str


def check_scheme(scheme: str) -> str:
    """The scheme with this name; raises InputError for other names.

    >>> check_scheme("BIO"), check_scheme("iob2")
    ('bio', 'bio')
    """
    name = {"iob2": "bio", "bioes": "iobes", "bmes": "iobes", "iob": "iob1"}.get(scheme.lower(), scheme.lower())
    if name not in SCHEMES:
        raise InputError(f"no label scheme named {scheme!r}; choose {', '.join(SCHEMES[:-1])} or {SCHEMES[-1]}")
    return name


def scheme_of(labels: Iterable[str]) -> str:
    """The scheme that a set of labels is written in, so that spans can be compared with it.

    >>> scheme_of(["O", "S-PER"]), scheme_of(["U-PER", "O"]), scheme_of(["B-PER", "I-PER"])
    ('iobes', 'bilou', 'bio')
    """
    prefixes = {label[0] for label in labels if label[1:2] == "-"}
    return "bilou" if prefixes & set("LU") else "iobes" if prefixes & set("ES") else "bio"


def is_chunk_label(label: str) -> bool:
    """Whether a label marks a part of a chunk, or that there is none.

    >>> [is_chunk_label(label) for label in ("B-PER", "O", "S", "NN")]
    [True, True, True, False]
    """
    return label == OUTSIDE or _CHUNK.fullmatch(label) is not None


def chunks_of(labels: Sequence[str], where: str = "") -> list[Chunk]:
    """The chunks in a sequence of labels of any scheme; I- without a beginning begins a chunk.

    >>> chunks_of(["B-A", "I-A", "O", "S-B", "I-A"])
    [Chunk(start=0, end=2, label='A'), Chunk(start=3, end=4, label='B'), Chunk(start=4, end=5, label='A')]
    >>> chunks_of(["NN"], "a.txt, line 1")
    Traceback (most recent call last):
    tagfield.errors.InputError: a.txt, line 1: the label 'NN' of token 1 is neither O nor a part of a chunk (B-…, I-…)
    """
    found: list[Chunk] = []
    start, kind = -1, ""  # of the open chunk; −1: none is open
    for t, label in enumerate(labels):
        match = None if label == OUTSIDE else _CHUNK.fullmatch(label)
        if match is None and label != OUTSIDE:
            place = f"{where}: " if where else ""
            raise InputError(
                f"{place}the label {label!r} of token {t + 1} is neither O nor a part of a chunk (B-…, I-…)"
            )
        if start >= 0 and (match is None or match[1] in _BEGINS or (match[2] or "") != kind):
            found.append(Chunk(start, t, kind))
            start = -1
        if match is not None:
            if start < 0:
                start, kind = t, match[2] or ""
            if match[1] in _ENDS:
                found.append(Chunk(start, t + 1, kind))
                start = -1
    if start >= 0:
        found.append(Chunk(start, len(labels), kind))
    return found


def labels_of(chunks: Iterable[Chunk], length: int, scheme: str = "bio") -> list[str]:
    """The labels of `length` tokens; the chunks must not overlap.

    >>> labels_of([Chunk(0, 2, "A"), Chunk(3, 4, "B")], 4, "iobes")
    ['B-A', 'E-A', 'O', 'S-B']
    >>> labels_of([Chunk(0, 1, "A"), Chunk(1, 2, "A")], 2, "iob1")
    ['I-A', 'B-A']
    """
    first, inner, last, lone = tuple(_PREFIXES[scheme])
    labels = [OUTSIDE] * length
    before: Chunk | None = None
    for chunk in sorted(chunks):
        touching = before is not None and before.end == chunk.start and before.label == chunk.label
        letters = [inner] * (chunk.end - chunk.start)
        letters[0], letters[-1] = first, last
        if len(letters) == 1:
            letters[0] = lone
        if scheme == "iob1" and touching:
            letters[0] = "B"
        for t, letter in enumerate(letters, start=chunk.start):
            labels[t] = f"{letter}-{chunk.label}" if chunk.label else letter
        before = chunk
    return labels


def recode(labels: Sequence[str], scheme: str, where: str = "") -> list[str]:
    """The same chunks in another scheme.

    >>> recode(["B-A", "I-A", "O", "B-A"], "bilou")
    ['B-A', 'L-A', 'O', 'U-A']
    """
    return labels_of(chunks_of(labels, where), len(labels), scheme)
