"""Which labels may follow which, by scheme, matrix and function."""

from copy import copy
from functools import partial
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF, Model
from tagfield.data.encode import Vocabulary
from tagfield.data.labels.schemes import recode
from tagfield.errors import InputError
from tagfield.inference.constraints import Rules, rules_of
from tagfield.weights.layout import FeatureSet
from tests.support.chains import tagged

BIO = ["O", "B-X", "I-X", "B-Y", "I-Y"]
IOBES = ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "E-Y"]


def test_bio_by_its_definition() -> None:
    rules = rules_of("BIO", BIO)
    for (i, before), (j, after) in product(enumerate(BIO), enumerate(BIO)):
        expected = not after.startswith("I") or (before != "O" and before[2:] == after[2:])
        assert rules.follow[i, j] == expected
    assert rules.start.tolist() == [True, True, False, True, False]
    assert rules.end.all()


@pytest.mark.parametrize("name", ["IOBES", "BIOES", "BILOU"])
def test_iobes_by_its_definition(name: str) -> None:
    labels = IOBES if name != "BILOU" else [x.replace("E-", "L-").replace("S-", "U-") for x in IOBES]
    rules = rules_of(name, labels)
    for (i, before), (j, after) in product(enumerate(IOBES), enumerate(IOBES)):
        opened, goes_on = before[0] in "BI", after[0] in "IE"
        expected = (before[2:] == after[2:]) if opened and goes_on else not opened and not goes_on
        assert rules.follow[i, j] == expected, (before, after)
    assert rules.start.tolist() == [x[0] in "OBS" for x in IOBES]
    assert rules.end.tolist() == [x[0] in "OES" for x in IOBES]


def test_labels_without_a_scheme_are_free() -> None:
    rules = rules_of("BIO", ["NN", "VB", 3])
    assert rules.follow.all()
    assert rules.start.all()


def test_matrix_and_function_agree() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.random((3, 3)) < 0.5
    labels = ["a", "b", "c"]
    asked = rules_of(lambda p, q: p is None or q is None or bool(matrix[labels.index(p), labels.index(q)]), labels)
    for other in (rules_of(matrix, labels), rules_of(matrix.tolist(), labels), rules_of(matrix * 2.5, labels)):
        assert np.array_equal(asked.follow, other.follow)
        assert other.start.all()
    assert rules_of(None, labels) is None
    assert isinstance(rules_of(asked, labels), Rules)
    ends = rules_of(lambda p, q: not (p == "a" and q is None), labels)
    assert ends.end.tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("XYZ", "no scheme named 'XYZ'"),
        (np.ones((2, 2)), r"a matrix of shape \(3, 3\), got ndarray of shape \(2, 2\)"),
        (3, "got int of shape"),
        ([["a"] * 3] * 3, "got list"),
    ],
)
def test_what_is_no_constraint(constraints, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rules_of(constraints, ["a", "b", "c"])


def test_no_predicted_label_breaks_the_scheme() -> None:
    """python-crfsuite#72, pytorch-crf#90: B-PER I-LOC was predicted, since an unseen transition has weight 0."""
    X, _ = tagged(30)
    alone = [[token] for x in X for token in x]  # each word has its label, and no transition is ever seen
    free = CRF(c2=0.1).fit(alone, [[BIO[int(x[0]["word"][1:]) % 5]] for x in alone])
    bound = copy(free).set_params(c2=10.0, constraints="BIO")

    def broken(rows: list) -> int:
        return sum(
            b.startswith("I-") and a[2:] != b[2:] for row in rows for a, b in zip(["O", *row], row, strict=False)
        )

    assert broken(free.predict(X)) > 0
    assert broken(bound.predict(X)) == 0
    assert broken([labels for row in bound.predict_nbest(X, 5) for labels, _ in row]) == 0


@pytest.mark.parametrize("size", [1e10, 1e29, 1e30, 1e38])
def test_scores_that_could_outweigh_a_constraint_are_refused(size: float) -> None:
    """B-X may not be followed by I-Y, whatever speaks for it."""
    labels = ["O", "B-X", "I-X", "B-Y", "I-Y"]
    features, weights = FeatureSet.from_triples(2, 5, ([0, 1], [1, 4], [1.0, 1.0]), ([], [], []))
    model = Model(Vocabulary(labels), Vocabulary(["a", "b"]), features, weights)
    within = [[{"a": 1e8}, {"b": 1e8}]]
    assert model.tag(within) == [["B-X", "I-Y"]]
    [path] = model.tag(within, rules="BIO")
    first, second = (labels.index(label) for label in path)
    assert rules_of("BIO", labels).follow[first, second]
    beyond = [[{"a": size}, {"b": size}]]
    assert model.tag(beyond) == [["B-X", "I-Y"]]  # no probability, no constraint: any finite score will do
    for ask in (model.marginals, model.spans, partial(model.n_best, count=2), partial(model.tag, rules="BIO")):
        with pytest.raises(InputError, match="sequence 0: a score is beyond ±1e9"):
            ask(beyond)


def iob1_data(sentences: int = 60) -> tuple[list, list, list]:
    """Words whose chunks are known, and their labels in BIO and in IOB1."""
    rng = np.random.default_rng(1)
    X, bio = [], []
    for _ in range(sentences):
        words: list[str] = []
        while len(words) < 8:
            kind = str(rng.choice(["X", "Y", "o"]))
            words += [f"{kind}{rng.integers(3)}"] if kind == "o" else [f"{kind}first", f"{kind}more"]
        X.append([[word] for word in words])
        bio.append(["O" if w[0] == "o" else f"{'B' if w.endswith('first') else 'I'}-{w[0]}" for w in words])
    return X, bio, [recode(labels, "iob1") for labels in bio]


def test_iob1_by_its_definition() -> None:
    rules = rules_of("iob1", BIO)
    for (i, before), (j, after) in product(enumerate(BIO), enumerate(BIO)):
        expected = not after.startswith("B") or (before != "O" and before[2:] == after[2:])
        assert rules.follow[i, j] == expected
    assert rules.start.tolist() == [True, False, True, False, True]
    assert rules.end.all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(BIO), min_size=1, max_size=9))
