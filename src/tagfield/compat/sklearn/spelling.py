"""Tokens and sequences that are plain strings, as sklearn-crfsuite takes them: a token's attributes are its characters.

    ["我们", "我"]      ─▶ [[["我"], ["们"]], [["我"]]]       a string as a sequence: each character is a token
    [["我", "们"]]      ─▶ [[["我"], ["们"]]]                 a string as a token: each character is an attribute

For longer words this is hardly what you want, so fit warns, and a CRF that was not trained on strings refuses them.
"""

from collections.abc import Iterable, Iterator
from typing import Any


class Spelling:
    """Reads X, and remembers whether it had strings, and the first token that is a string of several characters.

    long: Whether to take sequences and tokens of several characters; otherwise they stay as they are, and
        `encode_sequences` refuses them.

    >>> spelling = Spelling()
    >>> spelling.read(["ab"]), spelling.read([["a", "is"]]), spelling.word
    ([[['a'], ['b']]], [[['a'], ['i', 's']]], ('X[0][1]', 'is'))
    """

    def __init__(self, *, long: bool = True) -> None:
        self.long = long
        self.used = False
        self.word: tuple[str, str] | None = None  # where, what

    def read(self, X: Any) -> Any:
        """X with strings as lists of characters; unchanged if it has none."""
        if isinstance(X, list | tuple):
            return list(self._each(X)) if any(map(has_strings, X)) else X
        return self._each(X) if hasattr(X, "__iter__") and not isinstance(X, str | bytes | dict) else X

    def _each(self, X: Iterable[Any]) -> Iterator[Any]:
        for s, sequence in enumerate(X):
            if isinstance(sequence, str) and self.long:
                self.used = True
                yield [[character] for character in sequence]
            elif has_strings(sequence) and not isinstance(sequence, str):
                yield [self._token(token, s, t) for t, token in enumerate(sequence)]
            else:
                yield sequence

    def _token(self, token: Any, s: int, t: int) -> Any:
        if not isinstance(token, str) or (len(token) > 1 and not self.long):
            return token
        self.used = True
        if len(token) > 1 and self.word is None:
            self.word = (f"X[{s}][{t}]", token)
        return list(token)


def has_strings(sequence: Any) -> bool:
    """Whether a sequence is a string, or begins with one.

    >>> has_strings("ab"), has_strings(["a"]), has_strings([["a"]])
    (True, True, False)
    """
    if isinstance(sequence, str):
        return True
    return isinstance(sequence, list | tuple) and len(sequence) > 0 and isinstance(sequence[0], str)
