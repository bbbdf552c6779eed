"""Where attributes occur, as `stop` and `position` or as `place`: kernels answer alike."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.dataset import Dataset
from tagfield.native import kernels
from tagfield.train import Settings
from tests.support.naive import Problem
from tests.support.strategies import encode, problems
from tests.support.trainers import pose

TOP = {np.uint16: 1 << 15, np.uint32: 1 << 31}


def places(data: Dataset, kind: Any) -> np.ndarray:
    """The position of each occurrence, plus the top bit where it is the last of its slot."""
    starts = np.repeat(data.occurrences[:-1], np.diff(data.slots))
    place = data.position.astype(kind)
    place[starts + data.stop - 1] |= kind(TOP[kind])
    return place


def in_places(data: Dataset, kind: Any, place: np.ndarray | None = None) -> kernels.Corpus:
    place = places(data, kind) if place is None else place
    edges = None if data.edge_slots is None else kernels.Slots(**data.edge_slots.arrays())
    rest = (data.value, data.labels, data.weight, edges)
    return kernels.Corpus(data.tokens, data.slots, data.occurrences, data.attribute, place, *rest)


def in_stops(data: Dataset) -> kernels.Corpus:
    edges = None if data.edge_slots is None else kernels.Slots(**data.edge_slots.arrays())
    rest = (data.value, data.labels, data.weight, edges)
    return kernels.Corpus(data.tokens, data.slots, data.occurrences, data.attribute, data.stop, data.position, *rest)


@given(data=st.data(), kind=st.sampled_from([np.uint16, np.uint32]))
def test_both_forms_give_the_same_bits(data: st.DataObject, kind: Any) -> None:
    problem = data.draw(problems(edges=True))
    posed = pose(encode(problem), Settings("sgd", features="all"))
    features, order = posed.features, np.arange(len(problem.gold))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))

    def answers(corpus: kernels.Corpus) -> list[Any]:
        weights = features.zeros().map(
            lambda a: np.where(np.signbit(a), a, rng.normal(size=a.shape).astype(np.float32))
        )
        field, beside = features.field(weights), features.field(features.zeros())
        found = [kernels.count_attributes(corpus, features.attributes)]
        found += [*kernels.observed_rows(corpus, features.attributes, features.labels, 1)]
        found += [kernels.scores(corpus, field), *kernels.tag(corpus, field), *kernels.marginals(corpus, field)]
        step = kernels.Pass()
        step.run(corpus, field, None, None, order)
        found += [step.loss, *kernels.margin_pass(corpus, field, beside, order, 1, 1.0, True, 1.0)]
        found += [*kernels.arow_pass(corpus, field, beside, order, 1.0), *weights.arrays()]
        return found

    state = rng.bit_generator.state
    expected = answers(in_stops(posed.dataset))
    rng.bit_generator.state = state
    for mine, other in zip(answers(in_places(posed.dataset, kind)), expected, strict=True):
        np.testing.assert_array_equal(mine, other)


def damaged(place: np.ndarray, at: int, value: int) -> np.ndarray:
    changed = place.copy()
    changed[at] = value
    return changed


@pytest.mark.parametrize("kind", [np.uint16, np.uint32])
def test_places_that_do_not_fit_are_refused(kind: Any) -> None:
    sentences = [[[(0, 1.0), (1, 1.0)], [(0, 1.0)]], [[(1, 1.0)]]]
    data = encode(Problem(sentences, [[0, 1], [1]], [1.0, 1.0], 2, 2)).dataset
    place, top = places(data, kind), TOP[kind]
    in_places(data, kind, place)
    for at in range(len(place)):
        with pytest.raises(ValueError, match="a position is out of bounds in sequence"):
            in_places(data, kind, damaged(place, at, (int(place[at]) & top) | 2))
        with pytest.raises(ValueError, match="the places do not end the slots of sequence"):
            in_places(data, kind, damaged(place, at, int(place[at]) ^ top))
    swapped = damaged(place, 2, int(place[2]) ^ top)  # as many ends as slots, but none at the last occurrence
    first = next(i for i in range(3) if not place[i] & top)
    with pytest.raises(ValueError, match="the places do not end the slots of sequence 0"):
        in_places(data, kind, damaged(swapped, first, int(place[first]) | top))
    with pytest.raises(ValueError, match="do not span the arrays"):
        in_places(data, kind, place[:-1])
    for wrong in (-1, 2**31 - 1):
        changed = replace(data, attribute=damaged(data.attribute, 0, wrong))
        with pytest.raises(ValueError, match="an attribute id is out of bounds"):
            in_places(changed, kind, place)
