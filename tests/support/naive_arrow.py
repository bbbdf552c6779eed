"""Arrow's buffers read one word at a time, as its specification says; the twin of native/text/arrow_words.hpp."""

from collections.abc import Sequence


def words_of(rows: Sequence[int], words: Sequence[int], text: bytes) -> list[list[str]]:
    """The words of each row; ValueError where offsets do not hold together, a word is empty, or it is not UTF-8."""
    found: list[list[str]] = []
    for s in range(len(rows) - 1):
        if not 0 <= rows[s] <= rows[s + 1] <= len(words) - 1:
            raise ValueError(f"row {s}")
        found.append([])
        for t in range(rows[s], rows[s + 1]):
            if not 0 <= words[t] < words[t + 1] <= len(text):
                raise ValueError(f"row {s}, token {t - rows[s]}")
            found[-1].append(text[words[t] : words[t + 1]].decode())
    return found
