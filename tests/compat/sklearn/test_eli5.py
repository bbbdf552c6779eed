"""eli5.explain_weights(crf): registered whenever eli5 is imported; the real one where it is installed."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import CRF
from tagfield.compat.sklearn import eli5_weights
from tests.support.chains import tagged

# As much of eli5 as CRF meets: a generic function, and records.
PACKAGE = {
    "__init__.py": "from .explain import explain_weights",
    "explain.py": """
        from functools import singledispatch

        @singledispatch
        def explain_weights(estimator, **options):
            return None
    """,
    "base.py": """
        class Record:
            def __init__(self, *values, **named):
                self.values = values
                self.__dict__ |= named

        Explanation = TargetExplanation = TransitionFeatureWeights = FeatureWeights = FeatureWeight = Record
    """,
}
ORDERS = {
    "before": "import eli5; from tagfield import CRF",
    "after": "from tagfield import CRF; CRF().fit([[['a']]], [['X']]); import eli5.explain",
}


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "eli5").mkdir()
    for name, text in PACKAGE.items():
        (tmp_path / "eli5" / name).write_text(textwrap.dedent(text))
    return tmp_path


@pytest.mark.slow  # a process that imports scikit-learn
@pytest.mark.parametrize("order", ORDERS)
def test_eli5_knows_crf_whichever_is_imported_first(order: str, package: Path) -> None:
    code = f"""
        import sys
        sys.path.insert(0, {str(package)!r})
        {ORDERS[order]}
        class Mine(CRF):
            pass
        for kind in (CRF, Mine):
            crf = kind(c2=0.01).fit([[["a"], ["b"], ["c"]]] * 3, [["B-X", "I-X", "O"]] * 3)
            found = eli5.explain_weights(crf, top=1)
            print([target.target for target in found.targets], found.method, found.transition_features.coef.shape)
            print([target.feature_weights.pos[0].values[0] for target in found.targets])
        print(eli5.explain_weights(3), eli5.__spec__.name, eli5.__file__ is not None)
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    expected = ["['O', 'B-X', 'I-X'] CRF (3, 3)", "['c', 'a', 'b']"]
    assert found.stdout.splitlines() == [*expected, *expected, "None eli5 True"]


def loaded() -> dict[str, Any]:
    return {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "eli5"}


@pytest.fixture
def imported(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """`import eli5` finds the package above, until the test ends."""
    before = loaded()
    monkeypatch.syspath_prepend(package)
    for name in before:
        del sys.modules[name]
    yield
    for name in loaded():
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.usefixtures("imported")
def test_what_is_shown() -> None:
    X, Y = tagged(20)
    crf = CRF(c2=0.1).fit(X, Y)
    weights = crf.state_features_
    label = crf.classes_[1]
    for top, filters in [
        (None, {}),
        (3, {}),
        ((2, 1), {}),
        (None, {"feature_re": "1"}),
        (None, {"feature_filter": len}),
    ]:
        found = eli5_weights.explained_weights(crf, top, targets=[label, crf.classes_[0]], **filters)
        own = {a: w for (a, y), w in weights.items() if y == label and ("feature_re" not in filters or "1" in a)}
        shown = found.targets[0].feature_weights
        pos, neg = ([feature.values for feature in side] for side in (shown.pos, shown.neg))
        ranked = sorted(own.items(), key=lambda entry: -abs(entry[1]))[: top if isinstance(top, int) else None]
        counts = top if isinstance(top, tuple) else (None, None)
        assert [w for _, w in pos] == [w for _, w in ranked if w > 0][: counts[0]]
        assert [w for _, w in neg] == [w for _, w in ranked if w < 0][: counts[1]]
        assert shown.pos_remaining + len(pos) == sum(w > 0 for w in own.values())
        assert shown.neg_remaining + len(neg) == sum(w < 0 for w in own.values())
        assert found.transition_features.coef[0, 1] == crf.transition_features_.get((label, crf.classes_[0]), 0)
    renamed = eli5_weights.explained_weights(crf, target_names={label: "other"}, targets=[label])
    listed = eli5_weights.explained_weights(crf, target_names=[f"<{y}>" for y in crf.classes_])
    assert renamed.targets[0].target == "other"
    assert {target.target for target in listed.targets} == {f"<{y}>" for y in crf.classes_}


def test_what_eli5_reads_of_sklearn_crfsuites_crf() -> None:
    """Its own function for that class works on ours too: the attributes have the same types."""
    X, Y = tagged(20)
    crf = CRF(c2=0.1).fit(X, Y)
    index = {name: i for i, name in enumerate(np.array(crf.attributes_))}
    assert all(isinstance(weight, float) and a in index and y in crf.classes_
               for (a, y), weight in crf.state_features_.items())  # fmt: skip
    assert all(
        isinstance(crf.transition_features_.get((a, b), 0), int | float) for a in crf.classes_ for b in crf.classes_
    )
    assert isinstance(repr(crf), str)


def test_the_real_eli5() -> None:
    eli5 = pytest.importorskip("eli5", reason="eli5 is not installed")
    eli5_weights.offer_to_eli5(CRF)  # a test above may have used up the first offer
    X, Y = tagged(20)
    crf = CRF(c2=0.1).fit(X, Y)
    found = eli5.explain_weights(crf, top=5)
    assert found.error is None
    assert "Transition features" in eli5.format_as_text(found)
    assert len(eli5.explain_weights(crf, targets=["O"], feature_re=".").targets) == 1
