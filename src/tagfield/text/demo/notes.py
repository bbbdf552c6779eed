"""Support mails, orders and notes with few entities, the second built-in corpus: 86 % of its words are O.

    grammar ─▶ segments: entities of six types, everything else outside ─▶ overlook ─▶ noise ─▶ rows

PRODUCT ROLE PLACE DATE AMOUNT CODE, in BIO. One label dominates, two texts in five have no entity at all, names are
mostly rare, and one mention in twelve is overlooked, as annotators do. So are most texts that people want to search,
and this makes it a test of its own: an update that saturates weighs the many small errors on O above the few large
ones on entities, and loses rare labels (tests/test_skewed.py).
"""

from tagfield.text.demo.chance import Chance
from tagfield.text.demo.corpus import Corpus, Segment, Sentence, drawn, label_segments
from tagfield.text.demo.grammar import written
from tagfield.text.demo.noise import type_as_people_do
from tagfield.text.demo.notes_grammar import GRAMMAR
from tagfield.text.demo.notes_words import WORDS

OVERLOOKED = 0.08  # of all mentions, in both parts


def mentions(seed: int = 0, train: int = 3000, test: int = 1000) -> Corpus:
    """Make `train` + `test` short texts from a seed; the two parts do not depend on each other's size.

    >>> corpus = mentions(seed=0, train=200, test=50)
    >>> labels = [label for sentence in corpus.train for _, _, label in sentence]
    >>> 0.8 < labels.count("O") / len(labels) < 0.9
    True
    """
    return drawn("mentions", note, seed=seed, train=train, test=test, unseen=0.18)


def note(chance: Chance) -> Sentence:
    """One text as rows of word, shape and label."""
    segments = [segment for line in written(chance, GRAMMAR, WORDS, "text") for segment in line]
    kind, text = segments[0]
    segments[0] = (kind, text[:1].upper() + text[1:])
    return label_segments(type_as_people_do(chance, overlook(chance, segments), slip=0.015))


def overlook(chance: Chance, segments: list[Segment]) -> list[Segment]:
    """The segments with some entities left unlabelled.

    >>> overlook(Chance("doc", seed=2, part="train"), [("CITY", "Salem"), (None, "or"), ("CITY", "Leeds")] * 5).count(
    ...     ("CITY", "Salem"))
    4
    """
    return [(None if kind and chance.happens(OVERLOOKED) else kind, text) for kind, text in segments]