def test_every_recoded_sequence_keeps_to_its_rules(labels: list[str]) -> None:
    for scheme, name in (("iob1", "IOB1"), ("bio", "BIO")):
        recoded = recode(labels, scheme)
        rules = rules_of(name, BIO)
        ids = [BIO.index(label) for label in recoded]
        assert rules.start[ids[0]]
        assert all(rules.follow[i, j] for i, j in pairwise(ids))


def test_bio_constraints_are_refused_for_iob1_data_and_the_other_way() -> None:
    X, bio, iob1 = iob1_data()
    for y, wrong, right in ((iob1, "BIO", "IOB1"), (iob1, "iob2", "IOB1"), (bio, "IOB1", "BIO")):
        with pytest.raises(InputError, match=f"constraints='{wrong}', but the labels are {right}: .* such as y"):
            CRF(constraints=wrong).fit(X, y)
        with pytest.raises(InputError, match=f"the labels are {right}"):
            CRF(constraints=wrong).partial_fit(X, y)
        crf = CRF(constraints=right, constrain_training=True).fit(X, y)
        assert crf.score(X, y) == 1.0
        assert CRF(constraints=right).partial_fit(X, y).classes_


def test_a_model_of_iob1_says_so_when_it_is_asked_for_bio(tmp_path) -> None:
    X, bio, iob1 = iob1_data(20)
    CRF().fit(X, iob1).save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    with pytest.raises(InputError, match="the model was trained on labels in IOB1; give constraints='IOB1'"):
        loaded.tag(X, rules="BIO")
    assert loaded.tag(X, rules="IOB1") == loaded.tag(X)
    assert "scheme" not in CRF().fit(X, bio).model_.info


def test_data_with_a_few_slips_is_still_bio() -> None:
    X, bio, _ = iob1_data()
    slipped = [[label.replace("B-", "I-") if s % 10 == 0 else label for label in row] for s, row in enumerate(bio)]
    assert CRF(constraints="BIO").fit(X, slipped).classes_


def test_labels_that_could_never_begin_are_refused() -> None:
    with pytest.raises(InputError, match="no label starts with B-, so 'I-X' could never begin; the labels are IOB1"):
        rules_of("BIO", ["O", "I-X"])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda before: True, r"<lambda> must take two labels, \(before, after\)"),
        (lambda x, t, before, after: True, r"must take two labels"),
        (
            lambda before, after: after.startswith("B"),
            r"<lambda>\('a', None\) raised AttributeError: .*; before is None at the start of a sequence, and after",
        ),
        (lambda before, after: None, r"<lambda>\(None, 'a'\) returned None; return True or False"),
        (lambda before, after: "no", r"returned 'no'"),
    ],
)
def test_functions_are_checked(function, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rules_of(function, ["a", "b"])


def test_functions_of_any_kind_work() -> None:
    class Asked:
        def __call__(self, before: object, after: object, strict: bool = True) -> np.bool_:
            return np.bool_(before != after)

    for function in (Asked(), partial(lambda extra, p, q: p != q, 1), lambda *labels: labels[0] != labels[1]):
        assert rules_of(function, ["a", "b"]).follow.tolist() == [[False, True], [True, False]]
