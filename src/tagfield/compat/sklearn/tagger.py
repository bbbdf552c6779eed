"""Tagger: a fitted CRF with the methods of python-crfsuite's Tagger."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.errors import InputError, did_you_mean


@dataclass(frozen=True)
class Info:
    """The parts of python-crfsuite's `Tagger.info()` that a tagfield model has."""

    labels: dict[Any, str]
    attributes: dict[str, str]
    transitions: dict[tuple[Any, Any], float]
    state_features: dict[tuple[str, Any], float]
    header: dict[str, str]


class Tagger:
    """tag, probability, marginal, labels and info, one sequence at a time.

    >>> from tagfield import CRF
    >>> tagger = CRF().fit([[["a"], ["b"]]], [["X", "Y"]]).tagger_
    >>> tagger.tag([["a"], ["b"]]), tagger.labels()
    (['X', 'Y'], ['X', 'Y'])
    """

    def __init__(self, crf: Any) -> None:
        self._crf = crf
        self._xseq: list[Any] | None = None
        self._rows: list[dict[Any, float]] | None = None  # the marginals of the current sequence

    def set(self, xseq: Iterable[Any]) -> None:
        """Set the current sequence."""
        self._xseq, self._rows = list(xseq), None

    def tag(self, xseq: Iterable[Any] | None = None) -> list[Any]:
        """The best labels of a sequence, which becomes the current one; by default, of the current one."""
        if xseq is not None:
            self.set(xseq)
        [labels] = self._crf._labels([self._current()], None)  # not predict_single, which may call this method
        return list(labels)

    def probability(self, yseq: Iterable[Any]) -> float:
        """p(y | x) for the current sequence."""
        return float(np.exp(self._crf.predict_log_probability([self._current()], [list(yseq)])[0]))

    def marginal(self, y: Any, pos: int) -> float:
        """P(y_pos = y | x) for the current sequence."""
        if self._rows is None:
            [self._rows] = self._crf._probabilities([self._current()], None)
        rows = self._rows
        if not 0 <= pos < len(rows):
            raise InputError(f"position {pos} does not exist; the sequence has positions 0 to {len(rows) - 1}")
        if y not in rows[pos]:
            raise InputError(f"the model has no label {y!r}; {did_you_mean(y, map(str, self.labels()), 8)}")
        return float(rows[pos][y])

    def labels(self) -> list[Any]:
        return list(self._crf.classes_)

    def info(self) -> Info:
        """The weights by name, in full precision."""
        crf = self._crf
        return Info(
            {label: str(i) for i, label in enumerate(crf.classes_)},
            {name: str(i) for i, name in enumerate(crf.attributes_)},
            crf.transition_features_,
            crf.state_features_,
            {
                "size": str(crf.size_),
                "num_features": str(len(crf.state_features_) + len(crf.transition_features_)),
                "num_labels": str(len(crf.classes_)),
                "num_attrs": str(crf.num_attributes_),
            },
        )

    def dump(self, filename: str | os.PathLike[str] | None = None) -> None:
        """Write the model as text: labels, transitions and state features with their weights."""
        info = self.info()
        lines = [f"{name}: {value}" for name, value in info.header.items()]
        lines += ["", "LABELS", *(f"  {i}: {label}" for label, i in info.labels.items())]
        lines += ["", "TRANSITIONS", *(f"  {a} --> {b}: {w:.9g}" for (a, b), w in info.transitions.items())]
        lines += ["", "STATE_FEATURES", *(f"  {a} --> {y}: {w:.9g}" for (a, y), w in info.state_features.items())]
        text = "\n".join(lines) + "\n"
        if filename is None:
            print(text, end="")
        else:
            with open(filename, "w", encoding="utf-8") as file:
                file.write(text)

    def _current(self) -> list[Any]:
        if self._xseq is None:
            raise InputError("no current sequence; call tag(xseq) or set(xseq) first")
        return self._xseq
