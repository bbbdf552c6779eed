"""The labelled file: sentences with their labels, in columns, the label last.

    append ─▶ one write of the whole sentence ─▶ fsync ─▶ only then is it acknowledged
    take_back ─▶ the file without the sentence, written beside it and renamed
    refresh ─▶ is the file what was read or written last, byte by byte? ─▶ if not, read it again

The bytes that were read are kept, and nothing is written to a file that holds others. So an edit by hand is never
overwritten: it is read first, or refused with the reason while it cannot be read. If it lacks a sentence that was
labelled here, what was known before is kept in a file beside it (labelled.kept-1.txt).

A process that is killed can leave an unfinished sentence at the end, which was never acknowledged; the next start cuts
it off, and keeps it beside the file too. A lock keeps a second process out.
"""

import os
from codecs import BOM_UTF8 as BOM
from collections.abc import Callable, Sequence
from contextlib import suppress

from tagfield.apps.annotate.labelled_lines import Block, Labelled, after_bom, comments, gap, parse
from tagfield.data.text.records import Row
from tagfield.errors import InputError, OutputError
from tagfield.system.atomic import write_atomically

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

PIECE = 1 << 20  # bytes that are compared at once

Begins = Callable[[Sequence[Row]], bool]
Check = Callable[[Sequence[Labelled]], None]  # raises InputError for sentences that cannot be used


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

    def __init__(self, path: str, columns: int = 1, begins: Begins = lambda rows: False):
        self.path, self._columns, self._begins = path, columns, begins
        self.version = 0  # how often the sentences were read
        self.cut = ""  # the file with an unfinished sentence that was cut off
        self._blocks: list[Block] = []
        self._content = bytearray()  # of the file, as it was read or written last
        self._added: list[Labelled] = []  # by this process
        self._taken_back: set[Labelled] = set()
        self._descriptor = self._open()
        try:
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> "LabelledFile":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def sentences(self) -> list[Labelled]:
        """The sentences, in the order of the file."""
        return [block.sentence for block in self._blocks]

    def __len__(self) -> int:
        return len(self._blocks)

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def append(self, rows: Sequence[Row], labels: Sequence[str]) -> Labelled:
        """Add a sentence; when this returns, it is on the disk. OutputError if that cannot be done."""
        lines = ["\t".join((*row, label)) for row, label in zip(rows, labels, strict=True)]
        raw = "\n".join(lines).encode()
        self._expect_unchanged()
        before = gap(self._content, raw)
        block = before + raw + b"\n\n"
        size, written = len(self._content), 0
        try:
            written = os.write(self._descriptor, block)
            if written < len(block):
                raise OSError(28, "the disk is full")
            os.fsync(self._descriptor)
            now = os.stat(self.path)
            if not os.path.samestat(now, os.fstat(self._descriptor)) or now.st_size != size + len(block):
                raise OSError(0, "another program changed it at the same moment")
        except OSError as error:
            with suppress(OSError):
                if os.fstat(self._descriptor).st_size == size + written:
                    os.ftruncate(self._descriptor, size)  # nothing of it may stay
            raise OutputError(f"cannot write {self.path!r}: {error.strerror or error}; nothing was added") from error
        added = Labelled(tuple(rows), tuple(labels))
        self._content += block
        self._blocks.append(Block(size + len(before), added))
        self._added.append(added)
        return added

    def take_back(self, sentence: Labelled) -> None:
        """Remove a sentence, but not its comments; readers see the file with it or without it."""
        place = next((k for k in range(len(self) - 1, -1, -1) if self._blocks[k].sentence == sentence), None)
        if place is None:
            raise OutputError(f"{self.path!r} no longer has this sentence, so it cannot be taken back")
        start = self._blocks[place].start
        end = self._blocks[place + 1].start if place + 1 < len(self) else len(self._content)
        left = comments(self._content[start:end], self._columns)  # written by hand
        left += b"\n" if left else b""
        content = self._content[:start] + left + self._content[end:]
        extra = BOM if not after_bom(self._content) and content.startswith(BOM) else b""
        self._replace(extra + content)
        moved = len(extra) + len(left) - (end - start)
        here = [Block(start + len(extra), Labelled((), ()))] if left else []
        before = [Block(each.start + len(extra), each.sentence) for each in self._blocks[:place]]
        self._blocks = before + here + [Block(each.start + moved, each.sentence) for each in self._blocks[place + 1 :]]
        self._taken_back.add(sentence)
        with suppress(ValueError):
            self._added.remove(sentence)

    def refresh(self, check: Check = lambda sentences: None) -> bool:
        """Read the file again if another program has changed or replaced it; whether that was so.

        OutputError if it cannot be read now, then nothing changes; and once if it lacks sentences that were labelled
        here, which are kept in another file.
        """
        try:
            raw = self._changed()
        except FileNotFoundError:
            self._replace(self._content, gone=True)  # what was labelled must not be lost
            return False
        if raw is None:
            return False
        said = f"{os.path.basename(self.path)!r} was changed by another program"
        try:
            blocks, unfinished = parse(raw, self._columns, self._begins, self.path)
            if unfinished is not None:
                raise InputError(f"{self.path}, line {unfinished.line}: the last sentence is not finished")
            check([block.sentence for block in blocks])
        except InputError as error:
            lost = [each for each in self._added if "\n".join(each.lines()).encode() not in raw]
            kept = self._keep(lost)
            why = str(error).removeprefix(f"{self.path}, ")
            advice = "correct the file and save it, then try again"
            raise OutputError(f"{said} and cannot be used now ({why}); {advice}{kept}") from None
        here = {block.sentence for block in blocks}
        lost = self._lost(here)
        kept = self._keep(lost)
        if not self._is_ours():
            descriptor = self._open()
            self.close()
            self._descriptor = descriptor
        self._blocks, self._content = blocks, bytearray(raw)
        self._added = [each for each in self._added if each in here]
        self.version += 1
        if lost:
            many = "a sentence" if len(lost) == 1 else f"{len(lost)} sentences"
            raise OutputError(f"{said} and no longer has {many} as labelled here; try again to go on with it{kept}")
        return True

    def _lost(self, here: set[Labelled]) -> list[Labelled]:
        """Sentences that were labelled here, of which the file has nothing, or only what was taken back.

        Other labels for the same words are a correction by hand.
        """
        corrected = {each.rows for each in here - self._taken_back}
        return [each for each in self._added if each not in here and each.rows not in corrected]

    # The bytes of the file

    def _is_ours(self) -> bool:
        """Whether the path still leads to the file that is open and locked."""
        with suppress(OSError):
            return os.path.samestat(os.stat(self.path), os.fstat(self._descriptor))
        return False

    def _changed(self) -> bytes | None:
        """The bytes of the file if they are not those that are known, or if it is another file; else None."""
        try:
            with open(self.path, "rb") as file:
                if not os.access(self.path, os.W_OK):
                    raise PermissionError(13, "permission is denied; make the file writable, then try again")
                at, same = 0, os.path.samestat(os.fstat(file.fileno()), os.fstat(self._descriptor))
                while same:
                    piece = file.read(PIECE)
                    if not piece and at == len(self._content):
                        return None
                    same = bool(piece) and piece == self._content[at : at + len(piece)]
                    at += len(piece)
                file.seek(0)
                return file.read()
        except FileNotFoundError:
            raise
        except OSError as error:
            raise OutputError(f"cannot write {self.path!r}: {error.strerror or error}") from None

    def _expect_unchanged(self, *, gone: bool = False) -> None:
        try:
            changed = self._changed() is not None or gone
        except FileNotFoundError:
            changed = not gone
        if changed:
            raise OutputError(f"{self.path!r} was changed by another program just now; try again")

    def _replace(self, content: bytes | bytearray, *, gone: bool = False) -> None:
        """Write the file anew, if it still is what was read, or still is gone."""
        copy = -1
        try:
            with write_atomically(self.path) as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if fcntl is not None:
                    copy = os.dup(file.fileno())  # it has the lock of the file, which so is never without one
                    fcntl.fcntl(copy, fcntl.F_SETFL, fcntl.fcntl(copy, fcntl.F_GETFL) | os.O_APPEND)
                self._expect_unchanged(gone=gone)
        except BaseException:
            if copy >= 0:
                os.close(copy)
            raise
        self.close()
        self._descriptor = copy if copy >= 0 else self._open()
        self._content = bytearray(content)

    def _keep(self, lost: Sequence[Labelled]) -> str:
        """Keep the sentences as they are known here in a new file, if some would be lost; the end of a message."""
        if not lost:
            return ""
        return f"; what was known before is kept in {os.path.basename(self._kept(bytes(self._content)))!r}"

    def _kept(self, content: bytes) -> str:
        """A new file beside this one with these bytes; not a second one with the same bytes."""
        root, ending = os.path.splitext(self.path)
        number = 1
        while True:
            path = f"{root}.kept-{number}{ending}"
            try:
                with open(path, "rb") as file:
                    if file.read() == content:
                        return path
            except FileNotFoundError:
                break
            except OSError:
                pass
            number += 1
        with write_atomically(path) as file:
            file.write(content)
        return path

    def _open(self) -> int:
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
        if new and os.name == "posix":
            with suppress(OSError):
                folder = os.open(os.path.dirname(os.path.abspath(self.path)), os.O_RDONLY)
                try:
                    os.fsync(folder)
                finally:
                    os.close(folder)
        return found

    def _start(self) -> None:
        """Read the file for the first time; an unfinished sentence at its end is cut off."""
        with open(self.path, "rb") as file:
            self._content = bytearray(file.read())
        try:
            self._blocks, unfinished = parse(bytes(self._content), self._columns, self._begins, self.path)
        except InputError as error:
            raise InputError(f"{error}; choose another file with -o") from None
        if unfinished is not None:
            self.cut = self._kept(bytes(self._content[unfinished.start :]))
            self._replace(self._content[: unfinished.start])
