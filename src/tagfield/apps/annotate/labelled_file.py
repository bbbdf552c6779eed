"""The labelled file: sentences with their labels, in columns, the label last.

    append ─▶ one write of the whole sentence ─▶ fsync ─▶ only then is it acknowledged
    take_back ─▶ the file without the sentence, written beside it and renamed

A process that is killed can leave an unfinished sentence at the end, which was never acknowledged; the next start cuts
it off. A file that another program has changed meanwhile is read again before anything is added. A lock keeps a second
process out.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from tagfield.data.text.records import Row
from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

BETWEEN = re.compile(rb"(?:[ \t]*\r?\n){2,}")  # sentences


@dataclass(frozen=True)
class Labelled:
    """A sentence of the file; lines that hold no tokens, such as comments, have no rows."""

    raw: bytes  # its lines, without the empty one
    rows: tuple[Row, ...]
    labels: tuple[str, ...]


class LabelledFile:
    """The sentences of a file, which may not exist yet.

    columns: how many cells a token has, without its label
    begins: whether rows are the beginning of a known sentence, but not all of it: then they are unfinished

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labelled.txt")
    >>> with LabelledFile(str(path)) as file:
    ...     _ = file.append((("Anna",), ("left",)), ["B-PER", "O"])
    >>> path.read_text()
    'Anna\\tB-PER\\nleft\\tO\\n\\n'
    """

    def __init__(self, path: str, columns: int = 1, begins: Callable[[Sequence[Row]], bool] = lambda rows: False):
        self.path, self._columns, self._begins = path, columns, begins
        self.sentences: list[Labelled] = []
        self.cut: bytes = b""  # an unfinished sentence that was cut off
        self._descriptor = -1
        self._size = 0
        self._open()
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "LabelledFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def append(self, rows: Sequence[Row], labels: Sequence[str]) -> Labelled:
        """Add a sentence; when this returns, it is on the disk. OutputError if that cannot be done."""
        lines = ["\t".join((*row, label)) for row, label in zip(rows, labels, strict=True)]
        added = Labelled("\n".join(lines).encode(), tuple(rows), tuple(labels))
        self.refresh()
        block = added.raw + b"\n\n"
        try:
            written = os.write(self._descriptor, block)
            if written < len(block):
                raise OSError(28, "the disk is full")
            os.fsync(self._descriptor)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._descriptor, self._size)  # nothing of it may stay
            raise OutputError(f"cannot write {self.path!r}: {error.strerror or error}; nothing was added") from error
        self._size += len(block)
        self.sentences.append(added)
        return added

    def take_back(self, sentence: Labelled) -> None:
        """Remove a sentence; readers see the file with it or without it."""
        self.refresh()
        kept = list(self.sentences)
        place = next((k for k in range(len(kept) - 1, -1, -1) if kept[k].raw == sentence.raw), None)
        if place is None:
            raise OutputError(f"{self.path!r} no longer has this sentence, so it cannot be taken back")
        del kept[place]
        self._rewrite(kept)

    def refresh(self) -> bool:
        """Read the file again if another program has changed or replaced it; whether that was so."""
        try:
            now, ours = os.stat(self.path), os.fstat(self._descriptor)
            if os.path.samestat(now, ours) and now.st_size == self._size:
                return False
        except FileNotFoundError:
            self._rewrite(self.sentences)  # what was labelled must not be lost
            return False
        self.close()
        self._open()
        self._read()
        return True

    def _rewrite(self, sentences: list[Labelled]) -> None:
        with write_atomically(self.path) as file:
            file.write(b"".join(each.raw + b"\n\n" for each in sentences))
        self.close()
        self._open()
        self.sentences, self._size = sentences, os.fstat(self._descriptor).st_size

    def _open(self) -> None:
        new = not os.path.exists(self.path)
        try:
            found = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o666)
        except (OSError, ValueError) as error:
            raise OutputError(f"cannot write {self.path!r}: {getattr(error, 'strerror', None) or error}") from None
        if fcntl is not None:
            try:
                fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(found)
                raise OutputError(f"{self.path!r} is being labelled by another process; use its page") from None
            except OSError:
                pass  # a file system without locks
        self._descriptor = found
        if new and os.name == "posix":
            with suppress(OSError):
                folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)

    def _read(self) -> None:
        """The sentences of the file; an unfinished one at its end is cut off, and a missing empty line added."""
        with open(self.path, "rb") as file:
            raw = file.read()
        self._size = len(raw)
        text = raw.removeprefix(b"\xef\xbb\xbf").strip(b"\r\n")
        blocks = [block for block in BETWEEN.split(text) if block.strip()]
        ended = not raw.strip() or re.search(rb"\n[ \t]*\r?\n\Z", raw) is not None
        last = blocks.pop() if blocks and not ended else None
        self.sentences = [self._sentence(block, number) for number, block in enumerate(blocks, start=1)]
        if last is not None and self._is_unfinished(last, raw.endswith(b"\n")):
            self.cut, last = last, None
        if last is not None:
            self.sentences.append(self._sentence(last, len(blocks) + 1))
        if not ended:
            self._rewrite(self.sentences)

    def _is_unfinished(self, block: bytes, whole_lines: bool) -> bool:
        """Whether the last sentence, which no empty line ends, is what a killed process left of one."""
        lines = [_cells(line) for line in block.decode(errors="replace").splitlines()]
        if not whole_lines and len(lines[-1]) != self._columns + 1:
            return True
        if self._begins([tuple(cells[: self._columns]) for cells in lines]):
            return True
        labels = {label for each in self.sentences for label in each.labels} | {cells[-1] for cells in lines[:-1]}
        return not whole_lines and lines[-1][-1] not in labels  # perhaps half of a label

    def _sentence(self, block: bytes, number: int) -> Labelled:
        try:
            lines = block.decode().splitlines()
        except UnicodeDecodeError:
            raise InputError(f"{self.path}: sentence {number} is not UTF-8; choose another file with -o") from None
        rows, labels = [], []
        for line in lines:
            cells = _cells(line)
            if line.startswith("#") and len(cells) != self._columns + 1:
                continue  # a comment
            if len(cells) != self._columns + 1:
                raise InputError(
                    f"{self.path}: sentence {number} has a line of {len(cells)} cells ({line[:60]!r}), but "
                    f"{self._columns + 1} are expected; choose another file with -o"
                )
            rows.append(tuple(cells[:-1]))
            labels.append(cells[-1])
        return Labelled(block, tuple(rows), tuple(labels))


def _cells(line: str) -> list[str]:
    return line.split("\t") if "\t" in line else line.split()
