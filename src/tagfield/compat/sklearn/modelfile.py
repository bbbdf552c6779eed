"""`crf.modelfile`: the file of a fitted CRF, under sklearn-crfsuite's name, for scripts that copy or open it.

fit ─▶ model_filename, if there is one ─▶ name
   └─▶ a temporary file, written when its name is asked for ─▶ name

A name that ends in .crfsuite gets CRFsuite's format, and so does the temporary file where that format can hold the
model: scripts open both with pycrfsuite.Tagger.
"""

import os
import tempfile
import weakref
from contextlib import suppress
from typing import Any

from tagfield.errors import InputError
from tagfield.model.model import Model

CRFSUITE = ".crfsuite"


class ModelFile:
    """The file of a model.

    >>> from tagfield import CRF, Model
    >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    >>> Model.load(crf.modelfile.name).labels.strings(), CRF().modelfile.name
    (['X', 'Y'], None)
    """

    def __init__(self, path: Any, model: Model | None, *, keep: bool = False) -> None:
        self._path, self._model, self._keep = path, model, keep
        self._temporary: str | None = None

    @property
    def auto(self) -> bool:
        """Whether it is a temporary file."""
        return self._path is None

    @property
    def name(self) -> str | None:
        """The path of the file: model_filename, or a temporary file; None before fit.

        The temporary file is deleted with the CRF, and by the next fit, unless keep_tempfiles is True.
        """
        if self._path is not None:
            return str(os.fspath(self._path))
        if self._temporary is None and self._model is not None:
            self._temporary = self._write(self._model)
        return self._temporary

    def _write(self, model: Model) -> str:
        handle, name = tempfile.mkstemp(CRFSUITE, "model")
        os.close(handle)
        if not self._keep:
            weakref.finalize(self, _delete, name)
        try:
            save_model(model, name)
        except InputError:  # CRFsuite's format cannot hold it
            model.save(name)
        return name


def save_model(model: Model, path: Any) -> None:
    """Save a model in the format that the name asks for: CRFsuite's for x.crfsuite, tagfield's for every other."""
    model.save(path, format="crfsuite" if os.fspath(path).endswith(CRFSUITE) else "tagfield")


def check_target(path: Any, constraints: Any) -> None:
    """Raise InputError, before training, if the file could not hold the constraints."""
    if path is not None and os.fspath(path).endswith(CRFSUITE) and constraints not in (None, False):
        raise InputError(
            "model_filename ends in .crfsuite, but CRFsuite's format cannot hold constraints; choose another name"
        )


def _delete(name: str) -> None:
    with suppress(OSError):  # it is deleted already
        os.unlink(name)
