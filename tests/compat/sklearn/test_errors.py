"""Bad input, thread by thread: what crashed or confused in CRFsuite and its wrappers is one clear sentence here."""

import re

import numpy as np
import pytest
import sklearn_crfsuite
from sklearn.exceptions import NotFittedError

from tagfield import CRF
from tagfield.errors import InputError, ModelFileError, TrainingError
from tagfield.model.model import Model
from tests.support.chains import tagged

X, Y = tagged(10)


def test_tagging_without_a_model_is_an_error_and_no_crash() -> None:
    """python-crfsuite#28: Tagger.tag without a model ended the process."""
    with pytest.raises(NotFittedError):
        CRF().predict(X)


def test_a_file_with_the_right_beginning_and_garbage_after_it(tmp_path) -> None:
    """chokkan/crfsuite#24: such a file ended the process when it was opened."""
    good = tmp_path / "good"
    CRF(model_filename=good).fit(X, Y)
    bad = tmp_path / "bad"
    bad.write_bytes(good.read_bytes()[:300] + b"\xff" * 500)
    with pytest.raises(ModelFileError):
        Model.load(bad)


def test_one_sequence_of_two_tokens_trains() -> None:
    """chokkan/crfsuite#3: a training set of two lines ended the process."""
    crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    assert crf.predict([[["a"], ["b"]]]) == [["X", "Y"]]


@pytest.mark.parametrize("algorithm", ["lbfgs", "l2sgd", "ap", "pa", "arow", "u2.g1"])
def test_only_empty_sequences(algorithm: str) -> None:
    """snipsco/snips-nlu#659: fitting on empty utterances alone ended the process."""
    with pytest.raises(InputError, match="no data to train on: every sequence is empty"):
        CRF(algorithm).fit([[], []], [[], []])
    with pytest.raises(InputError, match="no data to train on: X is empty"):
        CRF(algorithm).fit([], [])


def test_empty_sequences_are_left_out_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"2 of 12 sequences are empty \(the first is X\[0\]\)"):
        crf = CRF().fit([[], *X, []], [[], *Y, []])
    assert crf.state_features_ == CRF().fit(X, Y).state_features_
    assert crf.predict([[]]) == [[]]


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        # sklearn-crfsuite#53, #64, parserator#42: a flat list where sequences are expected
        ([{"w": "a"}, {"w": "b"}], ["A", "B"], r"X[0] is of type dict"),
        (X, [label for row in Y for label in row], "is a string, and each of its characters counts as a label"),
        (X, Y[:-1], "X and y must have the same length, but y ends after 9 sequences"),
        (X[:-1], Y, "X and y must have the same length, but X ends after 9 sequences"),
        ([X[0]], [Y[0][:-1]], rf"X[0] has {len(X[0])} tokens, but y[0] has {len(Y[0]) - 1} labels"),
        # sklearn-crfsuite#19, python-crfsuite#125: 'numpy.int64' object is not iterable
        ([np.arange(3)], [["A"] * 3], r"X[0][0] is of type"),
        (np.arange(3), [["A"]], r"X[0] is of type"),
        ([[["a"]]], np.arange(1), r"y[0] is of type"),
        # python-crfsuite#108: tuples as features
        ([[[("w", "a")]]], [["A"]], r"X[0][0] holds an attribute of type tuple"),
        # python-crfsuite's xfail test_tag_invalid_feature_format: accepted in silence
        ("foo", ["A"], "X is of type str"),
        ([[[{"foo": 1}]]], [["A"]], r"X[0][0] holds an attribute of type dict"),
        ([[{"w": None}]], [["A"]], r"X[0][0]: the value of 'w' is of type NoneType"),
        ([[{"w": float("nan")}]], [["A"]], r"X[0][0]: the value of 'w' must be a finite"),
        ([[3]], [["A"]], r"X[0][0] is of type int"),
        ([[["a"]]], [[["A"]]], r"y[0][0] is of type list, which is not hashable"),
        ([[["a"]]], [[float("nan")]], r"y[0][0]: the label is NaN"),
        ([[["a"]]], 3, "y is of type int"),
        ([[["a"]]], "A", "y is of type str"),
        ([[["a"], ["b"]]], [[None, None]], "the data holds no labelled sequence"),
    ],
)
def test_what_is_no_list_of_sequences(X, y, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CRF().fit(X, y)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ("foo", "X is of type str"),
        (["foo"], r"X[0] is of type str"),
        ([{"foo": 1}], r"X[0] is of type dict"),
        ([[[{"foo": 1}]]], r"X[0][0] holds an attribute of type dict"),
        ([X[0], [["a"], 3]], r"X[1][1] is of type int"),
    ],
)
def test_predict_says_the_same(X, message: str) -> None:
    crf = CRF().fit(*tagged(10))
    for ask in (crf.predict, crf.predict_marginals, crf.predict_spans, lambda X: crf.predict_nbest(X, 2)):
        with pytest.raises(InputError, match=re.escape(message)):
            ask(X)


