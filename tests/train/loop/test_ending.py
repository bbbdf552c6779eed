"""How the default ends: the temperature and the threshold, what they change, and training that goes on from there."""

import math

import numpy as np
import pytest

from tagfield import CRF, Model, Settings
from tagfield.data.encode import Encoded, encode_sequences
from tagfield.errors import InputError
from tagfield.inference.decoder import Decoder
from tagfield.train import train
from tagfield.train.loop.ending import LEAST, fit_temperature, scaled
from tagfield.weights.layout import absent

OFF = {"calibrate": False, "prune": 0.0}
ON = {"calibrate": True, "prune": "auto"}


def noisy(sentences: int, seed: int = 0) -> tuple[list[list[list[str]]], list[list[str]]]:
    """Words whose label is right nine times in ten, beside attributes that mean nothing."""
    rng = np.random.default_rng(seed)
    X, y = [], []
    for _ in range(sentences):
        word = rng.integers(0, 30, 6)
        noise = rng.integers(0, 400, (6, 3))
        wrong = rng.random(6) < 0.1
        X.append([[f"w={w}", *(f"n={k}" for k in ns)] for w, ns in zip(word, noise.tolist(), strict=True)])
        y.append(["ABC"[(int(w) + bad) % 3] for w, bad in zip(word, wrong, strict=True)])
    return X, y


@pytest.fixture(scope="module")
def data() -> Encoded:
    return encode_sequences(*noisy(600))


def log_loss(model: Model, encoded: Encoded) -> float:
    return -float(Decoder(model.field, encoded).log_probability().mean())


def test_a_temperature_changes_probabilities_and_no_label(data: Encoded) -> None:
    test = encode_sequences(*noisy(200, seed=1), attributes=data.attributes, labels=data.labels)
    plain = Model.train(data, Settings.of(**OFF))
    calm = Model.train(data, Settings.of(calibrate=True))
    assert calm.temperature > 1
    assert "temperature" not in plain.info
    assert log_loss(calm, test) < log_loss(plain, test)
    np.testing.assert_array_equal(calm.decoder(test).best(), plain.decoder(test).best())
    np.testing.assert_allclose(calm.weights.state * calm.temperature, plain.weights.state, rtol=1e-6)
    claims = {name: model.reliability(test)["tokens"].ece for name, model in (("plain", plain), ("calm", calm))}
    assert claims["calm"] < claims["plain"]


def test_the_default_prunes_and_keeps_ids(data: Encoded) -> None:
    plain, thin = Model.train(data, Settings.of(**OFF)), Model.train(data, Settings.of(**ON))
    assert 0 < thin.info["pruned"] < 1
    assert len(thin.attributes) == len(data.attributes)
    alive = ~absent(thin.weights.state)
    assert np.abs(thin.weights.state[alive]).min() * thin.temperature > thin.info["pruned"] * (1 - 1e-5)
    assert thin.features.size < plain.features.size
    small = thin.without_spare_attributes()
    assert small.size < plain.size
    assert small.info["pruned"] == thin.info["pruned"]
    X, _ = noisy(50, seed=2)
    assert small.tag(X) == thin.tag(X)
    assert thin.evaluate(data).accuracy > 0.85


def test_a_threshold_of_your_own(data: Encoded) -> None:
    model = Model.train(data, Settings.of("sgd", epochs=3, prune=0.2))
    plain = Model.train(data, Settings.of("sgd", epochs=3))
    assert model.features.counts[0] == int((np.abs(plain.weights.state) > 0.2).sum())
    assert model.temperature == 1
    with pytest.raises(InputError, match="prune must be auto or a number, got 'much'"):
        Settings.of(prune="much")
    with pytest.raises(InputError, match="prune must be ≥ 0"):
        Settings.of(prune=-1)


def test_named_recipes_keep_their_weights_unless_asked(data: Encoded) -> None:
    assert train(data, Settings("adaptive", epochs=2)).ending is None
    asked = train(data, Settings.of("lbfgs", epochs=15, calibrate=True)).ending
    assert asked is not None
    assert asked.temperature != 1
    X, y = noisy(120)
    assert "temperature" not in CRF().fit(X, y).model_.info
    assert CRF("adaptive", calibrate=True, pruning="auto", max_iterations=3).fit(X, y).model_.temperature != 1


