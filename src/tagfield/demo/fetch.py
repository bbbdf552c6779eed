"""fetch(): downloads a public corpus to the cache folder and verifies its checksums.

    https://…/train.txt.gz ─▶ train.txt.gz.part (resumed by Range) ─┐
    a folder, or a .zip or .tar file ───────────────────────────────┴─▶ unpacked ─▶ sha256 ─▶ CACHE/conll2000/train.txt

A file gets its final name only after its checksum matches. An interrupted download leaves a `.part` file, which the
next call resumes.
"""

import gzip
import hashlib
import http.client
import io
import os
import re
import tarfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from tagfield.errors import InputError, OutputError, TagfieldError
from tagfield.system.atomic import write_atomically

OnBytes: TypeAlias = Callable[[str, int, int | None], None]  # name, bytes so far, total bytes
TIMEOUT = 30.0  # seconds
ATTEMPTS = 3  # each resumes where the last one stopped
ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")


@dataclass(frozen=True)
class Remote:
    """A public corpus: its URL and the checksums of its unpacked files."""

    name: str
    home: str  # the URL of the folder that has the files
    sha256: dict[str, str]  # file name → checksum


CORPORA = {
    "conll2000": Remote(
        "conll2000",
        "https://www.clips.uantwerpen.be/conll2000/chunking/",
        {
            "train.txt": "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea",
            "test.txt": "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628",
        },
    )
}


def cache_folder() -> Path:
    """The folder of downloaded corpora: $XDG_CACHE_HOME/tagfield, or ~/.cache/tagfield.

    >>> cache_folder().name
    'tagfield'
    """
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "tagfield"


def fetch(
    corpus: Remote, source: str | None = None, *, cache: Path | None = None, on_bytes: OnBytes | None = None
) -> Path:
    """Downloads the files of a corpus that the cache lacks, and returns the folder.

    source: a local folder or archive, or the URL of one, to use instead of the corpus's home
    """
    folder = (cache or cache_folder()) / corpus.name
    wanted = {name: sha for name, sha in corpus.sha256.items() if _checksum(folder / name) != sha}
    if not wanted:
        return folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot create folder {str(folder)!r}: {error.strerror}; set XDG_CACHE_HOME to another folder"
        ) from error
    origin = source or corpus.home
    if not re.match("https?://", origin):
        found = _from_disk(Path(origin), wanted)
    elif urllib.parse.urlsplit(origin).path.endswith(ARCHIVES):
        found = _from_url(corpus, origin, "archive", folder, wanted, on_bytes)
    else:
        found = {}
        for name, sha in wanted.items():
            url = f"{origin.removesuffix('/')}/{name}.gz"
            found |= _from_url(corpus, url, f"{name}.gz", folder, {name: sha}, on_bytes)
    for name, text in found.items():
        with write_atomically(folder / name) as file:
            file.write(text)
    return folder


