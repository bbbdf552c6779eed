"""Chunks, counted exactly as conlleval counts them, but on whole arrays at once.

A label is prefix-type, split at its first dash; a label without a dash is all prefix and its type is empty. Between
two neighbouring tokens a chunk ends or starts by conlleval's table of prefixes, or when the type changes:

    ends     B→B B→O I→B I→O E→E E→I E→O · a type change after anything but O and "." · always after [ and ]
    starts   B→B I→B O→B O→I E→E E→I O→E · a type change into anything but O and "." · always at [ and ]

So I-X after O starts a chunk. E→B of one type neither ends nor starts one: a gap in conlleval's rules that is kept,
so that figures can be compared. A sentence boundary counts as a token with the label O. conlleval is written in Perl,
which takes the type "0" for an empty one; that is not kept.

conlleval goes through the tokens with one flag, "this chunk has been right so far":

    event at t   either side ends a chunk, or the types differ   clears the flag; the chunk is correct if both ended
    open at t    both sides start a chunk of one type            sets the flag

Only positions with an event or an opening matter, and after each of them the flag says whether it was an opening.
So, going through those positions in order, a chunk is correct where both sides end and the previous position was an
opening.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.dataset import Longs

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
SmallIds = NDArray[np.unsignedinteger]  # ids in the smallest type that holds them

_PREFIXES = "OBIE.[]"  # all other prefixes behave alike: only their type matters
_ENDS = "B→B B→O I→B I→O E→E E→I E→O"
_STARTS = "B→B I→B O→B O→I E→E E→I O→E"


def split_label(label: str) -> tuple[str, str]:
    """Prefix and type of a label: what stands before its first dash, and after it.

    >>> split_label("B-NP"), split_label("I-A-B"), split_label("O"), split_label("-X")
    (('B', 'NP'), ('I', 'A-B'), ('O', ''), ('', 'X'))
    """
    prefix, _, kind = label.partition("-")
    return prefix, kind


def _prefix_bit(prefix: str) -> int:
    """One bit for each prefix, so that a set of prefixes is one byte."""
    return 1 << (_PREFIXES.index(prefix) if prefix and prefix in _PREFIXES else len(_PREFIXES))


def _followers(prefix: str, pairs: str) -> int:
    """The bits of all prefixes that follow this one in `pairs`."""
    return sum(_prefix_bit(after) for before, after in (p.split("→") for p in pairs.split()) if before == prefix)


def count_where(chosen: Flags, ids: SmallIds, size: int) -> Longs:
    """How often each id occurs at the chosen positions [size]. The type of `ids` must hold 2·size.

    >>> count_where(np.array([True, False, True]), np.array([1, 1, 2], np.uint8), 4).tolist()
    [0, 1, 1, 0]
    """
    return np.bincount(ids + ids.dtype.type(size) * chosen, minlength=2 * size)[size:]


@dataclass(frozen=True)
class ChunkRules:
    """conlleval's rules as arrays over a label set; the last entry is the boundary between sentences.

    Bytes rather than 64-bit integers: with those, counting 211,000 tokens would spend most of its time on new memory.
    """

    types: tuple[str, ...]  # sorted; types[0] is "", the type of O and of a boundary
    kind: SmallIds  # [L+1]  index into types
    bit: Bytes  # [L+1]  the prefix, one bit
    ends: Bytes  # [L+1]  the prefixes that end a chunk after this one
    starts: Bytes  # [L+1]  the prefixes that start a chunk after this one
    typed: Flags  # [L+1]  whether the prefix is neither O nor "."

    @classmethod
    def of(cls, labels: Sequence[str]) -> "ChunkRules":
        """The rules of a label set; the id after the last label is the boundary.

        >>> rules = ChunkRules.of(["B-NP", "I-NP", "O"])
        >>> rules.types, rules.kind.tolist()
        (('', 'NP'), [1, 1, 0, 0])
        """
        parts = [split_label(label) for label in labels] + [("O", "")]
        types = tuple(sorted({kind for _, kind in parts}))
        number = {kind: i for i, kind in enumerate(types)}
        every, brackets = 0xFF, _prefix_bit("[") | _prefix_bit("]")
        return cls(
            types,
            kind=np.array([number[kind] for _, kind in parts], np.min_scalar_type(2 * len(types))),
            bit=np.array([_prefix_bit(p) for p, _ in parts], np.uint8),
            ends=np.array([every if p in ("[", "]") else _followers(p, _ENDS) for p, _ in parts], np.uint8),
            starts=np.array([brackets | _followers(p, _STARTS) for p, _ in parts], np.uint8),
            typed=np.array([p not in ("O", ".") for p, _ in parts]),
        )

    def count(self, gold: SmallIds, predicted: SmallIds) -> tuple[Longs, Longs, Longs]:
        """Chunks of each type: in the gold labels, in the predicted labels, and correct ones.

        gold, predicted: label ids [N] with a boundary (the id after the last label) after every sentence

        >>> rules = ChunkRules.of(["B-NP", "I-NP", "O"])
        >>> gold, predicted = np.array([0, 1, 2, 0, 3]), np.array([0, 1, 2, 2, 3])
        >>> [c.tolist() for c in rules.count(gold, predicted)]
        [[0, 2], [0, 1], [0, 1]]
        """
        size = len(self.types)
        gold_start, gold_end, gold_kind = self._borders(gold)
        start, end, kind = self._borders(predicted)
        differ = kind != gold_kind
        opens = gold_start & start & ~differ
        matters = opens | gold_end | end | differ
        opened, closed = opens[matters], (gold_end & end)[matters]
        closing = _previous(0, gold_kind)[matters]  # the type of the chunk that ends here
        correct = count_where(opened[:-1] & closed[1:], closing[1:], size)
        if opened[-1:].any():  # a chunk without a type, which the last boundary does not end, counts too
            correct[gold_kind[-1]] += 1
        return count_where(gold_start, gold_kind, size), count_where(start, kind, size), correct

    def _borders(self, ids: SmallIds) -> tuple[Flags, Flags, SmallIds]:
        """Where a chunk starts at t, where one ends between t−1 and t, and the type at t."""
        bit, kind, typed = self.bit[ids], self.kind[ids], self.typed[ids]
        change = kind != _previous(0, kind)
        start = (_previous(self.starts[-1], self.starts[ids]) & bit != 0) | (change & typed)
        end = (_previous(self.ends[-1], self.ends[ids]) & bit != 0) | (change & _previous(False, typed))
        return start, end, kind


def _previous(boundary: Any, values: NDArray[Any]) -> NDArray[Any]:
    """The values one position later: for each token the value before it, for the first one the boundary's."""
    shifted = np.empty_like(values)
    shifted[:1], shifted[1:] = boundary, values[:-1]
    return shifted


def has_chunks(labels: Iterable[str]) -> bool:
    """Whether labels mark chunks (B-NP, I-NP, …), so that chunk F1 is meaningful.

    >>> has_chunks(["B-NP", "O"]), has_chunks(["NN", "-LRB-"])
    (True, False)
    """
    return any(label[1:2] == "-" and label[0] in "BIESLU" for label in labels)
