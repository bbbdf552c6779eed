"""n best, known labels, constraints, spans and partial labels, against the enumeration of every path."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF
from tagfield.compat.sklearn.predicting import Predictor
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.constraints import rules_of
from tagfield.inference.spans import SpanFinder
from tagfield.train import Settings
from tagfield.train.trainers.objective import Objective
from tagfield.train.trainers.problem import Problem
from tests.support.chains import tagged
from tests.support.corpus import with_hidden

LABELS = ["O", "B-X", "I-X", "B-Y"]
CLOSE = 2e-4  # float32 scores of up to a few hundred, summed


def chain(seed: int, length: int, scale: float) -> tuple[CRF, list]:
    """A model with random weights, and a sequence for it: attribute `t` gives position t its scores."""
    rng = np.random.default_rng(seed)
    X = [[[f"t{t}"] for t in range(length)] for _ in LABELS]
    y = [[label] * length for label in LABELS]
    crf = CRF("l2sgd", max_iterations=1, all_possible_states=True, all_possible_transitions=True, rate=0.1)
    crf.fit(X, y)
    size = len(LABELS)
    crf.model_.weights.state[:, :size] = rng.normal(0, scale, crf.model_.weights.state[:, :size].shape)
    crf.model_.weights.trans[:, :size] = rng.normal(0, scale, (size, size))
    return crf, X[0]


def every_path(crf: CRF, x: list, allows=lambda path: True) -> list[tuple[float, list]]:
    """(score, labels) of every allowed path, best first; from the weights by name."""
    state, trans = crf.state_features_, crf.transition_features_
    paths = []
    for path in product(LABELS, repeat=len(x)):
        if allows(path):
            score = sum(state.get((a, y), 0.0) for token, y in zip(x, path, strict=True) for a in token)
            score += sum(trans.get(pair, 0.0) for pair in pairwise(path))
            paths.append((score, list(path)))
    return sorted(paths, key=lambda item: -item[0])


def log_sum(paths: list) -> float:
    top = max(score for score, _ in paths)
    return top + math.log(sum(math.exp(score - top) for score, _ in paths))


chains = st.tuples(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([0.1, 2.0, 60.0]))


@given(drawn=chains, n=st.integers(1, 300))
@settings(deadline=None, max_examples=40)
def test_n_best_is_exact(drawn, n: int) -> None:
    crf, x = chain(*drawn)
    expected = every_path(crf, x)
    found = crf.predict_nbest([x, []], n)
    assert found[1] == [([], 1.0)]
    assert len(found[0]) == min(n, len(expected))
    log_z = log_sum(expected)
    score_of = {tuple(path): score for score, path in expected}
    assert len({tuple(labels) for labels, _ in found[0]}) == len(found[0])
    for (labels, probability), (score, _) in zip(found[0], expected, strict=False):
        assert score_of[tuple(labels)] == pytest.approx(score, abs=CLOSE)  # near-ties may swap
        assert probability == pytest.approx(math.exp(score - log_z), abs=CLOSE)
    assert found[0][0][0] == crf.predict_single(x)
    if n >= len(expected):
        assert sum(p for _, p in found[0]) == pytest.approx(1, abs=CLOSE)


def test_n_best_of_equal_paths_ends_and_repeats_none() -> None:
    crf, _ = chain(0, 3, 0.0)
    x = [["t0"]] * 40
    paths = [tuple(labels) for labels, _ in crf.predict_nbest([x], 50)[0]]
    assert len(set(paths)) == 50
    with pytest.raises(InputError, match="n must be at least 1"):
        crf.predict_nbest([x], 0)


@given(drawn=chains, data=st.data())
@settings(deadline=None, max_examples=40)
def test_known_labels_and_constraints_leave_the_allowed_paths(drawn, data) -> None:
    crf, x = chain(*drawn)
    entry = st.one_of(st.none(), st.sampled_from(LABELS), st.sets(st.sampled_from(LABELS), min_size=1))
    known = data.draw(st.lists(entry, min_size=len(x), max_size=len(x)))
    scheme = data.draw(st.sampled_from([None, "BIO"]))
    crf.set_params(constraints=scheme)

    def allows(path) -> bool:
        for label, what in zip(path, known, strict=True):
            if what is not None and label != what and not (isinstance(what, set) and label in what):
                return False
        return scheme is None or all(b != "I-X" or a in ("B-X", "I-X") for a, b in pairwise(["", *path]))

    expected = every_path(crf, x, allows)
    if not expected:
        with pytest.raises(InputError, match="sequence 1: the constraints and the known labels together allow no path"):
            crf.predict([x, x], known=[None, known])
        return
    log_z, score_of = log_sum(expected), {tuple(path): score for score, path in expected}
    best = crf.predict([x, x], known=[None, known])[1]
    assert score_of[tuple(best)] == pytest.approx(expected[0][0], abs=CLOSE)  # near-ties may swap
    node = crf.predict_marginals_single(x, known=known)
    for t, label in product(range(len(x)), LABELS):
        summed = sum(math.exp(score - log_z) for score, path in expected if path[t] == label)
        assert node[t][label] == pytest.approx(summed, abs=CLOSE)
    several = crf.predict_nbest([x], 5, known=[known])[0]
    assert len(several) == min(5, len(expected))
    for labels, probability in several:
        assert probability == pytest.approx(math.exp(score_of[tuple(labels)] - log_z), abs=CLOSE)


@given(drawn=chains, scheme=st.sampled_from([None, "BIO"]))
@settings(deadline=None, max_examples=40)
def test_a_spans_probability_sums_the_paths_that_hold_it(drawn, scheme) -> None:
    crf, x = chain(*drawn)
    crf.set_params(constraints=scheme)
    rules = rules_of(scheme, LABELS)
    ids = {label: i for i, label in enumerate(LABELS)}

    def allows(path) -> bool:
        return scheme is None or (
            rules.start[ids[path[0]]] and all(rules.follow[ids[a], ids[b]] for a, b in pairwise(path))
        )

    expected = every_path(crf, x, allows)
    log_z = log_sum(expected)
    finder = SpanFinder(LABELS)
    spans = crf.predict_spans([x])[0]
    best = [ids[label] for label in crf.predict_single(x)]
    assert [(span.type, span.start, span.end) for span in spans] == finder.chunks(best)
    for span in spans:
        chunk = (span.type, span.start, span.end)
        summed = sum(
            math.exp(score - log_z)
            for score, path in expected
            if chunk in finder.chunks([ids[label] for label in path])
        )
        assert span.probability == pytest.approx(summed, abs=CLOSE)


@pytest.mark.parametrize(
    ("labels", "chunks"),
    [
        ("O B-X I-X O", [("X", 1, 3)]),
        ("B-X B-X I-X", [("X", 0, 1), ("X", 1, 3)]),
        ("I-X I-X B-Y", [("X", 0, 2), ("Y", 2, 3)]),
        ("O O", []),
    ],
)
def test_chunks_of_a_path(labels: str, chunks: list) -> None:
    path = [LABELS.index(label) for label in labels.split()]
    assert SpanFinder(LABELS).chunks(path) == chunks


def test_sequence_probability_is_one_over_all_paths() -> None:
    crf, x = chain(5, 3, 1.0)
    paths = [list(path) for path in product(LABELS, repeat=3)]
    assert np.exp(crf.predict_log_probability([x] * len(paths), paths)).sum() == pytest.approx(1, abs=1e-4)
    assert crf.predict_log_probability([x], [["O", "O", "no such label"]])[0] == -np.inf


@given(seed=st.integers(0, 10**6), hidden=st.sets(st.integers(0, 10)), rules=st.booleans())
@settings(deadline=None, max_examples=20)
def test_the_marginal_likelihood_has_the_value_and_gradient_of_its_definition(seed, hidden, rules) -> None:
    rng = np.random.default_rng(seed)
    X = [[[f"a{i}" for i in rng.integers(0, 4, 2)] for _ in range(n)] for n in (1, 3, 4)]
    y = [["O"], ["B-X", "I-X", "O"], ["O", "B-Y", "B-X", "I-X"]]
    encoded = encode_sequences(X, y, weights=[1.0, 0.5, 2.0])
    names = encoded.labels.strings()
    encoded = with_hidden(encoded, [t for t in hidden if t < len(encoded.gold)])
    dataset = encoded.dataset
    chosen = rules_of("BIO", names) if rules else None
    problem = Problem.of(encoded, Settings(features="all", c2=0.3), chosen)
    objective = Objective(problem)
    objective._partial = True  # also where every label is known
    x = rng.normal(0, 1, objective.size)
    value, gradient = objective(x)
    weights = objective.weights(x)

    def naive(sentence: int) -> float:
        tokens = [[encoded.attributes.find(a) for a in token] for token in X[sentence]]
        gold = dataset.labels[dataset.tokens[sentence] : dataset.tokens[sentence + 1]]
        sums = [0.0, 0.0]
        for path in product(range(len(names)), repeat=len(tokens)):
            if chosen is not None and not (
                chosen.start[path[0]] and all(chosen.follow[a, b] for a, b in pairwise(path))
            ):
                continue
            score = sum(float(weights.state[a, y]) for token, y in zip(tokens, path, strict=True) for a in token)
            score += sum(float(weights.trans[a, b]) for a, b in pairwise(path))
            sums[0] += math.exp(score)
            if all(g in (-1, y) for g, y in zip(gold, path, strict=True)):
                sums[1] += math.exp(score)
        return math.log(sums[0]) - math.log(sums[1])

    nll = sum(w * naive(s) for s, w in enumerate((1.0, 0.5, 2.0)))
    assert value == pytest.approx(nll + 0.3 * float(x @ x), rel=1e-5)
    for k in rng.integers(0, objective.size, 5):
        step = np.zeros(objective.size)
        step[k] = 1e-5
        slope = (objective(x + step)[0] - objective(x - step)[0]) / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-4)
    if not rules and not any(t < len(dataset.labels) for t in hidden):
        plain = Objective(problem)(x)
        assert value == pytest.approx(plain[0], rel=1e-12)
        assert gradient == pytest.approx(plain[1], abs=1e-10)


def test_several_threads_say_the_same() -> None:
    X, y = tagged(80)
    one = CRF(c2=0.1, constraints="BIO").fit(X, y)
    two = CRF(c2=0.1, constraints="BIO", n_jobs=2).fit(X, y)
    two.model_ = one.model_
    assert one.predict(X) == two.predict(X)
    assert one.predict_nbest(X, 3) == two.predict_nbest(X, 3)
    assert one.predict_marginals(X) == two.predict_marginals(X)


def test_sequence_probabilities_are_those_of_the_n_best_under_constraints_too() -> None:
    crf, x = chain(11, 4, 1.0)
    crf.constraints = "BIO"
    paths = crf.predict_nbest([x], 10**4)[0]
    found = np.exp(crf.predict_log_probability([x] * len(paths), [labels for labels, _ in paths]))
    assert found == pytest.approx([p for _, p in paths], abs=CLOSE)
    broken = [labels for labels in product(LABELS, repeat=4) if labels[0].startswith("I-")]
    assert np.isneginf(crf.predict_log_probability([x] * len(broken), broken)).all()
    best = crf.predict_single(x)
    crf.tagger_.set(x)
    assert crf.tagger_.probability(best) == pytest.approx(paths[0][1], abs=CLOSE)


@pytest.mark.parametrize("n_jobs", [None, 2, -1])
def test_one_sequence_goes_the_short_way_whatever_n_jobs_is(
    n_jobs: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = [[["a"], ["b"]], [["b"], ["a"]]] * 3, [["X", "Y"], ["Y", "X"]] * 3
    crf = CRF(n_jobs=n_jobs).fit(X, y)
    alone, sure = crf.predict(X[:2])[1], crf.predict_marginals(X[:2])[1]

    def refuse(*_: object) -> None:
        raise AssertionError("a decoder for one sequence")

    monkeypatch.setattr(Predictor, "decoder", refuse)
    assert crf.predict_single(X[1]) == alone == ["Y", "X"]
    assert crf.predict_marginals_single(X[1]) == [pytest.approx(each, abs=1e-6) for each in sure]
