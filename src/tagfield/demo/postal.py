"""The corpus `addresses`: postal addresses of nine countries, as people type them.

    country ─▶ grammar: lines ─▶ omit or swap lines ─▶ separators ─▶ typing noise ─▶ tokens

The labels are BIO over thirteen types: NAME ORG STREET NUMBER UNIT FLOOR BUILDING POBOX DISTRICT CITY REGION POSTCODE
COUNTRY; punctuation and fillers such as "deliver to" are O. Every label is right; the text itself is ambiguous.
Lincoln may be a city, a street or a surname, a number of four digits is a house number in one country and a postcode
in another, and some words of the test part do not occur in training.
"""

from tagfield.demo.corpus import DemoCorpus, Segment, Sentence, label_segments, make_corpus
from tagfield.demo.data import GRAMMARS, WORDS
from tagfield.demo.grammar import Grammar, Lists, generate
from tagfield.demo.noise import add_typing_noise
from tagfield.demo.random_stream import RandomStream

SHARES = {"US": 0.20, "UK": 0.15, "GERMANY": 0.12, "FRANCE": 0.11, "NETHERLANDS": 0.09}  # of the addresses
SHARES |= {"SPAIN": 0.10, "ITALY": 0.09, "JAPAN": 0.06, "BRAZIL": 0.08}
COMPLETE: list[tuple[float, tuple[Grammar, Lists]]] = [
    (share, ({**GRAMMARS["COMMON"], **GRAMMARS[name]}, {**WORDS["COMMON"], **WORDS[name]}))
    for name, share in SHARES.items()
]


def addresses(seed: int = 0, train: int = 3000, test: int = 1000) -> DemoCorpus:
    """Generates addresses from a seed; neither part depends on the size of the other.

    >>> corpus = addresses(seed=0, train=2, test=1)
    >>> len(corpus.train), len(corpus.test)
    (2, 1)
    >>> corpus.train == addresses(seed=0, train=5, test=0).train[:2]
    True
    """
    return make_corpus("addresses", address, seed=seed, train=train, test=test, unseen=0.08)


def address(rng: RandomStream) -> Sentence:
    """Generates one address."""
    grammar, lists = rng.weighted(COMPLETE)
    lines = generate(rng, grammar, lists, "address")
    if rng.happens(0.05) and len(lines) > 2:
        lines.pop(rng.number(0, len(lines) - 1))
    if rng.happens(0.05) and len(lines) > 2:
        at = rng.number(0, len(lines) - 2)
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    before, after, remark = (generate(rng, grammar, lists, name) for name in ("who", "end", "remark"))
    return label_segments(add_typing_noise(rng, _joined(rng, [*before, *lines, *after, *remark]), typo=0.015))


def _joined(rng: RandomStream, lines: list[list[Segment]]) -> list[Segment]:
    """Joins the lines into one: some writers always put a separator between them, some sometimes, some never."""
    comma = rng.weighted([(0.7, 0.97), (0.22, 0.6), (0.08, 0.0)])
    mark = rng.weighted([(0.85, ","), (0.06, ";"), (0.05, "-"), (0.04, "/")])
    segments: list[Segment] = []
    for index, line in enumerate(lines):
        if index and rng.happens(comma):
            segments.append((None, mark))
        segments.extend(line)
    return segments
