"""How much memory encoding files will take, estimated first.

    bytes of text · WORST fit into the room that is left  ─▶ it fits, no estimate is needed
    else the first megabyte is encoded, and then:
        data          grows like the text
        vocabulary    grows like n^β, β from the first half of that megabyte and the whole of it
        long lines    LONG times their size: each function of a cell makes strings of its length

Measured, as the peak of memory for each byte of text: 16 to 34 for English with the presets, 72 where every word is
new, 81 for one cell of 10 MB, and 32 for JSON lines, whose sentences are Python objects.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import fields

import numpy as np

from tagfield.data.dataset import Dataset
from tagfield.data.text.sources import Source
from tagfield.native._text import Vocabulary
from tagfield.system.memory import check_fits, room_left, spell

WORST = 100.0  # bytes of memory for a byte of text, in the worst file that was found
OBJECTS = 40.0  # for a byte of a format that becomes Python objects
LONG, LINE = 85.0, 100_000  # bytes for a byte of a line that is longer than LINE
SAMPLE = 1_000_000
STRING = 2.5  # a vocabulary takes this times its strings, counted with 8 bytes for each
SPARE = 1.1

Encode = Callable[[list[Source]], tuple[Dataset, Vocabulary]]


def check_reading(sources: list[Source], encode: Encode | None = None) -> None:
    """Raise MemoryLimitError if encoding the files does not fit into memory.

    encode: encodes some text with new vocabularies; None for formats that cannot be cut

    >>> check_reading([Source("a.txt", b"The DT\\n")])
    """
    total = sum(len(source.text) for source in sources)
    if total * WORST <= room_left():
        return
    long = sum(_long_lines(source.text) for source in sources)
    needed = (total - long) * OBJECTS if encode is None else _extrapolated(sources, total - long, encode)
    advice = "pack the files first (tagfield pack), or use a template with fewer patterns"
    check_fits(needed + LONG * long, f"{sources[0].name}: encoding the {spell(total)} of text", advice)


def check_piece(source: Source, size: int) -> bool:
    """Raise MemoryLimitError if encoding a piece of a file does not fit into memory.

    size: what a piece has usually, in bytes; pieces without long lines up to twice that are not checked
    Returns whether it was checked, so that two such pieces are not encoded at the same time.

    >>> check_piece(Source("a.txt", b"The DT\\n"), 1000)
    False
    """
    total, long = len(source.text), _long_lines(source.text)
    if not long and total <= 2 * size:
        return False
    advice = "divide its long words, lines or sentences" if long else "divide the file"
    needed = (total - long) * OBJECTS + LONG * long
    check_fits(needed, f"{source.name}: encoding {spell(total)} of text that cannot be divided", advice)
    return True


def check_long_words(lengths: Iterable[int], where: str) -> None:
    """Raise MemoryLimitError if the words of a text are too long for the memory that is left.

    >>> check_long_words([4, 2], "the text")
    """
    long = sum(length for length in lengths if length > LINE)
    if long:
        check_fits(LONG * long, f"{where}: encoding words of {spell(long)}", "divide its long words")


def _extrapolated(sources: list[Source], total: int, encode: Encode) -> float:
    """Bytes that the arrays and the vocabulary of `total` bytes of text will take, from the first megabyte."""
    text = sources[0].text
    half, whole = _beginning(text, SAMPLE // 2), _beginning(text, SAMPLE)
    if not half or len(whole) <= len(half):
        return total * OBJECTS
    _, few = encode([Source(sources[0].name, half)])
    data, more = encode([Source(sources[0].name, whole)])
    ratio, times = len(whole) / len(half), max(1.0, total / len(whole))
    small, large = _strings(few), _strings(more)
    beta = min(1.0, max(0.0, math.log(large / small) / math.log(ratio))) if small else 1.0
    growth: float = times**beta
    return SPARE * (_arrays(data) * times + STRING * large * growth)


def _beginning(text: bytes, size: int) -> bytes:
    """The first sentences, about `size` bytes of them; empty if they do not end there."""
    end = max(text.rfind(b"\n\n", 0, size), text.rfind(b"\n\r\n", 0, size))
    return text[: end + 1] if end > 0 else b""


def _arrays(data: Dataset) -> int:
    arrays = (getattr(data, field.name) for field in fields(data))
    return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))


def _strings(vocabulary: Vocabulary) -> int:
    return sum(array.nbytes for array in vocabulary.to_arrays())


def _long_lines(text: bytes) -> int:
    """Bytes in lines longer than LINE."""
    found = start = 0
    while len(text) - start > LINE:
        end = text.find(b"\n", start, start + LINE)
        if end < 0:
            end = text.find(b"\n", start + LINE)
            end = len(text) if end < 0 else end
            found += end - start
            start = end + 1
        else:
            start = text.rfind(b"\n", start, start + LINE) + 1
    return found
