"""Chunks, counted on whole arrays at once: exactly as conlleval counts them, and by three more tables of rules.

A label is prefix-type, split at its first dash; a label without a dash is all prefix and its type is empty. Between
two neighbouring tokens a chunk ends or starts by conlleval's table of prefixes, or when the type changes:

    ends     B→B B→O I→B I→O E→E E→I E→O · a type change after anything but O and "." · always after [ and ]
    starts   B→B I→B O→B O→I E→E E→I O→E · a type change into anything but O and "." · always at [ and ]

So I-X after O starts a chunk. E→B of one type neither ends nor starts one: a gap in conlleval's rules that we keep,
so that scores can be compared. A sentence boundary counts as a token with the label O. conlleval is written in Perl,
which takes the type "0" for an empty one; that is not kept.

Labels of the other kinds (kinds.py) go through the same loop with other tables:

    iobes    ends     after E and S · B→B B→S B→O I→B I→S I→O · a type change      L, U and M count as E, S and I
             starts   at B and S · E→E E→I S→E S→I O→E O→I · a type change
    words    the same, on labels without a type
    runs     the whole label is the type, so only a change of label ends or starts a run

conlleval goes through the tokens with one flag, "this chunk has been right so far":

    event at t   either side ends a chunk, or the types differ   clears the flag; the chunk is correct if both ended
    open at t    both sides start a chunk of one type            sets the flag

Only positions with an event or an opening matter, and after each of them the flag says whether it was an opening.
So, going through those positions in order, a chunk is correct where both sides end and the previous position was an
opening.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Longs
from tagfield.data.labels.kinds import LabelKind, label_kind
from tagfield.data.labels.schemes import INSIDE, OUTSIDE, split_label

Flags = NDArray[np.bool_]
Bits = NDArray[np.uint16]
SmallIds = NDArray[np.unsignedinteger]  # ids in the smallest type that holds them

_PREFIXES = "OBIES.[]"  # all other prefixes behave alike: only their type matters; one bit each, and one for the others
_CONLLEVAL = ("B→B B→O I→B I→O E→E E→I E→O", "B→B I→B O→B O→I E→E E→I O→E")  # ends, starts
_IOBES = (
    "B→B B→S B→O I→B I→S I→O E→O E→B E→I E→E E→S S→O S→B S→I S→E S→S",
    "O→B B→B I→B E→B S→B O→S B→S I→S E→S S→S E→E E→I S→E S→I O→E O→I",
)
_OTHER = 1 << len(_PREFIXES)


def _prefix_bit(prefix: str) -> int:
    """One bit for each prefix, so that a set of prefixes is one number."""
    return 1 << _PREFIXES.index(prefix) if prefix and prefix in _PREFIXES else _OTHER


def _followers(prefix: str, pairs: str) -> int:
    """The bits of all prefixes that follow this one in `pairs`."""
    return sum(_prefix_bit(after) for before, after in (p.split("→") for p in pairs.split()) if before == prefix)


def _parts(label: str, kind: LabelKind) -> tuple[str, str]:
    """Prefix and type of a label, as the rules of its kind see it."""
    if kind == "runs":
        return (OUTSIDE, "") if label == OUTSIDE else ("", label)
    prefix, rest = split_label(label)
    return (INSIDE.get(prefix, prefix) if kind in ("iobes", "words") else prefix), rest


def count_where(chosen: Flags, ids: SmallIds, size: int) -> Longs:
    """How often each id occurs at the chosen positions [size]. The type of `ids` must hold 2·size.

    >>> count_where(np.array([True, False, True]), np.array([1, 1, 2], np.uint8), 4).tolist()
    [0, 1, 1, 0]
    """
    return np.bincount(ids + ids.dtype.type(size) * chosen, minlength=2 * size)[size:]


@dataclass(frozen=True)
class ChunkRules:
    """The rules as arrays over a label set; the last entry is the boundary between sentences.

    Small numbers rather than 64-bit integers: with those, counting 211,000 tokens would spend most of its time on new
    memory.
    """

    types: tuple[str, ...]  # sorted; types[0] is "", the type of O and of a boundary
    kind: SmallIds  # [L+1]  index into types
    bit: Bits  # [L+1]  the prefix, one bit
    ends: Bits  # [L+1]  the prefixes that end a chunk after this one
    starts: Bits  # [L+1]  the prefixes that start a chunk after this one
    typed: Flags  # [L+1]  whether the prefix is neither O nor "."

    @classmethod
    def of(cls, labels: Sequence[str], kind: LabelKind | None = None) -> "ChunkRules":
        """The rules of a label set, of its own kind unless one is given; the id after the last label is the boundary.

        >>> rules = ChunkRules.of(["B-NP", "I-NP", "O"])
        >>> rules.types, rules.kind.tolist()
        (('', 'NP'), [1, 1, 0, 0])
        """
        kind = label_kind(labels) if kind is None else kind
        parts = [_parts(label, kind) for label in labels] + [(OUTSIDE, "")]
        ending, starting = _IOBES if kind in ("iobes", "words") else _CONLLEVAL
        types = tuple(sorted({type for _, type in parts}))
        number = {type: i for i, type in enumerate(types)}
        every, brackets = 2 * _OTHER - 1, _prefix_bit("[") | _prefix_bit("]")
        return cls(
            types,
            kind=np.array([number[type] for _, type in parts], np.min_scalar_type(2 * len(types))),
            bit=np.array([_prefix_bit(p) for p, _ in parts], np.uint16),
            ends=np.array([every if p in ("[", "]") else _followers(p, ending) for p, _ in parts], np.uint16),
            starts=np.array([brackets | _followers(p, starting) for p, _ in parts], np.uint16),
            typed=np.array([p not in (OUTSIDE, ".") for p, _ in parts]),
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
        gold_kind, kind = self.kind[gold], self.kind[predicted]
        gold_start, start, correct, last = self._found(gold, predicted)
        right = count_where(correct, _previous(0, gold_kind), size)  # the type of the chunk that ends here
        if last:
            right[gold_kind[-1]] += 1
        return count_where(gold_start, gold_kind, size), count_where(start, kind, size), right

    def count_by(self, gold: SmallIds, predicted: SmallIds, group: Longs, groups: int) -> Longs:
        """As `count`, for each group of places (sentences, say) instead of each type: [3, groups].

        >>> rules = ChunkRules.of(["B-NP", "O"])
        >>> rules.count_by(np.array([0, 2, 0, 2]), np.array([0, 2, 1, 2]), np.array([0, 0, 1, 1]), 2).tolist()
        [[1, 1], [1, 0], [1, 0]]
        """
        gold_start, start, correct, last = self._found(gold, predicted)
        counts = np.stack([np.bincount(group[flags], minlength=groups) for flags in (gold_start, start, correct)])
        if last:
            counts[2, group[-1]] += 1
        return counts

    def _found(self, gold: SmallIds, predicted: SmallIds) -> tuple[Flags, Flags, Flags, bool]:
        """Where gold chunks start, where predicted ones do, where correct ones end, and whether one is open at the end.

        A chunk without a type, which the last boundary does not end, counts as correct, too.
        """
        gold_start, gold_end, gold_kind = self._borders(gold)
        start, end, kind = self._borders(predicted)
        differ = kind != gold_kind
        opens = gold_start & start & ~differ
        matters = np.flatnonzero(opens | gold_end | end | differ)
        opened, closed = opens[matters], (gold_end & end)[matters]
        correct = np.zeros(len(gold), bool)
        correct[matters[1:][opened[:-1] & closed[1:]]] = True
        return gold_start, start, correct, bool(opened[-1:].any())

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
