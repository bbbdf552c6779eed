"""Opens what a command or a call names: files, folders of brat files, standard input; as UTF-8."""

import os
from collections.abc import Iterable
from pathlib import Path

from tagfield.data.text.formats.brat import BratSource
from tagfield.data.text.formats.decoding import recode
from tagfield.data.text.sources import STDIN, PathLike, Source, open_source, open_sources, read_bytes
from tagfield.errors import InputError


def open_inputs(
    paths: PathLike | Source | Iterable[PathLike | Source], format: str | None = None, encoding: str | None = None
) -> list[Source]:
    """Read files in the order given. A folder with .ann files is brat's, and so is a .txt with an .ann of its name.

    A .txt without its .ann in such a folder is a text that has not been labelled.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("Anna sings."), (folder / "a.ann").write_text("T1\\tPER 0 4\\tAnna\\n")
    >>> [type(source).__name__ for source in open_inputs(folder)]
    ['BratSource']
    """
    several = [paths] if isinstance(paths, str | os.PathLike | Source) else list(paths)
    if sum(path == STDIN for path in several) > 1:
        raise InputError("standard input (-) can be read only once")
    found: list[Source] = []
    for path in several:
        pairs = (
            []
            if isinstance(path, Source) or path == STDIN or format not in (None, "brat")
            else _brat(Path(path), format)
        )
        found += [_open_pair(*pair).recoded(encoding) for pair in pairs]
        if not pairs:
            found += [recode(source, encoding) for source in open_sources(path)]
    if not found:
        raise InputError("no input file was given")
    return found


def _brat(path: Path, format: str | None) -> list[tuple[Path, Path]]:
    """(text, annotations) of the brat files that a path names; empty if it is no such file."""
    try:
        if path.is_dir() and (format == "brat" or any(path.glob("*.ann"))):
            texts = sorted({file.with_suffix(".txt") for end in ("*.ann", "*.txt") for file in path.glob(end)})
        elif path.suffix in (".txt", ".ann") and path.with_suffix(".ann").exists():
            texts = [path.with_suffix(".txt")]
        else:
            texts = []
    except (OSError, ValueError):  # a NUL in the name; opening it says so
        texts = []
    return [(text, text.with_suffix(".ann")) for text in texts]


def _open_pair(text: Path, annotations: Path) -> BratSource:
    if not text.exists():
        raise InputError(f"{annotations}: there is no {text.name} beside it; brat keeps the text there")
    notes = Source(str(annotations), read_bytes(annotations, str(annotations))) if annotations.exists() else None
    return BratSource(str(text), open_source(text).text, notes)
