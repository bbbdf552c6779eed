"""The corpus `mentions`: support mails, orders and notes with few entities; 86 % of the tokens are O.

    grammar ─▶ segments: entities of six types, the rest outside ─▶ drop some labels ─▶ typing noise ─▶ tokens

The labels are BIO over PRODUCT ROLE PLACE DATE AMOUNT CODE. Like most text that is searched for names, the corpus is
skewed: two texts in five have no entity, most names are rare, and one mention in twelve is unlabelled, as if an
annotator had missed it. It shows the bias of saturating updates: many small errors on O outweigh few large errors on
entities, and rare labels are missed (tests/train/test_skewed.py).
"""

from tagfield.demo.corpus import DemoCorpus, Segment, Sentence, label_segments, make_corpus
from tagfield.demo.data import GRAMMARS, WORDS
from tagfield.demo.grammar import generate
from tagfield.demo.noise import add_typing_noise
from tagfield.demo.random_stream import RandomStream

MISSED = 0.08  # share of mentions left unlabelled, in both parts


def mentions(seed: int = 0, train: int = 3000, test: int = 1000) -> DemoCorpus:
    """Generates short texts from a seed; neither part depends on the size of the other.

    >>> corpus = mentions(seed=0, train=200, test=50)
    >>> labels = [label for sentence in corpus.train for _, _, label in sentence]
    >>> 0.8 < labels.count("O") / len(labels) < 0.9
    True
    """
    return make_corpus("mentions", note, seed=seed, train=train, test=test, unseen=0.18)


def note(rng: RandomStream) -> Sentence:
    """Generates one text."""
    segments = [segment for line in generate(rng, GRAMMARS["MENTIONS"], WORDS["MENTIONS"], "text") for segment in line]
    kind, text = segments[0]
    segments[0] = (kind, text[:1].upper() + text[1:])
    return label_segments(add_typing_noise(rng, miss_some(rng, segments), typo=0.015))


def miss_some(rng: RandomStream, segments: list[Segment]) -> list[Segment]:
    """The segments with some entities left unlabelled, as an annotator misses some.

    >>> segments = [("CITY", "Salem"), (None, "or"), ("CITY", "Leeds")] * 5
    >>> miss_some(RandomStream("doc", seed=2, part="train"), segments).count(("CITY", "Salem"))
    4
    """
    return [(None if kind and rng.happens(MISSED) else kind, text) for kind, text in segments]
