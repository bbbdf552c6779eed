"""Wapiti's raw mode: a plain model is written with letters before its names, and the letters are removed again."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats import read_bytes
from tagfield.model.formats.raw_items import is_raw, plain_parts
from tagfield.model.formats.wapiti_writer import to_bytes
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet
from tests.support.model_files import MODELS, tiny
from tests.support.wapiti_files import WapitiModel

weights = st.floats(-9, 9).filter(bool)
states = st.dictionaries(st.tuples(st.integers(0, 2), st.integers(0, 1)), weights, min_size=1)
pairs = st.dictionaries(st.tuples(st.integers(0, 1), st.integers(0, 1)), weights)
edges = st.dictionaries(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1)), weights)


def triples(found: dict[tuple[int, ...], float], width: int) -> tuple[list, ...]:
    return (*([key[k] for key in found] for k in range(width)), [*found.values()])


@given(states, pairs, edges, st.booleans())
def test_a_model_written_for_raw_mode_becomes_the_plain_model_again(state, pair, edge, looks: bool) -> None:
    made = FeatureSet.from_triples(
        3,
        2,
        triples(state, 2),
        triples(pair, 2),
        sparse=True,
        edge_attributes=2 * looks,
        edge_weights=triples(edge, 3) if looks else ((), (), (), ()),
        dtype=np.float64,
    )
    names = Vocabulary(["e", "f"]) if looks else None
    parts = Parts(Vocabulary(["X", "Y"]), Vocabulary(["a", "b", "é"]), *made, None, {}, edges=names)
    raw = read_bytes(to_bytes(parts))
    assert is_raw(raw)
    again = plain_parts(raw)
    assert again.attributes.strings() == ["a", "b", "é"]
    assert (again.edges and again.edges.strings()) == (names and names.strings())
    assert to_bytes(again) == to_bytes(parts)
    assert again.weights.transitions().tolist() == parts.weights.transitions().tolist()
    assert not is_raw(again)


def test_only_files_without_patterns_are_raw() -> None:
    raw, patterns = ((MODELS / f"{name}.wapiti").read_bytes() for name in ("raw", "macros"))
    assert is_raw(read_bytes(raw))
    assert not is_raw(read_bytes(patterns))
    for info in ({}, {"format": "wapiti"}, {"format": "wapiti", "wapiti": [1]}, {"wapiti": {"patterns": []}}):
        assert not is_raw(replace(read_bytes(raw), info=info))


def test_a_model_that_is_not_of_raw_mode_is_refused() -> None:
    for parts in (tiny(["a"], ["X"]), read_bytes((MODELS / "macros.wapiti").read_bytes())):
        with pytest.raises(InputError, match="the model is none of Wapiti's raw mode"):
            plain_parts(parts)


def test_names_that_differ_only_in_their_letter_are_refused() -> None:
    for names in (["ua", "*a"], ["ba", "*a"]):
        with pytest.raises(InputError, match="two attributes differ only in their first letter"):
            plain_parts(read_bytes(WapitiModel(["X", "Y"], names, {0: 1.0}).text()))
