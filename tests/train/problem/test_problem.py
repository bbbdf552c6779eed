"""What training needs to know: names for all ids, the features, and the loss of given weights."""

import pytest

from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import Settings, train
from tests.support.corpus import with_hidden
from tests.support.strategies import encode, learnable


@pytest.mark.parametrize("settings", [Settings("pa"), Settings("arow"), Settings.of("ngd", batch=True)])
def test_unknown_labels_need_a_recipe_with_a_likelihood(settings: Settings) -> None:
    encoded = encode(learnable(5))
    encoded = with_hidden(encoded, 0)
    with pytest.raises(
        InputError,
        match=r"1 of \d+ tokens have no label, but .* needs one for every token; use lbfgs or a stochastic recipe",
    ):
        train(encoded, settings)


def test_data_without_a_labelled_sequence_is_refused() -> None:
    with pytest.raises(InputError, match="nothing to train on"):
        train(encode_sequences([], []))
    with pytest.raises(InputError, match="nothing to train on"):
        train(encode_sequences([[]], [[]]))
