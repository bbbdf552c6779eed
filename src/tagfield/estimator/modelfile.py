"""`crf.modelfile`: the file of a fitted CRF, under sklearn-crfsuite's name, for scripts that copy or open it.

fit ─▶ model_filename, if there is one ─▶ name
   └─▶ a temporary file, written when its name is asked for ─▶ name
"""

import os
import tempfile
import weakref
from contextlib import suppress
from typing import Any


class ModelFile:
    """The file of a model.

    >>> from tagfield import CRF, Model
    >>> crf = CRF().fit([[["a"], ["b"]]], [["X", "Y"]])
    >>> Model.load(crf.modelfile.name).labels.strings(), CRF().modelfile.name
    (['X', 'Y'], None)
    """

    def __init__(self, crf: Any) -> None:
        self._crf = weakref.ref(crf)
        self._name: str | None = None

    @property
    def name(self) -> str | None:
        """The path of the file: model_filename, or a temporary file; None before fit.

        The temporary file is deleted with the CRF, and by the next fit, unless keep_tempfiles is True.
        """
        crf = self._crf()
        if self._name is None and crf is not None:
            if crf.model_filename is not None:
                return str(os.fspath(crf.model_filename))
            if crf.__sklearn_is_fitted__():
                self._name = self._write(crf)
        return self._name

    def _write(self, crf: Any) -> str:
        handle, name = tempfile.mkstemp(".tagfield", "model")
        os.close(handle)
        if not crf.keep_tempfiles:
            weakref.finalize(self, _delete, name)
        crf.save(name)
        return name


def _delete(name: str) -> None:
    with suppress(OSError):  # it is deleted already
        os.unlink(name)
