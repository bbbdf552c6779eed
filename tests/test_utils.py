"""The names that sklearn-crfsuite's users import."""

import subprocess
import sys
import textwrap

import pytest
from sklearn_crfsuite import utils as peer

import tagfield
from tagfield.utils import flatten


@pytest.mark.parametrize("y", [[], [[]], [["a", "b"], ["c"]], ["ab", "c"], [(1, 2), [3]]], ids=str)
def test_flatten(y: list) -> None:
    assert flatten(y) == peer.flatten(y)
    assert flatten(iter(y)) == tagfield.utils.flatten(y)


@pytest.mark.parametrize("what", ["from tagfield import CRF", "from tagfield import scorers"])
def test_a_missing_scikit_learn_says_how_to_install_it(what: str) -> None:
    code = f"""
        import sys
        sys.modules["sklearn"] = None  # as if it were not installed
        from tagfield import Model
        {what}
    """
    found = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True)
    last = found.stderr.strip().splitlines()[-1]
    assert "needs scikit-learn; install it with: pip install 'tagfield[sklearn]'" in last
    assert last.startswith("ModuleNotFoundError: ")


def test_another_missing_module_is_named_as_it_is() -> None:
    error = ModuleNotFoundError("No module named 'x'", name="x")
    assert tagfield.errors.needs_sklearn("CRF", error) is error
