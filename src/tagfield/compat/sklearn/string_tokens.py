"""Tokens and sequences that are plain strings, as sklearn-crfsuite takes them: a token's attributes are its characters.

    ["我们", "我"]      ─▶ [[["我"], ["们"]], [["我"]]]       a string as a sequence: each character is a token
    [["我", "们"]]      ─▶ [[["我"], ["们"]]]                 a string as a token: each character is an attribute

Longer words are rarely meant as lists of characters, so fit warns, and a CRF that was not trained on strings refuses
them.
"""

from collections.abc import Iterable, Iterator
from typing import Any


class StringTokens:
    """Splits the strings in X into characters; records whether there were any, and the first with several characters.

    long: Whether to split sequences and tokens of several characters. Otherwise they stay strings, and
        `encode_sequences` refuses them.

    >>> strings = StringTokens()
    >>> strings.split(["ab"]), strings.split([["a", "is"]]), strings.word
    ([[['a'], ['b']]], [[['a'], ['i', 's']]], ('X[0][1]', 'is'))
    """

    def __init__(self, *, long: bool = True) -> None:
        self.long = long
        self.found = False
        self.word: tuple[str, str] | None = None  # where, what

    def split(self, X: Any) -> Any:
        """X with strings as lists of characters; X itself if it has none."""
        if isinstance(X, list | tuple):
            return list(self._each(X)) if any(map(has_strings, X)) else X
        return self._each(X) if hasattr(X, "__iter__") and not isinstance(X, str | bytes | dict) else X

    def _each(self, X: Iterable[Any]) -> Iterator[Any]:
        for s, sequence in enumerate(X):
            if isinstance(sequence, str) and self.long:
                self.found = True
                yield [[character] for character in sequence]
            elif has_strings(sequence) and not isinstance(sequence, str):
                yield [self._token(token, s, t) for t, token in enumerate(sequence)]
            else:
                yield sequence

    def _token(self, token: Any, s: int, t: int) -> Any:
        if not isinstance(token, str) or (len(token) > 1 and not self.long):
            return token
        self.found = True
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
