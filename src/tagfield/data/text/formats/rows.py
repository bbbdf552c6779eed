"""Rows from Python: a Hugging Face dataset, or any iterable of dicts with tokens or text.

    load_dataset("conll2003")["train"] ─▶ features say what the numbers of ner_tags mean ─▶ Sentences

Nothing of `datasets` is imported: its `features` are only asked for the names of a label.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tagfield.data.text.formats.json_values import CELLS, LABELS, records_of
from tagfield.data.text.records import Record
from tagfield.errors import InputError


def read_rows(rows: Iterable[Any], names: Sequence[str] | None = None) -> Iterator[Record]:
    """The records of an iterable of rows; `names` are those of labels that are numbers.

    >>> [s.labels for s in read_rows([{"tokens": ["Anna"], "ner_tags": [1]}], ["O", "B-PER"])]
    [('B-PER',)]
    """
    named = _named_fields(getattr(rows, "features", None))
    for index, row in enumerate(rows):
        where = f"row {index}"
        if not isinstance(row, Mapping | list | tuple):
            raise InputError(f"{where}: found {type(row).__name__}; a row is a dict with tokens or text")
        if isinstance(row, Mapping):
            row = {key: _plain(value) for key, value in row.items()}
            for field in named.keys() & row.keys():
                row[field] = _by_name(row[field], named[field], f"{where}, {field}")
        yield from records_of(row, where, names)


def _plain(value: Any) -> Any:
    """Arrays as lists, since a dataset may be set to give NumPy's."""
    return value.tolist() if hasattr(value, "tolist") else value


def _by_name(ids: Any, names: Sequence[str], where: str) -> Any:
    if not isinstance(ids, list | tuple):
        return ids
    wrong = next((id for id in ids if type(id) is int and not -1 <= id < len(names)), None)
    if wrong is not None:
        raise InputError(f"{where}: {wrong} has no name; the dataset names {len(names)} labels")
    return [(names[id] if id >= 0 else None) if type(id) is int else id for id in ids]  # −1: not known


def _named_fields(features: Any) -> dict[str, list[str]]:
    """For each field of numbers, the names that a dataset's features give them, as Sequence(ClassLabel) or a list."""
    if not isinstance(features, Mapping):
        return {}
    found = {}
    for field in {*LABELS, *CELLS} & features.keys():
        inner = features[field]
        inner = inner[0] if isinstance(inner, list) and inner else getattr(inner, "feature", inner)
        names = getattr(inner, "names", None)
        if names is not None:
            found[field] = list(names)
    return found
