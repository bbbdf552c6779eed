"""Model files: exact round trips, the reference library agrees, and no damaged or foreign file does harm."""

import gzip
import json
import os
import subprocess
import sys
import time
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tagfield.errors import InputError, ModelFileError, OutputError
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.system.storage_header import ALIGNMENT, DTYPES, MAX_HEADER

SUMS = {"crc32", "header_crc32"}  # reserved metadata keys
names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12).filter(
    lambda name: not name.startswith("__") and name not in SUMS
)
dtypes = st.sampled_from([dtype.newbyteorder(order) for dtype in DTYPES.values() for order in "<>"])
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))
texts = st.dictionaries(names, st.text(st.characters(codec="utf-8"), max_size=40), max_size=4)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("storage")


def sample(path: Path) -> bytes:
    rng = np.random.default_rng(3)
    tensors = {
        "weights": rng.standard_normal((7, 5)).astype(np.float32),
        "labels": np.frombuffer(b"B-NP\nI-NP\nO", np.uint8),
        "offsets": np.arange(16),
        "empty": np.zeros((0, 3), np.float32),
    }
    save_tensors(path, tensors, {"template": "chunking", "note": 'a "quoted" naïve ✓ text'})
    return path.read_bytes()


@pytest.fixture(scope="module")
def whole(folder: Path) -> bytes:
    return sample(folder / "whole")


def with_header(header: bytes, data: bytes = b"") -> bytes:
    return len(header).to_bytes(8, "little") + header + data


def rejected(path: Path, content: bytes, *, verify: bool = True) -> str:
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        load_tensors(path, verify=verify)
    message = str(caught.value)
    assert str(path) in message
    assert ";" in message  # what was found; what to do
    assert len(message) < 400 + len(str(path))
    return message


@settings(deadline=None)  # each example waits for the disk
@given(st.dictionaries(names, arrays, max_size=5), texts)
def test_round_trip_and_the_reference_library(
    folder: Path, tensors: dict[str, np.ndarray[Any, Any]], metadata: dict[str, str]
) -> None:
    path = folder / "round"
    save_tensors(path, tensors, metadata)
    loaded, text = load_tensors(path)
    reference = safetensors.numpy.load_file(path)
    assert text == metadata
    assert loaded.keys() == tensors.keys() == {name for name in reference if not name.startswith("__pad.")}
    for name, array in tensors.items():
        for found in (loaded[name], reference[name]):
            assert found.shape == array.shape
            assert found.dtype == array.dtype.newbyteorder("<")
            assert found.tobytes() == array.astype(array.dtype.newbyteorder("<")).tobytes()
        assert not loaded[name].flags.writeable
        assert loaded[name].ctypes.data % ALIGNMENT == 0 or array.size == 0
    with safetensors.safe_open(path, "numpy") as opened:
        stored = opened.metadata()
    assert {key: value for key, value in stored.items() if key not in SUMS} == metadata
    content = path.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    assert start % ALIGNMENT == 0
    assert int(stored["crc32"], 16) == zlib.crc32(content[start:])


def test_arrays_that_are_not_contiguous(folder: Path) -> None:
    base = np.arange(60, dtype=np.float64).reshape(3, 4, 5)
    save_tensors(folder / "strided", {"a": base[::2, ::-1].T, "b": np.asfortranarray(base)}, {})
    tensors, _ = load_tensors(folder / "strided")
    np.testing.assert_array_equal(tensors["a"], base[::2, ::-1].T)
    np.testing.assert_array_equal(tensors["b"], base)


def test_the_same_input_gives_the_same_bytes(folder: Path) -> None:
    assert sample(folder / "one") == sample(folder / "two")


def test_loaded_arrays_outlive_the_file_and_its_replacement(folder: Path) -> None:
    path = folder / "model"
    save_tensors(path, {"a": np.arange(5)}, {})
    tensors, _ = load_tensors(path)
    save_tensors(path, {"a": np.flip(tensors["a"])}, {})
    np.testing.assert_array_equal(tensors["a"], np.arange(5))
    again, _ = load_tensors(path)
    path.unlink()
    np.testing.assert_array_equal(again["a"], np.arange(5)[::-1])
    with pytest.raises(ValueError, match="read-only"):
        tensors["a"][0] = 1


