"""Scores against the naive twin, seqeval, scikit-learn, and a report that conlleval printed."""

import json
import time
import warnings
from collections import Counter
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seqeval.metrics.sequence_labeling import get_entities
from sklearn.metrics import precision_recall_fscore_support

from tagfield.errors import InputError
from tagfield.evaluate import ChunkScorer, Scores, Tally, evaluate, has_chunks, label_kind
from tests.support import naive_chunks

GOLDEN = Path(__file__).parents[1] / "golden"

PREFIXES = ["B", "I", "E", "S", "O", ".", "[", "]", "L", "U", ""]
ANY_LABEL = st.sampled_from(["O", *PREFIXES, *(f"{p}-{t}" for p in PREFIXES for t in ("X", "Y", "A-B", "0", ""))])
IOBES_LABEL = st.sampled_from(["O", *(f"{p}-{t}" for p in "BIES" for t in "XY")])
IOB_LABEL = st.sampled_from(["O", "O", "B-X", "I-X", "B-Y", "I-Y"])


def both_sides(label: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[tuple[str, str]]]]:
    """Sentences of (gold, predicted) pairs that agree often enough for chunks to be right."""
    pair = st.tuples(label, label) | label.map(lambda same: (same, same))
    return st.lists(st.lists(pair, max_size=8), max_size=5)


def unzip(pairs: list[list[tuple[str, str]]]) -> tuple[list[list[str]], list[list[str]]]:
    return [[g for g, _ in s] for s in pairs], [[p for _, p in s] for s in pairs]


@given(both_sides(ANY_LABEL))
def test_chunks_are_counted_as_conlleval_counts_them(pairs):
    gold, predicted = unzip(pairs)
    in_gold, in_predicted, correct = naive_chunks.conlleval(gold, predicted)
    scores = evaluate(gold, predicted, scheme="iob")
    expected = {t: Tally(in_gold[t], in_predicted[t], correct[t]) for t in sorted(in_gold | in_predicted)}
    assert dict(scores.types) == expected
    assert list(scores.types) == sorted(expected)
    assert scores.chunks == Tally(in_gold.total(), in_predicted.total(), correct.total())


@given(both_sides(IOB_LABEL))
def test_chunks_agree_with_seqeval_on_iob_labels(pairs):
    gold, predicted = unzip(pairs)
    found = [
        {(i, *chunk) for i, labels in enumerate(side) for chunk in get_entities(labels)} for side in (gold, predicted)
    ]
    assert evaluate(gold, predicted).chunks == Tally(len(found[0]), len(found[1]), len(found[0] & found[1]))


@given(both_sides(IOBES_LABEL))
def test_chunks_agree_with_seqeval_on_iobes_labels(pairs):
    """And on BILOU and BMES, whose letters seqeval does not know in this mode."""
    gold, predicted = unzip(pairs)
    found = [
        {(i, *chunk) for i, labels in enumerate(side) for chunk in get_entities(labels)} for side in (gold, predicted)
    ]
    expected = Tally(len(found[0]), len(found[1]), len(found[0] & found[1]))
    assert evaluate(gold, predicted, scheme="iobes").chunks == expected
    for other in ("BLUI", "BESM"):
        letters = dict(zip("BEUI" if other == "BLUI" else "BESI", other, strict=True)) | {"S": other[2], "E": other[1]}
        sides = [[[letters.get(y[0], "O") + y[1:] for y in s] for s in side] for side in (gold, predicted)]
        assert evaluate(*sides, scheme="iobes").chunks == expected


@given(both_sides(st.sampled_from("BMES")))
def test_words_are_counted_as_a_reader_would(pairs):
    gold, predicted = unzip(pairs)
    found = [
        {(i, *word) for i, labels in enumerate(side) for word in naive_chunks.words(labels)}
        for side in (gold, predicted)
    ]
    expected = Tally(len(found[0]), len(found[1]), len(found[0] & found[1]))
    assert evaluate(gold, predicted, scheme="words").chunks == expected


