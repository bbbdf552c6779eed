"""A CRFsuite model of which only what is asked for is read: what `Tagger.open` waits for.

    bytes ─▶ CrfsuiteFile: header, labels, transitions
    sequence ─▶ its attributes in the file's own hash table ─▶ their weights, as rows of a field ─▶ Chain

Reading and checking a whole model takes a hundred times as long as labelling one sequence with it. An attribute is
looked up in the file when it first occurs, and in a vocabulary from then on.
"""

import mmap
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from tagfield.compat.pycrfsuite.chain import Chain
from tagfield.errors import InputError
from tagfield.model.formats.names import name_of
from tagfield.model.model import Model
from tagfield.native import kernels
from tagfield.native._text import CrfsuiteFile, Vocabulary
from tagfield.weights.layout import ABSENT, LANES

LARGEST = 1 << 30  # bytes of address space for the rows; memory is taken only for those that are used


class Opened(NamedTuple):
    """An open model."""

    read: Callable[[Any], Chain]  # of a sequence
    labels: tuple[Any, ...]
    whole: Callable[[], Model]  # the model; a damaged file raises ModelFileError at the latest here


def open_late(data: bytes) -> Opened | None:
    """The model in the bytes of a file; None if all of it has to be read, which also says what is wrong with it."""
    try:
        file = CrfsuiteFile(data)
        labels = tuple(map(name_of, file.labels))
        width = -(-len(labels) // LANES) * LANES
        size = file.attributes * width * 8
        if len(set(labels)) != len(labels) or not labels or max(size, len(labels) * width * 8) > LARGEST:
            return None
        transitions: Any = np.full((len(labels), width), ABSENT, np.float64)
        file.put_transitions(transitions)
        # Pages of zeros that exist once they are written to.
        rows: Any = np.frombuffer(mmap.mmap(-1, max(size, 1)), np.float64, size // 8).reshape(-1, width)
    except (InputError, OSError, MemoryError):
        return None
    layout = kernels.Layout(file.attributes, len(labels), None, None)
    field = kernels.Field(layout, rows.reshape(-1, LANES), transitions)
    tagger = file.tagger(Vocabulary(), kernels.sequence_decoder(field), rows)
    return Opened(partial(Chain, tagger, field), labels, cache(partial(Model.load_bytes, data)))
