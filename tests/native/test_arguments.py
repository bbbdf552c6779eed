"""Arguments of the native modules: arrays are taken as they are or not at all, and wrong ones end in a sentence."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tagfield import CRF, Model, Settings, encode_sequences, encode_words, read
from tagfield.errors import InputError
from tagfield.native import kernels
from tagfield.native._text import Vocabulary, label_lists
from tests.support.trainers import pose

F, Y = [[["a"], ["b"]], [["c"]]], [["X", "Y"], ["X"]]
MODEL = Model.train(encode_sequences(F, Y), Settings("sgd", epochs=2))
WRONG: dict[str, Callable[[np.ndarray], Any]] = {
    "another type": lambda a: a.astype(np.float64 if a.dtype != np.float64 else np.float32),
    "another order of bytes": lambda a: a.astype(a.dtype.newbyteorder(">")),
    "gaps": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "a list": lambda a: a.tolist(),
    "another dimension": lambda a: a[None],
}
READ: dict[str, Callable[[Any], Any]] = {
    "order": lambda a: kernels.Pass().run(corpus(), field(), None, None, a),
    "u": lambda a: table().respond(a),
    "norm": kernels.squared_norm,
    "offsets": lambda a: label_lists(np.zeros(2, np.int32), ("X", "Y"), a),
}
GOOD = {
    "order": np.arange(2),
    "u": np.ones(8, np.float32),
    "norm": np.ones((2, 3), np.float32),
    "offsets": np.array([0, 1, 2]),
}


def corpus() -> kernels.Corpus:
    return pose(encode_sequences(F, Y), Settings("sgd")).corpus


def field() -> kernels.Field:
    features = MODEL.features
    return features.field(features.zeros())


def table() -> kernels.Pass:
    passes = kernels.Pass()
    passes.set_response(np.ones((1, 97, 2), np.float32), np.ones((1, 4)), 1, True, True, 1e-7, 1e7, False)
    return passes


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize("name", READ)
def test_arrays_to_read_are_never_converted(name: str, how: str) -> None:
    READ[name](GOOD[name])
    frozen = GOOD[name].copy()
    frozen.flags.writeable = False
    READ[name](frozen)
    with pytest.raises(TypeError, match="incompatible"):
        READ[name](WRONG[how](GOOD[name]))


@pytest.mark.parametrize("how", WRONG)
def test_arrays_to_write_are_never_copied(how: str) -> None:
    q = np.ones(4)
    kernels.scaled(np.ones(4), 2.0, q)
    assert np.array_equal(q, np.full(4, 2.0))
    with pytest.raises(TypeError, match="incompatible"):
        kernels.scaled(np.ones(4), 2.0, WRONG[how](q))
    q.flags.writeable = False
    with pytest.raises(TypeError, match="incompatible"):
        kernels.scaled(np.ones(4), 2.0, q)


def test_a_read_only_field_is_not_trained() -> None:
    features = MODEL.features
    zeros = features.zeros()
    for array in (zeros.state, zeros.trans):
        array.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        kernels.Pass().run(corpus(), features.field(zeros), None, None, np.arange(2))


@pytest.mark.parametrize("threads", [2**40, 1.5, True, np.bool_(True), "2", None, -1, 0, float("nan"), [1], 2**70])
def test_numbers_of_threads(threads: Any) -> None:
    for call in (MODEL.tag, MODEL.marginals, MODEL.spans):
        with pytest.raises(InputError, match=r"^threads must be"):
            call(F, threads=threads)
    with pytest.raises(InputError, match=r"^threads must be"):
        MODEL.n_best(F, 2, threads=threads)
    if threads is not None and threads != -1:
        with pytest.raises(InputError, match=r"^n_jobs must"):
            CRF(n_jobs=threads).fit(F, Y)


@pytest.mark.parametrize("two", [2, 2.0, np.int64(2), np.uint8(2), np.float64(2), np.float32(2)])
def test_any_whole_number_will_do(two: Any) -> None:
    assert MODEL.tag(F, threads=two) == MODEL.tag(F)
    assert len(MODEL.n_best(F, two)[0]) == 2
    assert len(MODEL.top_features(two)) == 2
    assert MODEL.attribute_weights(two).shape == (2,)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: encode_sequences(F, attributes=["a"]), "attributes must be a Vocabulary"),
        (lambda: encode_sequences(F, Y, labels="X"), "labels must be a Vocabulary, such as model.labels, got str"),
        (lambda: encode_words([["a"]], template="words", attributes={"a": 1}), "attributes must be a Vocabulary"),
        (lambda: MODEL.attribute_weights(10**9), "no attribute has the id 1000000000"),
        (lambda: MODEL.attribute_weights(-1), "no attribute has the id -1"),
        (lambda: MODEL.attribute_weights("a"), "attribute must be a number, got 'a'"),
        (lambda: MODEL.top_features("many"), "count must be a number"),
        (lambda: MODEL.pruned("x"), "threshold must be a number"),
        (lambda: Vocabulary(3), "a vocabulary is made of strings, but this is of type int"),
        (lambda: Vocabulary([3]), "a vocabulary holds strings, but this is of type int"),
        (lambda: Vocabulary(["\ud800"]), "a lone surrogate"),
        (lambda: Vocabulary().find(b"a"), "a vocabulary holds strings, but this is of type bytes"),
        (lambda: Vocabulary().add(None), "a vocabulary holds strings, but this is of type NoneType"),
        (lambda: Vocabulary(["a"])["a"], "the id of a string is an int, but this is of type str; find"),
        (lambda: Vocabulary(["a"]).subset([0]), "a subset is an array of bools"),
        (lambda: Vocabulary.from_arrays([1], [0, 1]), "a vocabulary is made of two arrays"),
        (lambda: Vocabulary.from_arrays(np.zeros(1), np.zeros(1)), "a vocabulary is made of two arrays"),
    ],
)
def test_wrong_arguments_end_in_a_sentence(call: Callable[[], Any], told: str) -> None:
    with pytest.raises(InputError, match=told) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_a_vocabulary_does_not_hold() -> None:
    names = Vocabulary(["a"])
    assert 3 not in names
    assert "\ud800" not in names
    assert names[np.int64(0)] == "a"
    for beyond in (1, -1, 2**70):
        with pytest.raises(IndexError, match=f"no string has the id {beyond}"):
            names[beyond]


def test_values_that_have_no_repr() -> None:
    deep: list = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="epochs must be a number, got a value of type list"):
        Settings.of("sgd", epochs=deep)
    with pytest.raises(InputError, match="token 1 is a value of type list"):
        read([{"tokens": [deep]}])
    with pytest.raises(InputError, match=r"nested more than 64 levels deep|an attribute must be a string"):
        encode_sequences([[deep]])
