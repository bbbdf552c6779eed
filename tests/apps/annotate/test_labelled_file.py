"""The labelled file: what a killed process leaves, other programs that change it, a second process, a full disk."""

import os
from pathlib import Path

import pytest

from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.errors import InputError, OutputError

ANNA = (("Anna",), ("left",), (".",))
BEN = (("Ben",), ("stays",))
WHOLE = b"Anna\tB-PER\nleft\tO\n.\tO\n\n"


def begins(rows: object) -> bool:
    found = tuple(rows)  # type: ignore[arg-type]
    return any(found == each[: len(found)] and len(found) < len(each) for each in (ANNA, BEN))


def test_every_cut_of_the_last_sentence_leaves_the_ones_before_it(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    last = b"Ben\tB-PER\nstays\tO\n\n"
    for size in range(len(last)):
        path.write_bytes(WHOLE + last[:size])
        with LabelledFile(str(path), 1, begins) as file:
            assert [each.rows for each in file.sentences][:1] == [ANNA]
            assert file.sentences[0].labels == ("B-PER", "O", "O")
            assert len(file.sentences) == (2 if size >= len(last) - 2 else 1), last[:size]
            file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes().startswith(WHOLE)
        assert path.read_bytes().endswith(b"\n\n" + last)


def test_a_file_of_somebody_else_keeps_its_last_sentence(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    path.write_bytes(b"# from elsewhere\nIt O\nrains O\n\nAnna B-PER\nsings O")
    with LabelledFile(str(path), 1, begins) as file:
        assert [each.labels for each in file.sentences] == [("O", "O"), ("B-PER", "O")]
        assert file.cut == b""
    assert path.read_bytes() == b"# from elsewhere\nIt O\nrains O\n\nAnna B-PER\nsings O\n\n"


def test_changes_by_another_program_are_seen_before_anything_is_added(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    with LabelledFile(str(path)) as file:
        file.append(ANNA, ["B-PER", "O", "O"])
        path.with_name("new").write_bytes(b"It\tO\n\n")
        os.replace(path.with_name("new"), path)  # as editors save
        file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == b"It\tO\n\nBen\tB-PER\nstays\tO\n\n"
        path.unlink()
        file.append(ANNA, ["B-PER", "O", "O"])
        assert path.read_bytes() == b"It\tO\n\nBen\tB-PER\nstays\tO\n\n" + WHOLE
        file.take_back(file.sentences[1])
        assert path.read_bytes() == b"It\tO\n\n" + WHOLE


def test_a_second_process_is_kept_out(tmp_path: Path) -> None:
    path = str(tmp_path / "labelled.txt")
    with LabelledFile(path), pytest.raises(OutputError, match="is being labelled by another process"):
        LabelledFile(path)
    LabelledFile(path).close()


def test_a_full_disk_leaves_nothing_of_the_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "labelled.txt"
    with LabelledFile(str(path)) as file:
        file.append(ANNA, ["B-PER", "O", "O"])
        real = os.write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
            with pytest.raises(OutputError, match="the disk is full; nothing was added"):
                file.append(BEN, ["B-PER", "O"])
        assert path.read_bytes() == WHOLE
        file.append(BEN, ["B-PER", "O"])
    assert path.read_bytes() == WHOLE + b"Ben\tB-PER\nstays\tO\n\n"


def test_files_that_are_no_labelled_words_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "labelled.txt"
    for raw, said in ((b'{"a":1}\n\n', "a line of 1 cells"), (b"a b c\n\n", "3 cells"), (b"\xff\tO\n\n", "not UTF-8")):
        path.write_bytes(raw)
        with pytest.raises(InputError, match=said):
            LabelledFile(str(path))
