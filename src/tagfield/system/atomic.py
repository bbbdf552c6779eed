"""Write a file whole or not at all; every file of this package is written this way.

    with write_atomically(path) as file:  ─▶ a temporary file in the same folder
        file.write(...)                        │ flush, fsync
                                               ▼
                                          renamed to `path`; readers see the old file or the new one

If anything stops the block (an error, a full disk, Ctrl-C), the temporary file is removed and the old file stays. A
process that is killed leaves its temporary file behind, and the next write to the folder removes it. A living process
holds a lock on its temporary file, so that no other one removes it.
A device, a pipe or an open file (/dev/stdout) cannot be replaced by a rename, so it is written directly.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from tagfield.errors import OutputError

try:
    import fcntl
except ImportError:  # Windows: no such locks, so what a killed process left stays
    fcntl = None  # type: ignore[assignment]

TEMPORARY = re.compile(r"\.tagfield-[0-9a-f]{12}\.tmp")
DESCRIPTOR = re.compile(r"/dev/(?:(stdin|stdout|stderr)|fd/(\d{1,9}))")
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)

ADVICE = {
    errno.ENOSPC: "the disk is full; free some space or choose another folder",
    errno.EDQUOT: "your disk quota is used up; free some space or choose another folder",
    errno.EFBIG: "the file would be larger than the limit allows; raise the limit or choose another folder",
    errno.EACCES: "permission is denied; change the permissions or choose another folder",
    errno.EPERM: "permission is denied; change the permissions or choose another folder",
    errno.EROFS: "it is on a read-only disk; choose another folder",
    errno.ENOENT: "its folder does not exist; create the folder or choose another one",
    errno.ENOTDIR: "a part of the path is a file, not a folder; check the path",
    errno.EISDIR: "it is a folder; give the name of a file",
    errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
}


@contextmanager
def write_atomically(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open `path` for writing bytes; the new file appears when the block ends without an error.

    Permissions are those of `open(path, "wb")`: an existing file keeps its mode, a new file follows the umask, and a
    read-only file is an error. A symbolic link stays a link.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> with write_atomically(folder / "a.txt") as file:
    ...     _ = file.write(b"new")
    >>> (folder / "a.txt").read_bytes(), [entry.name for entry in folder.iterdir()]
    (b'new', ['a.txt'])
    """
    name = os.fspath(path)
    if descriptor_of(name) is not None:
        with _write_directly(name) as stream:
            yield stream
        return
    try:
        old = os.stat(name)
    except FileNotFoundError:
        old = None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _output_error(name, error, existed=False) from error

    if old is not None and stat.S_ISDIR(old.st_mode):
        raise _output_error(name, OSError(errno.EISDIR, ""), existed=False)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with _write_directly(name) as device:
            yield device
        return
    if old is not None:
        try:
            os.close(os.open(name, os.O_WRONLY))  # renaming does not check that the file itself may be written
        except OSError as error:
            raise _output_error(name, error, existed=True) from error

    target = os.path.realpath(name)
    _remove_orphans(os.path.dirname(target))
    temporary = ""
    file: BinaryIO | None = None
    try:
        temporary, descriptor = _create(os.path.dirname(target))
        file = os.fdopen(descriptor, "wb")
        if old is not None:
            os.chmod(temporary, stat.S_IMODE(old.st_mode))
        yield file
        file.flush()
        os.fsync(file.fileno())
        if fcntl is None:
            file.close()  # Windows renames no open file
        os.replace(temporary, target)  # still locked: a closed temporary file is an orphan
        file.close()
    except BaseException as error:
        if file is not None:
            with suppress(OSError):
                file.close()  # flushes once more, which fails again if the disk is full
        with suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError) and (error.filename is None or TEMPORARY.search(str(error.filename))):
            raise _output_error(name, error, existed=old is not None) from error
        raise  # not about this file: an error of the block itself, or Ctrl-C
    _sync_folder(os.path.dirname(target))


def descriptor_of(path: str) -> int | None:
    """The open file that a path such as /dev/stdout stands for; None for every other path.

    Behind it may be a regular file (`> log`), which must be written to where it is, and not replaced.

    >>> descriptor_of("/dev/stdout"), descriptor_of("/dev/fd/7"), descriptor_of("model")
    (1, 7, None)
    """
    found = DESCRIPTOR.fullmatch(path)
    if found is None:
        return None
    return {"stdin": 0, "stdout": 1, "stderr": 2}[found[1]] if found[1] else int(found[2])


def _create(folder: str) -> tuple[str, int]:
    """A new temporary file, locked; its path and descriptor."""
    while True:
        path = os.path.join(folder, f".tagfield-{os.urandom(6).hex()}.tmp")
        # 0o666, not mkstemp's 0o600: the system applies the umask, which cannot be read without setting it
        descriptor = os.open(path, CREATE, 0o666)
        if fcntl is None:
            return path, descriptor
        try:
            with suppress(PermissionError):  # a file system without locks; BlockingIOError is another one
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.stat(path), os.fstat(descriptor)):
                return path, descriptor
        except (BlockingIOError, FileNotFoundError):
            pass  # another process took it for an orphan, in the moment before it was locked
        os.close(descriptor)


def _remove_orphans(folder: str) -> None:
    """Remove temporary files whose process is gone."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not TEMPORARY.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):  # locked by its living owner, or not ours
                descriptor = os.open(entry.path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    os.unlink(entry.path)
                finally:
                    os.close(descriptor)


@contextmanager
def _write_directly(name: str) -> Iterator[BinaryIO]:
    file = None
    try:
        descriptor = descriptor_of(name)
        opened = name if descriptor is None else os.dup(descriptor)
        file = open(opened, "wb")  # noqa: SIM115 - closed below, so that a failing flush does not hide the first error
        yield file
        file.close()
    except BaseException as error:
        if file is not None:
            with suppress(OSError):
                file.close()
        if isinstance(error, OSError) and error.filename in (None, name):
            raise _output_error(name, error, existed=False) from error
        raise


def _output_error(name: str, error: Exception, *, existed: bool) -> OutputError:
    if isinstance(error, OSError):
        reason = ADVICE.get(error.errno or 0, f"{error.strerror or error}; choose another place")
    else:
        reason = f"{error}; check the path"
    kept = " (the file that was there is unchanged)" if existed else ""
    return OutputError(f"cannot write {name!r}: {reason}{kept}")


def _sync_folder(folder: str) -> None:
    """Make the rename survive a power failure. If that is not possible, the file is still whole."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
