"""Labels of any hashable kind, and the names that the model knows them by.

    "NP" ↔ "NP"     3 ↔ "3"     ("a", 1) ↔ "('a', 1)"     None: the label is not known

A string is its own name. Equal labels are one label (1, 1.0 and True are equal in Python); the first one seen is given
back.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from tagfield.errors import InputError

NOBODY_KNOWS = "\0 nobody knows this label"  # stands for None while sequences are read


class LabelNames:
    """The labels of one model, both ways.

    >>> names = LabelNames()
    >>> [list(row) for row in names.read([["NP", 3], [True, "3"]])]
    [['NP', '3'], ['True', '3 (str)']]
    >>> names.label("3")
    3
    """

    def __init__(self, labels: Iterable[Hashable] = ()) -> None:
        self._name: dict[Any, str] = {}
        self._label: dict[str, Any] = {}
        for label in labels:
            self.name(label)

    @classmethod
    def of(cls, names: Iterable[str], labels: Iterable[Any]) -> "LabelNames":
        """Labels whose names are known, as from a file.

        >>> LabelNames.of(["3", "3 (str)"], [3, "3"]).label("3 (str)")
        '3'
        """
        made = cls()
        for name, label in zip(names, labels, strict=True):
            made._name[label], made._label[name] = name, label
        return made

    def name(self, label: Any) -> str:
        """The name of a label, a new one if need be."""
        known = self._name.get(label)
        if known is not None:
            return known
        if label is None:
            return NOBODY_KNOWS
        if isinstance(label, np.generic):
            label = label.item()
        if label != label:
            raise InputError("a label is not a number (NaN); use None where the label is not known")
        name = label if type(label) is str else str(label)
        if name == NOBODY_KNOWS:
            raise InputError("a label must not begin with a zero character")
        while name in self._label:
            name += f" ({type(label).__name__})"
        self._name[label] = name
        self._label[name] = label
        return name

    def label(self, name: str) -> Any:
        """The label of a name; a name that nobody gave is its own label."""
        return self._label.get(name, name)

    def find(self, label: Any) -> str | None:
        """The name of a label, None if there is none."""
        return self._name.get(label)

    def labels(self, names: Iterable[str]) -> list[Any]:
        return [self._label.get(name, name) for name in names]

    def read(self, y: Iterable[Any]) -> Iterator[Any]:
        """The names of the labels, sequence by sequence; what is no sequence passes as it is."""
        known = self._name
        for index, labels in enumerate(y):
            if isinstance(labels, str | bytes | dict) or not hasattr(labels, "__iter__"):
                yield labels
                continue
            labels = labels if type(labels) is list else list(labels)
            try:
                yield list(map(known.__getitem__, labels))
            except (KeyError, TypeError):
                yield [self._checked(label, index, t) for t, label in enumerate(labels)]

    def _checked(self, label: Any, sequence: int, position: int) -> str:
        try:
            return self.name(label)
        except TypeError:
            raise InputError(
                f"y[{sequence}][{position}] is of type {type(label).__name__}, which is not hashable; a label is a "
                "string, a number or another hashable value"
            ) from None
        except InputError as error:
            raise InputError(f"y[{sequence}][{position}]: {error}") from None
