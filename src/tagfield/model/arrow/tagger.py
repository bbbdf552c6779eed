"""ArrowTagger: a function that other processes can run: Spark's mapInPandas and mapInArrow, Ray's map_batches.

    pickle: the path of the model and the options ─▶ process ─▶ the model, loaded once ─▶ batch after batch

A model that is given itself instead of its path travels with the pickle.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tagfield.errors import InputError
from tagfield.model.arrow.columns import load_pyarrow
from tagfield.model.arrow.tables import TEXT, WORDS, Options, TableModel, tag_arrow

MODELS = 4  # that a process keeps loaded


@dataclass(frozen=True)
class ArrowTagger:
    """Adds labels to batches. `Model.arrow_tagger` makes it.

    Call it with a DataFrame of pandas, a Table or RecordBatch of pyarrow, or a dict of arrays, and it returns the same
    with the new columns; call it with an iterator of those, and it returns an iterator.

    >>> from tagfield import Model
    >>> tag = Model.arrow_tagger(Model.train_words([["to", "be"]], [["TO", "VB"]]))
    >>> tag({"tokens": [["to", "be"], None]})["labels"].tolist()
    [['TO', 'VB'], None]
    """

    load: Callable[[str], TableModel]
    model: "str | TableModel"  # a path, or the model
    options: Options

    @classmethod
    def of(
        cls, load: Callable[[str], TableModel], model: "str | os.PathLike[str] | TableModel", options: Options
    ) -> "ArrowTagger":
        """Check that the model can be loaded, here rather than in a process far away."""
        load_pyarrow()
        if isinstance(model, str | os.PathLike):
            model = os.path.abspath(model)
        made = cls(load, model, options)
        made.loaded()
        return made

    def loaded(self) -> TableModel:
        """The model; a file is loaded once in a process, and again if it has changed."""
        if not isinstance(self.model, str):
            return self.model
        try:
            found = os.stat(self.model)
        except OSError:
            return self.load(self.model)  # says what is wrong with it
        return _loaded(self.load, self.model, found.st_mtime_ns, found.st_size)

    def __call__(self, data: Any) -> Any:
        """A batch with its labels, or an iterator of batches with theirs."""
        if isinstance(data, Iterator) and not hasattr(data, "__arrow_c_stream__"):
            return map(self._tag, data)
        return self._tag(data)

    def _tag(self, batch: Any) -> Any:
        pandas = sys.modules.get("pandas")
        if pandas is not None and isinstance(batch, pandas.DataFrame):
            found = {name: pandas.Series(array.to_pylist(), batch.index, object) for name, array in self._new(batch)}
            return batch.assign(**found)
        if isinstance(batch, Mapping):
            return {**batch, **{name: _objects(array.to_pylist()) for name, array in self._new(batch)}}
        return tag_arrow(self.loaded(), batch, self.options)

    def _new(self, batch: Any) -> Iterator[tuple[str, Any]]:
        """The new columns of a batch that is not Arrow's: only the columns that are read become Arrow arrays."""
        pa = load_pyarrow()
        names, given = list(batch), self.options.column
        chosen = [given] if isinstance(given, str) else given or [n for n in (TEXT, WORDS) if n in names] or names
        arrays = {name: _arrow(batch[name], name) for name in chosen if names.count(name) == 1}
        others = {name: pa.nulls(len(next(iter(arrays.values()), ()))) for name in names if name not in arrays}
        table = pa.table({**arrays, **others})
        tagged = tag_arrow(self.loaded(), table, self.options)
        return ((name, tagged.column(name)) for name in tagged.column_names[table.num_columns :])


@lru_cache(maxsize=MODELS)
def _loaded(load: Callable[[str], TableModel], path: str, changed: int, size: int) -> TableModel:
    return load(path)


def _arrow(values: Any, name: str) -> Any:
    pa = load_pyarrow()
    try:  # rows that are all as long may come as a matrix
        return pa.array(list(values) if getattr(values, "ndim", 1) > 1 else values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise InputError(f"column {name!r} must hold strings or lists of strings: {error}") from None


def _objects(values: list[Any]) -> Any:
    """An array of Python objects, one for each row, also if all rows have the same length."""
    found = np.empty(len(values), object)
    found[:] = values
    return found
