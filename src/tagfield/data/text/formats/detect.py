"""Finds the format of a file from its name and its first part.

    Source ─▶ kind: by first bytes, name or text ─▶ layout: separator, header, roles of the columns ─▶ FileFormat

You can set each of them instead: format, columns, header. `describe` says in one line what was found.
"""

from collections.abc import Callable, Sequence

from tagfield.data.text.formats.file_format import SENTENCE, FileFormat, Known
from tagfield.data.text.formats.table import FILE_FORMATS, Format, check_format
from tagfield.data.text.sources import SMALL, SMALLER, Source
from tagfield.data.text.templates.template import IGNORED, LABEL
from tagfield.errors import InputError
from tagfield.system.memory import check_fits

HEAD = 1 << 16  # bytes that are inspected
DECODED = 10.0  # bytes of memory for a byte of a line that is decoded and cut into cells


def detect(
    source: Source,
    *,
    format: str | None = None,
    columns: str | None = None,
    header: bool | None = None,
    expected: Sequence[str] = (),
) -> FileFormat:
    """What a file is.

    format, columns, header: what you know; the rest is found
    expected: the columns of a model's template, for files whose columns have no names

    >>> detect(Source("train.txt", b"word\\tlabel\\nAnna\\tB-PER\\n")).roles
    ('w', 'y')
    >>> detect(Source("data", b'{"text": "Anna sings.", "spans": []}')).kind
    'jsonl'
    """
    head = _head(source)
    kind = check_format(format) if format is not None else _kind(source, head)
    given = tuple(columns.split()) if columns is not None else ()
    if columns is not None and not {*given} - {LABEL, IGNORED, SENTENCE}:
        raise InputError(f"columns {columns!r}: name at least one column besides the label")
    roles = [role for role in given if role != IGNORED]
    if len(set(roles)) < len(roles):
        raise InputError(f"columns {columns!r}: a role occurs twice; name each role once")
    layout = FILE_FORMATS[kind].layout
    known = Known(given, header, tuple(expected))
    return FileFormat(kind) if layout is None else layout(source, _whole_line(source, head), known)


def kind_of(source: Source) -> str:
    """The format of a file: a name in FILE_FORMATS.

    >>> kind_of(Source("data", b"NN\\tw=dog\\tlength:3\\n"))
    'items'
    """
    return _kind(source, _head(source))


def _head(source: Source) -> str:
    raw = source.text[:HEAD] if source.text[:1] not in (b"\n", b"\r") else source.text.lstrip(b"\r\n")[:HEAD]
    text = raw.decode(errors="replace")
    return text if len(raw) < HEAD else text[: text.rfind("\n") + 1] or text


def _whole_line(source: Source, head: str) -> str:
    """The head, with the whole of the first line if that is longer."""
    if "\n" in head or len(source.text) <= HEAD:
        return head
    raw = source.text.lstrip(b"\r\n")
    end = raw.find(b"\n")
    line = raw if end < 0 else raw[: end + 1]
    if len(line) > SMALL:
        check_fits(DECODED * len(line), f"{source.name}: the first line", SMALLER)
    return line.decode(errors="replace")


def _kind(source: Source, head: str) -> str:
    if source.kind:
        return source.kind
    name = source.name.lower().removesuffix(".gz")
    tests: tuple[Callable[[Format], bool], ...] = (
        lambda each: source.text.startswith(each.begins),
        lambda each: each.decides and name.endswith(each.endings),
        lambda each: each.recognise is not None and each.recognise(head),
    )
    found = (kind for test in tests for kind, each in FILE_FORMATS.items() if test(each))
    return next(found, "columns")
