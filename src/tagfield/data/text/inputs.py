"""Opens what a command or a call names: files, folders of brat files, standard input; as UTF-8."""

from collections.abc import Iterable
from pathlib import Path

from tagfield.data.text.formats.brat import find_brat
from tagfield.data.text.formats.decoding import recode
from tagfield.data.text.sources import STDIN, PathLike, Source, listed, open_source


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
    found: list[Source] = []
    for path in listed(paths):
        if isinstance(path, Source):
            found.append(recode(path, encoding))
            continue
        pairs = [] if path == STDIN or format not in (None, "brat") else find_brat(Path(path), format)
        found += [pair.recoded(encoding) for pair in pairs] or [recode(open_source(path), encoding)]
    return found
