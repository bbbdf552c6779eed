"""Typing noise: typos, letter case and missing accents. Labels never change.

Letter case and accents are a habit of the writer, drawn once per text; a typo is drawn once per word.
"""

import unicodedata

from tagfield.demo.corpus import Segment
from tagfield.demo.random_stream import RandomStream

ROW_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
NEIGHBOURS = {key: right for row in ROW_KEYS for key, right in zip(row, row[1:] + row[-2], strict=True)}
SPECIAL = str.maketrans({"ß": "ss", "ø": "o", "º": "o", "°": "o"})


def add_typing_noise(rng: RandomStream, segments: list[Segment], typo: float) -> list[Segment]:
    """The same segments with typing noise; `typo` is the probability of a typo in a word."""
    habit = rng.weighted([(0.7, "as is"), (0.16, "small"), (0.06, "CAPITALS"), (0.08, "careless")])
    plain = rng.happens(0.4)
    typed: list[Segment] = []
    for kind, text in segments:
        spelled = []
        for word in text.split():
            if plain:
                word = without_accents(word)
            if rng.happens(typo):
                word = with_typo(rng, word)
            if habit == "small" or (habit == "careless" and rng.happens(0.4)):
                word = word.lower()
            elif habit == "CAPITALS":
                word = word.upper()
            spelled.append(word)
        typed.append((kind, " ".join(spelled)))
    return typed


def without_accents(word: str) -> str:
    """Replaces accented letters by plain ones.

    >>> without_accents("Münchner"), without_accents("straße"), without_accents("São")
    ('Munchner', 'strasse', 'Sao')
    """
    decomposed = unicodedata.normalize("NFD", word.translate(SPECIAL))
    return "".join(char for char in decomposed if not unicodedata.combining(char)) or word


def with_typo(rng: RandomStream, word: str) -> str:
    """Puts one typo into a word of three letters or more: two swapped, one lost, one doubled, or a wrong key."""
    if len(word) < 3 or not word.isalpha():
        return word
    at = rng.number(0, len(word) - 2)
    return rng.pick(
        [
            word[:at] + word[at + 1] + word[at] + word[at + 2 :],
            word[:at] + word[at + 1 :],
            word[: at + 1] + word[at:],
            word[:at] + NEIGHBOURS.get(word[at], word[at]) + word[at + 1 :],
        ]
    )
