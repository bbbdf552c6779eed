"""What sklearn-crfsuite's users asked for: weights, warm starts, streams, early stopping, partial and any labels."""

import enum
from itertools import pairwise

import numpy as np
import pytest

from tagfield import CRF
from tagfield.errors import InputError
from tagfield.metrics import flat_recall_score
from tests.support.chains import tagged

X, Y = tagged(60)
MORE, ANSWERS = tagged(60, seed=1)


def objective(crf: CRF) -> float:
    return crf.history_[-1]["objective"]


def test_a_weight_counts_a_sequence_so_many_times() -> None:
    """pytorch-crf#47, #58, chaine#79: sample weights."""
    weights = np.array([1, 2, 3] * 20)
    repeated = [i for i, w in enumerate(weights) for _ in range(w)]
    one = CRF(c2=0.3).fit(X, Y, sample_weight=weights)
    two = CRF(c2=0.3).fit([X[i] for i in repeated], [Y[i] for i in repeated])
    assert objective(one) == pytest.approx(objective(two), rel=1e-4)
    assert one.predict(MORE) == two.predict(MORE)
    full = {"all_possible_states": True, "all_possible_transitions": True}
    none = CRF(c2=0.3, **full).fit(X, Y, sample_weight=[0.0] * 30 + [1.0] * 30)
    rest = CRF(c2=0.3, **full).fit(X[30:], Y[30:])
    assert objective(none) == pytest.approx(objective(rest), rel=1e-3)


def test_balanced_class_weights_have_scikit_learns_formula() -> None:
    """allennlp#4619: class weights, with the formula that is documented."""
    flat = [label for row in Y for label in row]
    weight = {label: len(flat) / (len(set(flat)) * flat.count(label)) for label in set(flat)}
    balanced = CRF(class_weight="balanced").fit(X, Y)
    given = CRF(class_weight=weight).fit(X, Y)
    assert objective(given) != pytest.approx(objective(CRF().fit(X, Y)), rel=1e-2)
    assert objective(given) == pytest.approx(objective(balanced), rel=1e-9)


def test_a_heavier_class_is_found_more_often() -> None:
    light, heavy = (CRF(class_weight={"I-A": w}, max_iterations=30).fit(X, Y).predict(MORE) for w in (0.05, 50.0))
    recall = [flat_recall_score(ANSWERS, y, labels=["I-A"], average="macro") for y in (light, heavy)]
    assert recall[0] < 0.5
    assert recall[1] > 0.9


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ({"nothing": 1.0}, "has the label 'nothing', which does not occur in y"),
        ({"O": -1.0}, "class weight of 'O' must be a finite number above 0, got -1.0"),
        ("heavy", "class_weight must be a dict .*, got 'heavy'"),
    ],
)
def test_bad_class_weights(weight, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CRF(class_weight=weight).fit(X, Y)


def test_a_warm_start_goes_on_where_it_stopped() -> None:
    """sklearn-crfsuite#30, #35, chokkan/crfsuite#93."""
    crf = CRF(c2=0.1, warm_start=True).fit(X, Y)
    first = crf.n_iter_
    assert crf.fit(X, Y).n_iter_ < first / 2
    assert objective(crf) == pytest.approx(objective(CRF(c2=0.1).fit(X, Y)), rel=1e-3)


def test_a_warm_start_may_bring_attributes_and_labels() -> None:
    """python-crfsuite#60: a label that comes later."""
    crf = CRF(c2=0.01, warm_start=True).fit(X, Y)
    before = crf.num_attributes_
    crf.fit([[{"word": "new"}, {"word": "w1"}]] * 9, [["LATE", "O"]] * 9)
    assert crf.classes_[-1] == "LATE"
    assert crf.num_attributes_ == before + 1
    assert crf.predict([[{"word": "new"}]]) == [["LATE"]]


def test_a_warm_start_over_a_block_of_labels() -> None:
    """From 8 labels to 9: the weights move into rows of another width."""
    y = [[str(i % 8) for i in range(len(x))] for x in X]
    crf = CRF("l2sgd", rate=0.1, max_iterations=3, warm_start=True).fit(X, y)
    state = crf.state_features_
    crf.set_params(rate=1e-12, c2=0.0).fit([[{"word": "w1"}]], [["nine"]])
    after = crf.state_features_
    assert {key: after[key] for key in state} == pytest.approx(state, abs=1e-6)


@pytest.mark.parametrize("states", [False, True])
def test_a_stream_learns_and_grows(states: bool) -> None:
    """sklearn-crfsuite#35: partial_fit, with attributes that nobody has seen before."""
    crf = CRF("u2.g1", rate=0.2, c2=0.1, all_possible_states=states, all_possible_transitions=True)
    classes = ["O", "B-A", "I-A", "B-B", "I-B"]
    sizes = []
    for part in range(24):
        start = 10 * (part % 6)
        batch = [[{**token, f"part{part % 6}": True} for token in x] for x in X[start : start + 10]]
        crf.partial_fit(iter(batch), iter(Y[start : start + 10]), classes=classes)
        sizes.append(crf.num_attributes_)
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]
    assert crf.classes_ == classes
    assert crf.score(X, Y) > 0.9
    assert (crf.n_iter_, len(crf.history_), crf.seen_) == (24, 24, 240)
    assert not crf.converged_


