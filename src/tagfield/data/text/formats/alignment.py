"""Where the tokens of a sentence stand in its text."""

from collections.abc import Sequence

from tagfield.data.text.records import Offsets


def align(words: Sequence[str], text: str) -> tuple[Offsets, ...] | None:
    """The place of each word in the text, in order with nothing but spaces between them; None if they do not fit.

    >>> align(["Do", "n't", "!"], "Don't !"), align(["a", "c"], "a b c")
    (((0, 2), (2, 5), (6, 7)), None)
    """
    offsets, at = [], 0
    for word in words:
        while not text.startswith(word, at):
            if at >= len(text) or not text[at].isspace():
                return None
            at += 1
        offsets.append((at, at + len(word)))
        at += len(word)
    return None if text[at:].strip() else tuple(offsets)
