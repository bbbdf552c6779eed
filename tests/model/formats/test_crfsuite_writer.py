"""Files for CRFsuite: the bytes that CRFsuite writes, which it opens; and what the format cannot hold."""

import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tagfield import Settings, encode_sequences
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.crfsuite_writer import _check_size, to_bytes
from tagfield.model.model import Model
from tagfield.native._text import Vocabulary
from tagfield.weights.layout import FeatureSet
from tests.support.crfsuite_files import parts_of, small

PROBABILITY = 1e-6  # values of attributes are float32 here and float64 in CRFsuite


@pytest.mark.parametrize(
    "params", [{}, {"c1": 0.8}, {"feature.possible_states": 1, "feature.possible_transitions": 1}, {"c1": 50.0}]
)
def test_trained_models_are_written_byte_by_byte(tmp_path: Path, params: dict[str, Any]) -> None:
    raw = small(tmp_path / "a", **params)
    model = Model.load(tmp_path / "a")
    model.save(tmp_path / "b", format="crfsuite")
    assert (tmp_path / "b").read_bytes() == raw
    model.save(tmp_path / "c")
    assert to_bytes(Model.load(tmp_path / "c")) == raw


def test_two_labels_and_one_attribute_make_a_known_file() -> None:
    made = to_bytes(parts_of(["A", "B"], ["a"], ([0], [0], [1.5]), ([0], [1], [-0.5])))
    assert (len(made), zlib.crc32(made)) == (4400, 0xF7C4849B)


def test_zero_weights_and_spare_attributes_are_dropped() -> None:
    with_zeros = parts_of(
        ["A", "B"], ["x", "a", "y"], ([0, 1, 1], [0, 0, 1], [0.0, 1.5, 0.0]), ([0, 1], [1, 1], [-0.5, 0.0])
    )
    assert to_bytes(with_zeros) == to_bytes(parts_of(["A", "B"], ["a"], ([0], [0], [1.5]), ([0], [1], [-0.5])))


def test_our_own_models_open_in_crfsuite(tmp_path: Path) -> None:
    X = [[{"w": "the"}, {"w": "dog", "n": 2.5}], [{"w": "a"}, {"w": "cat"}]]
    pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")
    model = Model.train(encode_sequences(X, [["D", "N"], ["D", "N"]]), Settings("lbfgs"))
    model.save(tmp_path / "m", format="crfsuite")
    tagger = pycrfsuite.Tagger()
    tagger.open(str(tmp_path / "m"))
    for x in X:
        assert tagger.tag(x) == model.tag([x])[0]
        tagger.set(x)
        theirs = [[tagger.marginal(y, t) for y in tagger.labels()] for t in range(len(x))]
        np.testing.assert_allclose(model.marginals([x])[0], theirs, atol=PROBABILITY)


@pytest.mark.parametrize(("labels", "attributes"), [(["A\0"], ["a"]), (["A"], ["x", "a\0b"])])
def test_names_with_nul_are_refused(labels: list[str], attributes: list[str]) -> None:
    last = len(attributes) - 1
    with pytest.raises(InputError, match="holds a NUL, which CRFsuite's format cannot store"):
        to_bytes(parts_of(labels, attributes, ([last], [0], [1.0]), ([], [], [])))


def test_transitions_that_look_at_the_input_are_refused() -> None:
    made = FeatureSet.from_triples(
        1, 2, ([0], [0], [1.0]), ([], [], []), edge_attributes=1, edge_weights=([0], [0], [1], [1.0])
    )
    parts = Parts(Vocabulary(["A", "B"]), Vocabulary(["a"]), *made, None, {}, edges=Vocabulary(["e"]))
    with pytest.raises(InputError, match="transitions that look at the input, which CRFsuite's format cannot hold"):
        to_bytes(parts)


def test_more_than_4_gib_is_refused() -> None:
    few = (np.zeros(3, np.uint8), np.zeros(2, np.int64))
    with pytest.raises(InputError, match="files of CRFsuite hold less than 4 GiB"):
        _check_size(2**28, few, few)


def test_a_weight_beyond_float32_stays_as_it_is() -> None:
    raw = to_bytes(parts_of(["A", "B"], ["a"], ([0], [0], [1e60]), ([], [], [])))
    assert to_bytes(Model.load_bytes(raw)) == raw
