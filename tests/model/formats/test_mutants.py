"""Damaged and forged files of every format: a model, or ModelFileError; never a crash, a hang or gigabytes."""

import os
import resource
import time
from contextlib import suppress

import numpy as np
import pytest

from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats import read_bytes
from tagfield.model.formats.crfpp_writer import to_bytes as to_crfpp
from tagfield.model.formats.wapiti_writer import to_bytes as to_wapiti
from tests.support.model_files import MODELS, mutants

FILES = ["edges.crfpp.txt", "edges.crfpp", "plain.crfpp", "compact.wapiti", "raw.wapiti", "twice.wapiti"]
MOST_SECONDS, MOST_BYTES = 1.0, 1 << 29
COUNT = int(os.environ.get("TAGFIELD_MUTANTS", "500"))  # of each file; 100,000 by hand


@pytest.mark.parametrize("name", FILES)
def test_mutants_are_read_or_refused_in_bounded_time_and_memory(name: str) -> None:
    """Read damaged copies; what can still be read can be written as well, or is refused."""
    data, rng = (MODELS / name).read_bytes(), np.random.default_rng(sum(name.encode()))
    read, before = 0, peak()
    for _ in range(COUNT // 100):
        begin = time.perf_counter()
        for raw in mutants(data, rng, 100):
            try:
                parts = read_bytes(raw)
            except ModelFileError:
                continue
            check(parts)
            read += 1
        assert time.perf_counter() - begin < 100 * MOST_SECONDS
        assert peak() - before < MOST_BYTES
    assert 0 < read < COUNT


def peak() -> int:
    """The most memory that this process has used, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def check(parts: Parts) -> None:
    assert np.isfinite(parts.weights.state).all()
    assert len(parts.attributes) == parts.features.attributes
    assert (0 if parts.edges is None else len(parts.edges)) == parts.features.edge_attributes
    write = to_wapiti if parts.info["format"] == "wapiti" else to_crfpp
    with suppress(InputError):  # names with blanks can be read, and not be written
        assert read_bytes(write(parts)).labels.strings() == parts.labels.strings()