def test_labels_and_attributes_beyond_ascii(tmp_path) -> None:
    """python-crfsuite#31, #96, #106, sklearn-crfsuite#32, luopeixiang#17, #53: UnicodeEncodeError and its like."""
    crf = CRF(model_filename=tmp_path / "m").fit([[["字=漢"], ["é😀"]]] * 2, [["名词", "Ö"]] * 2)
    assert crf.predict([[["字=漢"], ["é😀"]]]) == [["名词", "Ö"]]
    assert ("é😀", "Ö") in crf.state_features_
    assert crf.tagger_.info().labels == {"名词": "0", "Ö": "1"}
    assert Model.load(tmp_path / "m").tag([[["字=漢"], ["é😀"]]]) == [["名词", "Ö"]]


def test_colons_are_letters_like_any_other() -> None:
    """python-crfsuite#74, chokkan/crfsuite#28, dkpro-tc#502, jcrfsuite#5: is a colon in a name safe?"""
    crf = CRF().fit([[["a:1", "12:30:45"], {"k:": "v:"}]], [["x:y", ":"]])
    assert crf.attributes_ == ["a:1", "12:30:45", "k::v:"]
    assert crf.classes_ == ["x:y", ":"]


def test_negative_values_count() -> None:
    """CRFsuite drops an attribute whose values sum to less than min_freq; here occurrences are counted."""
    data = [[{"temperature": -3.0}], [{"temperature": 2.0}]] * 5
    crf = CRF(c2=0.01).fit(data, [["cold"], ["warm"]] * 5)
    assert crf.predict([[{"temperature": -3.0}], [{"temperature": 2.0}]]) == [["cold"], ["warm"]]


def test_min_freq_is_a_count_and_inclusive() -> None:
    """chokkan/crfsuite#107: what does min_freq mean?"""
    data = [[["once"]], *[[["thrice", "twice"]]] * 2, [["thrice"]]]
    crf = CRF(min_freq=3).fit(data, [["A"]] * 4)
    assert {a for a, _ in crf.state_features_} <= {"thrice"}
    both = CRF(min_freq=2, c2=0.1).fit(data, [["A"]] * 2 + [["A"]] * 2)
    assert "once" not in {a for a, _ in both.state_features_}