def test_the_same_bits_on_any_number_of_threads(data: Encoded) -> None:
    one, two = (Model.train(data, Settings.of(threads=threads, **ON)) for threads in (1, 2))
    assert one.info["temperature"] == two.info["temperature"]
    np.testing.assert_array_equal(one.weights.state, two.weights.state)


def test_held_out_data_is_used_where_it_is_given(data: Encoded) -> None:
    dev = encode_sequences(*noisy(LEAST, seed=3), attributes=data.attributes, labels=data.labels)
    ending = train(data, Settings.of(**ON), dev=dev).ending
    assert ending is not None
    assert ending.judged == LEAST
    few = train(data, Settings.of(**ON), dev=dev.take(np.arange(LEAST - 1))).ending
    assert few is not None
    assert few.judged == len(data) // 10


@pytest.mark.parametrize(("sentences", "judged"), [(LEAST - 1, 0), (LEAST, LEAST)])
def test_little_data(sentences: int, judged: int) -> None:
    ending = train(encode_sequences(*noisy(sentences)), Settings.of(**ON)).ending
    assert ending is not None
    assert ending.judged == judged
    assert (ending.temperature == 1) == (not judged)


def test_partly_labelled_sentences_are_not_judged_by() -> None:
    X, y = noisy(200)
    half: list[list[str | None]] = [[None, *labels[1:]] if k % 4 else [*labels] for k, labels in enumerate(y)]
    ending = train(encode_sequences(X, half), Settings.of(**ON)).ending
    assert ending is not None
    assert ending.judged == LEAST


def test_a_run_that_is_stopped_ends_at_once(data: Encoded) -> None:
    ending = train(data, Settings.of(**ON), on_epoch=lambda epoch: True).ending
    assert ending is not None
    assert (ending.temperature, ending.threshold) == (1.0, 0.0)
    assert "stopped early" in ending.describe()


def test_training_that_continues_multiplies_by_the_temperature(data: Encoded) -> None:
    model = Model.train(data, Settings.of(calibrate=True))
    plain = Model.train(data, Settings.of(**OFF))
    np.testing.assert_allclose(model.start[1].state, plain.weights.state, rtol=1e-6)
    settings = Settings("adaptive")
    stream = model.to_stream(settings)
    np.testing.assert_allclose(
        Model.of_stream(stream, settings).attribute_weights(0), model.attribute_weights(0), rtol=1e-5
    )
    part = encode_sequences(*noisy(5, seed=4), attributes=stream.attributes, labels=stream.labels, grow=True)
    other = plain.to_stream(settings)
    stream.learn(part, settings)
    other.learn(part, settings)
    made, bare = Model.of_stream(stream, settings), Model.of_stream(other, settings)
    assert made.temperature == model.temperature
    np.testing.assert_allclose(made.attribute_weights(0) * made.temperature, bare.attribute_weights(0), atol=1e-5)
    resumed = made.to_stream(settings)
    assert resumed.temperature == model.temperature
    np.testing.assert_array_equal(Model.of_stream(resumed, settings).weights.state, made.weights.state)


def test_warm_start_goes_on_from_a_pruned_model() -> None:
    X, y = noisy(300)
    crf = CRF("default", calibrate=True, pruning="auto", warm_start=True, max_iterations=2).fit(X, y)
    assert crf.model_.info["pruned"] > 0
    before = crf.score(X, y)
    crf.fit(X, y)
    assert crf.score(X, y) > before - 0.02
    crf.partial_fit(X[:5], y[:5])
    assert crf.score(X, y) > before - 0.05


@pytest.mark.parametrize("wanted", [0.2, 1.0, 3.0])
def test_the_lowest_point_is_found_from_afar(wanted: float) -> None:
    def loss(t: float) -> float:
        return math.exp(-(t - math.log(wanted))) + t  # as flat far above the minimum as a log-likelihood

    assert fit_temperature(loss) == pytest.approx(wanted, rel=0.01)


def test_a_pair_without_a_feature_stays_one(data: Encoded) -> None:
    weights = Model.train(data, Settings.of(**ON)).weights
    np.testing.assert_array_equal(absent(scaled(weights, 0.5).state), absent(weights.state))
