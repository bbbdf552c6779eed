"""The built-in corpora, written as columns and encoded with the usual template."""

import io
from typing import Any

from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.sources import Source
from tagfield.demo import Sentence, write_columns


def encode_columns(sentences: list[Sentence], **known: Any) -> Encoded:
    """The sentences as a file would give them; `known` are the vocabularies of other data."""
    file = io.StringIO()
    write_columns(sentences, file)
    return encode_files([Source("built-in", file.getvalue().encode())], **known)
