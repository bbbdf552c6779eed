"""Labels of any hashable type, and the strings that name them in the model.

    "NP" ↔ "NP"     3 ↔ "3"     ("a", 1) ↔ "('a', 1)"     None: the label is not known

A string is its own name, and bytes stand for the string that they encode in UTF-8, as in sklearn-crfsuite. Labels that
compare equal are one label (in Python, 1 == 1.0 == True), and the model returns the one that it saw first.
"""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from tagfield.errors import InputError


class LabelNames:
    """Translates between the labels of one model and their names.

    >>> names = LabelNames()
    >>> [list(sequence) for sequence in names.read([["NP", 3], [True, "3", None]])]
    [['NP', '3'], ['True', '3 (str)', None]]
    >>> names.label("3")
    3
    """

    def __init__(self, labels: Iterable[Hashable] = ()) -> None:
        self._name: dict[Any, Any] = {None: None}  # a label that is not known has no name
        self._label: dict[str, Any] = {}
        self._string: str | None = None  # the labels that were read last, if they are a string
        for label in labels:
            self.name(label)

    @classmethod
    def of(cls, names: Iterable[str], labels: Iterable[Any]) -> "LabelNames":
        """Pairs names with labels, such as those of a model file.

        >>> LabelNames.of(["3", "3 (str)"], [3, "3"]).label("3 (str)")
        '3'
        """
        made = cls()
        for name, label in zip(names, labels, strict=True):
            made._name[label], made._label[name] = name, label
        return made

    def copy(self) -> "LabelNames":
        """The same names, to which new ones can be added."""
        made = LabelNames()
        made._name, made._label = dict(self._name), dict(self._label)
        return made

    def name(self, label: Any) -> str:
        """The name of a label; a new label gets a name that no other label has.

        >>> LabelNames(["3"]).name(3)
        '3 (int)'
        """
        known: str | None = self._name.get(label)
        if known is not None:
            return known
        if isinstance(label, np.generic):
            label = label.item()
        if isinstance(label, bytes):
            self._name[label] = name = self.name(_decoded(label))
            return name
        if label is None:
            raise InputError("None means that the label is not known, so it cannot be a label itself")
        if label != label:
            raise InputError("the label is NaN; use None where the label is not known")
        name = label if type(label) is str else str(label)
        while name in self._label:
            name += f" ({type(label).__name__})"
        self._name[label] = name
        self._label[name] = label
        return name

    def label(self, name: str) -> Any:
        """The label with this name; a name without a label stands for itself.

        >>> LabelNames([3]).label("3"), LabelNames([3]).label("NP")
        (3, 'NP')
        """
        return self._label.get(name, name)

    def find(self, label: Any) -> str | None:
        """The name of a label, or None if the label is new.

        >>> LabelNames([3]).find(3), LabelNames([3]).find(4)
        ('3', None)
        """
        found: str | None = self._name.get(label)
        return found

    def labels(self, names: Iterable[str]) -> list[Any]:
        """The labels with these names.

        >>> LabelNames([3]).labels(["3", "NP"])
        [3, 'NP']
        """
        return [self._label.get(name, name) for name in names]

    def read(self, y: Any) -> Any:
        """The names of the labels in y, sequence by sequence, with None where a label is not known.

        A string is a sequence of labels of one character, as in sklearn-crfsuite. What is not an iterable of sequences
        passes unchanged: `encode_sequences` reports it.

        >>> list(LabelNames().read(["BE", [b"S"]])), LabelNames().read("NP")
        ([['B', 'E'], ['S']], 'NP')
        """
        return self._read(y) if _is_sequence(y) else y

    def advised(self, error: InputError) -> InputError:
        """An error about the labels that were read last, with advice if these are a string."""
        if self._string is None or "labels" not in str(error):
            return error
        return InputError(
            f"{error}; {self._string!r} is a string, and each of its characters counts as a label: y must be a list of "
            "lists of labels"
        )

    def _read(self, y: Iterable[Any]) -> Iterator[Any]:
        for index, labels in enumerate(y):
            self._string = labels if isinstance(labels, str) else None
            if not _is_sequence(labels) and not isinstance(labels, str):
                yield labels
                continue
            labels = labels if type(labels) is list else list(labels)
            try:
                yield list(map(self._name.__getitem__, labels))
            except (KeyError, TypeError):
                yield [self._checked_name(label, index, t) for t, label in enumerate(labels)]

    def _checked_name(self, label: Any, sequence: int, position: int) -> str | None:
        try:
            return None if label is None else self.name(label)
        except TypeError:
            raise InputError(
                f"y[{sequence}][{position}] is of type {type(label).__name__}, which is not hashable; a label must be "
                "a string, a number or another hashable value"
            ) from None
        except InputError as error:
            raise InputError(f"y[{sequence}][{position}]: {error}") from None


def _decoded(label: bytes) -> str:
    try:
        return label.decode()
    except UnicodeDecodeError:
        raise InputError(f"the label {label!r} is not UTF-8; decode it first") from None


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes | dict)
