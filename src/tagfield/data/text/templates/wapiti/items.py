r"""Wapiti's data without patterns: each token of a line is an observation, and its first letter says of what kind.

    u…  an attribute of the token        b…  an attribute of the transition into it        *…  both

The names keep their letter, as they do in Wapiti's models. A lone `b` is an edge attribute like any other: where a line
has none, Wapiti adds no transition score, so it is not the plain transition of tagfield, which counts everywhere.
"""

from collections.abc import Iterable, Sequence

from tagfield.data.text.templates.wapiti.patterns import KINDS
from tagfield.errors import InputError


def split_observations(
    X: Iterable[Iterable[Sequence[str]]], *, prefix: bool = False
) -> tuple[list[list[list[str]]], list[list[list[str]]]]:
    """Observations of Wapiti as attributes and edge attributes, for `encode_sequences(X, y, edges=…)` and `Model.tag`.

    X: sequences of tokens, each a list of observations
    prefix: put u before every observation, as Wapiti does for data of a model that says so

    >>> X, edges = split_observations([[["uThe", "b"], ["udog", "*N", "b"]]])
    >>> X, edges
    ([[['uThe'], ['udog', '*N']]], [[['b'], ['*N', 'b']]])
    """
    attributes: list[list[list[str]]] = []
    edges: list[list[list[str]]] = []
    for s, sequence in enumerate(X):
        tokens = [_checked(token, f"X[{s}][{t}]", prefix) for t, token in enumerate(sequence)]
        attributes.append([[name for name in token if name[0] != "b"] for token in tokens])
        edges.append([[name for name in token if name[0] != "u"] for token in tokens])
    return attributes, edges


def _checked(token: Sequence[str], where: str, prefix: bool) -> list[str]:
    """The observations of a token."""
    if isinstance(token, str) or not all(isinstance(name, str) for name in token):
        raise InputError(f"{where} must be a list of observations, such as ['uThe', 'b'], got {token!r:.60}")
    if prefix:
        return [f"u{name}" for name in token]
    wrong = next((name for name in token if name[:1] not in KINDS), None)
    if wrong is not None:
        raise InputError(f"{where} has the observation {wrong!r:.60}; without patterns it must begin with u, b or *")
    return list(token)
