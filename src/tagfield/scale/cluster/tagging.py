"""Tagging on a cluster: sequences in order, or a dataset of Ray.

    tag(model, sequences)            batches ─▶ pool of actors, each with the model ─▶ labels, in order
    tag_dataset(dataset, model)      ray.data: map_batches with Arrow tables, wherever the blocks are

A model is read from its file, which must be at the same path on every machine. Large ones are mapped, so the workers of
a machine share the memory.
"""

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tagfield.errors import InputError
from tagfield.model.model import Model
from tagfield.scale.cluster.pool import ordered_map
from tagfield.scale.cluster.session import LOCAL, at_least_one, open_session

BATCH = 1000


@dataclass(frozen=True)
class LabelMaker:
    """A model that tags words, or attributes if it was trained on those; it loads itself in each worker."""

    path: str
    rules: str | None = None
    threads: int = 1

    def __call__(self) -> Callable[[Sequence[Any]], list[list[str]]]:
        model = load(self.path)

        def label(sequences: Sequence[Any]) -> list[list[str]]:
            tagged = model.tag if model.template is None else model.tag_words
            return list(tagged(sequences, rules=self.rules, threads=self.threads))

        return label


def tag(
    model: str | os.PathLike[str],
    sequences: Iterable[Any],
    *,
    address: str | None = LOCAL,
    workers: int = 2,
    rules: str | None = None,
    threads: int = 1,
    batch: int = BATCH,
) -> Iterator[list[str]]:
    """The labels of each sequence, in order, as the workers of a cluster find them.

    model: the path of a model file, on every machine of the cluster
    sequences: lists of words; or of attributes, if the model was trained on those. They may be a generator: a few
        batches are on their way at any time
    address: as in `train`
    batch: sequences that are sent to a worker at once
    """
    path = os.path.abspath(os.fspath(model))
    load(path)  # fail early, before anything is started
    workers, batch = at_least_one("workers", workers), at_least_one("batch", batch)
    return _tagged(LabelMaker(path, rules, threads), sequences, address, workers, batch)


def _tagged(
    make: LabelMaker, sequences: Iterable[Any], address: str | None, workers: int, batch: int
) -> Iterator[list[str]]:
    with open_session(address, cpus=workers * make.threads) as ray:
        for labels in ordered_map(ray, make, _batches(sequences, batch), workers, make.threads):
            yield from labels


def _batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """Lists of that many items.

    >>> list(_batches("abc", 2))
    [['a', 'b'], ['c']]
    """
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def load(path: str) -> Model:
    """The model of a file; the error says which machine lacks it."""
    if not os.path.exists(path):
        raise InputError(
            f"{path}: there is no such file on {socket.gethostname()}; a model must be at the same path on every "
            "machine of the cluster, on a shared file system for example"
        )
    return Model.load(path)


class ArrowTagger:
    """What `ray.data` makes once in each worker: a table in, the table with the labels out."""

    def __init__(self, model: str, column: str, options: dict[str, Any]) -> None:
        self._model: Any = load(model)
        self._column, self._options = column, options

    def __call__(self, table: Any) -> Any:
        return self._model.tag_arrow(table, self._column, **self._options)


def tag_dataset(
    dataset: Any, model: str | os.PathLike[str], column: str = "text", *, workers: int = 2, **options: Any
) -> Any:
    """A dataset of `ray.data` with the labels of one column, as `Model.tag_arrow` adds them; it is lazy, as they are.

    model: the path of a model file, on every machine of the cluster
    column: of texts, or of lists of words
    workers: actors, each with the model
    options: as in `Model.tag_arrow`
    """
    path = os.path.abspath(os.fspath(model))
    load(path)
    return dataset.map_batches(
        ArrowTagger,
        fn_constructor_args=(path, column, options),
        batch_format="pyarrow",
        concurrency=at_least_one("workers", workers),
    )
