"""A corpus on disk: shards of packed arrays, which training reads a window at a time.

files ─▶ pieces ─▶ piece_encoder (threads) ─▶ packing: join, renumber ─▶ shards ─▶ finishing: manifest ─▶ Corpus
"""

from tagfield.data.corpus.corpus import Corpus, is_corpus
from tagfield.data.corpus.packing import PackOptions, Progress, pack
from tagfield.data.corpus.recoded import recoded

__all__ = ["Corpus", "PackOptions", "Progress", "is_corpus", "pack", "recoded"]
