"""Reliability against a naive twin, claim by claim."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.errors import InputError
from tagfield.evaluate.reliability import BINS, Reliability
from tests.support.tolerances import ALGEBRA

Claims = list[tuple[float, bool]]
CLAIMS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60)


def naive(claims: Claims) -> tuple[list[tuple[float, float, float, float, int]], float]:
    rows, error = [], 0.0
    for k in range(BINS):
        own = [(p, right) for p, right in claims if min(int(p * BINS), BINS - 1) == k]
        if own:
            claimed, share = sum(p for p, _ in own) / len(own), sum(right for _, right in own) / len(own)
            rows.append((k / BINS, (k + 1) / BINS, claimed, share, len(own)))
            error += abs(claimed - share) * len(own) / len(claims)
    return rows, error


def of(claims: Claims) -> Reliability:
    return Reliability.of([p for p, _ in claims], [right for _, right in claims])


@given(CLAIMS)
def test_the_naive_twin(claims: Claims) -> None:
    found = of(claims)
    rows, error = naive(claims)
    assert [row[4] for row in found.rows()] == [row[4] for row in rows]
    np.testing.assert_allclose(np.array(found.rows()), np.array(rows), atol=ALGEBRA)
    assert found.ece == pytest.approx(error, abs=ALGEBRA)


@given(CLAIMS, CLAIMS)
def test_parts_add_up(one: Claims, two: Claims) -> None:
    both = of(one) + of(two)
    assert (both.count, both.right) == (of(one + two).count, of(one + two).right)
    assert both.ece == pytest.approx(of(one + two).ece, abs=ALGEBRA)


def test_what_cannot_be_counted() -> None:
    with pytest.raises(InputError, match="found 2 probabilities but 1 outcomes"):
        Reliability.of([0.1, 0.2], [True])
    with pytest.raises(InputError, match="between 0 and 1"):
        Reliability.of([1.5], [True])
