"""The table of formats: complete, without two formats for one ending, and described in a line."""

from collections import Counter

import pytest

from tagfield.data.text.formats.file_format import FileFormat
from tagfield.data.text.formats.table import FILE_FORMATS, READ, SEPARATORS, WRITTEN, check_format, describe
from tagfield.errors import InputError


def test_a_format_is_read_or_written_and_says_what_it_is() -> None:
    for name, format in FILE_FORMATS.items():
        assert format.read is not None or format.target is not None, name
        assert bool(format.about) == (format.read is not None), name
        assert format.recognise is None or format.read is not None, name
    for name, target in WRITTEN.items():
        assert (target.write is None) != (target.store is None), name
        assert target.takes in ("sentences", "documents", "records"), name


def test_no_two_formats_share_an_ending() -> None:
    counts = Counter(ending for format in FILE_FORMATS.values() for ending in format.endings)
    assert [ending for ending, count in counts.items() if count > 1 or not ending.startswith(".")] == []


@pytest.mark.parametrize("name", ["prodigy", "label-studio", "tokens", "xml", ""])
def test_dialects_that_are_only_written_cannot_be_read(name: str) -> None:
    assert name not in READ
    with pytest.raises(InputError, match=f"no format named '{name}'; choose columns, conllu, .* or text"):
        check_format(name)


@pytest.mark.parametrize(
    ("form", "labels", "line"),
    [
        (FileFormat("columns", ("w",)), None, "columns: word"),
        (FileFormat("columns", ("w", "_", "y"), "\t"), 1, "columns: word, ignored, label (tab-separated, 1 label)"),
        (FileFormat("csv", ("w", "y"), ";"), 12345, "table: word, label (semicolon-separated, 12,345 labels)"),
        (FileFormat("jsonl", holds="text"), 0, "JSON lines: text (0 labels)"),
        (FileFormat("conllu", ("w", "y"), "\t", comments=True), None, "CoNLL-U: word, label (tab-separated)"),
        (FileFormat("text"), None, "plain text, a line at a time"),
    ],
)
def test_a_format_is_described_in_a_line(form: FileFormat, labels: int | None, line: str) -> None:
    assert describe(form, labels) == line


def test_every_separator_has_a_word() -> None:
    for separator, word in SEPARATORS.items():
        assert f"({word}-separated)" in describe(FileFormat("columns", ("w", "y"), separator))
