"""Corpus.open: a folder that is damaged, cut off or foreign is refused by a sentence."""

import json
import pickle
import shutil
from pathlib import Path

import numpy as np
import pytest

from tagfield import Corpus, InputError, Settings
from tagfield.data.corpus import is_corpus, pack
from tagfield.train import train
from tagfield.train.problem import sentences
from tests.data.corpus.test_manifest import edit


def test_an_open_corpus_has_sizes_shards_and_a_repr_and_survives_pickle(folder: Path) -> None:
    corpus = Corpus.open(folder)
    assert len(corpus) == 80
    assert corpus.tokens == sum(shard.record.tokens for shard in corpus.shards) == 120
    assert sum(map(len, corpus.shards)) == 80
    assert corpus.shards[1].dataset().labels.tolist() == corpus.take(np.arange(*corpus.starts[1:3])).labels.tolist()
    assert repr(corpus).startswith(f"<Corpus {folder}: 80 sequences, 120 tokens, 3 labels,")
    assert "Corpus" in corpus._repr_html_()
    again = pickle.loads(pickle.dumps(corpus))
    np.testing.assert_array_equal(again.take(np.array([7, 3])).attribute, corpus.take(np.array([7, 3])).attribute)
    assert repr(corpus.shards[0]).startswith("<Shard: ")
    assert is_corpus(folder)
    assert not any(map(is_corpus, (folder / "names.safetensors", None, "a\0b", 3)))


@pytest.mark.parametrize("name", ["manifest.json", "names.safetensors", "shard-00000.safetensors"])
def test_files_that_are_damaged_cut_off_or_gone_are_refused_by_name(folder: Path, name: str) -> None:
    path = folder / name
    whole = path.read_bytes()
    for size in (0, 5, len(whole) // 2, len(whole) - 2):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match=name):
            Corpus.open(folder)
    if name != "manifest.json":
        for at in (20, len(whole) // 2, len(whole) - 100):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            with pytest.raises(InputError, match=name):
                Corpus.open(folder)
    path.write_bytes(b"The DT\n" * 9)
    with pytest.raises(InputError, match=name):
        Corpus.open(folder)
    path.unlink()
    with pytest.raises(InputError, match=name):
        Corpus.open(folder)


def test_a_file_that_changes_while_it_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers that are not what they were are refused by the check of the window; a shorter file by the reader."""
    monkeypatch.setattr(sentences, "SEGMENT", 8)
    path = folder / "shard-00000.safetensors"
    whole = path.read_bytes()
    corpus = Corpus.open(folder)
    with path.open("r+b") as file:
        file.seek(len(whole) // 3)
        file.write(b"\xff" * (len(whole) // 2))
    with pytest.raises(InputError, match=r"inconsistent|not ascending|without names"):
        train(corpus, Settings("sgd", epochs=1), window=1)
    with path.open("r+b") as file:
        file.truncate(len(whole) // 3)
    with pytest.raises(InputError, match=r"became shorter while it was read|inconsistent|not ascending"):
        train(corpus, Settings("sgd", epochs=1), window=1)


def test_shards_with_different_arrays_are_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "b.items").write_text("A\tw=x:2\n")
    other = pack(tmp_path / "b.items", tmp_path / "d")
    shutil.copy(tmp_path / "d" / "shard-00000.safetensors", folder / "shard-00001.safetensors")
    record = json.loads((tmp_path / "d" / "manifest.json").read_text())["shards"][0]
    edit(folder / "manifest.json", lambda r: r["shards"].__setitem__(1, record | {"file": "shard-00001.safetensors"}))
    with pytest.raises(InputError, match="the shards have different arrays"):
        Corpus.open(folder)
    assert other.template is None
