"""A user's script, twice: the same lines with sklearn_crfsuite and with tagfield, and the results side by side.

The script is the way of sklearn-crfsuite's CoNLL-2002 tutorial: token dicts with a window, lbfgs with c1 and c2,
reports without O, a search over both constants. The data is made from a seed.
"""

from collections import Counter
from types import ModuleType

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import make_scorer
from sklearn.model_selection import RandomizedSearchCV

import tagfield
import tagfield.metrics
from tagfield.demo import mentions

sklearn_crfsuite = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed")
sklearn_crfsuite_metrics = pytest.importorskip("sklearn_crfsuite.metrics")
pytestmark = pytest.mark.filterwarnings("ignore")  # what the other package warns of is not ours to fix


def word_features(sentence: list, i: int) -> dict:
    word, tag, _ = sentence[i]
    found = {
        "bias": 1.0,
        "word.lower()": word.lower(),
        "word[-3:]": word[-3:],
        "word.isupper()": word.isupper(),
        "word.istitle()": word.istitle(),
        "word.isdigit()": word.isdigit(),
        "postag": tag,
    }
    for offset in (-1, 1):
        if 0 <= i + offset < len(sentence):
            near, near_tag, _ = sentence[i + offset]
            found |= {f"{offset:+d}:word.lower()": near.lower(), f"{offset:+d}:postag": near_tag}
            found |= {f"{offset:+d}:word.istitle()": near.istitle()}
        else:
            found["BOS" if offset < 0 else "EOS"] = True
    return found


def script(crf_class: type, metrics: ModuleType) -> dict:
    """The user's script; only the imports differ."""
    corpus = mentions(seed=0, train=150, test=60)
    X_train, X_test = (
        [[word_features(s, i) for i in range(len(s))] for s in part] for part in (corpus.train, corpus.test)
    )
    y_train, y_test = ([[label for _, _, label in s] for s in part] for part in (corpus.train, corpus.test))
    crf = crf_class(algorithm="lbfgs", c1=0.1, c2=0.1, max_iterations=100, all_possible_transitions=True)
    crf.fit(X_train, y_train)
    labels = list(crf.classes_)
    labels.remove("O")
    y_pred = crf.predict(X_test)
    f1 = metrics.flat_f1_score(y_test, y_pred, average="weighted", labels=labels)
    sorted_labels = sorted(labels, key=lambda name: (name[1:], name[0]))
    report = metrics.flat_classification_report(y_test, y_pred, labels=sorted_labels, digits=3)
    search = RandomizedSearchCV(
        crf_class(algorithm="lbfgs", max_iterations=100, all_possible_transitions=True),
        {"c1": scipy.stats.expon(scale=0.5), "c2": scipy.stats.expon(scale=0.05)},
        cv=3,
        n_iter=2,
        random_state=0,
        scoring=make_scorer(metrics.flat_f1_score, average="weighted", labels=labels),
    )
    search.fit(X_train, y_train)
    best = search.best_estimator_
    return {
        "labels": labels,
        "pred": [label for row in y_pred for label in row],
        "f1": f1,
        "report": report,
        "marginals": crf.predict_marginals(X_test),
        "best": search.best_params_,
        "score": search.best_score_,
        "transitions": Counter(best.transition_features_).most_common(10),
        "states": Counter(best.state_features_).most_common(10),
        "loss": crf.training_log_.last_iteration["loss"],
        "attributes": crf.attributes_,
        "count": crf.num_attributes_,
        "accuracy": crf.score(X_test, y_test),
    }


@pytest.fixture(scope="module")
def both() -> tuple[dict, dict]:
    return script(sklearn_crfsuite.CRF, sklearn_crfsuite_metrics), script(tagfield.CRF, tagfield.metrics)


def test_the_same_labels_objective_and_scores(both) -> None:
    theirs, ours = both
    assert ours["labels"] == theirs["labels"]
    assert np.mean([a == b for a, b in zip(ours["pred"], theirs["pred"], strict=True)]) >= 0.999
    assert ours["loss"] == pytest.approx(theirs["loss"], rel=1e-4)
    assert ours["f1"] == pytest.approx(theirs["f1"], abs=2e-3)
    assert ours["accuracy"] == pytest.approx(theirs["accuracy"], abs=1e-3)


def test_the_same_report_and_search(both) -> None:
    theirs, ours = both
    assert [line.split()[:1] for line in ours["report"].splitlines()] == [
        line.split()[:1] for line in theirs["report"].splitlines()
    ]
    assert ours["best"] == theirs["best"]
    assert ours["score"] == pytest.approx(theirs["score"], abs=2e-3)


def test_the_same_weights_and_marginals(both) -> None:
    theirs, ours = both
    for name in ("transitions", "states"):
        assert {key for key, _ in ours[name][:5]} <= {key for key, _ in theirs[name]}
        assert ours[name][0][1] == pytest.approx(theirs[name][0][1], rel=0.02)
    # a model file of CRFsuite keeps only attributes with a weight, ours keeps what training saw
    assert set(theirs["attributes"]) <= set(ours["attributes"])
    for a, b in zip(ours["marginals"][0], theirs["marginals"][0], strict=True):
        assert a == pytest.approx(b, abs=0.01)
