"""The corpora of the article: four public ones in a folder, or two built-in ones that stand in for them in tests.

DATA/conll2000/train.txt, test.txt + template ─▶ Corpus.read ─▶ Encoded train, test
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tagfield.data.encode import Encoded, encode_files, encode_sequences
from tagfield.demo import addresses, mentions
from tagfield.demo.corpus import DemoCorpus
from tagfield.errors import InputError

Pair = tuple[Encoded, Encoded]


@dataclass(frozen=True)
class Corpus:
    """A corpus: its name in studies, what it is, and how it is read."""

    name: str
    title: str
    template: str  # of the file `template` beside the data, or a preset
    read: Callable[[], Pair]


TITLES = {
    "conll2000": ("CoNLL-2000, chunks", "chunking"),
    "wnut17": ("WNUT-17, names in tweets", "ner"),
    "ewt_xpos": ("EWT, parts of speech", "pos"),
    "ingredients": ("ingredients, parts of recipes", "template"),
}


def public(folder: str | os.PathLike[str]) -> dict[str, Corpus]:
    """The four corpora of a folder.

    >>> public("/nowhere")
    Traceback (most recent call last):
    tagfield.errors.InputError: no file '/nowhere/conll2000/train.txt'; the article needs conll2000, wnut17, ewt_xpos \
and ingredients in '/nowhere', each with train.txt and test.txt
    """
    home = Path(folder)
    found = {}
    for name, (title, template) in TITLES.items():
        for part in ("train.txt", "test.txt"):
            if not (home / name / part).is_file():
                every = " and ".join([", ".join(list(TITLES)[:-1]), list(TITLES)[-1]])
                raise InputError(
                    f"no file {str(home / name / part)!r}; the article needs {every} in {str(home)!r}, "
                    "each with train.txt and test.txt"
                )
        found[name] = Corpus(name, title, template, _reader(home / name, template))
    return found


def built_in() -> dict[str, Corpus]:
    """Small synthetic corpora under the names of the public ones, to try the whole article in seconds.

    >>> [len(part) for part in built_in()["conll2000"].read()]
    [60, 30]
    """
    made = {
        "conll2000": addresses(seed=1, train=60, test=30),
        "wnut17": mentions(seed=1, train=30, test=20),
        "ewt_xpos": addresses(seed=2, train=60, test=20),
        "ingredients": addresses(seed=3, train=40, test=20),
    }
    return {
        name: Corpus(name, TITLES[name][0], "words and shapes", lambda corpus=corpus: _encoded(corpus))  # type: ignore[misc]
        for name, corpus in made.items()
    }


def _reader(home: Path, template: str) -> Callable[[], Pair]:
    @lru_cache(maxsize=1)
    def read() -> Pair:
        chosen = str(home / template) if template == "template" else template
        learned = encode_files(home / "train.txt", template=chosen)
        test = encode_files(
            home / "test.txt", template=learned.template, attributes=learned.attributes, labels=learned.labels
        )
        return learned, test

    return read


def _encoded(corpus: DemoCorpus) -> Pair:
    sides = []
    for sentences in (corpus.train, corpus.test):
        words = [[[f"w={word}", f"s={shape}"] for word, shape, _ in rows] for rows in sentences]
        sides.append((words, [[label for _, _, label in rows] for rows in sentences]))
    learned = encode_sequences(*sides[0])
    return learned, encode_sequences(*sides[1], attributes=learned.attributes, labels=learned.labels)
