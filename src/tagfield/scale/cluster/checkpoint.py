"""Checkpoints: where a run is, in one file that is replaced atomically.

    DIR/checkpoint.safetensors    trainer.*  the trainer's state
                                  kept.*, peak.*  the best weights so far (RunState)
                                  metadata: which run it is of, its epochs, and why it ended, if it has

A run that is started again with the same data, settings and shares goes on from the last checkpoint, and ends with the
bits that it would have ended with. One that has ended only returns its result. A checkpoint is written at the end of an
epoch, and at a mix where the last one is `every` seconds old: writing one takes longer than a mix.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tagfield.errors import InputError, ModelFileError, OutputError
from tagfield.evaluate import Scores
from tagfield.evaluate.scores import Tally
from tagfield.system.storage import load_tensors, save_tensors
from tagfield.train.loop.history import Epoch, RunState
from tagfield.train.trainers.trainer import Figures, State, arrays_of, weights_of

NAME = "checkpoint.safetensors"
FORMAT = "tagfield cluster checkpoint 1"
BEST, PLAIN = ("kept", "peak"), ("lowest", "watched", "converged", "reason")  # of a RunState
EVERY = 60.0  # seconds between checkpoints within an epoch


class Checkpoint:
    """The file of one run, known by a fingerprint: a run with another one must not go on from it.

    >>> import tempfile
    >>> import numpy as np
    >>> folder = tempfile.mkdtemp()
    >>> checkpoint = Checkpoint(folder, {"shares": 2})
    >>> checkpoint.save(State({"x": np.ones(2)}, {"t": 3.0}), RunState(lowest=0.5))
    >>> state, run = Checkpoint(folder, {"shares": 2}).load()
    >>> state.arrays["x"].tolist(), state.numbers, run.lowest
    ([1.0, 1.0], {'t': 3.0}, 0.5)
    """

    def __init__(self, folder: str | os.PathLike[str], fingerprint: dict[str, Any], every: float = EVERY) -> None:
        self.path = Path(folder) / NAME
        self._fingerprint = json.loads(json.dumps(fingerprint))  # tuples become lists, as in the file
        self._every, self._last = every, time.monotonic()
        try:
            Path(folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot make the folder {os.fspath(folder)!r} for checkpoints: {error.strerror}; choose another one"
            ) from None

    def save(self, state: State, run: RunState) -> None:
        """Writes the trainer's state and the loop's."""
        arrays = {f"trainer.{name}": array for name, array in state.arrays.items() if array.size}
        arrays |= {f"empty.{name}": array for name, array in state.arrays.items() if not array.size}
        arrays |= arrays_of(**{name: each for name in BEST if (each := getattr(run, name)) is not None})
        saved = {"run": self._fingerprint, "numbers": state.numbers, "fell_back": run.fell_back}
        saved |= {"epochs": [_to_json(epoch) for epoch in run.epochs]}
        saved |= {name: getattr(run, name) for name in PLAIN}
        save_tensors(self.path, arrays, {"format": FORMAT, "course": json.dumps(saved)})
        self._last = time.monotonic()

    def save_if_due(self, state: Callable[[], State], run: RunState) -> None:
        """Writes a checkpoint within an epoch, where the last one is old enough."""
        if time.monotonic() - self._last >= self._every:
            self.save(state(), run)

    def load(self) -> tuple[State, RunState] | None:
        """Where the run was; None if it has not begun. InputError if the file is of another run."""
        if not self.path.exists():
            return None
        arrays, metadata = load_tensors(self.path)
        if metadata.get("format") != FORMAT:
            raise ModelFileError(f"{self.path}: this is not a checkpoint of tagfield; choose another folder")
        try:
            saved = json.loads(metadata["course"])
            self._check(saved["run"])
            names = {name: name.partition(".")[2] for name in arrays if name.startswith(("trainer.", "empty."))}
            state = State({short: arrays[name].copy() for name, short in names.items()}, saved["numbers"])
            rest: dict[str, Any] = {name: saved[name] for name in PLAIN}
            rest |= {name: weights_of(State(arrays), name).copy() for name in BEST if f"{name}.state" in arrays}
            epochs = [_from_json(row) for row in saved["epochs"]]
            run = RunState(epochs, **rest, fell_back=saved.get("fell_back", False))
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise ModelFileError(f"{self.path}: the checkpoint is damaged; remove it to start again") from None
        return state, run

    def _check(self, found: dict[str, Any]) -> None:
        names = [name for name in {**self._fingerprint, **found} if self._fingerprint.get(name) != found.get(name)]
        if names:
            name = names[0]
            raise InputError(
                f"{self.path} is a checkpoint of another run: its {name} is {found.get(name)!r}, not "
                f"{self._fingerprint.get(name)!r}; choose another folder, or remove the file to start again"
            )


def _to_json(epoch: Epoch) -> dict[str, Any]:
    row = {name: getattr(epoch, name) for name in ("number", "objective", "seconds", "norm", "rate", "best", "loss")}
    row["figures"] = epoch.figures.to_dict()
    row["scores"] = None if epoch.scores is None else asdict(epoch.scores)
    return row | {"watched": {name: asdict(scores) for name, scores in epoch.watched.items()}}


def _from_json(row: dict[str, Any]) -> Epoch:
    scores = None if row["scores"] is None else _scores(row["scores"])
    watched = {name: _scores(each) for name, each in row["watched"].items()}
    rest = {name: value for name, value in row.items() if name not in ("figures", "scores", "watched")}
    return Epoch(**rest, scores=scores, watched=watched, figures=Figures(**row["figures"]))


def _scores(row: dict[str, Any]) -> Scores:
    """The counts of a JSON object as Scores."""
    labels, types = ({key: Tally(**tally) for key, tally in row[name].items()} for name in ("labels", "types"))
    chunks = None if row["chunks"] is None else Tally(**row["chunks"])
    return Scores(Tally(**row["sequences"]), Tally(**row["tokens"]), labels, chunks, types, row["kind"])