def _checksum(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def _from_disk(path: Path, wanted: dict[str, str]) -> dict[str, bytes]:
    if path.is_file():
        return _checked(str(path), dict(_members(path.name, path.read_bytes())), wanted)
    if not path.is_dir():
        raise InputError(f"{str(path)!r} is not a folder or archive; give one that contains {_list(wanted)}")
    files = {
        plain.name: plain.read_bytes()
        for name in wanted
        for plain in (path / name, path / f"{name}.gz")
        if plain.is_file()
    }
    return _checked(str(path), files, wanted)


def _from_url(
    corpus: Remote, url: str, name: str, folder: Path, wanted: dict[str, str], on_bytes: OnBytes | None
) -> dict[str, bytes]:
    """Downloads and unpacks a file. If a resumed download has a wrong checksum, it starts over once."""
    part = folder / f"{name}.part"
    for fresh in (False, True):
        resumed = part.exists() and not fresh
        if fresh:
            part.unlink(missing_ok=True)
        _download(corpus, url, part, on_bytes)
        try:
            address = urllib.parse.urlsplit(url).path.rsplit("/", 1)[-1]
            found = _checked(url, dict(_members(address, part.read_bytes())), wanted)
        except InputError:
            if not resumed:
                part.unlink(missing_ok=True)
                raise
        else:
            part.unlink(missing_ok=True)
            return found
    raise AssertionError("a fresh download either returns or raises")


def _download(corpus: Remote, url: str, part: Path, on_bytes: OnBytes | None) -> None:
    problem: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            if _download_once(url, part, on_bytes):
                return
            problem = EOFError("the connection closed early")
        except urllib.error.HTTPError as error:
            error.close()
            raise TagfieldError(
                f"{url}: the server answered {error.code} {error.reason}. {_offline_advice(corpus)}"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            if part.exists() and isinstance(error, OSError) and error.filename == str(part):
                raise OutputError(f"cannot write {str(part)!r}: {error.strerror}") from error
            problem = reason if isinstance(reason, Exception) else OSError(reason)
    kept = part.stat().st_size if part.exists() else 0
    more = f" {kept:,} bytes are saved; run the same command to resume." if kept else ""
    raise TagfieldError(f"cannot download {url}: {problem}.{more} {_offline_advice(corpus)}")


def _download_once(url: str, part: Path, on_bytes: OnBytes | None) -> bool:
    """Resumes or starts a download; returns whether the file is complete."""
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        with error:  # 416, no bytes after ours: the part is complete, or belongs to another file
            size = re.fullmatch(r"bytes \*/(\d+)", error.headers.get("Content-Range", ""))
        if size and int(size[1]) == have:
            return True
        part.unlink()
        return False
    with response:
        span = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        resumes = response.status == 206 and span is not None and int(span[1]) == have
        if response.status == 206 and not resumes:
            part.unlink()
            return False
        length = response.headers.get("Content-Length")
        done = have if resumes else 0
        total = done + int(length) if length is not None and length.isdigit() else None
        with open(part, "ab" if resumes else "wb") as file:
            for block in _blocks(response):
                file.write(block)
                done += len(block)
                if on_bytes is not None:
                    on_bytes(part.name.removesuffix(".part"), done, total)
    return total is None or done >= total


def _blocks(response: IO[bytes]) -> Iterator[bytes]:
    with suppress(http.client.IncompleteRead):  # keep what arrived; the length shows that it is incomplete
        while block := response.read(1 << 16):
            yield block


def _members(name: str, raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The files in an archive, without their folders; or the file itself."""
    try:
        if name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(raw)) as bag:
                yield from ((Path(m).name, bag.read(m)) for m in bag.namelist() if not m.endswith("/"))
        elif name.endswith(ARCHIVES):
            with tarfile.open(fileobj=io.BytesIO(raw)) as tar:
                for member in tar:
                    file = tar.extractfile(member) if member.isfile() else None
                    if file is not None:
                        yield Path(member.name).name, file.read()
        else:
            yield name, raw
    except (zipfile.BadZipFile, tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise InputError(f"{name}: the archive is damaged or incomplete ({error})") from None


def _checked(origin: str, files: dict[str, bytes], wanted: dict[str, str]) -> dict[str, bytes]:
    found = {}
    for name, sha in wanted.items():
        packed = files.get(f"{name}.gz")
        text = files.get(name)
        if text is None and packed is not None:
            try:
                text = gzip.decompress(packed)
            except (OSError, EOFError, zlib.error) as error:
                raise InputError(f"{origin}: {name}.gz is damaged or incomplete ({error})") from None
        if text is None:
            raise InputError(f"{origin} contains neither {name} nor {name}.gz")
        digest = hashlib.sha256(text).hexdigest()
        if digest != sha:
            raise InputError(f"{origin}: {name} has sha256 {digest}, expected {sha}; the file was discarded")
        found[name] = text
    return found


def _offline_advice(corpus: Remote) -> str:
    files = _list({f"{name}.gz": "" for name in corpus.sha256})
    return (
        f"Without a network, copy {files} from {corpus.home} to a folder by other means and run "
        f"`tagfield fetch {corpus.name} --from FOLDER`"
    )


def _list(names: dict[str, str]) -> str:
    return " and ".join(names)
