"""brat's files in pairs: spans, what is left out, and annotations that do not fit the text."""

from pathlib import Path

import pytest

from tagfield.data.text.reading import read
from tagfield.data.text.records import Document, TextSpan
from tagfield.errors import InputError


def test_spans_are_read_and_annotations_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna Lee sings.\nBo too.", newline="")
    notes = "T1\tPER 0 8\tAnna Lee\nT2\tPER 0 4;16 18\tAnna Bo\nR1\tKnows Arg1:T1 Arg2:T2\n"
    (tmp_path / "a.ann").write_text(notes)
    for path in (tmp_path, tmp_path / "a.txt", tmp_path / "a.ann"):
        [document] = read(path)
        assert isinstance(document, Document)
        assert (document.spans, document.id) == ((TextSpan(0, 8, "PER"),), "a")
        assert len(document.meta["brat"]["lines"]) == 2
    (tmp_path / "b.ann").write_text("")
    with pytest.raises(InputError, match=r"b\.ann: there is no b\.txt beside it"):
        read(tmp_path)
    (tmp_path / "b.txt").write_text("Bo")
    for line, message in {
        "T1\tPER 0 9\tBo": "0 to 9 is outside the text, which has 2 characters",
        "T1\tPER 0 1\tBo": "0 to 1 is 'B' in the text, not 'Bo'",
        "nonsense": "is not an annotation",
    }.items():
        (tmp_path / "b.ann").write_text(f"\n{line}\n")
        with pytest.raises(InputError, match=rf"b\.ann, line 2: .*{message}"):
            read(tmp_path / "b.txt")


def test_annotations_that_are_a_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Anna sings.")
    (tmp_path / "a.ann").mkdir()
    with pytest.raises(InputError, match=r"a\.ann: this is a directory, not a file"):
        read(tmp_path)
