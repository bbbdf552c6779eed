"""Parts → Observations: in the order of the file that a model came from, or in a new one.

    Parts, info[format]: runs, always, matrices ─▶ in_old_order ─▶ Observations as they were; None for a changed model
    Parts, names for a new file                 ─▶ in_new_order ─▶ Observations

A model file of tagfield keeps the order as well, and may be forged; so nothing in it is taken on trust.
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tagfield.data.dataset import Doubles, Longs
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.names import arrays_of, bytes_of
from tagfield.model.formats.observations import ALWAYS, EDGE, TOKEN, Observations, starts_of


def in_old_order(parts: Parts, record: Any) -> Observations | None:
    """The observations in the order that `to_parts` recorded; None if the record does not fit the model."""
    try:
        return _in_old_order(parts, dict(record))
    except (TypeError, ValueError, KeyError, OverflowError, IndexError):
        return None


def _in_old_order(parts: Parts, record: dict[str, Any]) -> Observations | None:
    tokens, edges = len(parts.attributes), edge_count(parts)
    runs = [(int(bits), int(length)) for bits, length in record["runs"]]
    if any(not 0 < bits < 8 or length < 1 for bits, length in runs):
        return None
    always = [(bytes_of(str(name)), int(times)) for name, times in record["always"]]
    for part, count in ((TOKEN, tokens), (EDGE, edges), (ALWAYS, len(always))):
        if sum(length for bits, length in runs if bits & part) != count:
            return None
    bits = np.repeat([bits for bits, _ in runs], [length for _, length in runs]).astype(np.uint8)
    at = {part: np.flatnonzero(bits & part) for part in (TOKEN, EDGE, ALWAYS)}
    kinds = ((bits & TOKEN) | np.where(bits & (EDGE | ALWAYS), EDGE, 0)).astype(np.uint8)
    names: list[bytes | None] = [None] * len(bits)
    given = {TOKEN: token_names(parts), EDGE: edge_names(parts), ALWAYS: [name for name, _ in always]}
    for part, places in at.items():
        for k, name in zip(places.tolist(), given[part], strict=True):
            if names[k] not in (None, name):
                return None
            names[k] = name
    matrices = _matrices(parts, record, [times for _, times in always])
    if matrices is None:
        return None
    constants = [(k, m) for k, m in zip(at[ALWAYS].tolist(), matrices, strict=True) if not bits[k] & EDGE]
    index, weight = _weights(parts, kinds, at[TOKEN], at[EDGE], constants)
    found = [name for name in names if name is not None]
    counted = {k: times for k, (_, times) in zip(at[ALWAYS].tolist(), always, strict=True)}
    return Observations([*label_names(parts)], found, kinds, index, weight, counted)


def in_new_order(
    parts: Parts, tokens: list[bytes], edges: list[bytes], always: bytes, *, by_name: bool = False, both: bytes = b""
) -> Observations:
    """The observations under new names: the transitions, then edge attributes, then attributes; or sorted by name.

    always: the name of the transitions; one that no edge attribute has yet
    both: how names begin that an attribute and an edge attribute may share, as one observation
    """
    plain = np.asarray(parts.weights.transitions(), np.float64)
    while always in edges:
        always += b"_"  # an edge attribute has this name already
    names = ([always] if plain.any() else []) + edges + tokens
    different = sorted(set(names)) if by_name else list(dict.fromkeys(names))
    place = {name: k for k, name in enumerate(different)}
    at_edges, at_tokens = ([place[name] for name in own] for own in (edges, tokens))
    kinds = np.zeros(len(different), np.uint8)
    kinds[at_edges] = EDGE
    if plain.any():
        kinds[place[always]] = EDGE
    kinds[at_tokens] |= TOKEN
    if both:
        kinds[[k for k, name in enumerate(different) if name.startswith(both)]] = TOKEN | EDGE
    shared = sum(name.startswith(both) for name in set(edges) & set(tokens)) if both else 0
    if len(different) + shared != len(names):
        raise InputError("two attributes get the same name in the new file; rename one of them")
    constants = [(place[always], plain.reshape(-1))] if plain.any() else []
    index, weight = _weights(parts, kinds, np.array(at_tokens, np.int64), np.array(at_edges, np.int64), constants)
    return Observations([*label_names(parts)], different, kinds, index, weight, {k: 1 for k, _ in constants})


def _weights(
    parts: Parts, kinds: NDArray[np.uint8], tokens: Longs, edges: Longs, constants: list[tuple[int, Doubles]]
) -> tuple[Longs, Doubles]:
    """Index and weight of every weight that is not 0, in ascending order."""
    labels = len(parts.labels)
    starts = starts_of(kinds, labels)
    at = parts.features.coordinates()
    state = at.values(parts.weights)[0]
    pairs = starts[:-1] + labels * (kinds & TOKEN)  # where the weights of transitions begin
    indices = [starts[tokens[at.attribute]] + at.label]
    weights = [np.asarray(state, np.float64)]
    if len(edges):
        edge, before, after, value = (np.asarray(each) for each in at.edge_features(parts.weights))
        indices.append(pairs[edges[edge]] + before * labels + after)
        weights.append(value.astype(np.float64))
    for k, matrix in constants:
        indices.append(pairs[k] + np.arange(labels * labels))
        weights.append(matrix)
    index, weight = np.concatenate(indices), np.concatenate(weights)
    order = np.argsort(index, kind="stable")
    order = order[weight[order] != 0]
    return index[order], weight[order]


def _matrices(parts: Parts, record: dict[str, Any], times: list[int]) -> list[Doubles] | None:
    """The weights of each observation that every pair of tokens has; None if they do not add up to the transitions."""
    total = np.asarray(parts.weights.transitions(), np.float64).reshape(-1)
    if sum(times) == 1 and len(times) == 1:
        return [total]
    found = [np.asarray(matrix, np.float64) for matrix in record["matrices"]]
    if len(found) != len(times) or any(matrix.shape != total.shape for matrix in found):
        return None
    summed = np.zeros_like(total)
    for matrix, count in zip(found, times, strict=True):
        summed += count * matrix
    return found if np.array_equal(summed, total) else None


def token_names(parts: Parts) -> list[bytes]:
    return _split(*arrays_of(parts.attributes))


def edge_names(parts: Parts) -> list[bytes]:
    return [] if parts.edges is None else _split(*arrays_of(parts.edges))


def label_names(parts: Parts) -> list[bytes]:
    return _split(*arrays_of(parts.labels))


def edge_count(parts: Parts) -> int:
    return 0 if parts.edges is None else len(parts.edges)


def _split(text: NDArray[np.uint8], offsets: Longs) -> list[bytes]:
    raw, ends = text.tobytes(), offsets.tolist()
    return [raw[start:end] for start, end in pairwise(ends)]
