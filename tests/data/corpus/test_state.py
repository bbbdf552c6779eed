"""How far a run has come: kept on disk, taken up again, and refused where it cannot go on."""

import json
from pathlib import Path

import pytest

from tagfield.data.corpus.manifest import ShardRecord
from tagfield.data.corpus.packing import PackOptions
from tagfield.data.corpus.state import Packing
from tagfield.data.text.reading import ReadOptions
from tagfield.errors import InputError, OutputError
from tagfield.native._text import Vocabulary

SHARD = ShardRecord("raw-00000.safetensors", 5, 9, 4, 4, 0, 0, 0, 9.0, 100, "0123abcd", pieces=2)


def begin(folder: Path, *paths: str, options: PackOptions | None = None) -> Packing:
    return Packing.begin(str(folder), list(paths) or ["a.txt"], ReadOptions(), None, options or PackOptions())


def test_a_new_run_has_done_nothing(tmp_path: Path) -> None:
    state = begin(tmp_path / "new" / "c")
    assert (state.pieces, state.sentences, state.tokens, state.done) == (0, 0, 0, False)
    assert state.next_file == "raw-00000.safetensors"
    assert [len(names or ()) for names in state.names(0)] == [0, 0, 0]


@pytest.mark.parametrize("edges", [False, True])
def test_a_run_is_taken_up_with_its_shards_and_names(tmp_path: Path, edges: bool) -> None:
    state = begin(tmp_path)
    attributes, labels = Vocabulary(["a", "b"]), Vocabulary(["X"])
    linked = Vocabulary(["e"]) if edges else None
    state.add(SHARD, (attributes, labels, linked))
    attributes.add("c")
    state.add(SHARD, (attributes, labels, linked))
    again = begin(tmp_path)
    assert (again.shards, again.pieces, again.sentences, again.tokens) == ([SHARD, SHARD], 2, 10, 18)
    assert again.next_file == "raw-00002.safetensors"
    names = again.names(0)
    assert [None if each is None else each.strings() for each in names] == [
        ["a", "b", "c"],
        ["X"],
        ["e"] if edges else None,
    ]
    attributes.add("d")
    again.add(SHARD, (attributes, *names[1:]))  # only the new name is added
    assert begin(tmp_path).names(0)[0].strings() == ["a", "b", "c", "d"]


def test_hashed_attributes_leave_no_names(tmp_path: Path) -> None:
    state = begin(tmp_path)
    state.add(SHARD, (Vocabulary.hashed(10), Vocabulary(["X"]), None))
    attributes, labels, _ = begin(tmp_path).names(10)
    assert (attributes.hash_bits, labels.strings()) == (10, ["X"])


def test_a_file_that_changed_is_another_input(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("a X\n")
    begin(tmp_path / "c", str(file))
    begin(tmp_path / "c", str(file))
    file.write_text("a X\nb Y\n")
    with pytest.raises(InputError, match="a run with other files or options was stopped here"):
        begin(tmp_path / "c", str(file))


def test_standard_input_cannot_be_read_a_second_time(tmp_path: Path) -> None:
    begin(tmp_path, "-")
    with pytest.raises(InputError, match="a run that reads standard input cannot be resumed; remove the folder"):
        begin(tmp_path, "-")


@pytest.mark.parametrize("shards", [None, [3], [{"file": "../a"}]])
def test_a_state_that_is_damaged_is_refused(tmp_path: Path, shards: object) -> None:
    begin(tmp_path)
    path = tmp_path / "packing.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"shards": shards}))
    with pytest.raises(InputError, match=r"packing\.json: the state of the run is damaged"):
        begin(tmp_path)


def test_names_that_are_damaged_are_refused(tmp_path: Path) -> None:
    state = begin(tmp_path)
    state.add(SHARD, (Vocabulary(["a"]), Vocabulary(["X"]), None))
    (tmp_path / "new-00000.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"new-00000\.safetensors: the names cannot be read"):
        begin(tmp_path).names(0)


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "c", tmp_path / "a\0b"):
        with pytest.raises(OutputError, match=r"cannot write .*; choose another folder"):
            begin(folder)


def test_clearing_removes_only_what_a_run_needs(tmp_path: Path) -> None:
    state = begin(tmp_path)
    state.add(SHARD, (Vocabulary(["a"]), Vocabulary(["X"]), None))
    (tmp_path / "raw-00000.safetensors").write_bytes(b"")
    (tmp_path / "shard-00000.safetensors").write_bytes(b"")
    with state.locked():
        assert (tmp_path / "packing.lock").exists()
    state.clear()
    assert [path.name for path in tmp_path.iterdir()] == ["shard-00000.safetensors"]
