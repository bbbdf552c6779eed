"""Line searches: what they promise on drawn curves, and CRFsuite's own runs step by step."""

import math

import numpy as np
import pytest
import sklearn_crfsuite
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.demo import addresses
from tagfield.train.recipes.crfsuite_recipes import LINE_SEARCHES
from tagfield.train.trainers.line_search import FLATTER, SEARCHES, SUFFICIENT, Point

STRONG = ("MoreThuente", "StrongBacktracking")


@st.composite
def curves(draw: st.DrawFn):  # type: ignore[no-untyped-def]
    """Sums of a well, a wave and a wall, falling at 0."""
    middle, wide = draw(st.floats(0.01, 50)), draw(st.floats(0.1, 10))
    height, often, shift = draw(st.floats(0, 2)), draw(st.floats(0.1, 5)), draw(st.floats(0, 6))
    wall = draw(st.sampled_from([math.inf, 3.0, 30.0]))  # beyond it the curve is not a number
    seen = []

    def curve(step: float) -> Point:
        seen.append(step)
        u = (step - middle) / wide
        value = math.sqrt(1 + u * u) + height * math.cos(often * step + shift)
        slope = u / wide / math.sqrt(1 + u * u) - height * often * math.sin(often * step + shift)
        return Point(step, value if step < wall else math.nan, slope)

    start = curve(0.0)
    assume(start.slope < -1e-3)
    seen.clear()
    return curve, start, seen


@pytest.mark.parametrize("name", SEARCHES)
def test_what_is_found_is_low_and_flat_enough(name: str) -> None:
    found_at_all = []

    @settings(max_examples=300, deadline=None)
    @given(curves(), st.floats(1e-3, 100))
    def keeps(drawn, step: float) -> None:  # type: ignore[no-untyped-def]
        curve, start, seen = drawn
        found = SEARCHES[name](curve, start, step, 20)
        assert len(seen) <= 20
        found_at_all.append(found is not None)
        if found is None:
            return
        assert found.step > 0
        assert found.value <= start.value + SUFFICIENT * found.step * start.slope
        if len(seen) == 20:  # the lowest so far
            return
        assert found.slope >= FLATTER * start.slope
        if name in STRONG:
            assert abs(found.slope) <= -FLATTER * start.slope

    keeps()
    assert np.mean(found_at_all) > 0.5


def test_interpolation_needs_fewer_looks_than_halving() -> None:
    looks = {}
    for name, search in SEARCHES.items():
        seen = []

        def curve(step: float, seen=seen) -> Point:  # type: ignore[no-untyped-def]
            seen.append(step)
            return Point(step, step**4 - step, 4 * step**3 - 1)

        assert search(curve, Point(0.0, 0.0, -1.0), 1000.0, 40) is not None
        looks[name] = len(seen)
    assert looks["MoreThuente"] < looks["StrongBacktracking"]


def features(sentence, t: int) -> dict[str, str]:  # type: ignore[no-untyped-def]
    words = ["<", *(word for word, _, _ in sentence), ">"]
    return {"word": words[t + 1], "before": words[t], "after": words[t + 2], "shape": sentence[t][1]}


CORPUS = addresses(seed=3, train=150, test=100)
X, X_TEST = ([[features(s, t) for t in range(len(s))] for s in part] for part in (CORPUS.train, CORPUS.test))
Y = [[label for _, _, label in s] for s in CORPUS.train]


@pytest.mark.parametrize(
    "given",
    [
        {"c2": 0.01, "max_iterations": 40},
        {"c2": 0.01, "max_iterations": 40, "linesearch": "Backtracking"},
        {"c2": 0.01, "max_iterations": 40, "linesearch": "StrongBacktracking"},
        {"c2": 0.1, "max_iterations": 40, "num_memories": 3, "all_possible_states": True},
        {"c1": 0.137, "c2": 0.01, "max_iterations": 40, "all_possible_transitions": True},
    ],
    ids=str,
)
def test_crfsuites_runs_step_by_step(given) -> None:  # type: ignore[no-untyped-def]
    """Cut off before its end, a run agrees only if every step before did."""
    theirs = sklearn_crfsuite.CRF("lbfgs", **given).fit(X, Y)
    ours = CRF("lbfgs", **given).fit(X, Y)
    losses = [row["loss"] for row in theirs.training_log_.iterations]
    assert [row["loss"] for row in ours.training_log_.iterations] == pytest.approx(losses, rel=1e-5)
    assert len(losses) == 40
    if "c1" not in given:  # some searches were not content with their first look
        assert max(row["linesearch_trials"] for row in theirs.training_log_.iterations) > 1
    pairs = zip(ours.predict(X_TEST), theirs.predict(X_TEST), strict=True)
    same = [a == b for row, other in pairs for a, b in zip(row, other, strict=True)]
    assert np.mean(same) >= 0.999


def test_the_option_offers_every_line_search() -> None:
    assert tuple(SEARCHES) == LINE_SEARCHES
