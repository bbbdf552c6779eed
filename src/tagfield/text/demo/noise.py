"""What people's fingers do to a text: typing errors, capitals, accents. Labels never change.

A habit belongs to a writer and holds for a whole text; a slip happens to a word.
"""

import unicodedata

from tagfield.text.demo.chance import Chance
from tagfield.text.demo.corpus import Segment

ROW_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEIGHBOURS = {key: right for row in ROW_KEYS for key, right in zip(row, row[1:] + row[-2], strict=True)}
SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "º": "o", "°": "o"})


def type_as_people_do(chance: Chance, segments: list[Segment], slip: float) -> list[Segment]:
    """The same segments as somebody typed them; each word of letters slips with probability `slip`."""
    habit = chance.weighted([(0.7, "as is"), (0.16, "small"), (0.06, "CAPITALS"), (0.08, "careless")])
    plain = chance.happens(0.4)
    typed: list[Segment] = []
    for kind, text in segments:
        spelled = []
        for word in text.split():
            if plain:
                word = without_accents(word)
            if chance.happens(slip):
                word = mistyped(chance, word)
            if habit == "small" or (habit == "careless" and chance.happens(0.4)):
                word = word.lower()
            elif habit == "CAPITALS":
                word = word.upper()
            spelled.append(word)
        typed.append((kind, " ".join(spelled)))
    return typed


def without_accents(word: str) -> str:
    """Plain letters for accented ones.

    >>> without_accents("Münchner"), without_accents("straße"), without_accents("São")
    ('Munchner', 'strasse', 'Sao')
    """
    decomposed = unicodedata.normalize("NFD", word.translate(SPECIAL))
    return "".join(char for char in decomposed if not unicodedata.combining(char)) or word


def mistyped(chance: Chance, word: str) -> str:
    """One slip in a word of three letters or more: two swapped, one lost, one doubled, or a wrong key."""
    if len(word) < 3 or not word.isalpha():
        return word
    at = chance.number(0, len(word) - 2)
    return chance.pick(
        [
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + NEIGHBOURS.get(word[at], word[at]) + word[at + 1 :],
        ]
    )