def test_a_label_that_the_stream_did_not_announce() -> None:
    crf = CRF("l2sgd", rate=0.1).partial_fit(X[:5], Y[:5])
    with pytest.raises(InputError, match=r"y\[1\]\[2\] is 'NEW', a label that the first partial_fit did not"):
        crf.partial_fit([X[0], [["a"]] * 3], [Y[0], ["O", "O", "NEW"]])


@pytest.mark.parametrize("name", ["lbfgs", "ap", "pa", "arow"])
def test_algorithms_without_streams_say_so_before_they_read_one(name: str) -> None:
    stream = iter(X)
    with pytest.raises(
        InputError,
        match=rf"partial_fit cannot use {name}, which needs all of the data; choose one of l2sgd, sgd, u1.g1",
    ):
        CRF(name).partial_fit(stream, Y)
    assert next(stream) is X[0]


@pytest.mark.parametrize("name", ["ap", "pa", "arow"])
def test_without_a_likelihood_there_are_no_unknown_labels_and_no_constraints(name: str) -> None:
    partly = [[None, *row[1:]] for row in Y]
    count = f"{len(Y)} of {sum(map(len, Y))} tokens have no label, but"
    with pytest.raises(InputError, match=f"{count} {name} needs one for every token; use lbfgs or"):
        CRF(name).fit(X, partly)
    bound = CRF(name, constraints="BIO", constrain_training=True)
    with pytest.raises(InputError, match=f"constraints in training do not apply to {name}; use"):
        bound.fit(X, Y)
    assert CRF(name, constrain_training=True, max_iterations=1).fit(X, Y).n_iter_ == 1  # there are no constraints


@pytest.mark.parametrize("name", ["lbfgs", "l2sgd", "u2.g1", "adaptive", "ngd"])
def test_what_is_unknown_is_learned_from_what_is_known(name: str) -> None:
    rng = np.random.default_rng(0)
    partly = [[label if rng.random() < 0.6 else None for label in row] for row in Y]
    crf = CRF(name, c2=0.1, max_iterations=30).fit(X, partly)
    assert crf.score(MORE, ANSWERS) > 0.9
    assert set(crf.classes_) == {label for row in Y for label in row}


def test_a_stream_with_unknown_labels_and_constraints() -> None:
    met = {pair for row in Y for pair in pairwise([None, *row, None])}
    crf = CRF("u2.g1", rate=0.2, c2=0.01, constraints=lambda a, b: (a, b) in met, constrain_training=True)
    classes = sorted({label for row in Y for label in row})
    assert len(met) < (len(classes) + 1) ** 2 - 1  # some things are forbidden
    for _ in range(20):
        for k in range(0, len(X), 10):
            part = [[None, *row[1:]] for row in Y[k : k + 10]]
            crf.partial_fit(X[k : k + 10], part, classes=classes)
    assert crf.score(MORE, ANSWERS) > 0.9
    with pytest.raises(InputError, match="ngd with generator auto needs all of the data"):
        CRF("ngd", generator="auto").partial_fit(X, Y)


@pytest.mark.parametrize("name", ["lbfgs", "u2.g1"])
def test_known_labels_that_no_allowed_path_joins_are_named(name: str) -> None:
    def allows(before: str | None, after: str | None) -> bool:
        return ((before, after) != ("A", "B") and (before, after) != ("A", "C")) or after is None

    crf = CRF(name, constraints=allows, constrain_training=True)
    with pytest.raises(InputError, match=r"y\[1\]: the constraints allow no path through its known labels"):
        crf.fit([[["a"]] * 3] * 2, [["B", "A", "A"], ["A", None, "C"]])


