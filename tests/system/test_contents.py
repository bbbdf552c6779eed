"""Records with arrays: equal if their contents are, with the same hash in every process."""

import copy
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from tagfield import CRF, Model, Settings, encode_files, encode_sequences
from tagfield.inference.constraints import rules_of
from tagfield.system.contents import same

X, Y = [["Anna", "left"], ["It", "left"]], [["B-PER", "O"], ["O", "O"]]


def trained() -> Model:
    return Model.train_words(X, Y, settings=Settings("lbfgs", epochs=5))


def records(model: Model) -> dict[str, object]:
    encoded = model.encode_words(X, Y)
    looking = encode_sequences([[["a"], ["b"]]], [["X", "Y"]], edges=[[[], ["e"]]])
    return {
        "encoded": encoded,
        "dataset": encoded.dataset,
        "edges": looking.dataset.edge_slots,
        "weights": model.weights,
        "features": model.features,
        "coordinates": model.features.coordinates(),
        "rules": rules_of("BIO", ["O", "B-X", "I-X"]),
    }


def test_a_model_equals_its_copies_and_its_file(tmp_path: Path) -> None:
    model = trained()
    model.save(tmp_path / "model")
    for copied in (
        Model.load(tmp_path / "model"),
        pickle.loads(pickle.dumps(model)),
        copy.copy(model),
        copy.deepcopy(model),
    ):
        assert copied == model
        assert hash(copied) == hash(model)
        assert len({model, copied}) == 1
    assert model != "model"
    assert model != model.pruned(0.1)
    changed = replace(model, weights=model.weights.map(lambda array: array + np.float32(1)))
    assert changed != model
    assert hash(changed) != hash(model)


def test_records_made_twice_are_equal_and_hash_alike() -> None:
    model = trained()
    for (name, one), other in zip(records(model).items(), records(model).values(), strict=True):
        assert one == other, name
        assert hash(one) == hash(other), name
        assert one != 3
    assert model.encode_words(X) != model.encode_words(X[:1])
    assert model.encode_words(X).dataset != model.encode_words(X[::-1]).dataset


def test_files_that_are_read_twice_are_equal(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The DT B-NP\ndog NN I-NP\n")
    one, other = (encode_files(tmp_path / "a.txt") for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)


def test_the_state_of_a_stream_is_compared_too() -> None:
    def learned(label: str) -> Model:
        return CRF("l2sgd").partial_fit([[["a"]]], [[label]], classes=["X", "Y"]).model_

    assert learned("X").stream is not None
    assert learned("X") == learned("X")
    assert learned("X") != learned("Y")
    assert replace(learned("X"), stream=None) != learned("X")


def test_a_model_can_be_the_key_of_a_cached_call() -> None:
    calls = []

    @lru_cache
    def labels(model: Model) -> int:
        calls.append(model)
        return len(model.labels)

    model = trained()
    assert labels(model) == labels(pickle.loads(pickle.dumps(model))) == 2
    assert len(calls) == 1


def test_hashes_are_the_same_in_another_process() -> None:
    code = "from tagfield import encode_sequences; print(hash(encode_sequences([[['a'], ['b']]], [['X', 'Y']])))"
    found = {subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)}
    assert found == {f"{hash(encode_sequences([[['a'], ['b']]], [['X', 'Y']]))}\n"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.zeros(2), np.zeros(2, np.float32)),
        (np.zeros(2), np.zeros((1, 2))),
        (np.zeros(1), -np.zeros(1)),
        ([np.zeros(1)], [np.zeros(1), np.zeros(1)]),
        ({"a": np.zeros(1)}, {"b": np.zeros(1)}),
        (1, 1.0),
    ],
)
def test_what_differs(one: object, other: object) -> None:
    assert same(one, copy.deepcopy(one))
    assert not same(one, other)


def test_nan_equals_itself_bit_by_bit() -> None:
    assert same(np.array([np.nan]), np.array([np.nan]))
    assert same(np.arange(6)[::2], np.array([0, 2, 4]))