def test_scores_that_overflow_are_an_error_that_names_the_pass() -> None:
    """penelope#34: 'overflow loss', and a model of NaN."""
    huge = [[{"a": 1e30}, {"b": -1e30}]] * 3
    with pytest.raises(TrainingError, match=r"^epoch 1: .* range of numbers at sequence \d"):
        CRF("l2sgd", c2=1e-9, rate=10.0).fit(huge, [["X", "Y"]] * 3)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ([None], "known has 1 sequences, but X has 10"),
        ("O", "known must be a list with one entry per sequence, got str"),
        ([["O"] * 99, *[None] * 9], "but known[0] has 99 entries"),
        ([{99: "O"}, *[None] * 9], "known[0] has position 99"),
        ([{0: "NO"}, *[None] * 9], "known[0][0]: the model has no label 'NO'"),
        ([{0: []}, *[None] * 9], "known[0][0] is empty and allows no label"),
        ([3, *[None] * 9], "known[0] must be None, a dict, or a list with one entry per token, got int"),
        ([{0: [["O"]]}, *[None] * 9], "known[0][0]: the model has no label ['O']"),
        ([{0: {"O": 1}}, *[None] * 9], "known[0][0]: the model has no label {'O': 1}"),
    ],
)
def test_bad_known_labels(known, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        CRF().fit(X, Y).predict(X, known=known)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"algorithm": "svm"}, "no algorithm named 'svm'; choose one of l2sgd"),
        ({"c2": -1.0}, "c2 must be ≥ 0, got -1"),
        ({"c1": 1.0, "algorithm": "l2sgd"}, "c1 applies only to lbfgs, not to sgd"),
        ({"max_iterations": 0}, "max_iterations must be at least 1, got 0"),
        ({"min_freq": -1}, "min_freq must be"),
        ({"linesearch": "none"}, "linesearch must be one of MoreThuente, Backtracking, StrongBacktracking; got 'none'"),
        ({"trainer_cls": object}, "trainer_cls must be None or a subclass"),
        ({"random_state": "x"}, "random_state must be"),
        ({"n_jobs": 0}, "n_jobs must not be 0"),
        ({"constraints": "XYZ", "constrain_training": True}, "no scheme named 'XYZ'"),
        ({"early_stopping": True, "validation_fraction": 2}, "validation_fraction must be"),
        ({"early_stopping": True, "monitor": "x"}, "monitor must be one of auto, accuracy"),
        ({"algorithm": "sgd", "metric": "x"}, "metric must be one of flat, adaptive, newton, sgdqn, smd; got 'x'"),
        ({"loss": "B1"}, "loss applies only to ngd, not to lbfgs"),
        ({"algorithm": "arow", "gamma": 0.0}, "gamma must be above 0, got 0"),
        ({"algorithm": "pa", "pa_type": 7}, "pa_type must be at most 2, got 7"),
        ({"algorithm": ["lbfgs"]}, "no algorithm named ['lbfgs']"),
        ({"c2": "x"}, "c2 must be a number, got 'x'"),
        ({"c2": True}, "c2 must be a number, got True"),
        ({"epsilon": "x"}, "epsilon must be a number"),
        ({"delta": -1.0}, "delta must be ≥ 0, got -1"),
        ({"min_freq": "x"}, "min_freq must be a number"),
        ({"n_jobs": "2"}, "n_jobs must be a number"),
        ({"max_iterations": 2.7}, "max_iterations must be a whole number"),
        ({"period": -1}, "period must be ≥ 0, got -1"),
        ({"num_memories": 0}, "num_memories must be at least 1, got 0"),
        ({"max_linesearch": 0}, "max_linesearch must be at least 1, got 0"),
        ({"algorithm": "l2sgd", "rate": "x"}, "rate must be a number"),
        ({"algorithm": "l2sgd", "calibration_rate": 0}, "calibration_rate must be above 1, got 0"),
        ({"algorithm": "l2sgd", "calibration_samples": 0}, "calibration_samples must be at least 1, got 0"),
        ({"algorithm": "ngd", "generator": 3}, "generator must be a name"),
        ({"callbacks": print}, "callbacks must be a list of functions"),
        ({"callbacks": [3]}, "callbacks must be a list of functions"),
        ({"class_weight": 5}, "class_weight must be a dict of label to weight, or 'balanced', got 5"),
        ({"class_weight": {"O": None}}, "the class weight of 'O' must be a finite number above 0, got None"),
        ({"early_stopping": True, "n_iter_no_change": 0}, "n_iter_no_change must be at least 1"),
        ({"constraints": "XYZ"}, "no scheme named 'XYZ'"),
        ({"constraints": "IOBES"}, "no label starts with E- or S-"),
        ({"constraints": [[1.0]]}, "constraints must be"),
        ({"constraints": [[float("nan")] * 5] * 5}, "constraints contain NaN"),
        ({"algorithm": "lbfgs", "rate": 0.1}, "rate applies only to stochastic recipes, not to lbfgs"),
        ({"model_filename": "no/such/folder/model"}, "no folder named 'no/such/folder'"),
    ],
)
def test_bad_parameters_are_named_in_fit(params: dict, message: str) -> None:
    crf = CRF(**params)  # the constructor only stores
    with pytest.raises(InputError, match=re.escape(message)):
        crf.fit(X, Y)


