"""Synthetic corpora, generated from a seed: no data files, no network, the same bytes on every machine.

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

from tagfield.demo.corpus import DemoCorpus, Sentence, Token, plain_text, write_columns
from tagfield.demo.notes import mentions
from tagfield.demo.postal import addresses

__all__ = ["DemoCorpus", "Sentence", "Token", "addresses", "mentions", "plain_text", "write_columns"]
