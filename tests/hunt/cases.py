"""Random models with few labels, random sequences for them, and the truth about both: every path, one by one.

    seed ─▶ Case: a Model, sequences, edge attributes, rules, known labels ─▶ Truth of each sequence

Sums of the truth are exact (`math.fsum`), so what differs is the rounding of the kernels. Weights are as large as the
promise of docs/reliability.md allows.
"""

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import Any

import numpy as np

from tagfield import Model
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet
from tests.support.naive_chunks import ends, split, starts

LABELS = (("O", "B-X", "I-X", "B-Y"), ("O", "B-X", "I-X", "I-Y"), ("a", "b", "c", "d"), ("S-X", "B-X", "E-X", "I-X"))
SIZES = (0.5, 0.5, 3.0, 3.0, 3.0, 30.0, 200.0, 300.0, 1e4, 1e6, 1e8)  # of weights
Path = tuple[int, ...]
Token = list[tuple[int, float]]  # attribute, value


@dataclass(frozen=True)
class Case:
    """One model, with what it is asked."""

    model: Model
    names: tuple[str, ...]
    state: np.ndarray  # [A, L]
    trans: np.ndarray  # [L, L]
    edge: np.ndarray  # [E, L, L]
    tokens: list[list[Token]]  # of each sequence
    links: list[list[Token]]  # edge attributes, likewise
    follow: np.ndarray | None  # [L, L]
    ends: tuple[np.ndarray, np.ndarray] | None  # [L] labels that may start and end a sequence
    known: list[dict[int, str]] | None
    size: float

    @property
    def tolerance(self) -> float:
        """What docs/reliability.md promises of a probability."""
        return 2e-5 if self.state.dtype == np.float32 else 2e-6

    @cached_property
    def X(self) -> list[list[Any]]:
        """The sequences as users write them: lists of names, or dicts with values."""
        return [[_written("a", token) for token in sequence] for sequence in self.tokens]

    @cached_property
    def edges(self) -> list[list[Any]] | None:
        """The edge attributes as users write them."""
        if self.model.edges is None:
            return None
        return [[_written("e", token) for token in sequence] for sequence in self.links]

    @cached_property
    def rules(self) -> Any:
        """The constraints as a function, as a matrix, or none."""
        if self.follow is None:
            return None
        if self.ends is None:
            return self.follow
        (first, last), follow = self.ends, self.follow
        at = {name: i for i, name in enumerate(self.names)}

        def allowed(before: str | None, after: str | None) -> bool:
            if before is None or after is None:
                return bool(first[at[after]] if after is not None else last[at[before]]) if before != after else True
            return bool(follow[at[before], at[after]])

        return allowed

    @cached_property
    def asked(self) -> dict[str, Any]:
        """The arguments of a call beside the sequences."""
        return {"edges": self.edges, "rules": self.rules, "known": self.known}

    @property
    def plain(self) -> bool:
        """Whether nothing but attributes decides: other programs can hold such a model."""
        return self.edges is None and self.rules is None and self.known is None

    def truths(self, *, limited: bool = True) -> list["Truth"]:
        """The truth of each sequence, within the rules and known labels or without them."""
        return [Truth.of(self, s, limited) for s in range(len(self.tokens))]


def _written(letter: str, token: Token) -> Any:
    if all(value == 1.0 for _, value in token):
        return [f"{letter}{i}" for i, _ in token]
    return {f"{letter}{i}": value for i, value in token}


@dataclass(frozen=True)
class Truth:
    """Every allowed path of one sequence with its exact score."""

    names: tuple[str, ...]
    scores: dict[Path, float]

    @classmethod
    def of(cls, case: Case, s: int, limited: bool) -> "Truth":
        L, tokens, links = len(case.names), case.tokens[s], case.links[s]
        found = {}
        for path in product(range(L), repeat=len(tokens)):
            if limited and not _allowed(case, s, path):
                continue
            terms = [
                float(value) * float(case.state[a, y]) for y, t in zip(path, tokens, strict=True) for a, value in t
            ]
            for t, (before, after) in enumerate(pairwise(path), start=1):
                terms.append(float(case.trans[before, after]))
                terms += [float(value) * float(case.edge[e, before, after]) for e, value in links[t]]
            found[path] = math.fsum(terms)
        return cls(case.names, found)

    @cached_property
    def top(self) -> float:
        return max(self.scores.values())

    @cached_property
    def probability(self) -> dict[Path, float]:
        odds = {path: math.exp(max(score - self.top, -800.0)) for path, score in self.scores.items()}
        total = math.fsum(odds.values())
        return {path: share / total for path, share in odds.items()}

    def marginals(self, length: int) -> np.ndarray:
        node = np.zeros((length, len(self.names)))
        for path, p in self.probability.items():
            for t, y in enumerate(path):
                node[t, y] += p
        return node

    def chunk(self, kind: str, start: int, end: int) -> float:
        """The probability that exactly this chunk is there."""
        return math.fsum(
            p
            for path, p in self.probability.items()
            if (kind, start, end) in chunks([self.names[y] for y in path], self.names[0] == "S-X")
        )

    def ids(self, labels: Any) -> Path:
        at = {name: i for i, name in enumerate(self.names)}
        return tuple(at[label] for label in labels)