def test_bad_held_out_data() -> None:
    for arguments, message in (
        ({"X_dev": X}, "X_dev and y_dev go together"),
        ({"eval_set": (X, Y), "X_dev": X}, "not both"),
        ({"eval_set": X}, "eval_set must be"),
        ({"eval_set": (X[:1], [[None] * len(X[0])])}, "tokens without a label"),
        ({"sample_weight": [1.0]}, "sample_weight must have one number for each of the 10 sequences, got the shape"),
        ({"sample_weight": [0.0] * 10}, "every sequence has weight 0"),
        ({"sample_weight": ["x"] * 10}, "sample_weight must be numbers"),
        ({"eval_set": ([], [])}, "held-out data: no data to train on"),
        ({"eval_set": ([[3]], [["O"]])}, r"held-out data: X\[0\]\[0\] is of type int"),
        ({"eval_set": [(X, Y), (X, Y)]}, "eval_set must be a single pair"),
        ({"sample_weight": [-1.0] * 10}, r"sample_weight\[0\] must be a finite number ≥ 0, got -1.0"),
    ):
        with pytest.raises(InputError, match=message):
            CRF().fit(X, Y, **arguments)
    with pytest.raises(InputError, match="nothing to score"):
        CRF().fit(X, Y).score([], [])
    for weight in ([1.0], [0.0] * 10, [float("nan")] * 10, [-1.0] * 10):
        with pytest.raises(InputError, match=r"sample_weight|nothing to score"):
            CRF().fit(X, Y).score(X, Y, sample_weight=weight)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"pa_type": 1}, "pa_type applies only to pa, not to lbfgs"),
        ({"algorithm": "ap", "c1": 0.1}, "c1 applies only to lbfgs, not to ap"),
        ({"algorithm": "pa", "c2": 0.1}, "c2 applies only to stochastic recipes and lbfgs, not to pa"),
        ({"algorithm": "l2sgd", "epsilon": 0.1}, "epsilon applies only to pa, ap, arow and lbfgs, not to sgd"),
        ({"algorithm": "arow", "num_memories": 3}, "num_memories applies only to lbfgs, not to arow"),
        ({"algorithm": "u2.g1", "gamma": 0.5}, "gamma applies only to"),
    ],
)
def test_the_option_of_another_algorithm_is_refused_as_in_sklearn_crfsuite(params: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CRF(**params).fit(X, Y)
    if "gamma" not in params:
        with pytest.raises(ValueError, match="Parameter not found"):
            sklearn_crfsuite.CRF(**params).fit(X, Y)


def test_nothing_at_all() -> None:
    crf = CRF().fit(X, Y)
    for call, what in (
        (lambda: CRF().fit(None, Y), "X is None"),
        (lambda: CRF().fit(X, None), "y is None"),
        (lambda: crf.predict(None), "X is None"),
        (lambda: crf.score(X, None), "y is None"),
        (lambda: crf.predict_log_probability(X, None), "y is None"),
        (lambda: crf.predict_nbest(X, 1.5), "n must be a whole number"),
        (lambda: crf.predict_nbest(X, 2**63), "n must be at least 1"),
        (lambda: crf.predict_nbest(X, float("nan")), "n must be a whole number"),
        (lambda: crf.explain(X[0], 1.5), "position 1.5 does not exist"),
        (lambda: crf.explain(X[0], True), "position True does not exist"),
        (lambda: crf.prune("x"), "threshold must be a number"),
        (lambda: crf.prune(-1), "threshold must be ≥ 0, got -1"),
    ):
        with pytest.raises(InputError, match=what):
            call()


def test_weights_that_cannot_fit_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """crfpp#11, Wapiti#1, chokkan/crfsuite#25, ansj_seg#470: a crash or std::bad_alloc where there were too many."""
    monkeypatch.setattr("tagfield.system.memory.room_left", lambda: 1e6)
    wide = [[[f"w{i}", *(f"v{i},{k}" for k in range(9))] for i in range(200)]]
    labels = [[f"l{i}" for i in range(200)]]
    with pytest.raises(InputError, match=r"2,000 attributes × 200 labels needs .* all_possible_states=False"):
        CRF(all_possible_states=True).fit(wide, labels)
    monkeypatch.undo()
    assert CRF(max_iterations=2).fit(wide, labels).n_iter_ == 2


def test_tokens_without_attributes_have_transitions_only() -> None:
    for algorithm, more in (
        *((name, {}) for name in ("lbfgs", "l2sgd", "pa", "arow", "u2.g1")),
        ("ngd", {"generator": "auto"}),
        ("ngd", {"generator": "auto", "all_possible_states": True}),
    ):
        penalty = {} if algorithm in ("pa", "arow") else {"c2": 0.01}
        crf = CRF(algorithm, **penalty, **more).fit([[{}, {}]] * 30, [["A", "B"]] * 30)
        assert crf.predict([[{}, {}]]) == [["A", "B"]]
