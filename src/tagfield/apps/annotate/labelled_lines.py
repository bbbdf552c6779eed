"""The lines of the labelled file ─▶ its sentences, and where each one begins.

Lines and cells are those of column files: LF or CRLF ends a line, tabs separate cells, or spaces where a line has no
tab. Every other character is a part of a cell, also those that Unicode calls line breaks or spaces.
"""

from codecs import BOM_UTF8 as BOM
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tagfield.data.text.records import Row
from tagfield.errors import InputError, shown


@dataclass(frozen=True)
class Labelled:
    """A sentence of the file; lines that hold no tokens, such as comments, have no rows."""

    rows: tuple[Row, ...]
    labels: tuple[str, ...]

    def lines(self) -> list[str]:
        """The lines of the file, as `LabelledFile.append` writes them."""
        return ["\t".join((*row, label)) for row, label in zip(self.rows, self.labels, strict=True)]


class Block(NamedTuple):
    """A sentence and its first byte."""

    start: int
    sentence: Labelled


class Unfinished(NamedTuple):
    """What a killed process left of a sentence: its first byte and line."""

    start: int
    line: int


class _Lines(NamedTuple):
    start: int  # first byte
    line: int  # number of the first line
    lines: list[bytes]


def parse(
    raw: bytes, columns: int, begins: Callable[[Sequence[Row]], bool], name: str
) -> tuple[list[Block], Unfinished | None]:
    """The sentences of a file; and its last one, if no empty line ends it and it looks like a part of one.

    columns: how many cells a token has, without its label
    begins: whether rows are the beginning of a known sentence, but not all of it

    >>> parse("a\\u2028b\\tX\\n\\nc O\\n".encode(), 1, lambda rows: False, "a.txt")[0][1]
    Block(start=9, sentence=Labelled(rows=(('c',),), labels=('O',)))
    """
    groups = _groups(raw)
    ended = not groups or gap(raw, b"") == b""
    last = None if ended else groups[-1]
    blocks = [Block(group.start, _sentence(group, columns, name)) for group in (groups if ended else groups[:-1])]
    if last is None:
        return blocks, None
    if _is_unfinished(last, raw.endswith(b"\n"), blocks, columns, begins):
        return blocks, Unfinished(last.start, last.line)
    return [*blocks, Block(last.start, _sentence(last, columns, name))], None


def gap(content: bytes | bytearray, block: bytes) -> bytes:
    """What must stand between the content of a file and a new sentence.

    >>> gap(b"a O", b""), gap(b"a O\\n", b""), gap(b"a O\\n\\n", b""), gap(b"", b"")
    (b'\\n\\n', b'\\n', b'', b'')
    """
    if len(content) == after_bom(content):
        return BOM if not content and block.startswith(BOM) else b""  # the first one is no text
    if not content.endswith(b"\n"):
        return b"\n\n"
    end = content.rfind(b"\n", 0, len(content) - 1)
    return b"\n" if content[end + 1 :].strip(b" \t\r\n") else b""


def after_bom(content: bytes | bytearray) -> int:
    """Where the text begins: after a byte order mark."""
    return len(BOM) if content.startswith(BOM) else 0


def comments(raw: bytes | bytearray, columns: int) -> bytes:
    """The comments among the lines of a sentence.

    >>> comments(b"# sure? Ask Ben\\nAnna\\tO\\n\\n", 1)
    b'# sure? Ask Ben\\n'
    """
    lines = raw.decode().split("\n")
    return "".join(f"{line}\n" for line in lines if _is_comment(line, _cells(line), columns)).encode()


def _is_comment(line: str, cells: list[str], columns: int) -> bool:
    return line.startswith("#") and len(cells) != columns + 1


def _groups(raw: bytes) -> list[_Lines]:
    """Lines that stand together, without empty lines between them."""
    groups: list[_Lines] = []
    at, inside = after_bom(raw), False
    for number, line in enumerate(raw[at:].split(b"\n"), start=1):
        text = line.removesuffix(b"\r")
        if not text.strip(b" \t"):
            inside = False
        elif inside:
            groups[-1].lines.append(text)
        else:
            groups.append(_Lines(at, number, [text]))
            inside = True
        at += len(line) + 1
    return groups


def _is_unfinished(
    group: _Lines, whole_lines: bool, before: list[Block], columns: int, begins: Callable[[Sequence[Row]], bool]
) -> bool:
    lines = [_cells(line.decode(errors="replace")) for line in group.lines]
    if not whole_lines and (len(lines[-1]) != columns + 1 or "" in lines[-1]):
        return True
    if begins([tuple(cells[:columns]) for cells in lines]):
        return True
    labels = {label for block in before for label in block.sentence.labels} | {cells[-1] for cells in lines[:-1]}
    last = lines[-1][-1]
    half = last not in labels or any(label.startswith(last) for label in labels - {last})  # perhaps half of a label
    return not whole_lines and half


def _sentence(group: _Lines, columns: int, name: str) -> Labelled:
    rows, labels = [], []
    for number, raw in enumerate(group.lines, start=group.line):
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            raise InputError(f"{name}, line {number}: the bytes are not UTF-8") from None
        cells = _cells(line)
        if _is_comment(line, cells, columns):
            continue
        if len(cells) != columns + 1 or "" in cells:
            found = "an empty cell" if "" in cells else f"a line of {len(cells)} cells"
            raise InputError(
                f"{name}, line {number}: found {found} ({shown(line, 60)}), but {columns + 1} are expected"
            )
        rows.append(tuple(cells[:-1]))
        labels.append(cells[-1])
    return Labelled(tuple(rows), tuple(labels))


def _cells(line: str) -> list[str]:
    if "\t" not in line:
        return [cell for cell in line.split(" ") if cell]
    return line.rstrip(" ").split("\t")  # an editor may leave spaces at the end