@given(both_sides(st.sampled_from(["O", "author", "title", ".", "B-X", "["])))
def test_runs_are_maximal_stretches_of_one_label(pairs):
    gold, predicted = unzip(pairs)
    found = [
        {(i, *run) for i, labels in enumerate(side) for run in naive_chunks.runs(labels)} for side in (gold, predicted)
    ]
    scores = evaluate(gold, predicted, scheme="runs")
    assert scores.chunks == Tally(len(found[0]), len(found[1]), len(found[0] & found[1]))
    assert {name: t.gold for name, t in scores.types.items() if t.gold} == Counter(run[1] for run in found[0])


@given(both_sides(ANY_LABEL), st.sampled_from(["iob", "iobes", "words", "runs"]))
def test_the_same_labels_are_all_right_by_any_rules(pairs, scheme):
    gold, _ = unzip(pairs)
    chunks = evaluate(gold, gold, scheme=scheme).chunks
    assert chunks.gold == chunks.predicted
    if scheme == "runs":
        assert chunks.correct == chunks.gold


@given(both_sides(ANY_LABEL))
def test_token_and_sequence_figures_agree_with_plain_counting(pairs):
    gold, predicted = unzip(pairs)
    flat_gold, flat_predicted = [*chain.from_iterable(gold)], [*chain.from_iterable(predicted)]
    scores = evaluate(gold, predicted)
    right = sum(g == p for g, p in zip(flat_gold, flat_predicted, strict=True))
    assert scores.tokens == Tally(len(flat_gold), len(flat_gold), right)
    assert scores.sequences.correct == sum(g == p for g, p in zip(gold, predicted, strict=True))
    assert scores.sequences.gold == len(gold)
    if not flat_gold:
        assert scores.macro_f1 == 0
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        precision, recall, f1, support = precision_recall_fscore_support(flat_gold, flat_predicted, zero_division=0)
    assert list(scores.labels) == sorted(set(flat_gold + flat_predicted))
    for name, expected in [("precision", precision), ("recall", recall), ("f1", f1), ("gold", support)]:
        np.testing.assert_allclose([getattr(t, name) for t in scores.labels.values()], expected, atol=1e-12)
    assert scores.macro_precision == pytest.approx(precision.mean())
    assert scores.macro_recall == pytest.approx(recall.mean())
    assert scores.macro_f1 == pytest.approx(f1.mean())


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("O I-X", "O B-X", Tally(1, 1, 1)),  # IOB1 output is not punished
        ("I-X I-X", "I-X I-Y", Tally(1, 2, 0)),  # a type change opens a chunk
        ("B-X E-X S-X", "B-X E-X S-X", Tally(2, 2, 2)),  # conlleval would let E→S and E→B go on
        ("B-X E-X B-X E-X", "B-X E-X B-X E-X", Tally(2, 2, 2)),
        ("B-X L-X U-X U-X", "B-X L-X U-X O", Tally(3, 2, 2)),  # BILOU
        ("B-X M-X E-X", "B-X M-X M-X", Tally(1, 1, 1)),
        ("B E S B M E", "B E S B E S", Tally(3, 4, 2)),  # words of characters
        ("B I B B", "B B B B", Tally(3, 4, 2)),
        ("B-X E-X O S-Y", "B-X E-X O S-Y", Tally(2, 2, 2)),
        ("[-X ]-X", "[-X ]-X", Tally(2, 2, 2)),  # brackets are chunks of one token
        ("B I O", "B I O", Tally(1, 1, 1)),  # labels without a dash: one empty type
        ("N V", "N N", None),  # parts of speech make no chunks
        ("B-X | I-X", "B-X | I-X", Tally(2, 2, 2)),  # a sentence boundary is O
        ("B-X I-X", "B-X I-X |", Tally(1, 1, 1)),
        ("B-X I-X", "B-X O", Tally(1, 1, 0)),
    ],
)
def test_the_rules_one_by_one(gold, predicted, expected):
    sides = [[s.split() for s in text.strip("| ").split("|")] for text in (gold, predicted)]
    assert evaluate(*sides).chunks == expected


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["B-NP", "I-NP", "O"], "iob"),
        (["I-PER", "I-LOC", "O"], "iob"),  # IOB1
        (["I-PER", "E-PER", "O"], "iobes"),  # IOE
        (["B-X", "I-X", "L-X", "U-X", "O"], "iobes"),
        (["B-X", "M-X", "E-X", "S-X"], "iobes"),
        (["B", "M", "E", "S"], "words"),
        (["B", "I", "E", "S"], "words"),
        (["B", "I"], "words"),
        (["B", "I", "O"], "iob"),
        (["B", "I", "E", "S", "O"], "iobes"),
        (["NN", "VB", "S-PRO", "-LRB-", "HYPH"], "labels"),  # one tag that looks like a chunk's is not enough
        (["D", "N"], "labels"),
        (["author", "title", "O"], "labels"),
        (["B"], "labels"),
        (["O"], "iob"),  # a part of a corpus of chunks: it has none
        ([], "iob"),
    ],
)
def test_the_kind_of_labels(labels, kind):
    assert label_kind(labels) == kind
    assert has_chunks(labels) == (kind != "labels")


