"""The state of a CRF that sklearn-crfsuite pickled: its arguments and, as a FileResource, the bytes of its model file.

state ─▶ is_old_state ─▶ arguments_of ─▶ CRF.__setstate__        install.py lets pickles find FileResource and CRF
"""

from collections.abc import Mapping
from typing import Any

DATA = "__FILE_RESOURCE_DATA__"
LEFT = {"modelfile", "training_log_", "_tagger", "_info_cached", "_sklearn_version"}  # what tagfield has its own of


class FileResource:
    """The model file in a pickle of sklearn-crfsuite. Nothing is written to disk."""

    def __init__(self, filename: Any = None, keep_tempfiles: bool = False, suffix: str = "", prefix: str = "") -> None:
        self.name, self.auto = filename, filename is None
        self.keep_tempfiles, self.suffix, self.prefix = keep_tempfiles, suffix, prefix


def is_old_state(state: Mapping[str, Any]) -> bool:
    """Whether this is the state of a CRF that sklearn-crfsuite pickled."""
    return isinstance(state.get("modelfile"), FileResource)


def arguments_of(state: Mapping[str, Any]) -> tuple[dict[str, Any], bytes | None]:
    """The attributes that such a state has for a CRF of tagfield, and the bytes of its model file, if it has them."""
    file: dict[str, Any] = vars(state["modelfile"])
    found = {name: value for name, value in state.items() if name not in LEFT}
    found["model_filename"] = None if file["auto"] else file["name"]
    found["keep_tempfiles"] = file["keep_tempfiles"]
    return found, file.get(DATA) or None
