"""The labelled file: what a killed process leaves, edits by hand at every moment, a second process, a full disk."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.errors import InputError, OutputError

ANNA = (("Anna",), ("left",), (".",))
BEN = (("Ben",), ("stays",))
WHOLE = b"Anna\tB-PER\nleft\tO\n.\tO\n\n"
BENS = b"Ben\tB-PER\nstays\tO\n\n"


def begins(rows: object) -> bool:
    found = tuple(rows)  # type: ignore[arg-type]
    return any(found == each[: len(found)] and len(found) < len(each) for each in (ANNA, BEN))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "labelled.txt"


def kept(path: Path) -> list[bytes]:
    """The versions beside the file, the oldest first."""
    return [path.with_name(f"labelled.kept-{k}.txt").read_bytes() for k in range(1, len(list(path.parent.iterdir())))]


def test_every_cut_of_the_last_sentence_leaves_the_ones_before_it(path: Path) -> None:
    last = BENS
    for size in range(len(last)):
        path.write_bytes(WHOLE + last[:size])
        with LabelledFile(str(path), 1, begins) as file:
            assert [each.rows for each in file.sentences][:1] == [ANNA]
            assert file.sentences[0].labels == ("B-PER", "O", "O")
            assert len(file.sentences) == (2 if size >= len(last) - 2 else 1), last[:size]
            assert (b"" if not file.cut else Path(file.cut).read_bytes()) == (
                last[:size] if 0 < size < len(last) - 2 else b""
            )
            file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes().startswith(WHOLE)
        assert path.read_bytes().endswith(b"\n\n" + last)


def test_half_of_a_label_that_is_a_label_too_is_unfinished(path: Path) -> None:
    path.write_bytes(b"Anna\tPERSON\n.\tPER\n\nBen\tPER")
    with LabelledFile(str(path)) as file:
        assert [each.rows for each in file.sentences] == [(("Anna",), (".",))]
        assert Path(file.cut).read_bytes() == b"Ben\tPER"


def test_a_file_of_somebody_else_keeps_its_last_sentence(path: Path) -> None:
    theirs = b"# from elsewhere\nIt O\nrains O\n\nAnna B-PER\nsings O"
    path.write_bytes(theirs)
    with LabelledFile(str(path), 1, begins) as file:
        assert [each.labels for each in file.sentences] == [("O", "O"), ("B-PER", "O")]
        assert file.cut == ""
        assert path.read_bytes() == theirs
        file.append(BEN, ["B-PER", "O"])
    assert path.read_bytes() == theirs + b"\n\n" + BENS


def in_place(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def by_rename(path: Path, content: bytes) -> None:
    path.with_name("new").write_bytes(content)
    os.replace(path.with_name("new"), path)


Edit = Callable[[Path, bytes], None]
EDITS = {
    "equal": WHOLE.replace(b"left\tO", b"left\tX"),
    "shorter": WHOLE.replace(b"\tB-PER", b"\tO"),
    "longer": WHOLE + b"It\tO\nrains\tO\n\n",
    "windows": WHOLE.replace(b"\n", b"\r\n"),
}
BROKEN = {
    "half a line": WHOLE[:-9],
    "no label": WHOLE.replace(b"left\tO", b"left\t"),
    "equal size": WHOLE.replace(b"left\tO", b"left-O"),
    "not UTF-8": WHOLE.replace(b"left", b"l\xe9ft"),
    "three cells": WHOLE.replace(b"left\tO", b"left\tO\tO"),
    "longer": WHOLE + b"It\tO\nrains",
}


@pytest.mark.parametrize("edit", [in_place, by_rename])
@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_read_before_anything_is_written(path: Path, name: str, edit: Edit) -> None:
    path.write_bytes(WHOLE)
    with LabelledFile(str(path)) as file:
        edit(path, EDITS[name])
        with pytest.raises(OutputError, match="changed by another program just now; try again"):
            file.append(BEN, ["B-PER", "O"])
        with pytest.raises(OutputError, match="changed by another program just now; try again"):
            file.take_back(file.sentences[0])
        assert path.read_bytes() == EDITS[name]
        assert file.refresh()
        assert not file.refresh()
        added = file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == EDITS[name] + BENS
        file.take_back(added)
        assert path.read_bytes() == EDITS[name]
        file.take_back(file.sentences[0])
        assert path.read_bytes() == EDITS[name][len(EDITS[name].replace(b"It\tO\nrains\tO\n\n", b"")) :]
    assert kept(path) == []


@pytest.mark.parametrize("edit", [in_place, by_rename])
@pytest.mark.parametrize("name", BROKEN)
def test_an_edit_that_cannot_be_read_is_not_touched(path: Path, name: str, edit: Edit) -> None:
    path.write_bytes(WHOLE)
    with LabelledFile(str(path), 1, begins) as file:
        added = file.append(BEN, ["B-PER", "O"])
        edit(path, BROKEN[name])
        for _ in range(2):  # refused as long as it is so, and kept once
            with pytest.raises(OutputError, match=r"cannot be used now \(.*\); correct the file and save it"):
                file.refresh()
            with pytest.raises(OutputError, match="just now; try again"):
                file.append(BEN, ["O", "O"])
            with pytest.raises(OutputError, match="just now; try again"):
                file.take_back(added)
            assert path.read_bytes() == BROKEN[name]
            assert kept(path) == [WHOLE + BENS]
            assert len(file) == 2
        edit(path, EDITS["longer"] + BENS)  # the edit is finished
        assert file.refresh()
        file.take_back(added)
        assert path.read_bytes() == EDITS["longer"]


@pytest.mark.parametrize("edit", [in_place, by_rename])
def test_what_was_labelled_here_and_is_missing_is_kept_and_told_once(path: Path, edit: Edit) -> None:
    with LabelledFile(str(path)) as file:
        file.append(ANNA, ["B-PER", "O", "O"])
        file.append(BEN, ["B-PER", "O"])
        edit(path, b"It\tO\n\n")  # an editor that opened the file before both
        with pytest.raises(
            OutputError, match=r"no longer has 2 sentences as labelled here; try again.* in '.*\.kept-1\.txt'"
        ):
            file.refresh()
        assert kept(path) == [WHOLE + BENS]
        assert not file.refresh()
        file.append(BEN, ["O", "O"])
        assert path.read_bytes() == b"It\tO\n\nBen\tO\nstays\tO\n\n"


@pytest.mark.parametrize("edit", [in_place, by_rename])
def test_labels_by_hand_count_unless_they_are_those_that_were_taken_back(path: Path, edit: Edit) -> None:
    with LabelledFile(str(path)) as file:
        added = file.append(BEN, ["B-PER", "O"])
        edit(path, b"Ben\tB-LOC\nstays\tO\n\n")
        assert file.refresh()
        assert file.sentences[0].labels == ("B-LOC", "O")
        edit(path, BENS)
        assert file.refresh()
        file.take_back(added)
        file.append(BEN, ["O", "O"])
        edit(path, BENS)  # an editor that has the old version
        with pytest.raises(OutputError, match="no longer has a sentence as labelled here"):
            file.refresh()
        assert kept(path) == [b"Ben\tO\nstays\tO\n\n"]
        assert file.sentences == [added]


def test_a_file_that_is_deleted_is_written_again(path: Path) -> None:
    with LabelledFile(str(path)) as file:
        file.append(ANNA, ["B-PER", "O", "O"])
        path.unlink()
        with pytest.raises(OutputError, match="just now"):
            file.append(BEN, ["B-PER", "O"])
        assert not file.refresh()
        added = file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == WHOLE + BENS
        path.unlink()
        with pytest.raises(OutputError, match="just now"):
            file.take_back(added)
        file.refresh()
        file.take_back(added)
        assert path.read_bytes() == WHOLE


def test_an_edit_in_the_moment_of_the_rename_wins(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.write_bytes(WHOLE)
    with LabelledFile(str(path)) as file:
        real = os.fsync

        def edit(descriptor: int) -> None:
            real(descriptor)
            path.write_bytes(EDITS["equal"])

        monkeypatch.setattr(os, "fsync", edit)
        with pytest.raises(OutputError, match="changed by another program just now"):
            file.take_back(file.sentences[0])
        with pytest.raises(OutputError, match="changed by another program just now"):
            file.append(BEN, ["B-PER", "O"])
        monkeypatch.undo()
        assert path.read_bytes() == EDITS["equal"]
        assert [each.name for each in path.parent.iterdir()] == ["labelled.txt"]


def test_a_file_that_is_replaced_in_the_moment_of_the_write_is_not_acknowledged(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(WHOLE)
    with LabelledFile(str(path)) as file:
        real = os.fsync

        def edit(descriptor: int) -> None:
            real(descriptor)
            by_rename(path, EDITS["equal"])

        monkeypatch.setattr(os, "fsync", edit)
        with pytest.raises(OutputError, match="another program changed it at the same moment; nothing was added"):
            file.append(BEN, ["B-PER", "O"])
        monkeypatch.undo()
        assert path.read_bytes() == EDITS["equal"]
        assert file.refresh()
        file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == EDITS["equal"] + BENS


def test_comments_by_hand_stay_when_a_sentence_is_taken_back(path: Path) -> None:
    path.write_bytes(b"# mine, all of it\nAnna\tO\n# is that right?\nleft\tO\n\n" + BENS)
    with LabelledFile(str(path)) as file:
        file.take_back(file.sentences[0])
        assert path.read_bytes() == b"# mine, all of it\n# is that right?\n\n" + BENS
        file.take_back(file.sentences[1])
        assert path.read_bytes() == b"# mine, all of it\n# is that right?\n\n"


def test_sentences_that_cannot_be_used_change_nothing(path: Path) -> None:
    def check(sentences: object) -> None:
        raise InputError("no such labels")

    path.write_bytes(WHOLE)
    with LabelledFile(str(path)) as file:
        path.write_bytes(EDITS["longer"])
        with pytest.raises(OutputError, match=r"\(no such labels\); correct the file"):
            file.refresh(check)
        assert len(file) == 1
        assert file.refresh()


READ_ONLY = """
import os, sys
from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.errors import OutputError
os.setuid(65534)
with LabelledFile(sys.argv[1]) as file:
    added = file.append([("Ben",)], ["O"])
    for mode in (0o444, 0o000):
        os.chmod(sys.argv[1], mode)
        for call in (file.refresh, lambda: file.append([("It",)], ["O"]), lambda: file.take_back(added)):
            try:
                call()
            except OutputError as error:
                print(error)
    os.chmod(sys.argv[1], 0o644)
    file.append([("It",)], ["O"])
