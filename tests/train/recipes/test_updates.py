"""Updates of a Bregman divergence, with any loss and generator, and the record of calibration."""

import numpy as np
import pytest
from sklearn.base import clone

from tagfield import CRF, Model
from tagfield.bregman import Generator
from tagfield.bregman.losses import Loss
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tagfield.train import Settings, train


def test_a_divergence_makes_its_response_once() -> None:
    """A response keeps its tables, which can take seconds to make."""
    recipe = Settings.of("ngd", loss="U6", generator="gd:2").recipe
    assert recipe.f is recipe.f
    assert Settings(recipe, c2=2.0).recipe.f is recipe.f


@pytest.mark.parametrize(
    ("loss", "gamma"),
    [
        ("B1", 0.0),
        ("B2", 0.0),
        ("U4", 0.0),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (("B3", 0.5), ("B4", 0.0), ("U6", 0.0))),
    ],
)
@pytest.mark.parametrize("batch", [False, True])
def test_every_loss_trains(skewed, loss, gamma, batch):
    known, held_out = skewed
    settings = Settings.of(
        recipe="ngd", loss=loss, gamma=gamma, generator="arctan:1", epochs=12 if batch else 3, batch=batch, c2=0.1
    )
    trained = train(known, settings, dev=held_out)
    assert trained.best.scores.accuracy > 0.86  # the share of O is 0.85


def test_the_quadratic_generator_is_plain_gradient_descent(skewed):
    known, _ = skewed
    plain = train(known, Settings.of(recipe="sgd", epochs=2, rate=0.1))
    for loss in ("U1", "U2", "U6"):
        other = train(known, Settings.of(recipe="ngd", loss=loss, generator="linear", epochs=2, rate=0.1))
        np.testing.assert_array_equal(plain.weights.state, other.weights.state)
        np.testing.assert_array_equal(plain.weights.trans, other.weights.trans)


def test_entropy_needs_the_whole_corpus_and_says_so(skewed):
    known, _ = skewed
    with pytest.raises(InputError, match="entropy"):
        train(known, Settings.of(recipe="ngd", loss="U6", generator="entropy", epochs=1))
    trained = train(known, Settings.of(recipe="ngd", loss="U6", generator="entropy", epochs=3, batch=True, rate=0.05))
    assert trained.history[-1].objective < trained.history[0].objective


def test_ones_own_loss_and_generator_through_the_front_door():
    own = Generator.from_gradient(np.arcsinh, name="arcsinh")
    encoded = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 5, [["X", "Y"], ["Y", "X"]] * 5)
    settings = Settings.of("ngd", generator=own, loss=Loss(-1, -1, 0, 0, "mine"), rate=0.2, epochs=5)
    model = Model.train(encoded, settings)
    assert model.tag([[["a"], ["b"]]]) == [["X", "Y"]]
    assert model.info["settings"]["generator"] == "arcsinh"
    assert model.info["settings"]["loss"] == "mine"
    same = Model.train(encoded, Settings.of("ngd", generator=own, loss="U2", rate=0.2, epochs=5))
    assert model.weights.state.tobytes() == same.weights.state.tobytes()
    crf = CRF("ngd", generator=own, max_iterations=5).fit([[["a"], ["b"]]] * 5, [["X", "Y"]] * 5)
    assert clone(crf).generator.name == "arcsinh"
    assert crf.predict([[["a"], ["b"]]]) == [["X", "Y"]]
