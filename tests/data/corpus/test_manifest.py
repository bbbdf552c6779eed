"""The manifest of a corpus: saved and read back, and refused if it is not what was saved."""

import json
from pathlib import Path
from typing import Any

import pytest

from tagfield import Corpus, InputError
from tagfield.data.corpus import manifest
from tagfield.data.corpus.manifest import Manifest, read_json


def edit(path: Path, change: Any) -> None:
    record = json.loads(path.read_text())
    change(record)
    path.write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda r: r.update(format="mine"), "this is not the manifest of a corpus"),
        (lambda r: r.update(version=2), "a newer version of tagfield packed this corpus"),
        (lambda r: r.pop("labels"), "the manifest is damaged ('labels' is missing)"),
        (lambda r: r.update(labels=4), "these are not the names of the manifest"),
        (lambda r: r.update(hash_bits=9), "these are not the names of the manifest"),
        (lambda r: r.update(labels=-1), "is not a size"),
        (lambda r: r.update(shards={}), "a list is expected"),
        (lambda r: r.update(shards=[]), "the corpus holds no sequence"),
        (lambda r: r["shards"][0].update(file="../a.txt"), "the name of a shard is not"),
        (lambda r: r["shards"][0].update(crc32="1"), "the checksum of a shard"),
        (lambda r: r["shards"][0].update(crc32="00000000"), "this is not the shard that the manifest names"),
        (lambda r: r["shards"][0].update(weighted="x"), "the weight of a shard"),
        (lambda r: r["shards"][0].update(tokens=7), "the array labels is missing, or is not what the manifest says"),
        (lambda r: r["shards"][0].update(more=7), "a shard lacks a field"),
        (lambda r: r["form"].update(kind="xml"), "no format named 'xml'"),
        (lambda r: r.update(template={"name": 3}), "this is not a template"),
    ],
)
def test_a_manifest_with_a_wrong_field_is_refused(folder: Path, change: Any, told: str) -> None:
    edit(folder / "manifest.json", change)
    with pytest.raises(InputError) as error:
        Corpus.open(folder)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_a_manifest_is_read_back_as_it_was_saved(folder: Path, tmp_path: Path) -> None:
    found = Manifest.load(str(folder))
    (tmp_path / "copy").mkdir()
    found.save(str(tmp_path / "copy"))
    assert Manifest.load(str(tmp_path / "copy")) == found
    assert found.bytes == sum(shard.bytes for shard in found.shards)
    assert sum(found.label_counts) == found.tokens == 120


def test_json_that_is_no_object_or_too_long_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "manifest.json"
    for text, message in (("[]", "is not a JSON object"), ("{", "cannot be read"), ("[" * 100_000, "cannot be read")):
        path.write_text(text)
        with pytest.raises(InputError, match=rf"manifest\.json: .*{message}.*; pack the corpus again"):
            read_json(str(path))
    path.write_text('{"a": 1}')
    assert read_json(str(path)) == {"a": 1}
    monkeypatch.setattr(manifest, "MOST", 4)
    with pytest.raises(InputError, match="this is not a JSON object"):
        read_json(str(path))
