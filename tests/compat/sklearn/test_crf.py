"""CRF by sklearn-crfsuite's names and scikit-learn's rules."""

import inspect
import pickle
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from tagfield import CRF
from tagfield.compat.sklearn.parameters import settings_of
from tagfield.metrics import chunk_f1, flat_accuracy, sequence_accuracy
from tagfield.model.model import Model
from tests.support.chains import tagged

ALGORITHMS = ["lbfgs", "l2sgd", "ap", "pa", "arow", "sgd", "u1.g1", "u2.g1", "ngd", "adaptive"]
X, Y = tagged(60)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_learns_and_repeats_itself(algorithm: str) -> None:
    penalty = {} if algorithm in ("ap", "pa", "arow") else {"c2": 0.1}
    crf = CRF(algorithm, **penalty, max_iterations=15, random_state=3).fit(X, Y)
    assert crf.score(X, Y) > 0.85
    again = CRF(algorithm, **penalty, max_iterations=15, random_state=3).fit(X, Y)
    assert again.model_.weights.state.tobytes() == crf.model_.weights.state.tobytes()
    assert again.model_.weights.trans.tobytes() == crf.model_.weights.trans.tobytes()


def test_another_seed_is_another_run() -> None:
    one, two = (CRF("l2sgd", max_iterations=2, random_state=seed).fit(X, Y) for seed in (1, 2))
    assert one.state_features_ != two.state_features_


def test_the_constructor_has_sklearn_crfsuites_arguments_in_its_order() -> None:
    theirs = pytest.importorskip("sklearn_crfsuite", reason="sklearn-crfsuite is not installed").CRF
    expected = list(inspect.signature(theirs.__init__).parameters)
    assert list(inspect.signature(CRF.__init__).parameters)[: len(expected)] == expected


@pytest.mark.parametrize(
    ("algorithm", "epochs"), [(None, 2**31 - 1), ("l2sgd", 1000), ("ap", 100), ("pa", 100), ("arow", 100)]
)
def test_defaults_are_crfsuites(algorithm: str | None, epochs: int) -> None:
    settings = settings_of(CRF(algorithm).get_params())
    assert (settings.epochs, settings.c1, settings.c2, settings.period) == (epochs, 0.0, 1.0, 10)
    assert (settings.features, settings.transitions, settings.min_count) == ("observed", "observed", 1)


def test_predictions_are_lists_and_marginals_are_dicts() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    labels = crf.predict(X[:3])
    assert isinstance(labels, list)
    assert all(isinstance(row, list) and all(type(label) is str for label in row) for row in labels)
    assert labels[0] == crf.predict_single(X[0])
    rows = crf.predict_marginals(X[:3])
    assert [len(row) for row in rows] == [len(x) for x in X[:3]]
    for token in rows[0]:
        assert set(token) == set(crf.classes_)
        assert sum(token.values()) == pytest.approx(1, abs=1e-5)
    assert rows[0] == crf.predict_marginals_single(X[0])
    assert crf.predict([]) == crf.predict_marginals([]) == []
    assert crf.predict([[], X[0], []]) == [[], labels[0], []]
    assert crf.predict_single([]) == crf.predict_marginals_single([]) == []


def test_fitted_attributes() -> None:
    crf = CRF(c1=0.1, c2=0.01, all_possible_transitions=True).fit(X, Y)
    seen = [label for row in Y for label in row]
    assert crf.classes_ == list(dict.fromkeys(seen))
    assert crf.num_attributes_ == len(crf.attributes_) == len(set(crf.attributes_))
    assert {a for a, _ in crf.state_features_} <= set(crf.attributes_)
    assert all(isinstance(w, float) and w != 0 for w in crf.state_features_.values())
    assert {label for pair in crf.transition_features_ for label in pair} <= set(crf.classes_)
    assert crf.training_log_.last_iteration["loss"] == crf.history_[-1]["objective"]
    assert crf.size_ > 0
    assert crf.n_iter_ == len(crf.history_) == len(crf.training_log_.iterations)
    assert crf.converged_
    assert "has settled" in crf.stop_reason_
    tagger = crf.tagger_
    assert tagger.tag(X[0]) == crf.predict_single(X[0])
    assert tagger.marginal("O", 0) == crf.predict_marginals_single(X[0])[0]["O"]
    assert tagger.probability(Y[0]) == pytest.approx(np.exp(crf.predict_log_probability([X[0]], [Y[0]])[0]))
    assert tagger.labels() == crf.classes_
    assert tagger.info().state_features == crf.state_features_


