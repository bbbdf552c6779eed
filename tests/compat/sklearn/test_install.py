"""install_as_sklearn_crfsuite: programs import it, and pickles of sklearn-crfsuite load, where neither is installed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

PICKLES = Path(__file__).parents[2] / "golden" / "pickles"
HIDDEN = """
import sys
sys.modules["sklearn_crfsuite"] = sys.modules["pycrfsuite"] = None  # as if they were not installed
import tagfield
tagfield.install_as_sklearn_crfsuite()
"""


def run(code: str, *given: str) -> str:
    """What a new process prints that has neither sklearn-crfsuite nor python-crfsuite."""
    done = subprocess.run([sys.executable, "-c", HIDDEN + code, *given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("version", ["0.3.6", "0.5.0"])
def test_a_pickle_of_sklearn_crfsuite_becomes_a_working_crf(version: str) -> None:
    """The pickles were written by these versions, with the probabilities that they gave."""
    path = PICKLES / f"sklearn-crfsuite-{version}"
    expected = json.loads(path.with_suffix(f"{path.suffix}.json").read_text())
    found = run(
        """
import joblib, json, pickle
from sklearn.base import clone
path, X = sys.argv[1], json.loads(sys.argv[2])
crf = joblib.load(path)
assert type(crf) is tagfield.CRF and crf.model_filename is None and crf.classes_ == ["NAME", "VERB"]
again = pickle.loads(pickle.dumps(crf))
assert again.predict(X) == crf.predict(X) == [["NAME", "VERB"], ["NAME"]]
new = clone(crf).fit(X, crf.predict(X))
assert new.get_params()["c1"] == 0.05 and new.training_log_.iterations
print(json.dumps([crf.c1, crf.c2, crf.max_iterations, list(map(list, crf.predict_marginals(X)))]))
""",
        f"{path}.pkl",
        json.dumps(expected["X"]),
    )
    *arguments, marginals = json.loads(found)
    assert arguments == [0.05, 0.2, 9]
    for row, peer in zip(marginals, expected["marginals"], strict=True):
        assert row == [pytest.approx(token, abs=1e-9) for token in peer]


def test_the_modules_of_sklearn_crfsuite() -> None:
    """Every import that programs and its own documentation use."""
    told = run("""
import importlib.util
import sklearn_crfsuite, sklearn_crfsuite.metrics
from sklearn_crfsuite import CRF, metrics, scorers
from sklearn_crfsuite.estimator import CRF as same
from sklearn_crfsuite.utils import flatten
from sklearn_crfsuite.trainer import LinePerIterationTrainer
from sklearn_crfsuite.compat import BaseEstimator
from pycrfsuite import Trainer
assert CRF is same is tagfield.CRF and issubclass(LinePerIterationTrainer, Trainer) and issubclass(CRF, BaseEstimator)
X, y = [[["a"], ["b"]]] * 3, [["X", "Y"]] * 3
crf = CRF(trainer_cls=LinePerIterationTrainer, max_iterations=3, verbose=True).fit(X, y, X, y)
print(metrics.flat_accuracy_score(y, crf.predict(X)), scorers.flat_accuracy(crf, X, y), flatten(y)[:2])
assert importlib.util.find_spec("sklearn_crfsuite") is not None
""")
    assert "Iter 1 " in told
    assert "avg_f1=" in told
    assert told.splitlines()[-1] == "1.0 1.0 ['X', 'Y']"


def test_a_pickle_that_names_its_model_file(tmp_path: Path) -> None:
    """Such a pickle has no model: the file is read when it is first asked for. An unfitted CRF stays unfitted."""
    sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed")
    import pickle

    named = sklearn_crfsuite.CRF(model_filename=str(tmp_path / "m.crfsuite")).fit([[["a"], ["b"]]], [["X", "Y"]])
    (tmp_path / "both.pkl").write_bytes(pickle.dumps([named, sklearn_crfsuite.CRF(c2=3.0)]))
    told = run(
        """
import pickle
named, unfitted = pickle.load(open(sys.argv[1], "rb"))
print(named.predict([[["b"], ["a"]]]), unfitted.classes_, unfitted.c2, unfitted.early_stopping)
""",
        str(tmp_path / "both.pkl"),
    )
    assert told == "[['Y', 'X']] None 3.0 False\n"
