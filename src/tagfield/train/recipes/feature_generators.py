"""A convex function for each kind of feature: G(u) = Σ_k G_kind(k)(u_k), each kind with a g of its own.

    generators={"transitions": "quadratic", "w[0]": "erf:5"}
        │ FeatureGenerators.of
        ├─▶ responses   one for each kind; the recipe's own is the first
        └─▶ rows        the kind of every attribute, of the transitions and of every edge attribute of a problem

A kind is `states`, `transitions`, `edges`, or a pattern of attribute names: what a name has before its first "=", such
as `w[0]` of `w[0]=New`, or a whole name with `*` and `?` for what may stand there. Patterns win over the three words,
and a later pattern over an earlier one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tagfield.bregman.convex import Generator
from tagfield.bregman.generators import parse_generator
from tagfield.bregman.joint import Joint
from tagfield.bregman.losses import Loss
from tagfield.bregman.responses import Response
from tagfield.errors import InputError, did_you_mean, shown
from tagfield.native._text import Vocabulary

if TYPE_CHECKING:
    from tagfield.train.problem.problem import Problem

STATES, TRANSITIONS, EDGES = WORDS = ("states", "transitions", "edges")
MOST = 254  # kinds that a byte can tell apart, beside the recipe's own and plain gradients
OFFERED = 10_000  # patterns among which a similar one is looked for


class ResponseRows(NamedTuple):
    """Which response each row of weights has, as a number."""

    states: NDArray[np.uint8]  # [A]
    transitions: int
    edges: NDArray[np.uint8]  # [E]


@dataclass(frozen=True)
class FeatureGenerators:
    """Generators by kind, in the order in which they were given.

    >>> given = FeatureGenerators.of("transitions=quadratic,w[0]=erf:5")
    >>> given == FeatureGenerators.of({"transitions": "quadratic", "w[0]": "erf:5"}), str(given)
    (True, 'transitions=quadratic,w[0]=erf:5')
    """

    pairs: tuple[tuple[str, str | Generator], ...]

    @classmethod
    def of(cls, given: Any) -> "FeatureGenerators":
        """From a mapping, or from text as on the command line; InputError says what is wrong."""
        if isinstance(given, FeatureGenerators):
            return given
        if isinstance(given, str):
            parts = [part.rpartition("=") for part in given.split(",")]
            if not all(kind and name for kind, _, name in parts):
                raise InputError(f"generators must be KIND=NAME:X, several with commas, got {given!r}")
            given = {kind.strip(): name.strip() for kind, _, name in parts}
        if not isinstance(given, Mapping) or not given or not all(isinstance(kind, str) and kind for kind in given):
            raise InputError(f"generators must map kinds of features to generators, got {shown(given)}")
        if len(given) > MOST:
            raise InputError(f"generators must name at most {MOST} kinds, got {len(given)}")
        made = cls(tuple(given.items()))
        for kind, generator in zip(given, made.generators(), strict=True):
            if isinstance(generator, Joint):
                raise InputError(
                    f"the generator {generator} couples all features, so it cannot be that of {kind} alone"
                )
        return made

    def generators(self) -> Iterator[Generator]:
        for kind, generator in self.pairs:
            if not isinstance(generator, str | Generator):
                raise InputError(
                    f"the generator of {kind} must be a name, such as 'erf:5', or a Generator, got {generator!r}"
                )
            yield parse_generator(generator) if isinstance(generator, str) else generator

    def responses(self, f: Response, plain_links: bool) -> list[Response]:
        """The recipe's own response, one for each kind, and plain gradients for links where these keep them.

        plain_links: whether transitions and edges have plain gradients unless a kind says otherwise
        """
        found = [f, *(_response(f.loss, generator) for _, generator in self.pairs)]
        return [*found, _response(f.loss, "quadratic")] if plain_links else found

    def rows(self, problem: "Problem", plain_links: bool) -> ResponseRows:
        """Which response each row of a problem's weights has, in the order of `responses`."""
        features, link = problem.features, len(self.pairs) + 1 if plain_links else 0
        states = np.zeros(features.attributes, np.uint8)
        edges = np.full(features.edge_attributes, link, np.uint8)
        numbered = list(enumerate((kind for kind, _ in self.pairs), start=1))
        for number, kind in numbered:
            if kind == STATES:
                states[:] = number
            elif kind == TRANSITIONS:
                link = number
            elif kind == EDGES:
                edges[:] = number
                if not len(edges):
                    raise InputError("generators names edges, but the data has no edge attributes")
        patterns = [(number, kind) for number, kind in numbered if kind not in WORDS]
        if patterns:
            _match(patterns, [(problem.attributes, states), (problem.edges, edges)])
        return ResponseRows(states, link, edges)

    def __str__(self) -> str:
        return ",".join(f"{kind}={generator}" for kind, generator in self.pairs)


@lru_cache(maxsize=64)
def _response(loss: Loss, generator: str | Generator) -> Response:
    """The same object for the same names: its tables are kept with it, and epochs ask for them again."""
    return Response(loss, parse_generator(generator) if isinstance(generator, str) else generator)


def _match(patterns: list[tuple[int, str]], parts: list[tuple[Vocabulary | None, NDArray[np.uint8]]]) -> None:
    """Numbers the rows whose names a pattern matches."""
    if any(names is not None and names.hash_bits for names, _ in parts):
        raise InputError("generators by pattern need names of attributes, which hash_bits has left out; use states")
    names = [[] if vocabulary is None else vocabulary.strings() for vocabulary, _ in parts]
    prefixes = [[name.partition("=")[0] for name in each] for each in names]
    for number, pattern in patterns:
        special = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
        whole = special.fullmatch if "*" in pattern or "?" in pattern else None
        matched = 0
        for own, before, (_, rows) in zip(names, prefixes, parts, strict=True):
            hits = [
                b == pattern or (whole is not None and whole(n) is not None) for n, b in zip(own, before, strict=True)
            ]
            at = np.flatnonzero(np.array(hits[: len(rows)], bool))
            rows[at] = number
            matched += len(at)
        if not matched:
            raise InputError(f"no feature is of kind {pattern!r}{_hint(pattern, prefixes)}")


def _hint(pattern: str, prefixes: list[list[str]]) -> str:
    there = list(dict.fromkeys([*WORDS, *(prefix for each in prefixes for prefix in each)]))[:OFFERED]
    listed = f"there are {', '.join(there[:8])}{', …' * (len(there) > 8)}"
    return f"; {did_you_mean(pattern, there, otherwise=listed)}"
