"""A shard: a dataset written and read back, and files that are not what the manifest says."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tagfield.data.corpus.manifest import ShardRecord
from tagfield.data.corpus.shards import Shard, save_shard
from tagfield.data.dataset import Dataset
from tagfield.data.encode import encode_sequences
from tagfield.errors import InputError
from tests.data.test_dataset import same

FILE = "shard-00000.safetensors"


def dataset(**options: Any) -> Dataset:
    X = [[["a", "b"], ["b"]], [], [["c"]]]
    return encode_sequences(X, [["X", "Y"], [], ["X"]], weights=[2.0, 1.0, 0.5], **options).dataset


@pytest.fixture
def record(tmp_path: Path) -> ShardRecord:
    return save_shard(str(tmp_path), FILE, dataset(), pieces=4)


@pytest.mark.parametrize("options", [{}, {"edges": [[[], ["e"]], [], [[]]]}])
def test_a_shard_holds_the_arrays_of_its_dataset(tmp_path: Path, options: dict[str, Any]) -> None:
    data = dataset(**options)
    shard = Shard(str(tmp_path), save_shard(str(tmp_path), FILE, data, 1))
    same(shard.dataset(), data)
    assert len(shard) == 3


def test_the_record_says_how_much_a_shard_holds(tmp_path: Path, record: ShardRecord) -> None:
    assert (record.sentences, record.tokens, record.slots, record.occurrences, record.empty) == (3, 3, 3, 4, 1)
    assert (record.weighted, record.pieces, record.edge_slots) == (2.0 * 2 + 0.5, 4, 0)
    assert record.bytes == (tmp_path / FILE).stat().st_size


def test_shards_with_other_arrays_have_another_layout(tmp_path: Path, record: ShardRecord) -> None:
    valued = encode_sequences([[{"a": 2.0}]], [["X"]]).dataset
    other = Shard(str(tmp_path), save_shard(str(tmp_path), "shard-00001.safetensors", valued, 1))
    assert {name for name, _ in {*other.layout} - {*Shard(str(tmp_path), record).layout}} == {"value"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tokens": 4}, "the array labels is missing, or is not what the manifest says"),
        ({"slots": 9}, "the array attribute is missing"),
        ({"sentences": 2}, "the array tokens is missing"),
        ({"crc32": "00000000"}, "this is not the shard that the manifest names"),
        ({"file": "shard-00009.safetensors"}, "the shard is missing; copy the folder again"),
    ],
)
def test_a_record_that_does_not_fit_is_refused(
    tmp_path: Path, record: ShardRecord, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Shard(str(tmp_path), replace(record, **change))


def test_bytes_that_changed_are_found_by_the_check_and_only_by_it(tmp_path: Path, record: ShardRecord) -> None:
    whole = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(InputError, match=rf"{FILE}. is damaged: .*; copy the folder again, or pack the corpus again"):
        Shard(str(tmp_path), record)
    unchecked = Shard(str(tmp_path), record, verify=False)
    with pytest.raises(InputError, match=rf"{FILE}. is damaged: .*; copy the folder again"):
        unchecked.dataset()


def test_a_folder_in_place_of_a_shard_cannot_be_read(tmp_path: Path, record: ShardRecord) -> None:
    (tmp_path / FILE).unlink()
    (tmp_path / FILE).mkdir()
    with pytest.raises(InputError, match=f"{FILE}: "):
        Shard(str(tmp_path), record)
