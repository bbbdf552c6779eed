"""Records made by hand: whatever arrays they hold, every public door answers, or refuses them by one sentence."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield import Model, Settings, encode_sequences
from tagfield.data.dataset import Dataset, Slots
from tagfield.data.encode import Encoded, Vocabulary
from tagfield.errors import InputError, TagfieldError
from tagfield.weights.layout import FeatureSet, Weights

X = [[["a"], ["b"], ["c"]], [["b"], ["a"]]]
E: list[Any] = [[[], ["k"], ["j"]], [[], {"k": 2.0}]]
Y = [["X", "Y", "X"], ["Y", "X"]]
ENCODED = encode_sequences(X, Y, edges=E)
MODEL = Model.train(ENCODED, Settings("lbfgs", epochs=2))
FEATURES, WEIGHTS = FeatureSet.from_triples(
    3,
    2,
    ([0, 1, 2], [0, 1, 0], [1.0, 2.0, 3.0]),
    ([0], [1], [0.5]),
    edge_attributes=1,
    edge_weights=([0], [0], [1], [1.0]),
)
NUMBERS = st.sampled_from([-1, 0, 1, 2, 3, 5, 100, 2**31 - 1, -(2**31), 2**62, -(2**63), 2**63 - 1])
REALS = st.sampled_from([0.0, -2.0, np.nan, np.inf, -np.inf, 1e38, 1e-45])


@st.composite
def changed(draw: st.DrawFn, arrays: dict[str, Any]) -> dict[str, Any]:
    """The arrays with one of them changed: a number, its length, its type, or no array at all."""
    name = draw(st.sampled_from(sorted(arrays)))
    array = np.ones(3, np.float32) if arrays[name] is None else np.array(arrays[name])
    made: Any = array
    match draw(st.integers(0, 5)):
        case 0:
            made = array[:-1]
        case 1:
            made = np.append(array, array[-1:])
        case 2:
            made = array.astype(np.float16)
        case 3:
            made = draw(st.sampled_from([None, array.tolist(), array[None], array[::-1]]))
        case _:
            some = draw(REALS if array.dtype.kind == "f" else NUMBERS)
            with np.errstate(over="ignore"):
                array[draw(st.integers(0, len(array) - 1))] = np.array(some).astype(array.dtype)
    return {**arrays, name: made}


def refusal(call: Callable[[], Any]) -> str:
    try:
        call()
    except TagfieldError as error:
        return str(error)
    return ""


def hand_made(own: dict[str, Any], edges: dict[str, Any]) -> Encoded:
    return replace(ENCODED, dataset=Dataset(**own, edge_slots=Slots(**edges)))


@given(
    changed(ENCODED.dataset._own_arrays()) | st.just(ENCODED.dataset._own_arrays()),
    changed(ENCODED.dataset.edge_slots.arrays()) | st.just(ENCODED.dataset.edge_slots.arrays()),
    st.sampled_from(["sgd", "u2.g1", "adaptive", "lbfgs", "pa", "ap", "arow"]),
)
@pytest.mark.filterwarnings("ignore")
def test_datasets(own: dict[str, Any], edges: dict[str, Any], recipe: str) -> None:
    encoded = hand_made(own, edges)
    for call in (
        lambda: MODEL.tag(encoded),
        lambda: MODEL.marginals(encoded),
        lambda: MODEL.n_best(encoded, 2),
        lambda: MODEL.spans(encoded),
        lambda: MODEL.log_probability(encoded, Y),
        lambda: Model.train(encoded, Settings.of(recipe, epochs=1)),
    ):
        assert "\n" not in refusal(call)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"labels": np.array([0, 1, 0, 7, 0], np.int32)}, "the dataset has 8 labels, but 2 names for them"),
        ({"attribute": np.array([0, 1, 2, 1, 9], np.int32)}, "the dataset has 10 attributes, but 3 names for them"),
        ({"tokens": None}, "an array is missing, or is not a NumPy array of its type and dimension"),
        ({"labels": [0, 1, 0, 1, 0]}, "an array is missing, or is not a NumPy array of its type and dimension"),
    ],
)
def test_training_says_what_does_not_fit(change: dict[str, Any], told: str) -> None:
    encoded = replace(ENCODED, dataset=replace(ENCODED.dataset, **change))
    with pytest.raises(InputError, match=told):
        Model.train(encoded, Settings("sgd"))


def test_decoding_says_what_does_not_fit() -> None:
    beyond = replace(ENCODED.dataset, attribute=np.array([0, 1, 2, 1, 9], np.int32))
    for call in (MODEL.tag, MODEL.marginals, MODEL.spans):
        with pytest.raises(InputError, match=r"^the data does not fit the model: the dataset names attributes"):
            call(replace(ENCODED, dataset=beyond))


@pytest.mark.parametrize(
    ("labels", "attributes", "edges", "told"),
    [
        (["X"], ["a", "b", "c"], ["k"], "the model has 1 labels, but its features are those of 2"),
        (["X", "Y"], ["a", "b"], ["k"], "the model has 2 attributes, but its features are those of 3"),
        (["X", "Y"], ["a", "b", "c"], [], "the model has 0 edge attributes, but its features are those of 1"),
        (["X", "Y"], ["a", "b", "c"], None, "the model has 0 edge attributes, but its features are those of 1"),
    ],
)
def test_models_whose_names_do_not_fit(labels: list, attributes: list, edges: list | None, told: str) -> None:
    named = None if edges is None else Vocabulary(edges)
    with pytest.raises(InputError, match=told):
        Model(Vocabulary(labels), Vocabulary(attributes), FEATURES, WEIGHTS, edges=named)


@pytest.mark.parametrize(
    ("weights", "told"),
    [
        (Weights(WEIGHTS.state[:1], WEIGHTS.trans, WEIGHTS.edge), "the state weights do not fit the layout"),
        (Weights(WEIGHTS.state, WEIGHTS.trans[:1], WEIGHTS.edge), "the transition weights do not fit the layout"),
        (Weights(WEIGHTS.state, WEIGHTS.trans), "the edge weights do not fit the layout"),
        (
            Weights(WEIGHTS.state.astype(np.float64), WEIGHTS.trans, WEIGHTS.edge),
            "they must be float32, or all float64",
        ),
        (WEIGHTS.map(lambda array: array[:, ::-1]), "they must be float32, or all float64, in C order"),
    ],
)
def test_models_whose_weights_do_not_fit(weights: Weights, told: str) -> None:
    with pytest.raises(InputError, match=f"^the weights do not fit the features: {told}"):
        Model(Vocabulary(["X", "Y"]), Vocabulary(["a", "b", "c"]), FEATURES, weights, edges=Vocabulary(["k"]))


@pytest.mark.parametrize("sizes", [(1, -2, 0), (-1, 1, 0), (1, 1, -1), (0, -1, 0)])
def test_sizes_of_feature_sets(sizes: tuple[int, int, int]) -> None:
    attributes, labels, edges = sizes
    with pytest.raises(InputError, match="the sizes of a feature set must not be negative"):
        FeatureSet.from_triples(attributes, labels, ([], [], []), ([], [], []), edge_attributes=edges)
