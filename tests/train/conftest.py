"""Data that tests of several modules train on."""

import pytest

from tagfield.data.encode import Encoded
from tagfield.demo import mentions
from tests.support.built_in import encode_columns


@pytest.fixture(scope="session")
def skewed() -> tuple[Encoded, Encoded]:
    """Training and held-out data where one label, O, has most of the tokens."""
    corpus = mentions(seed=0, train=600, test=300)
    known = encode_columns(corpus.train)
    return known, encode_columns(corpus.test, attributes=known.attributes, labels=known.labels)