def test_labels_that_mark_no_chunks_have_no_f1_anywhere():
    scores = evaluate([["DT", "NN", "VB"]], [["DT", "NN", "NN"]])
    assert scores.kind == "labels"
    assert scores.chunks is None
    assert scores.main == ("accuracy", 2 / 3)
    assert not {"chunks", "types"} & set(scores.to_dict())
    assert "FB1" not in scores.report()
    assert "phrases" not in scores.report()
    assert "macro" in scores.report()
    for name in ("f1", "precision", "recall"):
        with pytest.raises(InputError, match="the labels mark no chunks; use accuracy or macro_f1"):
            getattr(scores, name)
    as_runs = evaluate([["DT", "NN", "VB"]], [["DT", "NN", "NN"]], scheme="runs")
    assert as_runs.main == ("f1", 0.4)
    assert "with 3 runs; found: 2 runs; correct: 1." in as_runs.report()


def test_words_of_characters_are_reported_as_words():
    scores = evaluate([[*"BESBME"]], [[*"BESBES"]])
    assert scores.report().splitlines() == [
        "processed 6 tokens with 3 words; found: 4 words; correct: 2.",
        "accuracy:  66.67%; precision:  50.00%; recall:  66.67%; FB1:  57.14",
    ]
    assert scores.to_dict()["scheme"] == "words"


def test_the_report_is_conllevals_page():
    """golden/conlleval.txt holds made-up columns; golden/conlleval.out is what conlleval printed for them."""
    sentences = [s.splitlines() for s in (GOLDEN / "conlleval.txt").read_text().strip().split("\n\n")]
    gold = [[line.split()[-2] for line in s] for s in sentences]
    predicted = [[line.split()[-1] for line in s] for s in sentences]
    scores = evaluate(gold, predicted)
    assert scores.report() == (GOLDEN / "conlleval.out").read_text()
    # the same by hand: the corpus is small enough to count with a finger
    assert scores.tokens == Tally(26, 26, 16)
    assert scores.chunks == Tally(16, 16, 11)
    assert scores.types["PP"] == Tally(2, 2, 2)
    assert scores.types["LST"] == Tally(1, 0, 0)
    assert scores.sequences == Tally(5, 5, 2)


def test_an_unseen_gold_label_is_an_error_and_never_dropped():
    scorer = ChunkScorer(["B-NP", "O"])
    scores = scorer.score([0, -1, 1], [0, 1, 1], [0, 3])
    assert scores.tokens == Tally(3, 3, 2)
    assert scores.chunks == Tally(2, 1, 1)
    with_its_name = ChunkScorer(["B-NP", "O", "B-LST"]).score([0, 2, 1], [0, 1, 1], [0, 3])
    assert with_its_name.chunks == scores.chunks
    assert with_its_name.types["LST"] == Tally(1, 0, 0)


def test_nothing_at_all_scores_zero_and_prints():
    scores = evaluate([], [])
    assert scores.report() == "processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n"
    assert (scores.accuracy, scores.f1, scores.sequence_accuracy, scores.macro_f1) == (0, 0, 0, 0)
    assert scores.table().splitlines()[-1].split() == ["macro", "0.00%", "0.00%", "0.00%", "0"]


