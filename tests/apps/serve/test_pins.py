"""Pins: a pinned chunk is exactly a chunk of the answer, in every scheme."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield import Model, encode_sequences
from tagfield.apps.serve.pins import PinTypes, of_text, of_words
from tagfield.apps.serve.refusals import Refusal
from tagfield.model.answers import span_kind

SCHEMES = {
    "BIO": ["O", "B-X", "I-X", "B-Y", "I-Y"],
    "IOB1": ["O", "I-X", "I-Y"],
    "IOBES": ["O", "B-X", "I-X", "E-X", "S-X", "B-Y", "I-Y", "E-Y", "S-Y"],
    "BILOU": ["O", "B-X", "I-X", "L-X", "U-X", "B-Y", "I-Y", "L-Y", "U-Y"],
    "words": ["B", "M", "E", "S"],
}
OFFSETS = [[(2 * t, 2 * t + 1) for t in range(6)]]


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    """Models that know their labels and nothing else."""
    return {
        name: Model.train(encode_sequences([[["a"]] * len(labels)], [labels]), "lbfgs")
        for name, labels in SCHEMES.items()
    }


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(sorted(SCHEMES)), st.integers(0, 5), st.integers(1, 6), st.data())
def test_a_pinned_chunk_is_one_of_the_answer(models, scheme: str, first: int, length: int, data) -> None:
    labels = SCHEMES[scheme]
    kind = span_kind(labels)
    types = PinTypes(labels, kind)
    name = data.draw(st.sampled_from(types.names()))
    last = min(6, first + length)
    [known] = of_text([{"start": 2 * first, "end": 2 * last - 1, "label": name}], OFFSETS, types, "known")
    model = models[scheme]
    decoder = model.decoder([[["a"]] * 6], known=[known], rules=None if scheme in ("words", "IOB1") else scheme)
    [chunks] = decoder.chunks(model.label_names, decoder.best(), kind, probabilities=False)
    ends = [(start, end, of or "word") for of, start, end, _ in chunks]
    if scheme == "IOB1":  # without B, a chunk goes on from an equal one before it
        assert any(start <= first and end == last and of == name for start, end, of in ends)
    else:
        assert (first, last, name) in ends


def test_labels_and_neighbours() -> None:
    types = PinTypes(SCHEMES["BIO"], "iob")
    spans = [{"start": 0, "end": 3, "label": "X"}, {"start": 4, "end": 5, "label": "O"}]
    assert of_text(spans, OFFSETS, types, "known") == [{0: ["B-X"], 1: ["I-X"], 2: ["O"]}]
    cut = [{"start": 0, "end": 1, "label": "I-Y"}]
    assert of_text(cut, [[(0, 4)], []], types, "known") == [{0: ["I-Y"]}, None]
    assert of_text(None, OFFSETS, types, "known") == [None]
    assert PinTypes(["NN", "VB"], None).names() == []


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ([{"start": 0, "end": 3, "label": "X"}, {"start": 2, "end": 5, "label": "Y"}], r"known\[1\] covers a token"),
        ([{"start": 0, "end": 3}], "start, end and label"),
        ([{"start": 0.5, "end": 3, "label": "X"}], "numbers as start"),
        ([{"start": 0, "end": 3, "label": 3}], "a string as label"),
        ([{"start": 1, "end": 2, "label": "X"}], "no token"),
        ([{"start": -(10**30), "end": -5, "label": "X"}], "no token"),
        (["X"], "must be an object"),
    ],
)
def test_wrong_pins(spans: list, said: str) -> None:
    with pytest.raises(Refusal, match=said):
        of_text(spans, OFFSETS, PinTypes(SCHEMES["BIO"], "iob"), "known")


def test_wrong_known_labels_of_words() -> None:
    with pytest.raises(Refusal, match="must be a list with an entry for each token"):
        of_words("O", "known")
