"""tagfield: fast conditional random fields (CRFs) for labelling sequences.

>>> model = Model.train_words([["the", "dog"], ["the", "cat"]], [["D", "N"], ["D", "N"]], settings=Settings(c2=0.1))
>>> model.tag_words([["the", "cow"]])
[['D', 'N']]

`PUBLIC` lists the public names. Each is imported on first use, so `import tagfield` and `tagfield --help` load neither
NumPy nor the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagfield.interpreter import require_supported

require_supported()

if TYPE_CHECKING:
    from tagfield.corpus import Corpus, pack
    from tagfield.dataset import Dataset
    from tagfield.encode import Encoded, encode_files, encode_sequences, encode_words
    from tagfield.errors import (
        InputError,
        MemoryLimitError,
        ModelFileError,
        OutputError,
        TagfieldError,
        TrainingError,
        UnknownAttributesWarning,
    )
    from tagfield.errors_page import write_errors_page
    from tagfield.estimator import CRF
    from tagfield.evaluate import Scores
    from tagfield.memory import limit_memory
    from tagfield.model import Model
    from tagfield.pycrfsuite import install_as_pycrfsuite
    from tagfield.tagged import TaggedSentence, TaggedSpan, TaggedText, TaggedToken
    from tagfield.text.reading import read
    from tagfield.text.templates import Template
    from tagfield.text.tokenizer import tokenize
    from tagfield.text.writing import write
    from tagfield.train import RECIPES, Epoch, Settings
    from tagfield.tuning import Tuning, tune

__version__ = "0.1.0"

PUBLIC: dict[str, str] = {  # name: its module
    "CRF": "tagfield.estimator",
    "RECIPES": "tagfield.train",
    "Corpus": "tagfield.corpus",
    "Dataset": "tagfield.dataset",
    "Encoded": "tagfield.encode",
    "Epoch": "tagfield.train",
    "InputError": "tagfield.errors",
    "MemoryLimitError": "tagfield.errors",
    "Model": "tagfield.model",
    "ModelFileError": "tagfield.errors",
    "OutputError": "tagfield.errors",
    "Scores": "tagfield.evaluate",
    "Settings": "tagfield.train",
    "TagfieldError": "tagfield.errors",
    "TaggedSentence": "tagfield.tagged",
    "TaggedSpan": "tagfield.tagged",
    "TaggedText": "tagfield.tagged",
    "TaggedToken": "tagfield.tagged",
    "Template": "tagfield.text.templates",
    "TrainingError": "tagfield.errors",
    "Tuning": "tagfield.tuning",
    "UnknownAttributesWarning": "tagfield.errors",
    "encode_files": "tagfield.encode",
    "encode_sequences": "tagfield.encode",
    "encode_words": "tagfield.encode",
    "install_as_pycrfsuite": "tagfield.pycrfsuite",
    "limit_memory": "tagfield.memory",
    "pack": "tagfield.corpus",
    "read": "tagfield.text.reading",
    "tokenize": "tagfield.text.tokenizer",
    "tune": "tagfield.tuning",
    "write": "tagfield.text.writing",
    "write_errors_page": "tagfield.errors_page",
}

MODULES = ("metrics", "pycrfsuite", "scorers", "templates", "utils")  # but templates as switching users know them

__all__ = ["CRF", "RECIPES", "Corpus", "Dataset", "Encoded", "Epoch", "InputError", "MemoryLimitError", "Model"]
__all__ += ["ModelFileError", "OutputError"]
__all__ += ["Scores", "Settings", "TagfieldError", "TaggedSentence", "TaggedSpan", "TaggedText", "TaggedToken"]
__all__ += ["Template", "TrainingError", "Tuning", "UnknownAttributesWarning", "__version__", "encode_files"]
__all__ += ["encode_sequences", "encode_words", "install_as_pycrfsuite", "limit_memory", "pack", "read", "tokenize"]
__all__ += ["tune", "write", "write_errors_page"]


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