"""


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can become another user")
def test_a_file_that_is_made_read_only_is_not_written() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.chown(folder, 65534, 65534)
        path = Path(folder, "labelled.txt")
        run = subprocess.run([sys.executable, "-c", READ_ONLY, str(path)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        assert len(run.stdout.splitlines()) == 6
        assert all("ermission" in line for line in run.stdout.splitlines())
        assert path.read_bytes() == b"Ben\tO\n\nIt\tO\n\n"


def test_a_second_process_is_kept_out(path: Path) -> None:
    with LabelledFile(str(path)) as file:
        for change in (lambda: file.append(ANNA, ["O", "O", "O"]), lambda: file.take_back(file.sentences[0])):
            change()
            with pytest.raises(OutputError, match="is being labelled by another process"):
                LabelledFile(str(path))
    LabelledFile(str(path)).close()


def test_a_second_process_that_has_the_new_file_keeps_it(path: Path) -> None:
    """An editor replaces the file, so the lock of the first one is gone with the old file."""
    with LabelledFile(str(path)) as first:
        first.append(ANNA, ["B-PER", "O", "O"])
        by_rename(path, b"It\tO\n\n")
        with LabelledFile(str(path)) as second:
            second.append(BEN, ["B-PER", "O"])
            for _ in range(2):
                with pytest.raises(OutputError, match="is being labelled by another process; use its page"):
                    first.refresh()
                with pytest.raises(OutputError):
                    first.append(ANNA, ["O", "O", "O"])
            assert path.read_bytes() == b"It\tO\n\n" + BENS
            assert kept(path) == [WHOLE]
        with pytest.raises(OutputError, match="no longer has a sentence as labelled here"):
            first.refresh()
        first.append(ANNA, ["B-PER", "O", "O"])
        assert path.read_bytes() == b"It\tO\n\n" + BENS + WHOLE


def test_a_full_disk_leaves_nothing_of_the_sentence(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with LabelledFile(str(path)) as file:
        file.append(ANNA, ["B-PER", "O", "O"])
        real = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
            with pytest.raises(OutputError, match="the disk is full; nothing was added"):
                file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == WHOLE
        file.append(BEN, ["B-PER", "O"])
    assert path.read_bytes() == WHOLE + BENS


def test_files_that_are_no_labelled_words_are_refused(path: Path) -> None:
    for raw, said in (
        (b'{"a":1}\n\n', "line 1: found a line of 1 cells .*choose another file with -o"),
        (b"a b\n\n\na b c\n\n", "line 4: found a line of 3 cells"),
        (b"a b\n\xff\tO\n\n", "line 2: the bytes are not UTF-8"),
        (b"a\t\n\n", "line 1: found an empty cell"),
    ):
        path.write_bytes(raw)
        with pytest.raises(InputError, match=said):
            LabelledFile(str(path))
        assert path.read_bytes() == raw


def test_a_byte_order_mark_is_no_text_unless_it_is_one(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE)
    with LabelledFile(str(path)) as file:
        assert file.sentences[0].rows == ANNA
        strange = file.append([("\ufeffIt",)], ["O"])
        file.take_back(file.sentences[0])
    path.write_bytes(WHOLE)
    with LabelledFile(str(path)) as file:
        file.append([("\ufeffIt",)], ["O"])
        file.take_back(file.sentences[0])
        file.append(BEN, ["B-PER", "O"])
        file.take_back(file.sentences[1])
    with LabelledFile(str(path)) as file:
        assert file.sentences == [strange]
    path.unlink()
    with LabelledFile(str(path)) as file:
        file.append([("\ufeffIt",)], ["O"])
    with LabelledFile(str(path)) as file:
        assert file.sentences == [strange]
