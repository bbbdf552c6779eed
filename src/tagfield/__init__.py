"""tagfield: fast conditional random fields (CRFs) for labelling sequences.

>>> model = Model.train_words([["the", "dog"], ["the", "cat"]], [["D", "N"], ["D", "N"]], settings=Settings(c2=0.1))
>>> model.tag_words([["the", "cow"]])
[['D', 'N']]

`PUBLIC` lists the public names. Each is imported on first use, so `import tagfield` and `tagfield --help` load neither
NumPy nor the kernels.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tagfield.system.interpreter import require_supported

require_supported()

if TYPE_CHECKING:
    from tagfield.apps.errors import write_errors_page
    from tagfield.compat.pycrfsuite import install_as_pycrfsuite
    from tagfield.compat.sklearn import CRF
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

PUBLIC: dict[str, str] = {  # name: its module
    "CRF": "tagfield.compat.sklearn",
    "RECIPES": "tagfield.train",
    "Corpus": "tagfield.data.corpus",
    "Dataset": "tagfield.data.dataset",
    "Encoded": "tagfield.data.encode",
    "Epoch": "tagfield.train",
    "InputError": "tagfield.errors",
    "MemoryLimitError": "tagfield.errors",
    "Model": "tagfield.model.model",
    "ModelFileError": "tagfield.errors",
    "OutputError": "tagfield.errors",
    "Scores": "tagfield.evaluate",
    "Settings": "tagfield.train",
    "TagfieldError": "tagfield.errors",
    "TaggedSentence": "tagfield.model.tagged",
    "TaggedSpan": "tagfield.model.tagged",
    "TaggedText": "tagfield.model.tagged",
    "TaggedToken": "tagfield.model.tagged",
    "Template": "tagfield.data.text.templates.template",
    "TrainingError": "tagfield.errors",
    "Tuning": "tagfield.scale.tuning",
    "UnknownAttributesWarning": "tagfield.errors",
    "encode_files": "tagfield.data.encode",
    "encode_sequences": "tagfield.data.encode",
    "encode_words": "tagfield.data.encode",
    "install_as_pycrfsuite": "tagfield.compat.pycrfsuite",
    "limit_memory": "tagfield.system.memory",
    "pack": "tagfield.data.corpus",
    "read": "tagfield.data.text.reading",
    "tokenize": "tagfield.data.text.tokenizer.tokenizer",
    "tune": "tagfield.scale.tuning",
    "write": "tagfield.data.text.writing",
    "write_errors_page": "tagfield.apps.errors",
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
