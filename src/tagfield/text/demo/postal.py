"""Postal addresses as people type them, the first built-in corpus.

    country ─▶ grammar: lines ─▶ omit, swap ─▶ commas or none ─▶ noise ─▶ rows

Thirteen entity types in BIO: NAME ORG STREET NUMBER UNIT FLOOR BUILDING POBOX DISTRICT CITY REGION POSTCODE
COUNTRY; punctuation and fillers such as "deliver to" are O. The difficulty is that of the matter, never a
wrong label: Lincoln may be a city, a street or a surname, a number of four digits is a house in one country
and a postcode in another, and some words of the test part do not occur in training.
"""

from tagfield.text.demo import postal_grammar as rules
from tagfield.text.demo import postal_words as words
from tagfield.text.demo import postal_words_europe as europe
from tagfield.text.demo.chance import Chance
from tagfield.text.demo.corpus import Corpus, Segment, Sentence, drawn, label_segments
from tagfield.text.demo.grammar import Grammar, Lists, written
from tagfield.text.demo.noise import type_as_people_do

COUNTRIES: list[tuple[float, tuple[Grammar, Lists]]] = [
    (0.20, (rules.US, words.US)),
    (0.15, (rules.UK, words.UK)),
    (0.12, (rules.GERMANY, europe.GERMANY)),
    (0.11, (rules.FRANCE, europe.FRANCE)),
    (0.09, (rules.NETHERLANDS, europe.NETHERLANDS)),
    (0.10, (rules.SPAIN, europe.SPAIN)),
    (0.09, (rules.ITALY, europe.ITALY)),
    (0.06, (rules.JAPAN, words.JAPAN)),
    (0.08, (rules.BRAZIL, words.BRAZIL)),
]
COMPLETE = [
    (weight, ({**rules.COMMON, **grammar}, {**words.COMMON, **lists}))
    for weight, (grammar, lists) in COUNTRIES
]


def addresses(seed: int = 0, train: int = 3000, test: int = 1000) -> Corpus:
    """Make `train` + `test` addresses from a seed; the two parts do not depend on each other's size.

    >>> corpus = addresses(seed=0, train=2, test=1)
    >>> len(corpus.train), len(corpus.test)
    (2, 1)
    >>> corpus.train == addresses(seed=0, train=5, test=0).train[:2]
    True
    """
    return drawn("addresses", address, seed=seed, train=train, test=test, unseen=0.08)


def address(chance: Chance) -> Sentence:
    """One address as rows of word, shape and label."""
    grammar, lists = chance.weighted(COMPLETE)
    lines = written(chance, grammar, lists, "address")
    if chance.happens(0.05) and len(lines) > 2:
        lines.pop(chance.number(0, len(lines) - 1))
    if chance.happens(0.05) and len(lines) > 2:
        at = chance.number(0, len(lines) - 2)
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    before, after, remark = (written(chance, grammar, lists, name) for name in ("who", "end", "remark"))
    return label_segments(
        type_as_people_do(chance, _joined(chance, [*before, *lines, *after, *remark]), slip=0.015)
    )


def _joined(chance: Chance, lines: list[list[Segment]]) -> list[Segment]:
    """Lines in one row: some writers put commas between them, some do at times, some never."""
    comma = chance.weighted([(0.7, 0.97), (0.22, 0.6), (0.08, 0.0)])
    mark = chance.weighted([(0.85, ","), (0.06, ";"), (0.05, "-"), (0.04, "/")])
    segments: list[Segment] = []
    for index, line in enumerate(lines):
        if index and chance.happens(comma):
            segments.append((None, mark))
        segments.extend(line)
    return segments
