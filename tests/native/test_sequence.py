"""The short way from objects to labels gives what a Decoder gives, bit by bit, whatever the calls before were."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.inference.lattice import open_corpus
from tagfield.native import kernels
from tagfield.native._text import SequenceTagger, Vocabulary, probability_lists
from tagfield.weights.layout import FeatureSet, Weights
from tests.support.chain_doors import chains
from tests.support.naive import best_path

NAMES = ("a", "b", "é", "c" * 20, "k:v", "k", "0123456789abcdef0")

lists = st.lists(st.sampled_from([*NAMES, "unknown", "ü"]), max_size=5)
numbers = st.floats(-4, 4, width=32) | st.booleans() | st.integers(-3, 3)
dicts = st.dictionaries(st.sampled_from([*NAMES, "unknown"]), numbers | st.just("v") | st.just("w"), max_size=4)
sequences = st.lists(lists | lists.map(tuple) | lists.map(set) | dicts, max_size=6)


@dataclass(frozen=True)
class Case:
    vocabulary: Vocabulary
    labels: Vocabulary
    features: FeatureSet
    weights: Weights

    @classmethod
    def drawn(cls, seed: int, labels: int, dtype: type, sparse: bool | None) -> "Case":
        """Weights for some pairs of attribute and label; integers, so that paths may tie, or not."""
        rng, A = np.random.default_rng(seed), len(NAMES)
        a, y = np.nonzero(rng.random((A, labels)) < rng.choice([0.1, 0.6, 1.0]))
        i, j = np.nonzero(rng.random((labels, labels)) < 0.7)
        scale = rng.choice([1.0, 0.7])
        states, steps = (np.rint(rng.normal(0, 3, len(each))) * scale for each in (a, i))
        features, weights = FeatureSet.from_triples(
            A, labels, (a, y, states), (i, j, steps), sparse=sparse, dtype=dtype
        )
        return cls(Vocabulary(NAMES), Vocabulary(map(str, range(labels))), features, weights)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.labels)

    def tagger(self) -> SequenceTagger:
        return SequenceTagger(self.vocabulary, kernels.sequence_decoder(self.features.field(self.weights)))

    def expected(self, X: list[Any]) -> tuple[list[list[str]], list[list[dict[str, float]]], int, int]:
        encoded = encode_sequences(X, attributes=self.vocabulary, labels=self.labels, gather=False)
        corpus, field, tokens = open_corpus(encoded.dataset), self.features.field(self.weights), encoded.dataset.tokens
        ids = kernels.tag(corpus, field)[0]
        node = kernels.marginals(corpus, field)[0]
        best = [[self.names[i] for i in ids[start:end]] for start, end in pairwise(tokens)]
        known = len(encoded.dataset.position)
        return best, probability_lists(node, self.names, tokens), known, encoded.unknown.occurrences


@settings(max_examples=80, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    labels=st.integers(1, 40),
    dtype=st.sampled_from([np.float32, np.float64]),
    sparse=st.sampled_from([None, True, False]),
    X=st.lists(sequences, max_size=6),
)
def test_labels_and_probabilities_are_those_of_a_decoder(
    seed: int, labels: int, dtype: type, sparse: bool | None, X: list[Any]
) -> None:
    case = Case.drawn(seed, labels, dtype, sparse)
    tagger = case.tagger()
    best, probabilities, known, unknown = case.expected(X)
    for _ in range(2):  # what the first call left behind changes nothing
        assert tagger.tag(iter(X), case.names)[:3] == (best, known, unknown)
        assert tagger.probabilities(X, case.names)[:3] == (probabilities, known, unknown)
        for x, path, rows in zip(X, best, probabilities, strict=True):
            assert tagger.tag_one(x, case.names)[0] == path
            read = tagger.read(x)
            assert (len(read), read.best(case.names)) == (len(x), path)
            assert read.rows() == [list(row.values()) for row in rows]


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), labels=st.integers(1, 40), n=st.integers(1, 12))
def test_best_path_with_ties(seed: int, labels: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    scores, trans = rng.integers(-2, 3, (n, labels)), rng.integers(-2, 3, (labels, labels))
    for dtype in (np.float32, np.float64):
        _, found = chains.best_path(scores.astype(dtype), trans.astype(dtype))
        assert found.tolist() == best_path(scores, trans)


def test_weights_that_change_are_seen() -> None:
    case = Case.drawn(3, 5, np.float32, None)
    tagger, X = case.tagger(), [[["a", "b"], ["é"], ["k"], ["b"]]] * 2
    before = tagger.tag(X, case.names)[0], tagger.probabilities(X, case.names)[0]
    case.weights.trans[:5, :5] = np.random.default_rng(4).normal(0, 5, (5, 5))
    after = tagger.tag(X, case.names)[0], tagger.probabilities(X, case.names)[0]
    assert after == case.expected(X)[:2]
    assert after != before


def test_a_key_that_the_vocabulary_learns_later() -> None:
    features, weights = FeatureSet.from_triples(2, 2, ([0, 1], [0, 1], [1.0, 5.0]), ([], [], []))
    vocabulary = Vocabulary(["a"])
    tagger = SequenceTagger(vocabulary, kernels.sequence_decoder(features.field(weights)))
    x = [{"a": 1.0, "late": 1.0}] * 4
    assert tagger.tag_one(x, ("X", "Y"))[:3] == (["X"] * 4, 4, 4)
    vocabulary.add("late")
    assert tagger.tag_one(x, ("X", "Y")) == (["Y"] * 4, 8, 0, [])
    vocabulary.add("beyond the weights")
    assert tagger.tag_one(x, ("X", "Y"))[0] == ["Y"] * 4
    with pytest.raises(InputError, match="its vocabulary has grown since its weights were made"):
        tagger.tag_one([["beyond the weights"]], ("X", "Y"))


@pytest.mark.parametrize(
    "bad", [3, "text", {"a": 1}, [3], [["a"]], [[["a"], [3]]], [[["a"], ["\udc80"]]], [[{"a": None}]], [[b"\xff"]]]
)
def test_bad_input_gets_the_same_sentence_and_leaves_no_trace(bad: Any) -> None:
    case = Case.drawn(5, 3, np.float32, None)
    tagger, X = case.tagger(), [[["a"], {"k": "v"}], []]
    expected = case.expected(X)[0]
    with pytest.raises(InputError) as general:
        encode_sequences(bad, attributes=case.vocabulary, labels=case.labels)
    for call in (tagger.tag, tagger.probabilities):
        with pytest.raises(InputError) as told:
            call(bad, case.names)
        assert str(told.value) == str(general.value)
        assert tagger.tag(X, case.names)[0] == expected


def test_user_code_may_tag_while_it_is_read() -> None:
    case = Case.drawn(6, 9, np.float32, None)
    tagger, x = case.tagger(), [["a"], ["b", "é"], {"k": "v", "a": 2.0}]
    expected = case.expected([x])[0][0]

    def tagging() -> Iterator[Any]:
        for token in x:
            assert tagger.tag([x, x], case.names)[0] == [expected] * 2
            yield token

    assert tagger.tag((tagging() for _ in range(5)), case.names)[0] == [expected] * 5


def test_threads_share_a_tagger() -> None:
    case = Case.drawn(7, 30, np.float32, None)
    tagger, rng = case.tagger(), np.random.default_rng(0)
    X = [[list(rng.choice(NAMES, 4)) for _ in range(rng.integers(0, 30))] for _ in range(200)]
    best, probabilities, *_ = case.expected(X)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda x: tagger.tag(iter([x]), case.names)[0][0], X)) == best
        assert list(pool.map(lambda x: tagger.probabilities([x], case.names)[0][0], X)) == probabilities


def test_scores_beyond_what_is_exact() -> None:
    features, weights = FeatureSet.from_triples(1, 2, ([0], [0], [3e8]), ([], [], []))
    tagger = SequenceTagger(Vocabulary(["a"]), kernels.sequence_decoder(features.field(weights)))
    assert tagger.tag_one([{"a": 9.0}], ("X", "Y"))[0] == ["X"]
    with pytest.raises(InputError, match=r"^sequence 1: a score is beyond ±1e9"):
        tagger.probabilities([[["a"]], [{"a": 9.0}]], ("X", "Y"))
    with pytest.raises(InputError, match=r"^a score is beyond ±1e9"):
        tagger.read([{"a": 9.0}]).rows()


def test_doors_check_what_they_get() -> None:
    case = Case.drawn(8, 3, np.float32, None)
    tagger = case.tagger()
    for wrong in ((), ("X",), ("X", "Y", "Z", "more")):
        with pytest.raises(ValueError, match="one label for each label of the model"):
            tagger.tag([], wrong)
        with pytest.raises(ValueError, match="one label for each label of the model"):
            tagger.read([["a"]]).best(wrong)
    with pytest.raises(TypeError):
        SequenceTagger(case.vocabulary, object())
    features, weights = FeatureSet.from_triples(1, 2, ([], [], []), ([], [], []), edge_attributes=1)
    with pytest.raises(ValueError, match="no edge attributes"):
        kernels.sequence_decoder(features.field(weights))
