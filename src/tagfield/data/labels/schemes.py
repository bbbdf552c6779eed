"""Label schemes: the one table of them, and chunks of tokens ⇄ labels such as B-PER I-PER O.

    IOB1    I-X I-X O I-X B-X      B- only where a chunk follows one of the same type
    BIO     B-X I-X O B-X B-X      also called IOB2 or IOB
    IOBES   B-X E-X O S-X S-X      B- begins, I- inside, E- ends, S- a single token; also called BIOES or BMES
    BILOU   B-X L-X O U-X U-X      the same with L- for E- and U- for S-

rules.py (which label may follow which) and kinds.py (what a label set marks) read the same table. One function reads
the labels of all schemes, also mixtures, because no two schemes give a letter different meanings.

IOB alone means BIO. The name is older than that and first stood for IOB1, but corpora and tools that say IOB today
begin every chunk with B-. Write IOB1 for the other one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tagfield.errors import InputError


@dataclass(frozen=True)
class Scheme:
    """How a scheme spells a chunk, and so which letter may follow which."""

    letters: str  # of a first, an inner, a last and a lone token
    touching: str = ""  # of a first token directly after a chunk of its type, if it differs
    aliases: tuple[str, ...] = ()

    @property
    def continues(self) -> dict[str, str]:
        """For each letter that only continues a chunk, the letters that it may follow; the types must agree.

        >>> SCHEMES["bio"].continues, SCHEMES["iob1"].continues
        ({'I': 'BI'}, {'B': 'IB'})
        """
        first, inner, last, lone = tuple(self.letters)
        found = {letter: first + inner for letter in (inner, last) if letter not in (first, lone)}
        return found | ({self.touching: first + self.touching} if self.touching else {})

    @property
    def open(self) -> str:
        """The letters after which the chunk must continue.

        >>> SCHEMES["bio"].open, SCHEMES["iobes"].open
        ('', 'BI')
        """
        return "".join(letter for letter in self.letters[:2] if letter not in self.letters[2:])


SCHEMES = {
    "iob1": Scheme("IIII", touching="B"),
    "bio": Scheme("BIIB", aliases=("iob2", "iob")),
    "iobes": Scheme("BIES", aliases=("bioes", "bmes")),
    "bilou": Scheme("BILU"),
}
INSIDE = {"B": "B", "I": "I", "M": "I", "E": "E", "L": "E", "S": "S", "U": "S"}  # letter → its letter in IOBES
OUTSIDE = "O"

_NAMES = {alias: name for name, scheme in SCHEMES.items() for alias in (name, *scheme.aliases)}
_CHUNK = re.compile(rf"([{''.join(INSIDE)}])(?:-(.*))?", re.DOTALL)
_BEGINS, _ENDS = ({letter for letter, same in INSIDE.items() if same in which} for which in ("BS", "ES"))


class Chunk(NamedTuple):
    """Tokens start to end (exclusive) of one type."""

    start: int
    end: int
    label: str


def check_scheme(scheme: str, otherwise: str = "") -> str:
    """The own name of the scheme that has this name; raises InputError for other names.

    otherwise: what else the caller accepts, for the message

    >>> check_scheme("BIO"), check_scheme("iob2"), check_scheme("IOB")
    ('bio', 'bio', 'bio')
    """
    if scheme.lower() not in _NAMES:
        *most, last = SCHEMES
        raise InputError(f"no scheme named {scheme!r}; choose {', '.join(most)} or {last}{otherwise}")
    return _NAMES[scheme.lower()]


def scheme_of(labels: Iterable[str]) -> str:
    """The scheme that a set of labels is written in, so that spans can be compared with it.

    >>> scheme_of(["O", "S-PER"]), scheme_of(["U-PER", "O"]), scheme_of(["B-PER", "I-PER"])
    ('iobes', 'bilou', 'bio')
    """
    prefixes = {label[0] for label in labels if label[1:2] == "-"}
    return next((name for name in ("bilou", "iobes") if prefixes & set(SCHEMES[name].letters[2:])), "bio")


def split_label(label: str) -> tuple[str, str]:
    """Prefix and type of a label: the parts before and after its first dash.

    >>> split_label("B-NP"), split_label("I-A-B"), split_label("O"), split_label("-X")
    (('B', 'NP'), ('I', 'A-B'), ('O', ''), ('', 'X'))
    """
    prefix, _, kind = label.partition("-")
    return prefix, kind


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
    first, inner, last, lone = tuple(SCHEMES[scheme].letters)
    labels = [OUTSIDE] * length
    before: Chunk | None = None
    for chunk in sorted(chunks):
        touching = before is not None and before.end == chunk.start and before.label == chunk.label
        letters = [inner] * (chunk.end - chunk.start)
        letters[0], letters[-1] = first, last
        if len(letters) == 1:
            letters[0] = lone
        if touching:
            letters[0] = SCHEMES[scheme].touching or letters[0]
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
