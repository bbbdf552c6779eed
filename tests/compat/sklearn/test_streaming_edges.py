"""Streams that are interrupted, told otherwise on their way, or given nothing; each of these once went wrong."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

from tagfield import CRF
from tagfield.errors import InputError, TrainingError
from tests.support.chains import tagged

X, Y = tagged(120)
CLASSES = sorted({label for row in Y for label in row})
A, B = [[["a"], ["b"]], [["c"], ["a"]]], [["X", "Y"], ["Y", "X"]]


def bits(crf: CRF) -> tuple[Any, ...]:
    model = crf.model_
    return model.attributes.strings(), model.weights.state.tobytes(), model.weights.trans.tobytes()


def test_a_pass_that_leaves_the_range_of_numbers_is_undone() -> None:
    options = {"algorithm": "sgd", "rate": 1.0, "c2": 0.0}
    crf, other = CRF(**options).partial_fit(A, B), CRF(**options).partial_fit(A, B)
    with pytest.raises(TrainingError, match="left the range of numbers"):
        crf.partial_fit([[{"a": 1e30}, {"b": 1e30}]] * 20, [["Y", "X"]] * 20)
    assert bits(crf) == bits(other)
    assert bits(crf.partial_fit(A, B)) == bits(other.partial_fit(A, B))


def test_a_call_that_fails_after_fit_changes_nothing() -> None:
    crf = CRF().fit(A, B)
    with pytest.raises(InputError, match="name every label in that call"):
        crf.partial_fit([[["z"]]], [["Q"]])
    assert bits(pickle.loads(pickle.dumps(crf))) == bits(copy.deepcopy(crf)) == bits(CRF().fit(A, B))
    assert not hasattr(crf, "seen_")


def test_what_fit_has_seen_counts_after_prune_too() -> None:
    plain = CRF(c2=1.0).fit(A * 500, B * 500).set_params(algorithm="adaptive")
    plain.partial_fit(A[:1], B[:1])
    pruned = pickle.loads(pickle.dumps(plain)).prune()
    before = max(plain.state_features_.values())
    for crf in (plain, pruned):
        crf.partial_fit(A[:1], B[:1])
        assert max(crf.state_features_.values()) > 0.99 * before
    assert plain.model_.info["sequences"] == 1002


@pytest.mark.parametrize("saved", [False, True])
def test_all_pairs_from_now_on(saved: bool) -> None:
    crf = CRF("adaptive").partial_fit(X[:60], Y[:60], classes=CLASSES)
    crf = pickle.loads(pickle.dumps(crf)) if saved else crf
    crf.set_params(all_possible_states=True, all_possible_transitions=True).partial_fit([[["new"]]], [["O"]])
    states, transitions = crf.model_.features.counts
    assert states == crf.num_attributes_ * len(CLASSES)
    assert transitions == len(CLASSES) ** 2
    assert crf.state_features_["new", "O"] > 0


def test_averaging_can_be_switched_on_and_off() -> None:
    many, labels = X * 10, Y * 10
    plain = CRF("adaptive").partial_fit(many[:1100], labels[:1100], classes=CLASSES)
    off = CRF("adaptive", average=True).partial_fit(many[:600], labels[:600], classes=CLASSES)
    off.set_params(average=False).partial_fit(many[600:1100], labels[600:1100])
    assert bits(off) == bits(plain)
    last = plain.state_features_
    on = plain.set_params(average=True).partial_fit(many[1100:], labels[1100:])
    unaveraged = CRF("adaptive").partial_fit(many, labels, classes=CLASSES)
    assert on.state_features_ != unaveraged.state_features_
    assert on.state_features_ != last


def test_parts_without_anything_to_learn() -> None:
    crf = CRF().partial_fit(A, B)
    before = bits(crf)
    with pytest.warns(UserWarning, match="1 of 1 sequences are empty"):
        crf.partial_fit([[]], [[]])
    assert bits(crf) == before
    whole = CRF().partial_fit(A, B, sample_weight=[1.0, 0.0])
    cut = CRF().partial_fit(A[:1], B[:1], classes=["X", "Y"]).partial_fit(A[1:], B[1:], sample_weight=[0.0])
    assert bits(whole) == bits(cut)
    with pytest.raises(InputError, match="class_weight='balanced' needs all of the data"):
        CRF(class_weight="balanced").partial_fit(A, B)
    with pytest.raises(InputError, match="no token has a label"):
        CRF().partial_fit([[["a"]]], [[None]])
    with pytest.warns(UserWarning, match="2 of 3"):
        crf.partial_fit([[], [], [["a"]]], [[], [], ["X"]])
    assert crf.partial_fit([], []).seen_ == 3


def test_the_index_in_a_message_counts_empty_sequences() -> None:
    with pytest.raises(InputError, match=r"y\[2\]\[0\] is 'Q'"):
        CRF().partial_fit(A, B).partial_fit([[], [], [["a"]]], [[], [], ["Q"]])


def test_the_count_survives_a_pickle() -> None:
    crf = CRF().partial_fit(X[:7], Y[:7])
    assert pickle.loads(pickle.dumps(crf)).seen_ == crf.seen_ == 7
    assert [row["seconds"] for row in crf.partial_fit(X[:7], Y[:7]).history_] == sorted(
        row["seconds"] for row in crf.history_
    )


def test_a_stream_goes_on_from_the_model_in_its_file(tmp_path) -> None:
    CRF().fit(A, B).save(tmp_path / "model")
    crf = CRF(model_filename=tmp_path / "model").partial_fit([[["new"]]], [["X"]])
    assert crf.classes_ == ["X", "Y"]
    assert crf.num_attributes_ == 4
    warm = CRF(model_filename=tmp_path / "model", warm_start=True, max_iterations=1).fit([[["more"]]], [["Z"]])
    assert (warm.classes_, warm.num_attributes_) == (["X", "Y", "Z"], 4)


def test_a_warm_start_with_new_labels_and_class_weights() -> None:
    crf = CRF(warm_start=True).fit(A, B)
    assert crf.set_params(class_weight={"Z": 2.0}).fit([[["a"]]], [["Z"]]).classes_ == ["X", "Y", "Z"]


def test_a_warm_start_that_fails_names_no_label() -> None:
    crf = CRF(warm_start=True).fit(A, B)
    with pytest.raises(InputError, match="sample_weight"):
        crf.fit([[["a"]]], [[3]], sample_weight=[1, 2])
    crf.fit([[["q"]]] * 9, [["3"]] * 9)
    assert crf.score([[["q"]]], [["3"]]) == 1.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"num_memories": 2**70}, "num_memories must be at most 2147483647"),
        ({"c2": 10**400}, "c2 must be a finite number, got one of 401 digits"),
        ({"min_freq": {}}, "min_freq must be a number"),
        ({"all_possible_states": "False"}, "all_possible_states must be True or False, got 'False'"),
        ({"algorithm": "ngd", "batch": "no"}, "batch must be True or False, got 'no'"),
        ({"linesearch": np.zeros(3)}, "linesearch must be one of"),
        ({"early_stopping": True, "validation_fraction": "0.1"}, "validation_fraction must be a number"),
        ({"model_filename": 5}, "model_filename must be a path, got 5"),
        ({"algorithm": "ngd", "loss": "U1", "gamma": 0.5}, "gamma applies only to the losses B1 to B4, not to U1"),
    ],
)
def test_odd_values_are_refused_by_name(params: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CRF(**params).fit(A, B)


def test_gamma_belongs_to_the_loss_of_ngd_and_to_arow() -> None:
    gammas = [CRF("ngd", loss="B1", gamma=g, rate=0.1, max_iterations=2).fit(A, B) for g in (0.0, 0.5)]
    assert gammas[0].state_features_ != gammas[1].state_features_
    assert CRF("arow", gamma=3.0).fit(A, B).predict(A) == B
    assert CRF("ngd", loss="U4", generator="entropy", batch=True, max_iterations=2).fit(A, B).n_iter_ >= 1


def test_a_threshold_of_nothing_ends_where_the_gradient_is_nothing() -> None:
    crf = CRF(epsilon=0).fit([[["a"]]], [["X"]])
    assert crf.converged_


def test_odd_calls_are_refused_by_name() -> None:
    crf = CRF().fit(A, B)
    for call, message in (
        (lambda: crf.top_features("a"), "n must be a number"),
        (lambda: crf.top_transitions(1.5), "n must be a whole number"),
        (lambda: crf.model_.n_best(A, 1.5), "the number of paths must be a whole number"),
        (lambda: crf.model_.n_best(A, 0), "the number of paths must be at least 1"),
        (lambda: crf.model_.tag(A, threads=0), "threads must be between 1 and 4096, got 0"),
        (lambda: crf.model_.tag(A, threads=1.5), "threads must be a whole number"),
        (lambda: CRF().partial_fit(A, B, classes=[["X"]]), "classes must be hashable labels"),
        (lambda: CRF(class_weight=np.ones(2)).fit(A, B), "class_weight must be a dict"),
    ):
        with pytest.raises(InputError, match=message):
            call()
