"""Places in a text ⇄ UTF-16 units, in which browsers count: a character beyond U+FFFF counts twice."""

from bisect import bisect_left


class Units:
    """The units of one text. It is read once, so a text may have many spans.

    >>> units = Units("😀 Anna")
    >>> units.of(2), units.characters(3), units.characters(1)
    (3, 2, None)
    """

    def __init__(self, text: str) -> None:
        self._wide = [] if text.isascii() else [at for at, character in enumerate(text) if character > "\uffff"]
        self._pairs = [at + k for k, at in enumerate(self._wide)]  # the first unit of each wide character
        self._length = len(text) + len(self._wide)

    def of(self, at: int) -> int:
        """How many units come before a character."""
        return at + bisect_left(self._wide, at)

    def characters(self, unit: int) -> int | None:
        """How many characters come before a unit; None outside the text and inside a character."""
        before = bisect_left(self._pairs, unit)
        inside = before > 0 and self._pairs[before - 1] == unit - 1
        return None if inside or not 0 <= unit <= self._length else unit - before
