"""One server for the tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tagfield import Model, encode_sequences
from tests.support.service import Service, names_model, served


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models: names, which reads text; plain, which reads attributes; chunks, which reads words and tags."""
    found = tmp_path_factory.mktemp("served")
    names_model().save(found / "names.tagfield")
    sequences = [[["w=a"], ["w=b", "s"]], [["w=b"], ["w=a"]]] * 3
    Model.train(encode_sequences(sequences, [["X", "Y"], ["Y", "X"]] * 3), "lbfgs").save(found / "plain.tagfield")
    rows = [[("The", "DT"), ("dog", "NN")], [("A", "DT"), ("cat", "NN")]]
    chunks = Model.train_words(rows, [["B-NP", "I-NP"]] * 2, template="chunking", settings="lbfgs")
    chunks.save(found / "chunks.tagfield")
    return found


@pytest.fixture(scope="session")
def names(folder: Path) -> Model:
    return Model.load(folder / "names.tagfield")


@pytest.fixture(scope="session")
def service(folder: Path) -> Iterator[Service]:
    """A server with its default limits, and three models."""
    with served(folder / "names.tagfield", folder / "plain.tagfield", f"cut={folder / 'chunks.tagfield'}") as found:
        yield found
