"""The state of a tuning: the figures of finished runs, in one JSON file that is whole at any moment.

    {"format": 1, "data": "3f0c…", "folds": 5, "seed": 0, "runs": {"default, template words": {"0": 47.1}}}

A figure that could not be computed is null. The file is replaced atomically after each run.
"""

import hashlib
import json
import math
import os
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.data.encode import Encoded
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

FORMAT = 1


@dataclass
class State:
    """Figures by candidate and fold; with a path, they are saved after each run."""

    about: dict[str, Any]  # what the figures depend on: the data, the folds, the seed
    path: Path | None = None
    runs: dict[str, dict[int, float]] = field(default_factory=dict)

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None, about: dict[str, Any], *, resume: bool) -> "State":
        """A new state, or what an earlier tuning of the same data left in the file."""
        state = cls(about, None if path is None else Path(path))
        if state.path is None or not state.path.exists():
            return state
        if not resume:
            raise InputError(f"{state.path} holds the runs of an earlier tuning; resume it, or delete the file")
        try:
            found = json.loads(state.path.read_text(encoding="utf-8"))
            there = {name: found[name] for name in about}
            runs = {
                name: {int(fold): math.nan if figure is None else float(figure) for fold, figure in figures.items()}
                for name, figures in found["runs"].items()
            }
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise InputError(f"{state.path}: not the state of a tuning; delete the file, or name another one") from None
        for name, value in about.items():
            if there[name] != value:
                what = "other data" if name == "data" else f"{name} {there[name]}, not {value}"
                raise InputError(f"{state.path} is the state of a tuning with {what}; delete it, or name another file")
        state.runs = runs
        return state

    def get(self, candidate: object, fold: int) -> float | None:
        """The figure of a finished run."""
        return self.runs.get(str(candidate), {}).get(fold)

    def add(self, candidate: object, fold: int, figure: float) -> None:
        """Records a run and saves the state."""
        self.runs.setdefault(str(candidate), {})[fold] = figure
        if self.path is None:
            return
        plain = {
            name: {str(fold): None if math.isnan(figure) else figure for fold, figure in sorted(figures.items())}
            for name, figures in sorted(self.runs.items())
        }
        with write_atomically(self.path) as file:
            file.write(json.dumps({"format": FORMAT, **self.about, "runs": plain}, ensure_ascii=False).encode())

    def figures(self, candidate: object, folds: int) -> list[float]:
        """The figures of a candidate on the first folds, up to one that is missing: they are compared fold by fold."""
        found = self.runs.get(str(candidate), {})
        return [found[fold] for fold in takewhile(found.__contains__, range(folds))]

    def delete(self) -> None:
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def fingerprint(encoded: Encoded) -> str:
    """A digest of the sequences: their tokens, attributes and labels.

    >>> from tagfield.data.encode import encode_sequences
    >>> one, two = (encode_sequences([[["a"], ["b"]]], [labels]) for labels in (["X", "Y"], ["X", "X"]))
    >>> fingerprint(one) == fingerprint(one), fingerprint(one) == fingerprint(two)
    (True, False)
    """
    names = "\n".join(encoded.labels.strings()).encode()
    digest = hashlib.sha256(names)
    edges = () if encoded.edges is None else encoded.edges.to_arrays()
    for part in [*encoded.attributes.to_arrays(), *edges, *encoded.dataset.to_arrays().values()]:
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]
