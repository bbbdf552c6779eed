"""Models: files there and back, threads, and files that are wrong in every section with right checksums."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, encode_files, encode_sequences
from tagfield.errors import InputError, ModelFileError
from tagfield.model.model import Model
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.train import Settings
from tests.support.naive import chain_in_logs, path_score, sentence_scores
from tests.support.strategies import dense_weights, encode, learnable
from tests.support.tolerances import SINGLE

KINDS = ["observed", "all"]
X = [[["w=a", "s"], ["w=b"], ["w=é", "s"]], [["w=b"], ["w=a", "s"]], []]
Y = [["B", "I", "O"], ["I", "B"], []]


@pytest.fixture(scope="module", params=KINDS)
def model(request: pytest.FixtureRequest) -> Model:
    return Model.train(encode_sequences(X, Y), Settings(recipe="sgd", features=request.param, epochs=10, c2=0.1))


@pytest.fixture(scope="module")
def saved(model: Model, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.tagfield"
    model.save(path)
    return path


def test_what_is_loaded_is_what_was_saved(model: Model, saved: Path) -> None:
    loaded = Model.load(saved)
    assert loaded.labels.strings() == model.labels.strings()
    assert loaded.attributes.strings() == model.attributes.strings()
    assert loaded.features.kind == model.features.kind
    assert loaded.features.counts == model.features.counts
    assert loaded.weights.state.tobytes() == model.weights.state.tobytes()
    assert loaded.weights.trans.tobytes() == model.weights.trans.tobytes()
    assert loaded.info["settings"]["recipe"] == "sgd"
    assert loaded.template is None
    unseen = [*X, [["w=new"], [], ["s", "s"]], [{"s": -2.5}]]
    assert loaded.tag(unseen) == model.tag(unseen)
    for one, two in zip(loaded.marginals(unseen), model.marginals(unseen), strict=True):
        assert one.tobytes() == two.tobytes()
    assert loaded.top_features(5) == model.top_features(5)
    assert not loaded.weights.state.flags.writeable


def test_the_template_comes_back(tmp_path: Path) -> None:
    text = "The DT B-NP\ndog NN I-NP\nbarks VB B-VP\n\nDogs NN B-NP\nbark VB B-VP\n"
    (tmp_path / "t.txt").write_text(text)
    encoded = encode_files(tmp_path / "t.txt")
    model = Model.train(encoded, Settings(epochs=5))
    model.save(tmp_path / "m")
    loaded = Model.load(tmp_path / "m")
    assert loaded.template == model.template
    again = loaded.encode_files(tmp_path / "t.txt")
    assert loaded.tag(again) == model.tag(encoded)
    assert loaded.evaluate(again) == model.evaluate(encoded)


def test_marginals_and_probabilities_are_those_of_the_chain() -> None:
    problem = learnable(8)
    model = Model.train(encode(problem), Settings(recipe="sgd", features="observed", epochs=4, c2=0.1))
    theta = dense_weights(model.features, model.weights).map(np.float64)
    encoded = encode(problem)
    tokens = [[dict(token) for token in s.tokens] for s in encoded.sequences()]
    found, logs = model.marginals(encoded), model.log_probability(tokens, encoded.gold_labels())
    for s, gold in enumerate(problem.gold):
        scores = sentence_scores(problem, s, theta)
        twin = chain_in_logs(scores, theta.trans)
        np.testing.assert_allclose(found[s], twin.node, atol=SINGLE)
        assert logs[s] == pytest.approx(path_score(scores, theta.trans, tuple(gold)) - twin.log_z, abs=1e-4)
    unknown = model.log_probability([[["f:0"]]], [["never seen"]])
    assert unknown.tolist() == [-np.inf]


def test_data_of_another_vocabulary_is_refused(model: Model) -> None:
    """Ids mean nothing without their names; silently wrong tags would be the worst answer."""
    other = encode_sequences(X, attributes=Vocabulary(reversed(model.attributes.strings())), labels=model.labels)
    fewer = encode_sequences(X, attributes=Vocabulary(["w=a"]), labels=model.labels)
    same = encode_sequences(
        X, attributes=Vocabulary(model.attributes.strings()), labels=Vocabulary(model.labels.strings())
    )
    for use in (model.tag, model.marginals):
        for wrong in (other, fewer):
            with pytest.raises(InputError, match=r"not encoded with this model's attributes; use model\.encode"):
                use(wrong)
        use(same)
    swapped = encode_sequences(X, Y, attributes=model.attributes, labels=Vocabulary(["O", "I", "B"]))
    with pytest.raises(InputError, match="not encoded with this model's labels"):
        model.evaluate(swapped)


def test_a_model_of_frequent_attributes_refuses_the_ids_of_all() -> None:
    encoded = encode(learnable(12))
    model = Model.train(encoded, Settings(recipe="sgd", features="all", min_count=4, epochs=1))
    assert len(model.attributes) < len(encoded.attributes)
    with pytest.raises(InputError, match="this model's attributes"):
        model.tag(encoded)


def test_threads_share_one_model(model: Model) -> None:
    rng = np.random.default_rng(0)
    data = [[[[f"w={'abé'[i]}", "s"] for i in rng.integers(3, size=5)] for _ in range(40)] for _ in range(16)]
    alone = [(model.tag(x), [p.tobytes() for p in model.marginals(x)]) for x in data]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(3):
            tags, marginals = pool.map(model.tag, data), pool.map(model.marginals, data)
            together = [(tag, [p.tobytes() for p in ps]) for tag, ps in zip(tags, marginals, strict=True)]
            assert together == alone
    everything, expected = list(chain(*data)), list(chain(*(tags for tags, _ in alone)))
    for threads in (1, 2, 5):
        assert model.tag(everything, threads=threads) == expected


# Files with a right checksum and wrong contents


def rewritten(saved: Path, change: Callable[[dict[str, Any], dict[str, str]], None]) -> Path:
    tensors, metadata = load_tensors(saved)
    tensors = {name: array.copy() for name, array in tensors.items()}
    change(tensors, metadata)
    path = saved.with_name("changed.tagfield")
    save_tensors(path, tensors, metadata)
    return path


def put(name: str, at: Any, value: Any) -> Callable[[dict[str, Any], dict[str, str]], None]:
    def change(tensors: dict[str, Any], _: dict[str, str]) -> None:
        tensors[name][at] = value

    return change


def become(name: str, how: Callable[[Any], Any]) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda tensors, _: tensors.update({name: how(tensors[name])})


def said(**text: str) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda _, metadata: metadata.update(text)


def lose(name: str) -> Callable[[dict[str, Any], dict[str, str]], None]:
    return lambda tensors, metadata: (tensors if name in tensors else metadata).pop(name)


OFFSETS, TEXTS = ("attribute_offsets", "label_offsets"), ("attribute_bytes", "label_bytes")
ARRAYS = ("state", "trans")
ENDS = (-1, 1 << 40, -(1 << 62), (1 << 63) - 1)
WRONG: dict[str, Callable[[dict[str, Any], dict[str, str]], None]] = {
    **{f"{n}[{i}] = {v}": put(n, i, v) for n in OFFSETS for i in (0, 1, -1) for v in ENDS},
    **{f"no {n}": lose(n) for n in ARRAYS + OFFSETS + TEXTS},
    **{f"no {n}": lose(n) for n in ("features", "info", "format")},
    **{f"{n} cut": become(n, lambda a: a[:-1]) for n in ARRAYS + OFFSETS + TEXTS},
    **{f"{n} longer": become(n, lambda a: np.concatenate([a, a[:1]])) for n in ARRAYS + OFFSETS},
    **{f"{n} of one dimension": become(n, np.ravel) for n in ARRAYS},
    **{f"{n} of two dimensions": become(n, lambda a: a[None]) for n in OFFSETS + TEXTS},
    **{f"{n} of float64": become(n, np.float64) for n in ARRAYS},
    **{f"{n} of int64": become(n, np.int64) for n in ARRAYS},
    "state of 16 lanes": become("state", lambda a: np.concatenate([a, a], axis=1)),
    "trans turned": become("trans", lambda a: a.T.copy()),
    "trans without padding": become("trans", lambda a: a[:, : len(a)].copy()),
    "state NaN": put("state", (0, 0), np.nan),
    "state infinite": put("state", (0, 0), np.inf),
    "a state weight of no label": put("state", (0, -1), 1.0),
    "a state weight of no label that is 0": put("state", (0, -1), 0.0),
    "a transition to no label": put("trans", (0, -1), 1.0),
    "trans NaN": put("trans", (0, 0), np.nan),
    "no labels": lambda t, _: t.update(label_bytes=np.zeros(0, np.uint8), label_offsets=np.zeros(1, np.int64)),
    "no offsets": become("label_offsets", lambda a: a[:0]),
    "a label twice": lambda t, _: t["label_bytes"].__setitem__(slice(None), t["label_bytes"][0]),
    "an attribute that is not UTF-8": put("attribute_bytes", 0, 0xFF),
    "features of another kind": said(features="most"),
    "another format": said(format="tagfield model 99"),
    "info is no JSON": said(info="{"),
    "info is a list": said(info="[1]"),
    "info is nested too deeply": said(info="[" * 100_000),
    "template is no JSON": said(template="{"),
    "template is a number": said(template="3"),
    "template is empty": said(template="{}"),
    "only first": lambda t, _: (t.pop("column", None), t.update(first=np.zeros(len(t["attribute_offsets"]), np.int64))),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_contents_with_a_right_checksum(saved: Path, name: str) -> None:
    path = rewritten(saved, WRONG[name])
    with pytest.raises(ModelFileError) as caught:
        Model.load(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


SPARSE: dict[str, Callable[[dict[str, Any], dict[str, str]], None]] = {
    **{f"first[{i}] = {v}": put("first", i, v) for i in (0, 1, -1) for v in ENDS},
    **{f"column[{i}] = {v}": put("column", i, v) for i in (0, -1) for v in (1, 65535)},
    "no column": lose("column"),
    "no first": lose("first"),
    "first cut": become("first", lambda a: a[:-1]),
    "first longer": become("first", lambda a: np.append(a, a[-1])),
    "column cut": become("column", lambda a: a[:-1]),
    "column longer": become("column", lambda a: np.append(a, a[-1])),
    "first of one more dimension": become("first", lambda a: a[None]),
}


@pytest.fixture(scope="module")
def sparse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = Model.train(encode_sequences(X, Y), Settings(recipe="sgd", features="observed", epochs=3))
    path = tmp_path_factory.mktemp("sparse") / "m.tagfield"
    model.save(path)
    return path


@pytest.mark.parametrize("name", SPARSE)
def test_wrong_rows_with_a_right_checksum(sparse: Path, name: str) -> None:
    with pytest.raises(ModelFileError, match="the model is corrupt"):
        Model.load(rewritten(sparse, SPARSE[name]))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_bytes_with_a_right_checksum(saved: Path, data: st.DataObject) -> None:
    """Some changes are harmless, as of a weight's last bit. All others are errors, and none is a crash."""

    def change(tensors: dict[str, Any], metadata: dict[str, str]) -> None:
        for _ in range(data.draw(st.integers(1, 3))):
            array = tensors[data.draw(st.sampled_from(sorted(tensors)))].reshape(-1).view(np.uint8)
            if len(array):
                array[data.draw(st.integers(0, len(array) - 1))] = data.draw(st.integers(0, 255))

    path = rewritten(saved, change)
    try:
        model = Model.load(path)
    except ModelFileError:
        return
    assert [len(y) for y in model.tag(X)] == [3, 2, 0]
    model.top_features()
    with suppress(InputError):  # a weight that has become huge: scores beyond ±1e9 are refused
        assert [len(p) for p in model.marginals(X)] == [3, 2, 0]


def test_files_that_are_no_models_are_refused(tmp_path: Path) -> None:
    save_tensors(tmp_path / "other", {"state": np.zeros(3)}, {})
    with pytest.raises(ModelFileError, match="this version of tagfield cannot read"):
        Model.load(tmp_path / "other")
    (tmp_path / "text").write_text("B-NP\tw=a\n" * 50)
    with pytest.raises(ModelFileError):
        Model.load(tmp_path / "text")
    with pytest.raises(ModelFileError, match="no file named"):
        Model.load(tmp_path / "nothing")


def test_files_are_scored_and_recipes_named_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("Anna B-PER\nleft O\n\nIt O\nleft O\n")
    model = Model.train(path, "lbfgs")
    assert model.info["settings"]["recipe"] == "lbfgs"
    assert model.evaluate(path) == model.evaluate([str(path)]) == model.evaluate(model.encode_files(path))
    with pytest.raises(InputError, match="settings must be Settings or the name of a recipe, got dict"):
        Model.train(path, {"c2": 1})  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"for lists of words use Model.train_words and model.encode_words"):
        model.evaluate([["Anna"]])  # type: ignore[list-item]