def test_early_stopping_keeps_the_best_weights() -> None:
    """grobid#415, python-crfsuite#42: held-out scores that can be read, and the best model kept."""
    crf = CRF("sgd", c2=1e-3, rate=0.5, max_iterations=200, early_stopping=True, n_iter_no_change=4, monitor="accuracy")
    crf.fit(X[:20], Y[:20], eval_set=(MORE, ANSWERS))
    scores = [row["accuracy"] for row in crf.history_]
    assert crf.n_iter_ < 200
    assert crf.score(MORE, ANSWERS) == pytest.approx(max(scores))
    assert crf.n_iter_ - 1 - scores.index(max(scores)) == 4
    assert "accuracy on the held-out data has not risen for 4 epochs" in crf.stop_reason_


@pytest.mark.parametrize("algorithm", ["lbfgs", "pa"])
def test_early_stopping_of_every_family_and_with_a_split(algorithm: str) -> None:
    penalty = {"c2": 1e-4} if algorithm == "lbfgs" else {}
    crf = CRF(algorithm, **penalty, early_stopping=True, validation_fraction=0.2, monitor="accuracy").fit(X, Y)
    scores = [row["accuracy"] for row in crf.history_]
    assert max(scores) > 0.7
    assert [row["best"] for row in crf.history_][scores.index(max(scores))]


def test_held_out_data_alone_changes_nothing() -> None:
    plain = CRF("l2sgd", max_iterations=5).fit(X, Y)
    watched = CRF("l2sgd", max_iterations=5).fit(X, Y, MORE, ANSWERS)
    assert plain.state_features_ == watched.state_features_
    assert ["f1" in row for row in watched.history_] == [True] * 5


def test_callbacks_see_every_pass_and_may_stop() -> None:
    seen = []

    def stop(epoch) -> bool:
        seen.append(epoch.number)
        return epoch.number == 3

    crf = CRF("l2sgd", callbacks=[stop, lambda epoch: None]).fit(X, Y)
    assert seen == [1, 2, 3]
    assert (crf.n_iter_, crf.converged_, crf.stop_reason_) == (3, False, "a callback asked it to stop")


def test_why_it_stopped() -> None:
    """sklearn-crfsuite#4, Wapiti#23: nobody could tell whether training had ended well."""
    assert CRF().fit(X, Y).converged_
    short = CRF(max_iterations=2).fit(X, Y)
    assert (short.converged_, short.n_iter_) == (False, 2)
    assert short.stop_reason_ == "it reached the maximum of 2 iterations"


def test_unknown_labels_are_summed_out() -> None:
    """python-crfsuite#13: partially labelled sequences."""
    rng = np.random.default_rng(0)
    partly = [[label if rng.random() < 0.5 else None for label in row] for row in Y]
    crf = CRF(c2=0.1, all_possible_transitions=True, all_possible_states=True).fit(X, partly)
    assert None not in crf.classes_
    assert crf.score(X, Y) > 0.8


def test_everything_known_is_the_usual_likelihood() -> None:
    hidden = [[*Y[0][:-1], None], *Y[1:]]
    assert objective(CRF().fit(X, hidden)) < objective(CRF().fit(X, Y))


def test_constraints_in_training() -> None:
    loose = CRF(c2=0.1).fit(X, Y)
    tight = CRF(c2=0.1, constraints="BIO", constrain_training=True).fit(X, Y)
    assert objective(tight) < objective(loose)  # less to tell apart
    for row in tight.predict(MORE):
        for before, after in zip(["O", *row], row, strict=False):
            assert not after.startswith("I-") or before[2:] == after[2:]
    with pytest.raises(InputError, match=r"y\[0\]\[1\] is 'I-A' after 'O', which the constraints forbid"):
        CRF(constraints="BIO", constrain_training=True).fit(
            [[["a"], ["b"]], [["c"]], [["c"]]], [["O", "I-A"], ["B-A"], ["B-A"]]
        )


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@pytest.mark.parametrize(
    "kinds",
    [[1, 2], [True, False], [("a", 1), frozenset([2])], [Color.RED, Color.BLUE], [1, "1"], ["漢", "ß\x00"], [0.5, -1]],
    ids=str,
)
def test_labels_of_any_hashable_kind_come_back(kinds: list) -> None:
    y = [[kinds[int(t["word"][1:]) % 2] for t in x] for x in X]
    crf = CRF(c2=0.01).fit(X, y)
    assert set(crf.classes_) == set(kinds)
    found = crf.predict(X)
    assert {type(label) for row in found for label in row} == {type(kind) for kind in kinds}
    assert crf.score(X, y) > 0.95
    assert set(crf.predict_marginals_single(X[0])[0]) == set(kinds)


