"""The public names are a list someone chose; this reads it back."""

import subprocess
import sys

import pytest

import tagfield

NAMES = {
    "CRF",
    "RECIPES",
    "Corpus",
    "Dataset",
    "Encoded",
    "Epoch",
    "InputError",
    "MemoryLimitError",
    "Model",
    "ModelFileError",
    "OutputError",
    "Scores",
    "Settings",
    "TaggedSentence",
    "TaggedSpan",
    "TaggedText",
    "TaggedToken",
    "TagfieldError",
    "Template",
    "TrainingError",
    "Tuning",
    "UnknownAttributesWarning",
    "__version__",
    "encode_files",
    "encode_sequences",
    "encode_words",
    "install_as_pycrfsuite",
    "install_as_sklearn_crfsuite",
    "limit_memory",
    "pack",
    "read",
    "tokenize",
    "tune",
    "write",
    "write_errors_page",
}


def test_the_public_names_are_these() -> None:
    assert set(tagfield.__all__) == NAMES
    assert set(tagfield.PUBLIC) == NAMES - {"__version__"}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(tagfield, name)
    assert name in dir(tagfield)
    if callable(found):
        assert found.__doc__
        assert found.__name__ == name


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = tagfield.nothing


def test_importing_the_package_loads_neither_numpy_nor_the_kernels() -> None:
    code = "import sys, tagfield; print([m for m in sys.modules if m.startswith(('numpy', 'scipy', 'tagfield.'))])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "['tagfield.system', 'tagfield.system.interpreter']"
