"""Models of CRFsuite: the same answers, and a damaged file raises ModelFileError and nothing else."""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.errors import ModelFileError
from tagfield.model.formats.crfsuite_writer import to_bytes
from tagfield.model.model import Model
from tests.support.crfsuite_files import parts_of, small

pycrfsuite = pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed (the extra dev has it)")

PROBABILITY = 1e-6  # values of attributes are float32 here and float64 in CRFsuite
MUTANTS = int(os.environ.get("TAGFIELD_MUTANTS", "3000"))

names = st.text(
    st.characters(codec="utf-8", exclude_characters="\0", exclude_categories=("Cn",)), max_size=14
) | st.sampled_from(["", "é", "a b"])
values = st.floats(-4, 4, width=32) | st.just(1.0)
items = st.dictionaries(names, values, max_size=5)
label_names = st.lists(names, min_size=1, max_size=6, unique=True)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_drawn_models_answer_as_in_crfsuite_and_are_written_byte_by_byte(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("drawn") / "m.crfsuite"
    labels = data.draw(label_names)
    algorithm = data.draw(st.sampled_from(["lbfgs", "ap", "pa", "arow", "l2sgd"]))
    params = data.draw(
        st.fixed_dictionaries({"feature.possible_states": st.booleans(), "feature.possible_transitions": st.booleans()})
    )
    trainer = pycrfsuite.Trainer(algorithm, {**params, "max_iterations": 4}, verbose=False)
    sequences = data.draw(st.lists(st.lists(items, min_size=1, max_size=4), min_size=1, max_size=5))
    for x in sequences:
        trainer.append(x, [data.draw(st.sampled_from(labels)) for _ in x])
    trainer.train(str(path))
    raw = path.read_bytes()
    model = Model.load(path)
    assert to_bytes(model) == raw
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    assert tagger.labels() == model.labels.strings()
    for x in sequences:
        best = tagger.tag(x)
        tagger.set(x)  # CRFsuite's marginals are wrong after tag
        theirs = [[tagger.marginal(y, t) for y in tagger.labels()] for t in range(len(x))]
        found = model.encode([x])
        np.testing.assert_allclose(model.marginals(found)[0], theirs, atol=PROBABILITY)
        mine = model.tag(found)[0]
        if mine != best:  # the same path, up to what a float32 value rounds
            assert tagger.probability(mine) == pytest.approx(tagger.probability(best), rel=1e-5)
        assert np.exp(model.log_probability(found, [best])[0]) == pytest.approx(tagger.probability(best), abs=1e-6)


def test_ties_go_to_the_lowest_label(tmp_path: Path) -> None:
    raw = to_bytes(parts_of(["A", "B", "C"], ["a"], ([0, 0], [1, 2], [1.0, 1.0]), ([], [], [])))
    model = Model.load_bytes(raw)
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(raw)
    for x in ([["a"], ["b"]], [["b"]], [["a"], ["a"], ["b"]]):
        assert model.tag([x])[0] == tagger.tag(x)


def test_names_that_are_not_utf8_keep_their_bytes(tmp_path: Path) -> None:
    trainer = pycrfsuite.Trainer("lbfgs", {"c2": 0.1}, verbose=False)
    trainer.append([{b"\xff\xe9": 1.0}, {b"caf\xe9": 1.0}], ["X", "Y"])
    trainer.train(str(tmp_path / "m"))
    model = Model.load(tmp_path / "m")
    assert model.attributes.strings() == ["\ufdd7\ufdef\ufdd6\ufde9", "caf\ufdd6\ufde9"]
    assert to_bytes(model) == (tmp_path / "m").read_bytes()
    model.save(tmp_path / "n")
    assert Model.load(tmp_path / "n").attributes.strings() == model.attributes.strings()


def test_a_pair_with_two_records_adds_up_and_a_transition_is_the_last() -> None:
    """Records (a, A) 1.5 and (a, B) 2.0, whose label is overwritten with A; the same for two transitions."""
    raw = bytearray(to_bytes(parts_of(["A", "B"], ["a"], ([0, 0], [0, 1], [1.5, 2.0]), ([0, 0], [0, 1], [3.0, 4.0]))))
    raw[60 + 20 + 8] = 0  # dst of the second state record
    raw[60 + 60 + 8] = 0  # dst of the second transition
    model = Model.load_bytes(bytes(raw))
    assert model.features.row(model.weights, 0).tolist() == [3.5, 0.0]
    assert model.weights.transitions()[0].tolist() == [4.0, 0.0]


def damaged(raw: bytes, **words: int) -> bytes:
    """The file with some 32-bit numbers overwritten: at_OFFSET=value."""
    made = bytearray(raw)
    for place, value in words.items():
        at = int(place[3:])
        made[at : at + 4] = value.to_bytes(4, "little")
    return bytes(made)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"at_4": 7}, "its header says 7 bytes"),
        ({"at_8": 7}, "no CRFsuite model of version 100"),
        ({"at_12": 99}, "no CRFsuite model of version 100"),
        ({"at_20": 3}, "lists 2 labels, but its header says 3"),
        ({"at_24": 2**32 - 1}, "lists 1 attributes, but its header says"),
        ({"at_28": 2**32 - 1}, "the list of weights lies beyond the end"),
        ({"at_28": 0}, "there is no list of weights at byte 0"),
        ({"at_32": 48}, "the list of labels|there is no list of labels"),
        ({"at_36": 4396}, "the list of attributes lies beyond the end"),
        ({"at_40": 0}, "there is no chunk LFRF at byte 0"),
        ({"at_44": 4336}, "there is no chunk AFRF"),
        ({"at_56": 2**32 - 1}, "the list of weights lies beyond the end"),
        ({"at_56": 1}, "lists a weight beyond|do not belong|more weights"),
        ({"at_60": 1}, "a weight belongs to another attribute"),
        ({"at_60": 2}, "CRFsuite before 0.12"),
        ({"at_64": 1}, "a weight belongs to another attribute"),
        ({"at_68": 2}, "a label beyond the 2 labels"),
        ({"at_76": 0x7FF80000}, "not a finite number"),
        ({"at_4344": 9}, "does not have 4 lists"),
        ({"at_4348": 4399}, "beyond the end"),
        ({"at_4356": 4364}, "CRFsuite before 0.12"),
        ({"at_4364": 10**6}, "lists more weights than there are"),
        ({"at_4368": 7}, "lists a weight beyond the 2 weights"),
        ({"at_4368": 0}, "do not belong to one attribute or label each"),
    ],
)
def test_a_damaged_file_says_what_is_wrong(words: dict[str, int], message: str) -> None:
    raw = to_bytes(parts_of(["A", "B"], ["a"], ([0], [0], [1.5]), ([0], [1], [-0.5])))
    with pytest.raises(ModelFileError, match=message):
        Model.load_bytes(damaged(raw, **words))


