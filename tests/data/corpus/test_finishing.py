"""The last step of packing: rare attributes, one form for all shards."""

from pathlib import Path

import numpy as np
import pytest

from tagfield import encode_files
from tagfield.data.corpus import pack
from tagfield.data.encoded import same_vocabulary
from tests.data.corpus.test_packing import same_arrays

pytestmark = pytest.mark.usefixtures("small_pieces")


def test_rare_attributes_are_left_out(file: Path, tmp_path: Path) -> None:
    encoded = encode_files(file, template="chunking")
    data = encoded.dataset
    counts = np.bincount(data.attribute, data.slot_sizes(), len(encoded.attributes))
    corpus = pack(file, tmp_path / "c", template="chunking", min_count=3, shard_size=10_000)
    keep = counts >= 3
    assert 0 < keep.sum() < len(keep)
    assert same_vocabulary(corpus.attributes, encoded.attributes.subset(keep))
    mine, theirs = corpus.encoded().dataset, data.keep_attributes(keep)
    assert mine.slots.tolist() == theirs.slots.tolist()
    for s in range(len(mine)):
        span = slice(mine.slots[s], mine.slots[s + 1])
        assert sorted(mine.attribute[span].tolist()) == sorted(theirs.attribute[span].tolist())


def test_shards_get_one_form(tmp_path: Path) -> None:
    """Values, edge attributes and long sentences may come late."""
    (tmp_path / "a.items").write_text("A\tw=x\n\n" * 400 + "B\tw=y:0.5\n")
    corpus = pack(tmp_path / "a.items", tmp_path / "c", shard_size=1)
    assert len(corpus.shards) > 1
    same_arrays(corpus.encoded().dataset, encode_files(tmp_path / "a.items").dataset)
    (tmp_path / "b.items").write_text("A\tw=x\n\n" * 400 + "B\tw=y\n" * 40_000)
    corpus = pack(tmp_path / "b.items", tmp_path / "d", shard_size=1)
    assert corpus.take(np.array([0])).place.dtype == np.uint32
    same_arrays(corpus.encoded().dataset, encode_files(tmp_path / "b.items").dataset)
