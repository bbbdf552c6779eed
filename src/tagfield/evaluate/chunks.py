"""Chunks, counted exactly as conlleval counts them, but on whole arrays at once.

A label is prefix-type, split at its first dash; without a dash it is all prefix and its type is empty.
Whether a chunk ends or starts between two neighbours is conlleval's table of prefixes, or a change of type:

    ends     B→B B→O I→B I→O E→E E→I E→O · a type change after anything but O and "." · always after [ and ]
    starts   B→B I→B O→B O→I E→E E→I O→E · a type change into anything but O and "." · always at [ and ]

So I-X after O opens a chunk, and E→B of one type neither ends nor starts one: a hole in conlleval's rules
that is kept, because figures are compared with it. A sentence boundary is a token labelled O. Perl takes the
type "0" for an empty one; that accident is not kept.

conlleval walks the tokens with one flag, "this chunk has been right so far":

    event at t   either side ends a chunk, or the types differ   the flag goes down; correct if both ended
    open at t    both sides start a chunk of one type            the flag goes up

Only positions with an event or an opening matter, and after each of them the flag is simply "was it an
opening". So, over those positions in order, a chunk is correct where both sides end and the position before
was an opening.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.dataset import Longs

Flags = NDArray[np.bool_]
Bytes = NDArray[np.uint8]
Small = NDArray[np.unsignedinteger]  # the smallest type that holds the ids

_PREFIXES = "OBIE.[]"  # every other prefix behaves alike: only its type matters
_ENDS = "B→B B→O I→B I→O E→E E→I E→O"
_STARTS = "B→B I→B O→B O→I E→E E→I O→E"


def split_label(label: str) -> tuple[str, str]:
    """Prefix and type of a label: everything before its first dash, everything after it.

    >>> split_label("B-NP"), split_label("I-A-B"), split_label("O"), split_label("-X")
    (('B', 'NP'), ('I', 'A-B'), ('O', ''), ('', 'X'))
    """
    prefix, _, kind = label.partition("-")
    return prefix, kind


def _bit(prefix: str) -> int:
    """One bit for each prefix, so that a row of a table of pairs is one byte."""
    return 1 << (_PREFIXES.index(prefix) if prefix and prefix in _PREFIXES else len(_PREFIXES))


def _partners(prefix: str, pairs: str) -> int:
    """The bits of the prefixes that `pairs` lists after this one."""
    return sum(_bit(after) for before, after in (p.split("→") for p in pairs.split()) if before == prefix)


def count_where(chosen: Flags, ids: Small, size: int) -> Longs:
    """How often each id occurs where it is chosen [size]. The type of `ids` must hold 2·size.

    >>> count_where(np.array([True, False, True]), np.array([1, 1, 2], np.uint8), 4).tolist()
    [0, 1, 1, 0]
    """
    return np.bincount(ids + ids.dtype.type(size) * chosen, minlength=2 * size)[size:]


@dataclass(frozen=True)
class ChunkRules:
    """conlleval's view of a label set: what matters of each label, and of a boundary after them.

    In bytes rather than words: most of the time of counting 211,000 tokens would else go into fresh memory.
    """

    types: tuple[str, ...]  # sorted; types[0] is "", the type of O and of a boundary
    kind: Small  # [L+1]  index into types
    bit: Bytes  # [L+1]  the prefix, one bit
    ends: Bytes  # [L+1]  the prefixes before which a chunk with this one ends
    starts: Bytes  # [L+1]  the prefixes that start a chunk after this one
    typed: Flags  # [L+1]  is it anything but O and "."

    @classmethod
    def of(cls, labels: Sequence[str]) -> "ChunkRules":
        """The rules of a label set; the boundary is the label after the last.

        >>> rules = ChunkRules.of(["B-NP", "I-NP", "O"])
        >>> rules.types, rules.kind.tolist()
        (('', 'NP'), [1, 1, 0, 0])
        """
        parts = [split_label(label) for label in labels] + [("O", "")]
        types = tuple(sorted({kind for _, kind in parts}))
        number = {kind: i for i, kind in enumerate(types)}
        alone, brackets = 0xFF, _bit("[") | _bit("]")
        return cls(
            types,
            kind=np.array([number[kind] for _, kind in parts], np.min_scalar_type(2 * len(types))),
            bit=np.array([_bit(p) for p, _ in parts], np.uint8),
            ends=np.array([alone if p in ("[", "]") else _partners(p, _ENDS) for p, _ in parts], np.uint8),
            starts=np.array([brackets | _partners(p, _STARTS) for p, _ in parts], np.uint8),
            typed=np.array([p not in ("O", ".") for p, _ in parts]),
        )

    def count(self, gold: Small, predicted: Small) -> tuple[Longs, Longs, Longs]:
        """Chunks per type in the gold labels, in the predicted ones, and those that agree: three arrays.

        Both are label ids [N] with a boundary (the id after the last label) after every sentence.

        >>> rules = ChunkRules.of(["B-NP", "I-NP", "O"])
        >>> gold, predicted = np.array([0, 1, 2, 0, 3]), np.array([0, 1, 2, 2, 3])
        >>> [c.tolist() for c in rules.count(gold, predicted)]
        [[0, 2], [0, 1], [0, 1]]
        """
        size = len(self.types)
        gold_start, gold_end, gold_kind = self._edges(gold)
        start, end, kind = self._edges(predicted)
        differ = kind != gold_kind
        opens = gold_start & start & ~differ
        matters = opens | gold_end | end | differ
        opened, closed = opens[matters], (gold_end & end)[matters]
        closing = _after(0, gold_kind)[matters]  # the type of the chunk that ends here
        correct = count_where(opened[:-1] & closed[1:], closing[1:], size)
        if opened[-1:].any():  # a typeless chunk that not even the last boundary ends counts as well
            correct[gold_kind[-1]] += 1
        return count_where(gold_start, gold_kind, size), count_where(start, kind, size), correct

    def _edges(self, ids: Small) -> tuple[Flags, Flags, Small]:
        """Where a chunk starts at t, where one ends between t−1 and t, and the type at t."""
        bit, kind, typed = self.bit[ids], self.kind[ids], self.typed[ids]
        change = kind != _after(0, kind)
        start = (_after(self.starts[-1], self.starts[ids]) & bit != 0) | (change & typed)
        end = (_after(self.ends[-1], self.ends[ids]) & bit != 0) | (change & _after(False, typed))
        return start, end, kind


def _after(boundary: Any, values: NDArray[Any]) -> NDArray[Any]:
    """The values one place later: what came before each token, a boundary before the first."""
    shifted = np.empty_like(values)
    shifted[:1], shifted[1:] = boundary, values[:-1]
    return shifted


def has_chunks(labels: Iterable[str]) -> bool:
    """Whether labels mark chunks (B-NP, I-NP, …), so that a chunk F1 says something.

    >>> has_chunks(["B-NP", "O"]), has_chunks(["NN", "-LRB-"])
    (True, False)
    """
    return any(label[1:2] == "-" and label[0] in "BIESLU" for label in labels)
