"""Corpora that the package makes from a seed: no data files, no network, the same bytes everywhere.

>>> corpus = addresses(seed=0, train=1, test=0)
>>> import sys
>>> write_columns(corpus.train, sys.stdout)
Nina Xxxx B-NAME
, , O
Im Xx B-STREET
Winkel Xxxx I-STREET
7 d B-NUMBER
, , O
Königsburg Xxxx B-CITY
<BLANKLINE>
"""

from tagfield.text.demo.corpus import Corpus, Row, Sentence, write_columns
from tagfield.text.demo.notes import mentions
from tagfield.text.demo.postal import addresses

__all__ = ["Corpus", "Row", "Sentence", "addresses", "mentions", "write_columns"]