def test_nothing_is_there_before_fit() -> None:
    crf = CRF()
    for ask in (
        lambda: crf.predict(X),
        lambda: crf.predict_single(X[0]),
        lambda: crf.predict_marginals(X),
        lambda: crf.score(X, Y),
        lambda: crf.explain(X[0], 0),
        lambda: crf.top_features(),
        lambda: crf.top_transitions(),
        lambda: crf.size_report(),
    ):
        with pytest.raises(NotFittedError, match="not fitted yet"):
            ask()
    for name in [
        "classes_",
        "tagger_",
        "size_",
        "num_attributes_",
        "attributes_",
        "state_features_",
        "transition_features_",
        "training_log_",
    ]:
        assert getattr(crf, name) is None, name  # as in sklearn-crfsuite
    with pytest.raises(NotFittedError):
        check_is_fitted(crf)
    check_is_fitted(crf.fit(X, Y))
    assert clone(crf).classes_ is None


def test_clone_parameters_and_repr() -> None:
    crf = CRF("l2sgd", c2=0.5, class_weight={"O": 0.5}, callbacks=[print]).fit(X[:5], Y[:5])
    copy = clone(crf)
    assert copy.get_params() == crf.get_params()
    assert not hasattr(copy, "model_")
    assert copy.set_params(c2=2.0).c2 == 2.0
    assert repr(CRF("pa", c=2.0)).replace("\n", "") == "CRF(algorithm='pa', c=2.0)"
    with pytest.raises(ValueError, match="Invalid parameter"):
        crf.set_params(no_such=1)


def test_a_pickle_predicts_the_same_and_leaves_no_file(tmp_path: Path, monkeypatch) -> None:
    """sklearn-crfsuite#50, #61, #65, python-crfsuite#120: a temporary file for every model that was unpickled."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    crf = CRF(c2=0.1).fit(X, [[("label", label) for label in row] for row in Y])
    back = pickle.loads(pickle.dumps(crf))
    assert back.predict(X) == crf.predict(X)
    assert back.state_features_ == crf.state_features_
    assert back.history_ == crf.history_
    assert pickle.loads(pickle.dumps(CRF(c1=3.0))).c1 == 3.0
    assert list(tmp_path.iterdir()) == []


def test_model_filename_is_a_model_file(tmp_path: Path) -> None:
    crf = CRF(model_filename=tmp_path / "m.tagfield").fit(X, Y)
    assert Model.load(tmp_path / "m.tagfield").tag(X) == crf.predict(X)


@pytest.mark.parametrize("n_jobs", [1, pytest.param(2, marks=pytest.mark.slow)])  # 2 starts processes
def test_searches_and_cross_validation(n_jobs: int) -> None:
    search = GridSearchCV(
        CRF(max_iterations=20), {"c2": [0.1, 10.0], "c1": [0.0, 0.1]}, cv=3, scoring=flat_accuracy, n_jobs=n_jobs
    )
    search.fit(X, Y)
    assert search.best_score_ > 0.8
    assert len(search.predict(X)) == len(X)
    scores = cross_val_score(CRF("l2sgd", max_iterations=5), X, Y, cv=3, scoring=chunk_f1, n_jobs=n_jobs)
    assert (scores > 0.5).all()


def test_randomized_search_with_the_default_score() -> None:
    search = RandomizedSearchCV(CRF(max_iterations=10), {"c2": np.logspace(-2, 0, 10)}, n_iter=2, cv=2, random_state=0)
    assert search.fit(X, Y).best_score_ > 0.8
    assert 0 <= sequence_accuracy(search.best_estimator_, X, Y) <= 1


def test_pipeline() -> None:
    def lengthen(sequences: list) -> list:
        return [[{**token, "long": len(token["word"])} for token in x] for x in sequences]

    pipeline = Pipeline([("more", FunctionTransformer(lengthen)), ("crf", CRF(c2=0.1))])
    pipeline.fit(X, Y, crf__sample_weight=np.ones(len(X)))
    assert pipeline.score(X, Y) > 0.9
    assert "long" in pipeline["crf"].attributes_


def test_tagfield_imports_without_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None; import tagfield, tagfield.model.model; print(tagfield.__version__)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    code = "import sys, tagfield, tagfield.model.model; assert 'sklearn' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_training_lets_other_threads_run() -> None:
    """python-crfsuite#119: the interpreter stood still while a model trained."""
    rng = np.random.default_rng(0)
    words = [[[f"w{w}"] for w in rng.integers(50, size=30)] for _ in range(150)]
    labels = [[f"y{y}" for y in rng.integers(400, size=30)] for _ in words]  # so many that the one pass takes long
    ticks, done = [], threading.Event()

    def tick() -> None:
        while not done.wait(0.001):
            ticks.append(1)

    watcher = threading.Thread(target=tick)
    began = time.perf_counter()
    watcher.start()
    CRF("sgd", rate=0.01, max_iterations=1).fit(words, labels)
    done.set()
    watcher.join()
    assert len(ticks) / (time.perf_counter() - began) > 100  # a second; 30 if the kernels kept the lock


