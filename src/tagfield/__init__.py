"""tagfield: fast conditional random fields (CRFs) for labelling sequences.

>>> model = Model.train_words([["the", "dog"], ["the", "cat"]], [["D", "N"], ["D", "N"]], settings=Settings(c2=0.1))
>>> model.tag_words([["the", "cow"]])
[['D', 'N']]

Each name is imported on first use, so `import tagfield` and `tagfield --help` load neither NumPy nor the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagfield.system.interpreter import require_supported

require_supported()

if TYPE_CHECKING:
    from tagfield.apps.errors import write_errors_page
    from tagfield.compat.pycrfsuite import install_as_pycrfsuite
    from tagfield.compat.sklearn import CRF, install_as_sklearn_crfsuite
    from tagfield.data.corpus import Corpus, pack
    from tagfield.data.dataset import Dataset
    from tagfield.data.encode import Encoded, encode_files, encode_sequences, encode_words
    from tagfield.data.text.reading import read
    from tagfield.data.text.templates.template import Template
    from tagfield.data.text.tokenizer.tokenizer import tokenize
    from tagfield.data.text.writing import write
    from tagfield.errors import (
        InputError,
        MemoryLimitError,
        ModelFileError,
        OutputError,
        TagfieldError,
        TrainingError,
        UnknownAttributesWarning,
    )
    from tagfield.evaluate import Scores
    from tagfield.model.model import Model
    from tagfield.model.tagged import TaggedSentence, TaggedSpan, TaggedText, TaggedToken
    from tagfield.scale.tuning import Tuning, tune
    from tagfield.system.memory import limit_memory
    from tagfield.train import RECIPES, Epoch, Settings

__version__ = "0.1.0"

MODULES = ("metrics", "pycrfsuite", "scorers", "templates", "utils")  # public modules
PUBLIC: dict[str, str] = {}  # name: its module
__all__ = ["__version__"]


def _are_in(module: str) -> None:
    """The names that were added to __all__ since the last call are imported from this module."""
    PUBLIC.update(dict.fromkeys(__all__[1 + len(PUBLIC) :], module))


# The public names by module. Type checkers understand only lists of strings that are added to __all__, so the table for
# `__getattr__` is built from those. mypy fails if a name is here and not imported above.
__all__ += ["write_errors_page"]
_are_in("tagfield.apps.errors")
__all__ += ["install_as_pycrfsuite"]
_are_in("tagfield.compat.pycrfsuite")
__all__ += ["CRF", "install_as_sklearn_crfsuite"]
_are_in("tagfield.compat.sklearn")
__all__ += ["Corpus", "pack"]
_are_in("tagfield.data.corpus")
__all__ += ["Dataset"]
_are_in("tagfield.data.dataset")
__all__ += ["Encoded", "encode_files", "encode_sequences", "encode_words"]
_are_in("tagfield.data.encode")
__all__ += ["read"]
_are_in("tagfield.data.text.reading")
__all__ += ["Template"]
_are_in("tagfield.data.text.templates.template")
__all__ += ["tokenize"]
_are_in("tagfield.data.text.tokenizer.tokenizer")
__all__ += ["write"]
_are_in("tagfield.data.text.writing")
__all__ += ["InputError", "MemoryLimitError", "ModelFileError", "OutputError", "TagfieldError", "TrainingError"]
__all__ += ["UnknownAttributesWarning"]
_are_in("tagfield.errors")
__all__ += ["Scores"]
_are_in("tagfield.evaluate")
__all__ += ["Model"]
_are_in("tagfield.model.model")
__all__ += ["TaggedSentence", "TaggedSpan", "TaggedText", "TaggedToken"]
_are_in("tagfield.model.tagged")
__all__ += ["Tuning", "tune"]
_are_in("tagfield.scale.tuning")
__all__ += ["limit_memory"]
_are_in("tagfield.system.memory")
__all__ += ["RECIPES", "Epoch", "Settings"]
_are_in("tagfield.train")


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f"tagfield.{name}")
    if name not in PUBLIC:
        raise AttributeError(f"module 'tagfield' has no attribute {name!r}")
    found = getattr(import_module(PUBLIC[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC, *MODULES})
