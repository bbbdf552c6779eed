"""Edge attributes as a user meets them: lists beside X, templates, models, and explanations that add up."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import CRF, Model, Settings, encode_sequences
from tagfield.data.dataset import UNKNOWN
from tagfield.data.encode import Encoded, Vocabulary, encode_files, encode_words
from tagfield.data.text.sources import Source
from tagfield.errors import InputError
from tagfield.model.explain import SizeReport, explain
from tagfield.system.storage import load_tensors
from tagfield.templates import column, parse_wapiti, split_observations, template
from tests.data.test_encode import check_edges, sequences
from tests.support import naive_text as naive
from tests.support.cli_process import inside

W = column("w")
TEMPLATE = template(W, transitions=[W.lower, W[-1] & W])
WORDS = [["a", "b", "a"], ["b", "a"], ["a"], ["B", "b", "a", "a"]]
LABELS = [["X", "Y", "X"], ["X", "Y"], ["X"], ["Y", "X", "Y", "X"]]


def names_of(edges: list) -> list:
    """For each token but the first of a sequence, the names and values of its edge attributes."""
    return [[naive.attributes(token) if t else [] for t, token in enumerate(x)] for x in edges]


@given(sequences)
def test_lists_beside_X_are_what_the_twin_packs(edges: list) -> None:
    X = [[["a"] for _ in x] for x in edges]
    ids: dict[str, int] = {}
    encoded = encode_sequences(X, edges=edges)
    check_edges(encoded, packed := naive.pack(names_of(edges), ids, grouped=False))
    assert encoded.edges.strings() == list(ids)
    if encoded.dataset.edge_slots.value is not None:
        assert encoded.dataset.edge_slots.value.tolist() == np.float32(packed["value"]).tolist()
    half = {name: k for k, name in enumerate(list(ids)[::2])}
    known = {"attributes": encoded.attributes, "edge_attributes": Vocabulary(list(half))}
    again = encode_sequences(X, edges=edges, gather=False, **known)
    check_edges(again, naive.pack(names_of(edges), half, frozen=True, gather=False))


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([[[], ["k"]]], r"X has 2 sequences, but edges has 1; give one list for each"),
        ([[[]], [[]]], r"X\[0\] has 2 tokens, but edges\[0\] has 1 entries; give one for each token"),
        ([[[], []], [[], []]], r"X\[1\] has 1 tokens, but edges\[1\] has 2 entries"),
        ([[[], 3], [[]]], r"edges\[0\]\[1\] is of type int; a token must be a list of attribute strings or a dict"),
        ([[[], "k"], [[]]], r"edges\[0\]\[1\] is of type str; a token must be a list of attribute strings or a dict$"),
        ([[[], {"k": float("nan")}], [[]]], r"edges\[0\]\[1\]: the value of 'k' must be a finite 32-bit number"),
        ([3, [[]]], r"edges\[0\] is of type int; expected a sequence of tokens"),
        ("ab", "edges is of type str; expected a list of sequences"),
    ],
)
def test_edges_that_do_not_fit_X_are_refused_with_their_place(edges: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_sequences([[["a"], ["b"]], [["c"]]], edges=edges)


def as_lists(encoded: Encoded) -> tuple[list, list]:
    """X and edges of encoded data, as lists of names."""
    data, slots = encoded.dataset, encoded.dataset.edge_slots
    made = []
    for found, names in ((data, encoded.attributes), (slots, encoded.edges)):
        X = [[[] for _ in range(n)] for n in np.diff(data.tokens).tolist()]
        for s in range(len(data)):
            start = 0
            for d in range(found.slots[s], found.slots[s + 1]):
                for n in range(start, found.stop[d]):
                    X[s][found.position[found.occurrences[s] + n]].append(names[int(found.attribute[d])])
                start = int(found.stop[d])
        made.append(X)
    return made[0], made[1]


def test_words_files_and_lists_train_and_tag_alike(tmp_path: Path) -> None:
    text = "\n\n".join(
        "\n".join(f"{w} {y}" for w, y in zip(*pair, strict=True)) for pair in zip(WORDS, LABELS, strict=True)
    )
    by_words = Model.train(encode_words(WORDS, LABELS, template=TEMPLATE), Settings("lbfgs", c2=0.1))
    by_file = Model.train(encode_files(Source("a", text.encode()), template=TEMPLATE), Settings("lbfgs", c2=0.1))
    X, edges = as_lists(encode_words(WORDS, LABELS, template=TEMPLATE))
    by_lists = Model.train(encode_sequences(X, LABELS, edges=edges), Settings("lbfgs", c2=0.1))
    best = by_words.tag_words(WORDS)
    assert best == LABELS  # nothing but the pair of words tells the labels apart
    assert by_file.tag_words(WORDS) == by_lists.tag(X, edges=edges) == best
    marginals = by_words.marginals(by_words.encode_words(WORDS))
    for other in (by_file.marginals(by_file.encode_words(WORDS)), by_lists.marginals(X, edges=edges)):
        for one, two in zip(marginals, other, strict=True):
            np.testing.assert_allclose(one, two, atol=1e-4)
    by_words.save(tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert loaded.template == by_words.template
    assert loaded.tag_words(WORDS) == best
    assert [loaded.tag_text(" ".join(words)).labels for words in WORDS] == [[labels] for labels in best]
    (tmp_path / "data").write_text(text)
    assert loaded.evaluate(tmp_path / "data").accuracy == 1.0
    assert by_lists.log_probability(X, LABELS, edges=edges) == pytest.approx(
        loaded.log_probability(loaded.encode_words(WORDS), LABELS), abs=1e-3
    )
    assert by_lists.n_best(X, 1, edges=edges)[0][0][0] == best[0]
    assert len(by_lists.spans(X, edges=edges)) == len(X)


def test_what_does_not_fit_a_model_is_refused() -> None:
    made = encode_words(WORDS, LABELS, template=TEMPLATE)
    model = Model.train(made, Settings("lbfgs"))
    X, edges = as_lists(made)
    lists = Model.train(encode_sequences(X, LABELS, edges=edges), Settings("lbfgs"))
    plain = Model.train(encode_sequences(X, LABELS), Settings("lbfgs"))
    with pytest.raises(InputError, match=r"this data has no edge attributes; pass edges=…, one list of attributes"):
        lists.tag(X)
    with pytest.raises(InputError, match="no edge attributes; use tag_words"):
        model.tag(X)
    with pytest.raises(InputError, match="the model has no edge attributes; leave edges out"):
        plain.tag(X, edges=edges)
    with pytest.raises(InputError, match="encoded already, so edges has no effect"):
        lists.tag(lists.encode(X, edges=edges), edges=edges)
    with pytest.raises(InputError, match="item lines cannot hold edge attributes"):
        list(made.sequences())


def test_minimum_counts_apply_to_edge_attributes() -> None:
    encoded = encode_words(WORDS, LABELS, template=TEMPLATE)
    every, some = (Model.train(encoded, Settings("lbfgs", min_count=n)) for n in (1, 2))
    assert 0 < some.features.edge_count < every.features.edge_count
    assert not some.features.edge_matrix(some.weights, some.edges.find("w[-1]|w[0]=a|a")).any()
    assert len(some.tag_words(WORDS)) == len(WORDS)


def test_held_out_words_and_streams() -> None:
    model = Model.train_words(WORDS, LABELS, template=TEMPLATE, dev=(WORDS, LABELS), settings=Settings(epochs=3))
    assert model.edges is not None
    crf = CRF(template=TEMPLATE, max_iterations=5).fit(WORDS, LABELS, X_dev=WORDS, y_dev=LABELS)
    assert len(crf.predict(WORDS)) == len(WORDS)
    stream = CRF(template=TEMPLATE).partial_fit(WORDS[:2], LABELS[:2]).partial_fit(WORDS[2:], LABELS[2:])
    whole = CRF(template=TEMPLATE).partial_fit(WORDS, LABELS)
    np.testing.assert_array_equal(*(crf.predict_marginals_single(["a", "b"])[1]["X"] for crf in (stream, whole)))
    assert stream.model_.edges.strings() == whole.model_.edges.strings()


def test_sentences_of_one_word_have_no_transitions() -> None:
    encoded = encode_words([["a"], ["b"]], [["X"], ["Y"]], template=TEMPLATE)
    model = Model.train(encoded, Settings("lbfgs"))
    assert model.tag_words([["a"], ["a", "b"]]) == [["X"], ["X", "Y"]]
    assert model.evaluate(encoded).accuracy == 1.0


def test_unknown_labels_and_edges_meet() -> None:
    encoded = encode_words([["a", "b"]], [["X", None]], template=TEMPLATE)
    assert encoded.dataset.labels.tolist() == [0, UNKNOWN]
    assert encoded.take(np.array([0, 0])).dataset.edge_slots.slots.tolist() == [0, 2, 4]


EXPLAINED = Model.train(encode_words(WORDS, LABELS, template=TEMPLATE), Settings("lbfgs", c2=0.05))


def score(model: Model, words: list[str], path: list[str]) -> float:
    """θ·Φ(x, y) from the attributes by name."""
    total, ids = 0.0, [model.labels.find(label) for label in path]
    tau = model.weights.transitions()
    for t, word in enumerate(words):
        names = [f"w[0]={word}"] + (["__BOS__"] if t == 0 else []) + (["__EOS__"] if t + 1 == len(words) else [])
        total += sum(model.attribute_weights(a)[ids[t]] for a in map(model.attributes.find, names) if a >= 0)
        if t:
            edges = [f"w.lower[0]={word.lower()}", f"w[-1]|w[0]={words[t - 1]}|{word}"]
            known = [e for e in map(model.edges.find, edges) if e >= 0]
            pair = ids[t - 1], ids[t]
            total += tau[pair] + sum(model.features.edge_matrix(model.weights, e)[pair] for e in known)
    return float(total)


@settings(deadline=None)
@given(st.lists(st.sampled_from(["a", "b", "B", "c"]), min_size=1, max_size=5), st.data())
def test_explanations_add_up(words: list[str], data: st.DataObject) -> None:
    t = data.draw(st.integers(0, len(words) - 1))
    why = explain(EXPLAINED, EXPLAINED.encode_words([words]), t)
    (best,) = EXPLAINED.tag_words([words])
    (second,) = EXPLAINED.tag(EXPLAINED.encode_words([words]), known=[{t: {"X", "Y"} - {best[t]}}])
    assert sum(amount for _, amount in why.separates) == pytest.approx(why.difference, abs=1e-9)
    assert why.difference == pytest.approx(score(EXPLAINED, words, best) - score(EXPLAINED, words, second), abs=1e-4)
    swapped = [*best[:t], second[t], *best[t + 1 :]]
    apart = score(EXPLAINED, words, best) - score(EXPLAINED, words, swapped)
    assert why.scores[best[t]] - why.scores[second[t]] == pytest.approx(apart, abs=1e-4)
    for label, total in why.scores.items():
        parts = [amounts[label] for _, _, amounts in (*why.attributes, *why.edges_into, *why.edges_out_of)]
        assert total == pytest.approx(sum(parts) + why.into[label] + why.out_of[label], abs=1e-9)


def test_an_explanation_names_edge_attributes() -> None:
    why = explain(EXPLAINED, EXPLAINED.encode_words([["b", "a"]]), 1)
    assert "X → Y with w[-1]|w[0]=b|a" in dict(why.separates)
    assert "transition in with w.lower[0]=a" in str(why)
    assert "with w.lower[0]=a" in why._repr_html_()
    assert json.loads(json.dumps(why.to_dict()))["edges_into"][0][0] == "w.lower[0]=a"
    lists = Model.train(
        encode_sequences([[["a"], ["b"]]] * 2, [["X", "Y"], ["X", "X"]], edges=[[[], {"k": 2.0}], [[], ["j"]]]),
        Settings("lbfgs"),
    )
    assert "transition in with k = 3" in str(explain(lists, [["a"], ["b"]], 1, edges=[None, {"k": 3}]))
    assert SizeReport.of(lists).transition_features == lists.features.counts[1] + lists.features.edge_count


def test_observations_of_wapiti_are_lists_of_attributes() -> None:
    X, edges = split_observations([[["ua", "b"], ["ub", "b", "*c"]]] * 3)
    model = Model.train(encode_sequences(X, [["X", "Y"]] * 3, edges=edges), Settings("lbfgs"))
    assert model.edges.strings() == ["b", "*c"]
    assert model.tag(X[:1], edges=edges[:1]) == [["X", "Y"]]


def test_a_model_with_patterns_of_wapiti_is_not_read_by_versions_that_do_not_know_them(tmp_path: Path) -> None:
    made = parse_wapiti("u:%x[-1,0]").with_columns("w y")
    model = Model.train_words(WORDS, LABELS, template=made)
    model.save(tmp_path / "model")
    assert load_tensors(tmp_path / "model")[1]["format"] == "tagfield model 2"
    loaded = Model.load(tmp_path / "model")
    assert loaded.template == made
    assert loaded.attributes.strings()[0] == "u:_x-1"
    assert loaded.tag_words(WORDS) == model.tag_words(WORDS)


def test_the_commands_train_and_tag(tmp_path: Path) -> None:
    (tmp_path / "template").write_text("U0:%x[0,0]\nB0:%x[-1,0]/%x[0,0]\nB\n")
    rows = "\n\n".join(
        "\n".join(f"{w} {y}" for w, y in zip(*pair, strict=True)) for pair in zip(WORDS, LABELS, strict=True)
    )
    (tmp_path / "data").write_text(rows + "\n")
    data, made, model = (str(tmp_path / name) for name in ("data", "template", "model"))
    options = ("--template", made, "--dev", data, "--recipe", "lbfgs", "--c2", "0.1", "-o", model)
    assert inside("train", data, *options, input=b"", cwd=None)[0] == 0
    code, out, said = inside("tag", "-m", model, data, input=b"", cwd=None)
    assert code == 0, said
    assert [line.split()[-1] for line in out.splitlines() if line] == [y for labels in LABELS for y in labels]
    assert inside("eval", "-m", model, data, input=b"", cwd=None)[0] == 0
