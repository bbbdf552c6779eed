"""sklearn-crfsuite itself on tagfield: its CRF trains, predicts, pickles and logs as on python-crfsuite."""

from pathlib import Path

import pytest

from tests.support.switched import INSTALL, both

pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed (the extra dev has it)")

PROGRAM = """
import json, pickle, random
import sklearn_crfsuite

rng = random.Random(5)
X = [[{f"w{rng.randrange(9)}": 1.0, "b": 1.0} for _ in range(5)] for _ in range(40)]
y = [[rng.choice("AB") if rng.random() < 0.2 else "AB"["w1" in item or "w3" in item] for item in x] for x in X]
crf = sklearn_crfsuite.CRF(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=20, verbose=True)
crf.fit(X[:30], y[:30], X_dev=X[30:], y_dev=y[30:])
again = pickle.loads(pickle.dumps(crf))
print(json.dumps([
    [list(labels) for labels in again.predict(X)],
    [[{label: round(p, 4) for label, p in token.items()} for token in x] for x in again.predict_marginals(X)],
    crf.score(X, y), list(crf.classes_), crf.attributes_, crf.num_attributes_, len(crf.state_features_),
    [round(each["loss"], 4) for each in crf.training_log_.iterations],
    [round(each["avg_f1"], 4) for each in crf.training_log_.iterations],
]))
"""


@pytest.mark.slow
def test_the_same_results(tmp_path: Path) -> None:
    theirs, ours = both(PROGRAM, tmp_path, INSTALL)
    assert ours == theirs
