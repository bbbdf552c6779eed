"""What the kernels have checked cannot change afterwards, whoever tries."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from tagfield.data.dataset import Dataset, Slots
from tagfield.data.encode import Encoded, encode_sequences
from tagfield.inference.lattice import open_corpus
from tagfield.train import RECIPES, Epoch, Settings, train
from tests.support.strategies import edge_slots


def some() -> Encoded:
    X = [[["a", f"b{i % 5}"], ["c", f"d{i % 3}"]] for i in range(20)]
    return encode_sequences(X, [["X", "Y"]] * 20)


ARRAYS = [field for field in Dataset.__dataclass_fields__ if field not in ("value", "edge_slots")]


@pytest.mark.parametrize("name", [*ARRAYS, *(f"edges.{field}" for field in Slots.__dataclass_fields__)])
def test_no_array_of_encoded_data_can_be_written_to(name: str) -> None:
    dataset = some().dataset
    dataset = replace(dataset, edge_slots=edge_slots([[[], [(0, 2.0)]]] * 20)).seal()
    array = dataset.to_arrays()[name]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.view().flags.writeable = True


@pytest.mark.parametrize("recipe", sorted(RECIPES))
@pytest.mark.parametrize("wrong", [10**6, -1, -(10**6)])
def test_a_callback_that_changes_labels_and_positions_changes_nothing(recipe: str, wrong: int) -> None:
    """A hand-made dataset has arrays of its own, and a callback can reach them: the trainer holds copies."""
    encoded = some()
    own = {name: np.array(array) for name, array in encoded.dataset.to_arrays().items()}
    forged = replace(encoded, dataset=Dataset(**own, value=None))
    settings = Settings(recipe, epochs=4, period=0)

    def change(epoch: Epoch) -> None:
        for name in ("labels", "place", "attribute"):
            own[name][:] = wrong % 2**16 if name == "place" else wrong

    changed = train(forged, settings, on_epoch=change)
    undisturbed = train(encoded, settings)
    assert (own["labels"] == wrong).all()
    np.testing.assert_array_equal(changed.weights.state, undisturbed.weights.state)


def test_sealing_copies_once_and_pickles_come_back_unsealed() -> None:
    dataset = some().dataset
    assert dataset.sealed
    assert dataset.seal() is dataset
    again: Dataset = pickle.loads(pickle.dumps(dataset))
    assert not again.sealed
    again.labels[0] = 1
    corpus = open_corpus(again)
    again.labels[:] = 10**6
    assert corpus.sentences == 20
