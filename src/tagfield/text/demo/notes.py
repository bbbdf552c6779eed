"""Support mails, orders and notes with few entities, the second built-in corpus: 85 % of its words are O.

    grammar ─▶ segments: entities of six types, everything else outside ─▶ noise ─▶ rows

PRODUCT ROLE PLACE DATE AMOUNT CODE, in BIO. One label dominates, as in most texts that people want to search,
and this makes it a test of its own: updates that treat all labels alike are biased here.
"""

from tagfield.text.demo.chance import Chance
from tagfield.text.demo.corpus import Corpus, Sentence, drawn, label_segments
from tagfield.text.demo.grammar import written
from tagfield.text.demo.noise import type_as_people_do
from tagfield.text.demo.notes_grammar import GRAMMAR
from tagfield.text.demo.notes_words import WORDS


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
    return label_segments(type_as_people_do(chance, segments, slip=0.015))
