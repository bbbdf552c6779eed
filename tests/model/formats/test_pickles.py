"""Models in pickles: found by reading the pickle, which is never run."""

import gzip
import io
import lzma
import pickle
import zlib
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
import sklearn_crfsuite
from sklearn.pipeline import Pipeline

from tagfield import CRF, Model
from tagfield.errors import InputError, ModelFileError
from tagfield.model.formats import pickles
from tagfield.model.formats.pickles import is_pickle, models_in

X = [[{"w": "a"}, {"w": "b", "n": 2.0}], [{"w": "b"}]]


def fitted(*labels: str) -> sklearn_crfsuite.CRF:
    return sklearn_crfsuite.CRF(c2=0.2, max_iterations=5).fit(X, [[labels[0], labels[1]], [labels[1]]])


@pytest.fixture(scope="module")
def old() -> sklearn_crfsuite.CRF:
    return fitted("X", "Y")


def file_of(crf: sklearn_crfsuite.CRF) -> bytes:
    return Path(crf.modelfile.name).read_bytes()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_model_is_found_in_pickles_of_every_protocol(old: sklearn_crfsuite.CRF, protocol: int) -> None:
    raw = pickle.dumps(old, protocol)
    assert is_pickle(raw[:4096])
    assert [found.data for found in models_in(raw, "old.pkl")] == [file_of(old)]


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("zlib", 9), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_a_model_is_found_in_files_of_joblib_however_compressed(
    old: sklearn_crfsuite.CRF, compress: Any, tmp_path: Path
) -> None:
    joblib.dump(Pipeline([("crf", old)]), tmp_path / "old", compress=compress)
    raw = (tmp_path / "old").read_bytes()
    assert is_pickle(raw[:4096])
    assert [found.data for found in models_in(raw, "old")] == [file_of(old)]


def test_files_that_claim_to_overlap_take_linear_time(old: sklearn_crfsuite.CRF) -> None:
    """87,000 headers, each of which claims all the bytes behind it."""
    size = 1 << 20
    forged = bytearray(size)
    for at in range(0, size - 12, 12):
        forged[at : at + 12] = b"lCRF" + (size - at).to_bytes(4, "little") + b"FOMC"
    count = sum(1 for _ in pickles._candidates(b"\x80\x04" + bytes(forged)))
    assert 0 < count <= pickles.OVERLAP * size // (size // 2)
    with pytest.raises(ModelFileError):
        models_in(b"\x80\x04" + bytes(forged), "old")
    model = file_of(old)
    assert [found.data for found in models_in(b"\x80\x04\xff" + model + bytes(forged), "old")] == [model]


def test_arrays_of_joblib_between_the_opcodes_are_skipped(old: sklearn_crfsuite.CRF) -> None:
    stream = io.BytesIO()
    joblib.dump([np.arange(1000.0), old, np.arange(7)], stream)
    assert [found.data for found in models_in(stream.getvalue(), "old")] == [file_of(old)]


def test_several_models_are_all_found(old: sklearn_crfsuite.CRF) -> None:
    other = fitted("A", "B")
    found = models_in(pickle.dumps({"ner": old, "pos": other, "again": [old]}), "two.pkl")
    assert [each.data for each in found] == [file_of(old), file_of(other)]
    assert found[1].describe() == "2 labels (A, B), 3 attributes"


def test_a_pickle_is_never_run(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.touch, (tmp_path / "exploded",)

    with pytest.raises(ModelFileError, match="holds no model of CRFsuite"):
        models_in(pickle.dumps([Bomb()]), "bomb.pkl")
    assert not list(tmp_path.iterdir())


def test_damaged_pickles_are_read_or_refused(old: sklearn_crfsuite.CRF) -> None:
    raw, rng = pickle.dumps(old), np.random.default_rng(0)
    opened = 0
    for _ in range(300):
        bad = bytearray(raw)
        bad[int(rng.integers(len(bad)))] = int(rng.integers(256))
        del bad[int(rng.integers(1, 2 * len(bad))) :]
        try:
            opened += bool(models_in(bytes(bad), "old.pkl"))
        except ModelFileError:
            continue
    assert 0 < opened < 300
    packed = gzip.compress(raw)
    for bad_packed in (packed[:-200], packed[:20] + b"xxxx" + packed[24:], zlib.compress(raw)[:-100]):
        with pytest.raises(ModelFileError, match=r"unpacked|ends early"):
            models_in(bad_packed, "old.gz")


def test_what_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickles, "LARGEST", 1 << 22)
    for raw in (gzip.compress(bytes(1 << 24)), zlib.compress(bytes(1 << 24))):
        with pytest.raises(InputError, match="unpack it yourself"):
            models_in(raw, "bomb.gz")


def test_a_fitted_crf_of_sklearn_crfsuite_becomes_one_of_tagfield(old: sklearn_crfsuite.CRF) -> None:
    crf = CRF.from_sklearn_crfsuite(old)
    assert crf.predict(X) == [list(each) for each in old.predict(X)]
    assert crf.get_params()["c2"] == 0.2
    assert crf.get_params()["model_filename"] is None
    for got, wanted in zip(crf.predict_marginals(X), old.predict_marginals(X), strict=True):
        for one, other in zip(got, wanted, strict=True):
            assert dict(one) == pytest.approx(other, abs=1e-6)
    assert sorted(crf.classes_) == sorted(old.classes_)
    again = pickle.loads(pickle.dumps(crf))
    assert again.predict(X) == crf.predict(X)
    with pytest.raises(InputError, match="fit it first"):
        CRF.from_sklearn_crfsuite(sklearn_crfsuite.CRF())
    with pytest.raises(InputError, match="got list"):
        CRF.from_sklearn_crfsuite([])


def test_load_names_the_command_that_reads_pickles(old: sklearn_crfsuite.CRF, tmp_path: Path) -> None:
    for raw in (pickle.dumps(old), pickle.dumps(old, 0), zlib.compress(pickle.dumps(old))):
        (tmp_path / "old.pkl").write_bytes(raw)
        for load in (Model.load, CRF.load):
            with pytest.raises(ModelFileError, match="tagfield convert-model"):
                load(tmp_path / "old.pkl")


def test_a_forged_dictionary_takes_no_gigabytes() -> None:
    packed = bytearray(lzma.compress(b"x" * 1000, format=lzma.FORMAT_ALONE))
    packed[1:5] = (1 << 31).to_bytes(4, "little")  # the size of the dictionary that unpacking asks for
    with pytest.raises(
        ModelFileError, match=r"starts as .* data, but cannot be unpacked \(Memory usage limit exceeded"
    ):
        models_in(bytes(packed), "old.pkl")