def test_verbose_prints_a_line_for_each_pass(capsys) -> None:
    CRF("l2sgd", max_iterations=3, verbose=True).fit(iter(X), iter(Y), X_dev=X[:5], y_dev=Y[:5])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert lines[0].startswith("Iter 1 ")
    assert "loss=" in lines[2]
    assert "F1=" in lines[2]


def test_held_out_predictions_of_every_sequence() -> None:
    found = cross_val_predict(CRF(c2=0.1, max_iterations=20), X, Y, cv=3)
    assert [len(row) for row in found] == [len(x) for x in X]
    assert np.mean([a == b for row, y in zip(found, Y, strict=True) for a, b in zip(row, y, strict=True)]) > 0.8
    assert np.array(CRF().fit(X, Y).predict_marginals(X), dtype=object).shape == (len(X),)


def test_the_tagger_is_one_object_until_the_next_fit(tmp_path: Path) -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    crf.tagger_.set(X[0])
    assert crf.tagger_.probability(crf.predict_single(X[0])) > 0
    before = crf.tagger_
    crf.tagger_.dump(tmp_path / "text")
    text = (tmp_path / "text").read_text()
    assert "TRANSITIONS" in text
    assert f"num_attrs: {crf.num_attributes_}" in text
    assert pickle.loads(pickle.dumps(crf)).tagger_.tag(X[0]) == crf.predict_single(X[0])
    assert crf.fit(X, Y).tagger_ is not before


def test_attributes_are_those_with_a_weight() -> None:
    """As CRFsuite counts them: c1 leaves attributes without one, and they are no part of the model."""
    crf = CRF(c1=1.0, c2=0.01).fit(X, Y)
    assert set(crf.attributes_) == {name for name, _ in crf.state_features_}
    assert crf.num_attributes_ < CRF(c2=0.01).fit(X, Y).num_attributes_
    assert crf.training_log_.featgen_num_features > sum(crf.model_.features.counts)
    assert crf.size_ < CRF(c2=0.01).fit(X, Y).size_


def test_names_that_sklearn_crfsuites_users_look_for() -> None:
    import tagfield
    from tagfield import metrics, scorers

    assert tagfield.metrics is metrics
    assert scorers.flat_accuracy is metrics.flat_accuracy
    assert "scorers" in dir(tagfield)


def test_what_a_script_changes_is_its_own() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    labels = crf.classes_
    labels.remove("O")
    assert "O" in crf.classes_
    assert crf.predict(X) == CRF(c2=0.1).fit(X, Y).predict(X)
    crf.attributes_.clear()
    assert len(crf.attributes_) == crf.num_attributes_


def test_weights_by_name_are_made_once_for_each_model() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    before = crf.state_features_, crf.transition_features_
    assert (crf.state_features_ is before[0], crf.transition_features_ is before[1]) == (True, True)
    assert crf.prune(0.1).state_features_ != before[0]
    assert crf.fit(X[:5], Y[:5]).transition_features_ != before[1]
    assert "state_features" not in pickle.loads(pickle.dumps(crf))._fitted.__dict__
    header = crf.tagger_.info().header
    assert int(header["num_features"]) == len(crf.state_features_) + len(crf.transition_features_)
