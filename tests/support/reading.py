"""Text as a file of some name, read as sentences."""

from typing import Any

from tagfield.data.text.reading import read
from tagfield.data.text.records import Sentence
from tagfield.data.text.sources import Source


def sentences(name: str, text: str | bytes, **options: Any) -> list[Sentence]:
    raw = text if isinstance(text, bytes) else text.encode()
    return list(read(Source(name, raw), **options).sentences())