def test_the_dictionary_goes_through_json():
    scores = evaluate([["B-X", "O"]], [["B-X", "B-X"]])
    read = json.loads(json.dumps(scores.to_dict()))
    assert read["accuracy"] == 0.5
    assert read["chunks"] == {"precision": 0.5, "recall": 1.0, "f1": 2 / 3, "gold": 1, "predicted": 2, "correct": 1}
    assert read["labels"]["O"]["gold"] == 1
    assert read["macro"]["f1"] == pytest.approx(scores.macro_f1)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: evaluate([["O"]], []), "1 gold sequences but 0 predicted"),
        (lambda: evaluate([["O"], ["O", "O"]], [["O"], ["O"]]), "sequence 1 has 2 gold labels but 1"),
        (lambda: evaluate(["OO"], [["O", "O"]]), "sequence 0 is a string"),
        (lambda: evaluate([[1]], [["O"]]), "labels must be strings, got 1 of type int"),
        (lambda: evaluate([["O"]], [["O"]], scheme="bio"), "no scheme named 'bio'; did you mean 'iob'"),
        (lambda: ChunkScorer(["O"]).score([0], [0, 0], [0, 1]), "1 gold labels but 2 predicted"),
        (lambda: ChunkScorer(["O"]).score([1], [0], [0, 1]), "gold label id 1 at token 0"),
        (lambda: ChunkScorer(["O"]).score([0], [-1], [0, 1]), "predicted label id -1 at token 0"),
        (lambda: ChunkScorer(["O"]).score([0], [0], [0]), "sentence_starts must go up from 0"),
        (lambda: ChunkScorer(["O"]).score([0, 0], [0, 0], [0, 2, 1, 2]), "sentence_starts must go up"),
        (lambda: ChunkScorer(["O"]).score([[0]], [0], [0, 1]), "one-dimensional array"),
    ],
)
def test_bad_input_is_named(call, said):
    with pytest.raises(InputError, match=said):
        call()


def test_a_large_corpus_is_scored_quickly():
    """211,000 tokens after every epoch: the scorer must take far less time than an epoch."""
    random = np.random.default_rng(1)
    labels = ["O", *(f"{p}-T{i}" for i in range(11) for p in "BI")]
    gold = random.integers(0, len(labels), 211_000)
    predicted = np.where(random.random(len(gold)) < 0.95, gold, random.integers(0, len(labels), len(gold)))
    starts = np.concatenate([[0], np.sort(random.integers(0, len(gold), 8_935)), [len(gold)]])
    scorer = ChunkScorer(labels)

    def timed() -> tuple[float, Scores]:
        start = time.process_time()
        scores = scorer.score(gold, predicted, starts)
        return time.process_time() - start, scores

    seconds, scores = min((timed() for _ in range(5)), key=lambda pair: pair[0])
    assert scores.accuracy > 0.94
    names = np.array(labels, object)
    sentences = [np.split(names[ids], starts[1:-1]) for ids in (gold, predicted)]
    begin = time.process_time()
    naive_chunks.conlleval(*([list(sentence) for sentence in side] for side in sentences))
    assert 10 * seconds < time.process_time() - begin


@pytest.mark.parametrize("scheme", ["iob", "iobes", "runs", "labels"])
@settings(deadline=None, max_examples=30)
@given(both_sides(IOBES_LABEL), both_sides(IOBES_LABEL))
def test_scores_of_parts_add_up_to_those_of_the_whole(scheme, one, other):
    parts, whole = [evaluate(*unzip(pairs), scheme=scheme) for pairs in (one, other)], unzip(one + other)
    assert parts[0] + parts[1] == evaluate(*whole, scheme=scheme)


def test_scores_of_different_schemes_do_not_add_up():
    one, other = (evaluate([["B-X"]], [["B-X"]], scheme=scheme) for scheme in ("iob", "runs"))
    with pytest.raises(InputError, match="scores of iob and of runs cannot be added"):
        one + other


@given(both_sides(IOB_LABEL) | both_sides(IOBES_LABEL))
def test_chunks_of_each_sentence_are_those_of_the_sentence_alone(pairs):
    names = sorted({label for sentence in pairs for both in sentence for label in both} | {"B-X"})
    scorer, number = ChunkScorer(names), {name: i for i, name in enumerate(names)}
    gold, predicted = ([number[both[side]] for sentence in pairs for both in sentence] for side in (0, 1))
    starts = np.cumsum([0, *map(len, pairs)])
    found = scorer.by_sentence(gold, predicted, starts)
    assert found.shape == (3, len(pairs))
    for k, (start, end) in enumerate(pairwise(starts)):
        alone = scorer.score(gold[start:end], predicted[start:end], [0, end - start]).chunks
        assert Tally(*found[:, k].tolist()) == alone