def test_no_mutant_does_harm(tmp_path: Path) -> None:
    """TAGFIELD_MUTANTS=100000 tries more of them."""
    originals = [small(tmp_path / "a"), small(tmp_path / "b", c1=0.8, seed=2)]
    rng = random.Random(7)
    words = [0, 1, 2, 3, 47, 48, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 8]
    opened = 0
    for _ in range(MUTANTS):
        raw = bytearray(rng.choice(originals))
        for _ in range(rng.randint(1, 3)):
            kind, at = rng.randrange(5), rng.randrange(len(raw))
            if kind == 0:
                raw[at] ^= 1 << rng.randrange(8)
            elif kind == 1:
                value = rng.choice([*words, len(raw), len(raw) - 1, rng.randrange(len(raw)), rng.getrandbits(32)])
                at = rng.choice([at, at // 4 * 4, rng.randrange(48), 48 + rng.randrange(24)])
                raw[at : at + 4] = value.to_bytes(4, "little")
            elif kind == 2:
                del raw[at : at + rng.choice([1, 4, 20, 4000])]
            elif kind == 3:
                raw[at:at] = rng.randbytes(rng.choice([1, 4, 20]))
            else:
                other = rng.randrange(len(raw))
                raw[at : at + 20] = raw[other : other + 20]
            if not raw:
                break
        if len(raw) >= 8 and rng.random() < 0.8:
            raw[4:8] = len(raw).to_bytes(4, "little")
        try:
            model = Model.load_bytes(bytes(raw))
        except ModelFileError:
            continue
        opened += 1
        assert len(model.tag([model.encode([[["w1"], ["é:x1"]]])][0])[0]) == 2
    assert 0 < opened < MUTANTS


def test_truncated_files_are_refused(tmp_path: Path) -> None:
    raw = small(tmp_path / "a")
    for size in (0, 3, 4, 47, 48, 49, 100, len(raw) // 2, len(raw) - 1):
        with pytest.raises(ModelFileError):
            Model.load_bytes(raw[:size])