def test_big_arrays_are_mapped_and_not_slow(folder: Path) -> None:
    """Memory stays far below the array's size; verified loading costs little more than the checksum itself."""
    weights = np.random.default_rng(0).standard_normal(1 << 24).astype(np.float32)  # 64 MB
    path = folder / "big"
    tracemalloc.start()
    save_tensors(path, {"weights": weights}, {})
    load_tensors(path, copy=False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20
    loading, checksum = [], []
    for _ in range(5):
        begin = time.process_time()
        load_tensors(path, copy=False)
        between = time.process_time()
        zlib.crc32(weights.data.cast("B"))
        loading.append(between - begin)
        checksum.append(time.process_time() - between)
    path.unlink()
    assert min(loading) < 4 * min(checksum)


OVERWRITTEN = """
import sys
import numpy as np
from tagfield.system.storage import load_tensors, save_tensors
path = sys.argv[1]
save_tensors(path, {"a": np.arange(1 << 16)}, {})
tensors, _ = load_tensors(path)
with open(path, "r+b") as file:  # as `cp` does it
    file.truncate(0)
print(tensors["a"].sum() == sum(range(1 << 16)))
"""


def test_a_file_overwritten_in_place_does_not_reach_what_was_loaded(folder: Path) -> None:
    """A mapped file would end the process with SIGBUS."""
    done = subprocess.run([sys.executable, "-c", OVERWRITTEN, folder / "model"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


@pytest.mark.parametrize("copy", [True, False])
def test_loaded_arrays_are_read_only_for_good(folder: Path, copy: bool) -> None:
    save_tensors(folder / "a", {"a": np.arange(5)}, {})
    array = load_tensors(folder / "a", copy=copy)[0]["a"]
    with pytest.raises(ValueError, match="WRITEABLE"):
        array.flags.writeable = True
    assert array.ctypes.data % 64 == 0


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_every_truncation_is_noticed(folder: Path, whole: bytes, data: st.DataObject) -> None:
    rejected(folder / "cut", whole[: data.draw(st.integers(0, len(whole) - 1))])


@settings(max_examples=500, deadline=None)
@given(st.data())
def test_every_change_is_noticed(folder: Path, whole: bytes, data: st.DataObject) -> None:
    content = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    if content != whole:
        rejected(folder / "changed", bytes(content))


def test_every_single_flipped_bit_of_the_header_is_noticed(folder: Path, whole: bytes) -> None:
    start = 8 + int.from_bytes(whole[:8], "little")
    for index in range(start):
        changed = bytearray(whole)
        changed[index] ^= 1 << index % 8
        rejected(folder / "flipped", bytes(changed))
        rejected(folder / "flipped", bytes(changed), verify=False)


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=200))
def test_bytes_after_the_end_are_noticed(folder: Path, whole: bytes, tail: bytes) -> None:
    rejected(folder / "longer", whole + tail)


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.integers(0, 8)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(sorted(DTYPES)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["dtype", "shape", "data_offsets", "a", "__metadata__"]), inner)
    ),
    max_leaves=12,
)
sizes = st.one_of(st.integers(0, 9), st.integers(0, 2**66), json_values)
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([*DTYPES, "BF16", "f32", ""]),
        "shape": st.lists(sizes, max_size=4),
        "data_offsets": st.lists(sizes, min_size=2, max_size=2),
    }
)


@settings(max_examples=500, deadline=None)
@given(st.dictionaries(names | st.just("__metadata__"), entries | json_values, max_size=3), st.binary(max_size=64))
def test_random_headers_are_read_right_or_rejected(folder: Path, header: dict[str, Any], data: bytes) -> None:
    """Where load_tensors accepts a file, the reference library reads the same arrays from it."""
    path = folder / "random"
    path.write_bytes(with_header(json.dumps(header).encode(), data))
    try:
        tensors, _ = load_tensors(path, verify=False)
    except ModelFileError:
        return
    reference = safetensors.numpy.load_file(path)
    assert tensors.keys() == reference.keys()
    for name, array in tensors.items():
        assert array.tobytes() == reference[name].tobytes()


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.booleans())
def test_random_bytes_are_rejected(folder: Path, content: bytes, as_header: bool) -> None:
    rejected(folder / "noise", with_header(b"{" + content, b"") if as_header else content)


