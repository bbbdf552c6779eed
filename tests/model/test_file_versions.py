"""Model files of version 2, with edge attributes or float64 weights: there and back, and wrong in every section."""

import hashlib
import json
import pickle
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.corpus import pack
from tagfield.data.encode import Encoded, Vocabulary, encode_sequences
from tagfield.errors import InputError, ModelFileError
from tagfield.model.model import Model
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.train import Settings, train
from tagfield.train.loop.streaming import Stream
from tagfield.weights.layout import FeatureSet
from tests.support.cli_process import good
from tests.support.edge_data import Edges, names, with_edges

LABELS = [f"y{k}" for k in range(11)]
EDGES: Edges = [[[(0, 1.0)], [(0, 1.0), (2, 0.5)], [(1, -2.0)]], [[], []], [[], [(2, 1.0)]]]
X = [[["a"], ["b"], ["a", "c"]], [["b"], ["c"]], [["c"], ["c"]]]
Change = Callable[[dict[str, Any], dict[str, str]], None]


def made(dtype: type = np.float32, *, edges: bool = True, sparse: bool = True) -> Model:
    """A model of eleven labels, so that blocks have padding; edge attribute 3 has no weight but 0."""
    rng = np.random.default_rng(0)
    keys, looks = rng.permutation(33)[:20], rng.permutation(3 * 121)[:40]
    features, weights = FeatureSet.from_triples(
        3,
        11,
        (keys // 11, keys % 11, rng.normal(size=20)),
        (np.arange(11), np.arange(11), rng.normal(size=11)),
        sparse=sparse,
        edge_attributes=4 if edges else 0,
        edge_weights=((*looks // 121, 3), (*looks // 11 % 11, 0), (*looks % 11, 0), (*rng.normal(size=40), 0.0))
        if edges
        else ((), (), (), ()),
        dtype=dtype,
    )
    parts = Vocabulary(LABELS), Vocabulary(["a", "b", "c"]), features, weights
    return Model(*parts, None, {"version": "x"}, edges=names(4) if edges else None)


def data(model: Model) -> Encoded:
    encoded = encode_sequences(X, attributes=model.attributes, labels=model.labels)
    if model.edges is None:
        return encoded
    return replace(encoded, dataset=with_edges(encoded.dataset, EDGES), edges=model.edges)


def same(one: Model, two: Model) -> None:
    assert [v and v.strings() for v in (one.labels, one.attributes, one.edges)] == [
        v and v.strings() for v in (two.labels, two.attributes, two.edges)
    ]
    assert (one.features.counts, one.features.edge_count) == (two.features.counts, two.features.edge_count)
    for a, b in zip(one.weights.arrays(), two.weights.arrays(), strict=True):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    x, y = data(one), data(two)
    assert one.tag(x) == two.tag(y)
    assert one.n_best(x, 3) == two.n_best(y, 3)
    for p, q in zip(one.marginals(x), two.marginals(y), strict=True):
        assert p.tobytes() == q.tobytes()


KINDS = pytest.mark.parametrize(
    ("dtype", "edges"), [(np.float32, True), (np.float64, True), (np.float64, False), (np.float32, False)]
)


@KINDS
@pytest.mark.parametrize("sparse", [True, False])
def test_files_and_pickles_hold_everything(dtype: type, edges: bool, sparse: bool, tmp_path: Path) -> None:
    model = made(dtype, edges=edges, sparse=sparse)
    model.save(tmp_path / "m")
    same(model, Model.load(tmp_path / "m"))
    same(model, pickle.loads(pickle.dumps(model)))
    version = load_tensors(tmp_path / "m")[1]["format"]
    assert version == ("tagfield model 2" if edges or dtype is np.float64 else "tagfield model 1")
    again = tmp_path / "again"
    Model.load(tmp_path / "m").save(again)
    assert again.read_bytes() == (tmp_path / "m").read_bytes()


@pytest.mark.parametrize(
    ("sparse", "digest"),
    [
        (True, "f0adab992cf25a5708438013b9500de4eaf2b2d7306e11648816ac2d55198dcf"),
        (False, "201b159f6465321786e1e42922102010439c998ee549bcc7ea94545e56933a24"),
    ],
)
def test_what_needs_nothing_new_is_written_as_version_1(sparse: bool, digest: str, tmp_path: Path) -> None:
    """Byte for byte what the first release wrote, so that it can read models of this one."""
    rng = np.random.default_rng(0)
    keys = rng.permutation(40 * 11)[:100]
    features, weights = FeatureSet.from_triples(
        40, 11, (keys // 11, keys % 11, rng.normal(size=100)), ([1, 2], [0, 10], [0.5, -1.0]), sparse=sparse
    )
    labels, attributes = Vocabulary(f"L{k}" for k in range(11)), Vocabulary(f"a{k}" for k in range(40))
    Model(labels, attributes, features, weights, None, {"version": "x", "sequences": 3}).save(tmp_path / "m")
    assert hashlib.sha256((tmp_path / "m").read_bytes()).hexdigest() == digest


def test_files_of_a_later_version_say_who_wrote_them(tmp_path: Path) -> None:
    made().save(tmp_path / "m")
    tensors, metadata = load_tensors(tmp_path / "m")
    save_tensors(tmp_path / "new", tensors, metadata | {"format": "tagfield model 4"})
    with pytest.raises(ModelFileError, match=r"new: a newer version of tagfield wrote this model.*upgrade tagfield"):
        Model.load(tmp_path / "new")
    for other in ("tagfield model x", "tagfield model ", "tagfield dataset 1", "2", "tagfield model ²"):
        save_tensors(tmp_path / "other", tensors, metadata | {"format": other})
        with pytest.raises(ModelFileError, match="cannot read this file"):
            Model.load(tmp_path / "other")


def edge_table(model: Model) -> dict[tuple[str, int, int], float]:
    assert model.edges is not None
    columns = (np.asarray(x).tolist() for x in model.features.coordinates().edge_features(model.weights))
    return {(model.edges[e], i, j): w for e, i, j, w in zip(*columns, strict=True)}


def test_pruning_keeps_edges() -> None:
    model = made()
    left = model.pruned(1.0)
    assert left.weights.edge is not None
    assert left.edges is not None
    kept, every = edge_table(left), edge_table(model)
    assert kept == {key: w for key, w in every.items() if abs(w) > 1}
    assert left.info["edge_features"] == len(kept) == left.features.edge_count
    spare = model.without_spare_attributes()
    assert spare.edges is not None
    assert spare.edges.strings() == ["e:0", "e:1", "e:2"]
    assert made(np.float64).pruned(1.0).weights.state.dtype == np.float64
    gone = model.pruned(1e9)
    assert gone.edges is not None
    assert (len(gone.edges), gone.weights.edge) == (0, None)
    again = pickle.loads(pickle.dumps(gone))
    assert again.edges.strings() == []


def test_the_largest_edge_weights_come_first() -> None:
    found = made().top_edges(40)
    assert [abs(w) for *_, w in found] == sorted((abs(w) for *_, w in found), reverse=True)
    assert len(found) == 40  # a weight of 0 is not shown
    assert made(edges=False).top_edges() == []


def test_info_shows_edges(tmp_path: Path) -> None:
    made(np.float64).save(tmp_path / "m")
    shown = " ".join(good("info", tmp_path / "m").split())
    assert "4 attributes of transitions" in shown
    assert "20 state + 11 transition + 41 edge = 72 weights in float64" in shown
    assert " → " in shown
    record = json.loads(good("info", tmp_path / "m", "--json", "--top", "2"))
    assert (record["edge_attributes"], record["edge_features"], record["weights"]) == (4, 41, "float64")
    assert len(record["top_edges"]) == 2
    assert repr(made()) == "<Model: 11 labels, 3 attributes, 72 weights>"


def test_data_without_the_model_s_edges_is_refused() -> None:
    model, plain = made(), made(edges=False)
    with pytest.raises(InputError, match="the model's transitions look at the input, but this data has no edge"):
        model.tag(X)
    with pytest.raises(InputError, match="this data has no edge attributes"):
        model.marginals(encode_sequences(X, attributes=model.attributes, labels=model.labels))
    with pytest.raises(InputError, match="not encoded with this model's edge attributes"):
        model.tag(replace(data(model), edges=Vocabulary(["e:3", "e:2", "e:1", "e:0"])))
    with pytest.raises(InputError, match="the data has edge attributes, but this model has none"):
        plain.tag(replace(data(model), attributes=plain.attributes))


def test_training_goes_on_from_doubles_in_float32() -> None:
    rng = np.random.default_rng(0)
    features, weights = FeatureSet.from_triples(
        2, 2, ([0, 1], [0, 1], rng.normal(size=2)), ([0], [1], [1 / 3]), dtype=np.float64
    )
    labels, attributes = Vocabulary(["X", "Y"]), Vocabulary(["a", "b"])
    model = Model(labels, attributes, features, weights)
    encoded = encode_sequences([[["a"], ["b"]]], [["X", "Y"]], attributes=attributes, labels=labels)
    stream = model.to_stream(Settings("adaptive"))
    stream.learn(encoded, Settings("adaptive"))
    assert Model.of_stream(stream, Settings("adaptive")).weights.state.dtype == np.float32
    trained = train(encoded, Settings("sgd", epochs=1, features="observed"), start=(features, weights))
    assert trained.weights.state.dtype == np.float32


def test_a_stream_with_edges_goes_on_from_its_file(tmp_path: Path) -> None:
    """Saved in the middle, it learns the same bits as one that never stopped."""
    how, labels = Settings("adaptive"), Vocabulary(["X", "Y"])
    streams = [Stream(Vocabulary(), labels, how, Vocabulary()) for _ in range(2)]
    for part in range(3):
        for stream in streams:
            assert stream.edges is not None
            stream.edges.add(f"e{part}")
            known: dict[str, Any] = {"attributes": stream.attributes, "labels": labels, "grow": True}
            encoded = encode_sequences([[["a"], [f"b{part}"]]], [["X", "Y"]], **known)
            dataset = with_edges(encoded.dataset, [[[], [(part, 1.0)]]])
            stream.learn(replace(encoded, dataset=dataset, edges=stream.edges), how)
        Model.of_stream(streams[1], how).save(tmp_path / "m")
        loaded = Model.load(tmp_path / "m")
        assert loaded.edges is not None
        assert len(loaded.edges) == part + 1
        streams[1] = loaded.to_stream(how)
    one, two = (Model.of_stream(stream, how) for stream in streams)
    assert one.edges is not None
    for a, b in zip(one.weights.arrays(), two.weights.arrays(), strict=True):
        assert a.tobytes() == b.tobytes()
    tensors, metadata = load_tensors(tmp_path / "m")
    for name in ("stream.theta.edge", "stream.squares.edge"):
        save_tensors(tmp_path / "bad", {**tensors, name: tensors[name][:-1]}, metadata)
        with pytest.raises(ModelFileError, match="does not match the weights"):
            Model.load(tmp_path / "bad")


# Files with a right checksum and wrong contents


@pytest.fixture(scope="module", params=[np.float32, np.float64])
def saved(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "m.tagfield"
    made(request.param).save(path)
    return path


def rewritten(saved: Path, change: Change) -> Path:
    tensors, metadata = load_tensors(saved)
    tensors = {name: array.copy() for name, array in tensors.items()}
    change(tensors, metadata)
    path = saved.with_name("changed.tagfield")
    save_tensors(path, tensors, metadata)
    return path


def put(name: str, at: Any, value: Any) -> Change:
    return lambda tensors, _: tensors[name].__setitem__(at, value)


def become(name: str, how: Callable[[Any], Any]) -> Change:
    return lambda tensors, _: tensors.update({name: how(tensors[name])})


ENDS = (-1, 1 << 40, -(1 << 62), (1 << 63) - 1)
OWN = ("edge", "edge_first", "edge_column", "edge_bytes", "edge_offsets")
WRONG: dict[str, Change] = {
    **{f"no {name}": lambda t, _, name=name: t.pop(name) for name in OWN},  # type: ignore[misc]
    **{f"{n} cut": become(n, lambda a: a[:-1]) for n in OWN},
    **{f"{n} longer": become(n, lambda a: np.concatenate([a, a[-1:]])) for n in ("edge", "edge_first", "edge_column")},
    **{f"{n} of one more dimension": become(n, lambda a: a[None]) for n in OWN},
    **{f"{n}[{i}] = {v}": put(n, i, v) for n in ("edge_first", "edge_offsets") for i in (0, 1, -1) for v in ENDS},
    **{f"edge_column[0] = {v}": put("edge_column", 0, v) for v in (2, 65535)},
    **{f"{n} of float64": become(n, np.float64) for n in ("edge_first", "edge_column")},
    **{f"{n} of another type": become(n, lambda a: a.astype(np.float16)) for n in ("edge", "state", "trans")},
    **{
        f"{n} in other digits": become(n, lambda a: a.astype(np.float64 if a.dtype == np.float32 else np.float32))
        for n in ("edge", "state", "trans")
    },
    "edge NaN": put("edge", (0, 0), np.nan),
    "edge infinite": put("edge", (0, 0), -np.inf),
    "an edge weight of no label": lambda t, _: t["edge"].__setitem__((t["edge_column"] == 1, -1), 1.0),
    "an edge weight of no label that is 0": lambda t, _: t["edge"].__setitem__((t["edge_column"] == 1, -1), 0.0),
    "an edge attribute twice": put("edge_bytes", slice(None), ord("e")),
    "version 1": lambda _, metadata: metadata.update(format="tagfield model 1"),
    "more edge attributes": lambda t, _: t.update(edge_offsets=np.append(t["edge_offsets"], t["edge_offsets"][-1])),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_contents_with_a_right_checksum(saved: Path, name: str) -> None:
    path = rewritten(saved, WRONG[name])
    with pytest.raises(ModelFileError, match="the model is corrupt") as caught:
        Model.load(path)
    assert str(path) in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(path))


@settings(max_examples=120, deadline=None)
@given(st.data())
def test_any_bytes_with_a_right_checksum(saved: Path, data: st.DataObject) -> None:
    """Some changes are harmless, as of a weight's last bit. All others are errors, and none is a crash."""

    def change(tensors: dict[str, Any], metadata: dict[str, str]) -> None:
        for _ in range(data.draw(st.integers(1, 3))):
            array = tensors[data.draw(st.sampled_from(sorted(tensors)))].reshape(-1).view(np.uint8)
            array[data.draw(st.integers(0, len(array) - 1))] = data.draw(st.integers(0, 255))

    try:
        model = Model.load(rewritten(saved, change))
    except ModelFileError:
        return
    model.top_edges()
    encoded = encode_sequences(X, attributes=model.attributes, labels=model.labels)
    encoded = replace(encoded, dataset=with_edges(encoded.dataset, EDGES), edges=model.edges)
    assert [len(y) for y in model.tag(encoded)] == [3, 2, 2]
    with suppress(InputError):  # a weight that has become huge: scores beyond ±1e9 are refused
        assert [len(p) for p in model.marginals(encoded)] == [3, 2, 2]


def test_hashed_attributes_are_version_3(tmp_path: Path) -> None:
    """Earlier releases would look for names. Hash bits that are no number, or do not fit the weights, are refused."""
    (tmp_path / "a.txt").write_text("Anna B\nsings O\n\nGo O\n")
    corpus = pack(tmp_path / "a.txt", tmp_path / "c", template="words", hash_bits=8)
    Model.train(corpus, Settings("lbfgs", epochs=2)).save(tmp_path / "m")
    tensors, metadata = load_tensors(tmp_path / "m")
    assert (metadata["format"], metadata["hash_bits"]) == ("tagfield model 3", "8")
    assert "attribute_bytes" not in tensors
    assert Model.load(tmp_path / "m").attributes.hash_bits == 8
    for bits in ("", "x", "0", "31", "9", "-8", "8.0", "9" * 400):
        save_tensors(tmp_path / "bad", tensors, metadata | {"hash_bits": bits})
        with pytest.raises(ModelFileError, match="the model is corrupt"):
            Model.load(tmp_path / "bad")