def _allowed(case: Case, s: int, path: Path) -> bool:
    if case.known is not None and any(case.names[path[t]] != label for t, label in case.known[s].items()):
        return False
    if case.follow is None or not path:
        return True
    if case.ends is not None and not (case.ends[0][path[0]] and case.ends[1][path[-1]]):
        return False
    return all(case.follow[before, after] for before, after in pairwise(path))


def chunks(labels: list[str], iobes: bool = False) -> set[tuple[str, int, int]]:
    """The chunks of a label sequence, by conlleval's rules or those of IOBES."""
    ended, started = (_iobes_ends, _iobes_starts) if iobes else (ends, starts)
    found, open_at, before = set(), -1, ("O", "")
    for t, here in enumerate([*map(split, labels), ("O", "")]):
        if open_at >= 0 and ended(before, here):
            found.add((before[1], open_at, t))
            open_at = -1
        if t < len(labels) and started(before, here):
            open_at = t
        before = here
    return found


def _iobes_ends(before: tuple[str, str], after: tuple[str, str]) -> bool:
    return before[0] in "ES" or after[0] in "BSO" or before[1] != after[1]


def _iobes_starts(before: tuple[str, str], after: tuple[str, str]) -> bool:
    return after[0] != "O" and (after[0] in "BS" or before[0] in "OES" or before[1] != after[1])


def drawn(seed: int, *, size: float | None = None, dtype: type | None = None) -> Case:
    """The case of a seed; its size and type may be given."""
    rng = np.random.default_rng(seed)
    L, A, E = int(rng.integers(1, 5)), int(rng.integers(1, 7)), int(rng.choice([0, 0, 1, 3]))
    names = LABELS[rng.integers(len(LABELS))][:L]
    either, any_size = [np.float32, np.float64][int(rng.integers(2))], float(rng.choice(SIZES))
    dtype, size = dtype or either, size or any_size

    def weights(*shape: int) -> np.ndarray:
        kept = rng.random(shape) < rng.choice([0.3, 0.8, 1.0])
        values = (
            rng.normal(size=shape) * size if rng.random() < 0.5 else rng.choice([-size, size, 1.0, -1.0, 0.5], shape)
        )
        return (np.clip(values, -2 * size, 2 * size) * kept).astype(dtype)

    state, trans, edge = weights(A, L), weights(L, L), weights(E, L, L)
    model = model_of(names, state, trans, edge if E else None, sparse=[None, True, False][rng.integers(3)])
    valued = bool(rng.random() < 0.4)

    def tokens(kinds: int, most: int, length: int) -> list[Token]:
        made = []
        for _ in range(length):
            ids = rng.choice(kinds, int(rng.integers(0, min(most, kinds) + 1)), replace=False)
            made.append(
                [(int(i), float(np.float32(rng.choice([-1.0, 0.25, 1.0, 1.5]))) if valued else 1.0) for i in ids]
            )
        return made

    lengths = [int(rng.integers(0, 6 if L > 2 else 8)) for _ in range(int(rng.integers(1, 5)))]
    sequences = [tokens(A, 4, n) for n in lengths]
    links = [[[], *tokens(E, 2, n - 1)][:n] if E else [[]] * n for n in lengths]
    follow = boundary = known = None
    if rng.random() < 0.4:
        follow = rng.random((L, L)) < 0.7
        follow[:, 0] = follow[0] = True  # some path is allowed
        if rng.random() < 0.5:
            boundary = rng.random(L) < 0.7, rng.random(L) < 0.7
            boundary[0][0] = boundary[1][0] = True
    if rng.random() < 0.3:
        known = [{t: names[0] for t in range(n) if rng.random() < 0.4} for n in lengths]
    return Case(model, names, state, trans, edge, sequences, links, follow, boundary, known, size)


def model_of(
    names: tuple[str, ...],
    state: np.ndarray,
    trans: np.ndarray,
    edge: np.ndarray | None = None,
    *,
    sparse: bool | None = None,
) -> Model:
    """A model of dense weights [A, L], [L, L] and [E, L, L]; a weight of 0 is no feature."""
    by = defaultdict(list)
    for name, array in (("state", state), ("trans", trans), ("edge", np.zeros(0) if edge is None else edge)):
        places = np.nonzero(array)
        by[name] = [*places, array[places]] if array.size else [[]] * (array.ndim + 1)
    looking = {} if edge is None else {"edge_attributes": len(edge), "edge_weights": tuple(by["edge"])}
    features, weights = FeatureSet.from_triples(
        len(state), len(names), tuple(by["state"]), tuple(by["trans"]), sparse=sparse, dtype=state.dtype.type, **looking
    )
    vocabularies = [
        Vocabulary(f"{letter}{i}" for i in range(n))
        for letter, n in (("a", len(state)), ("e", 0 if edge is None else len(edge)))
    ]
    return Model(Vocabulary(names), vocabularies[0], features, weights, edges=None if edge is None else vocabularies[1])