def test_numpy_labels_and_arrays() -> None:
    y = [np.array([int(t["word"][1:]) % 2 for t in x]) for x in X]
    crf = CRF(c2=0.01).fit(np.array(X, dtype=object), y)
    assert all(type(label) is int for label in crf.classes_)
    assert crf.score(X, y) > 0.95


def test_generators_are_read_once() -> None:
    """sklearn-crfsuite#4, #15, #52: len() was called on X."""
    crf = CRF(c2=0.1).fit((iter(x) for x in X), (iter(y) for y in Y), X_dev=iter(MORE), y_dev=iter(ANSWERS))
    assert crf.predict(x for x in MORE) == CRF(c2=0.1).fit(X, Y).predict(MORE)


def test_early_stopping_looks_at_accuracy_where_labels_mark_no_chunks() -> None:
    """Wapiti#23: a figure that is always 0 ended the training at once, with a useless model."""
    tags = [[f"T{label}" for label in row] for row in Y]
    answers = [[f"T{label}" for label in row] for row in ANSWERS]
    crf = CRF(c2=0.1, early_stopping=True).fit(X, tags, eval_set=(MORE, answers))
    assert crf.score(MORE, answers) > 0.9
    assert max(row["accuracy"] for row in crf.history_) == pytest.approx(crf.score(MORE, answers))
    assert {"macro_f1", "sequence_accuracy"} <= set(crf.history_[0])
    assert not {"f1", "precision", "recall"} & set(crf.history_[0])


def test_classes_of_a_stream_in_any_shape() -> None:
    names = sorted({label for row in Y for label in row})
    for classes in (np.array(names), tuple(names), (name for name in names)):
        crf = CRF("l2sgd", rate=0.1).partial_fit(X[:5], Y[:5], classes=classes)
        assert crf.classes_ == names
        assert crf.partial_fit(X[5:], Y[5:], classes=names).classes_ == names
    for classes, message in (("XY", "classes must be a list of labels, got str"), ([*names, None], "without None")):
        with pytest.raises(InputError, match=message):
            CRF("l2sgd").partial_fit(X, Y, classes=classes)
    with pytest.raises(InputError, match="classes has the new label 'new'; pass every label to the first"):
        crf.partial_fit(X, Y, classes=[*names, "new"])


def test_a_stream_says_what_it_cannot_do_and_does_the_rest() -> None:
    for params, message in (
        ({"c2": -1.0}, "c2 must be"),
        ({"c1": 0.1}, "c1 applies only to lbfgs, not to sgd"),
        ({"early_stopping": True}, "early_stopping needs all of the data"),
        ({"min_freq": 3}, "min_freq needs all of the data"),
        ({"min_freq": "a"}, "min_freq must be a number"),
        ({"callbacks": [3]}, "callbacks must be a list"),
    ):
        with pytest.raises(InputError, match=message):
            CRF("l2sgd", rate=0.1, **params).partial_fit(X, Y)
    seen = []
    crf = CRF("l2sgd", rate=0.1, callbacks=[seen.append])
    crf.partial_fit(X, Y).partial_fit(X, Y)
    assert [epoch.number for epoch in seen] == [1, 2]
    crf.fit(X, Y)
    assert not hasattr(crf, "seen_")


def test_a_token_nobody_knows_does_not_count_in_score() -> None:
    crf = CRF(c2=0.1).fit(X, Y)
    right = crf.predict(X)
    partly = [[None, *row[1:]] for row in right]
    assert crf.score(X, partly) == 1.0


@pytest.mark.parametrize("name", ["l2sgd", "u2.g1", "adaptive"])
def test_weights_that_are_far_too_sure_are_kept_if_they_label_well_and_are_warned_of(name: str) -> None:
    crf = CRF(name, rate=20.0, c2=0.0, max_iterations=5)
    with pytest.warns(UserWarning, match="explain the data worse than no weights do; the .* are kept"):
        crf.fit(X, Y)
    assert crf.score(X, Y) > 0.5
    assert crf.n_iter_ < 5
