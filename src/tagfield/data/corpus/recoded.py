"""A corpus with the ids of a model: windows of it, ready to be decoded and scored.

Corpus, a model's names and template ─▶ for each id of the corpus that of the model ─▶ Encoded, a window at a time
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tagfield.data.corpus.corpus import Corpus
from tagfield.data.dataset import UNKNOWN, Dataset, Ints
from tagfield.data.encoded import Encoded
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError
from tagfield.native._text import Vocabulary

WINDOW = "64MB"


def recoded(
    corpus: Corpus,
    attributes: Vocabulary,
    labels: Vocabulary,
    template: Template | None,
    edges: Vocabulary | None = None,
    window: str | float = WINDOW,
) -> Iterator[Encoded]:
    """The sequences of a corpus in their order, with the ids of a model, about `window` bytes at a time.

    Labels that the model lacks come after its own in `names`, as `encode_files` has them.

    >>> import pathlib, tempfile
    >>> from tagfield.data.corpus import pack
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.txt").write_text("The D\\ndog N\\n\\nBark V\\n")
    >>> corpus = pack(folder / "a.txt", folder / "corpus", template="words")
    >>> [encoded] = recoded(corpus, Vocabulary(["w[0]=dog"]), Vocabulary(["N", "D"]), corpus.template)
    >>> encoded.dataset.labels.tolist(), encoded.gold_labels(), encoded.dataset.attribute.tolist()
    ([1, 0, -1], [['D', 'N'], ['V']], [0])
    """
    _check(corpus, attributes, template)
    names = labels.copy()
    gold_of = names.join(corpus.labels)  # [labels of the corpus]
    known_of = np.where(gold_of < len(labels), gold_of, UNKNOWN).astype(np.int32)
    ids = None if attributes.hash_bits else _ids(attributes, corpus.attributes)
    edge_ids = None if edges is None or corpus.edges is None else _ids(edges, corpus.edges)
    for data in corpus.windows(np.arange(len(corpus)), window):
        gold = gold_of[data.labels]
        data = replace(data if ids is None else data.renumbered(ids), labels=known_of[data.labels])
        if edge_ids is not None:
            data = _with_edges(data, edge_ids)
        yield Encoded(data.seal(), attributes, labels, gold, names, template, form=corpus.form, edges=edges)


def _check(corpus: Corpus, attributes: Vocabulary, template: Template | None) -> None:
    """Raise InputError if the corpus was packed with another template or hash than the model's."""
    both = [None if each is None else replace(each, name="").to_json() for each in (corpus.template, template)]
    advice = "give the text that it was packed from, or pack it with the model's"
    if both[0] != both[1]:
        named = ["CRFsuite items" if each is None else f"template {each.name}" for each in (corpus.template, template)]
        raise InputError(
            f"{corpus.path}: the corpus was packed with {named[0]}, but the model reads {named[1]}; {advice}"
        )
    bits = corpus.manifest.hash_bits
    if bits != attributes.hash_bits:
        named = [f"--hash-bits {each}" if each else "names of attributes" for each in (bits, attributes.hash_bits)]
        raise InputError(f"{corpus.path}: the corpus has {named[0]}, but the model has {named[1]}; {advice}")


def _ids(of: Vocabulary, names: Vocabulary) -> Ints:
    """The id of each name in another vocabulary, −1 where it is not there."""
    found = of.copy().join(names)
    return np.where(found < len(of), found, UNKNOWN).astype(np.int32)


def _with_edges(data: Dataset, ids: Ints) -> Dataset:
    data = data.keep_edges(ids >= 0)
    assert data.edge_slots is not None
    kept = ids[ids >= 0]
    attribute = kept[data.edge_slots.attribute] if len(kept) else data.edge_slots.attribute
    return replace(data, edge_slots=replace(data.edge_slots, attribute=attribute))
