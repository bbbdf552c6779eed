"""Where the CoNLL-2000 files are: in $CONLL2000, or in ../shared/data/conll2000 beside the repository."""

import os
from pathlib import Path

import pytest

HOME = Path(os.environ.get("CONLL2000") or Path(__file__).resolve().parents[3] / "shared" / "data" / "conll2000")
TRAIN = HOME / "train.txt"
TEST = HOME / "test.txt"

needs_corpus = pytest.mark.skipif(
    not (TRAIN.is_file() and TEST.is_file()),
    reason=f"CoNLL-2000 is not in {HOME}; set CONLL2000 to the directory of train.txt and test.txt",
)