F32 = '"dtype":"F32"'


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("{" + '"a":[' * 50_000, "not valid JSON"),
        ('{"a":' + "9" * 5000 + "}", "not valid JSON"),
        ('{"a\\ud800":1}', "not valid JSON"),
        ('{"a":1,"a":1}', "a name occurs twice"),
        ('{"__metadata__":[]}', "metadata is not a JSON object of strings"),
        ('{"__metadata__":{"a":1}}', "metadata is not a JSON object of strings"),
        ('{"a":1}', "does not consist of dtype, shape and data_offsets"),
        ('{"a":{"dtype":"F33","shape":[1],"data_offsets":[0,4]}}', "unknown dtype 'F33'"),
        ('{"a":{"dtype":["F32"],"shape":[1],"data_offsets":[0,4]}}', "unknown dtype"),
        (f'{{"a":{{{F32},"shape":[true],"data_offsets":[0,4]}}}}', "not a list of at most 32 sizes"),
        (f'{{"a":{{{F32},"shape":[-1],"data_offsets":[0,4]}}}}', "not a list of at most 32 sizes"),
        (f'{{"a":{{{F32},"shape":[1.0],"data_offsets":[0,4]}}}}', "not a list of at most 32 sizes"),
        (f'{{"a":{{{F32},"shape":{[1] * 33},"data_offsets":[0,4]}}}}', "not a list of at most 32 sizes"),
        (f'{{"a":{{{F32},"shape":[2],"data_offsets":[0,4]}}}}', "shape [2] of F32, but 4 bytes"),
        (f'{{"a":{{{F32},"shape":[1],"data_offsets":[4,0]}}}}', "not a start and an end"),
        (f'{{"a":{{{F32},"shape":[0,{2**62},4],"data_offsets":[0,0]}}}}', "exceeds any memory"),
        (f'{{"a":{{{F32},"shape":[{2**32},{2**30}],"data_offsets":[0,0]}}}}', "exceeds any memory"),
        (f'{{"a":{{{F32},"shape":[2],"data_offsets":[0,8]}}}}', "ends at byte"),
        (f'{{"a":{{{F32},"shape":[{2**60}],"data_offsets":[0,{2**62}]}}}}', "ends at byte"),
        (f'{{"a":{{{F32},"shape":[],"data_offsets":[2,6]}}}}', "starts at byte 2"),
        (
            f'{{"a":{{{F32},"shape":[],"data_offsets":[0,4]}},"b":{{{F32},"shape":[],"data_offsets":[0,4]}}}}',
            "starts at byte 0 of the data instead of 4",
        ),
        ("{}", "4 bytes follow the last tensor"),
    ],
)
def test_each_check_of_the_header(folder: Path, header: str, says: str) -> None:
    assert says in rejected(folder / "header", with_header(header.encode(), bytes(4)), verify=False)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"lCRF" + bytes(44), "it is a CRFsuite model"),
        (gzip.compress(b"text", mtime=0), "it is a gzip file"),
        (b"PK\x03\x04" + bytes(30), "zip archive"),
        ("Confidence naïve NN B-NP\n".encode() * 9, "it is a text file that starts with 'Confidence na"),
        (b"ab", "it is a text file that starts with 'ab'"),
        (b"\x80\x04\x95" + bytes(20), "it starts with the bytes 80 04 95"),
        ((2**63).to_bytes(8, "little") + b"{}", "it starts with the bytes"),
        ((MAX_HEADER + 1).to_bytes(8, "little") + b"{}", "it starts with the bytes"),
        ((9).to_bytes(8, "little") + b"{}", "inside its header of 9"),
    ],
)
def test_foreign_files_are_named(folder: Path, content: bytes, says: str) -> None:
    assert says in rejected(folder / "foreign", content)


def test_a_folder_a_device_and_a_missing_file(folder: Path) -> None:
    for path, says in (
        (folder, "is a folder"),
        (folder / "missing", "no file named"),
        (folder / "a\0b", "check the path"),
    ):
        with pytest.raises(ModelFileError, match=says):
            load_tensors(path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(folder / "pipe")
        with pytest.raises(ModelFileError, match="is a device or a pipe"):
            load_tensors(folder / "pipe")


def test_a_hostile_header_size_allocates_nothing(folder: Path) -> None:
    tracemalloc.start()
    rejected(folder / "hostile", (2**40).to_bytes(8, "little") + b'{"a":1}')
    rejected(folder / "hostile", MAX_HEADER.to_bytes(8, "little") + b'{"a":1}')
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_files_of_other_programs_need_verify_false(folder: Path) -> None:
    path = folder / "other"
    safetensors.numpy.save_file({"a": np.arange(3, dtype=np.int16), "b": np.ones(2)}, path, {"who": "them"})
    assert "has no checksum" in rejected(path, path.read_bytes())
    tensors, metadata = load_tensors(path, verify=False)
    np.testing.assert_array_equal(tensors["a"], [0, 1, 2])
    assert metadata == {"who": "them"}


def test_data_that_is_not_aligned_is_copied(folder: Path) -> None:
    header = b'{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}'
    path = folder / "unaligned"
    path.write_bytes(with_header(header + b" " * ((-len(header) + 1) % 8), np.float64(2.5).tobytes()))
    tensors, _ = load_tensors(path, verify=False)
    assert tensors["a"].flags.aligned
    assert not tensors["a"].flags.writeable
    assert tensors["a"].tolist() == [2.5]


@pytest.mark.parametrize(
    ("tensors", "metadata", "says"),
    [
        ({"__metadata__": np.zeros(1)}, {}, "reserved"),
        ({"__pad.0": np.zeros(1)}, {}, "reserved"),
        ({"a": np.array(["x"])}, {}, "dtype <U1"),
        ({"a": np.zeros(2, object)}, {}, "dtype object"),
        ({"a": np.zeros(2, complex)}, {}, "dtype complex128"),
        ({}, {"crc32": ""}, "reserved"),
        ({}, {"a": 3}, "is not a string"),
        ({}, {"a": "\ud800"}, "not valid Unicode"),
        ({"\ud800": np.zeros(1)}, {}, "not valid Unicode"),
        ({}, {"a": "x" * MAX_HEADER}, "store long text as a uint8 tensor"),
    ],
)
def test_what_cannot_be_saved(folder: Path, tensors: Any, metadata: Any, says: str) -> None:
    path = folder / "unsaved"
    with pytest.raises(InputError, match=says):
        save_tensors(path, tensors, metadata)
    assert not path.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_saving_to_a_full_device() -> None:
    with pytest.raises(OutputError, match="the disk is full"):
        save_tensors("/dev/full", {"a": np.zeros(1 << 18)}, {})
