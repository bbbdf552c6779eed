"""Documents as brat's files: NAME.txt with the text and NAME.ann with its spans."""

import re
from collections.abc import Iterable, Iterator

from tagfield.data.text.records import Document
from tagfield.errors import InputError


def brat_files(documents: Iterable[Document]) -> Iterator[tuple[str, str, str | None]]:
    """(name, text, annotations) of each document; annotations are None where it has not been labelled.

    >>> from tagfield.data.text.records import TextSpan
    >>> list(brat_files([Document("Anna sings.", (TextSpan(0, 4, "PER"),))]))
    [('1', 'Anna sings.', 'T1\\tPER 0 4\\tAnna\\n')]
    """
    taken: set[str] = set()
    for number, document in enumerate(documents, start=1):
        name = re.sub(r"[^\w.-]+", "_", "" if document.id is None else str(document.id))[:80].strip("._") or str(number)
        while name.lower() in taken:
            name = f"{name}_{number}"
        taken.add(name.lower())
        yield name, document.text, None if document.spans is None else annotations_of(document)


def annotations_of(document: Document) -> str:
    """The lines of the .ann file.

    >>> annotations_of(Document("a b", (), meta={"brat": {"ids": [], "lines": ["#1\\tNote T1\\tsure"]}}))
    '#1\\tNote T1\\tsure\\n'
    """
    spans = document.spans or ()
    kept = document.meta.get("brat")
    ids: list[str] = kept.get("ids", []) if isinstance(kept, dict) else []
    others: list[str] = kept.get("lines", []) if isinstance(kept, dict) else []
    if len(ids) != len(spans):
        ids = [f"T{k}" for k in range(1, len(spans) + 1)]
    lines = []
    for id, (start, end, label) in zip(ids, spans, strict=True):
        if re.search(r"\s", label):
            raise InputError(
                f"{document.where or 'a text'}: brat cannot hold the label {label!r}; a label there has no spaces"
            )
        quoted = re.sub(r"\s", " ", document.text[start:end])
        lines.append(f"{id}\t{label} {start} {end}\t{quoted}")
    return "".join(f"{line}\n" for line in [*lines, *others])
