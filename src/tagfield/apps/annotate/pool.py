"""The pool: the sentences to label, each one once.

    files ─▶ any format that `tagfield tag` reads ─▶ sentences ─▶ without repetitions ─▶ Pool: rows of cells, keys

A sentence is known by its key, a digest of its cells: the page, the labelled file and the next start of the program
agree on it whatever the order of the files. Labels that a file has are not looked at.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tagfield.data.text.formats.columns import DOCSTART, write_columns
from tagfield.data.text.formats.detect import HEAD, detect, kind_of
from tagfield.data.text.inputs import open_inputs
from tagfield.data.text.reading import ReadOptions, records_of_source, sentences_of
from tagfield.data.text.records import WORD, Row, Sentence
from tagfield.data.text.sources import Source
from tagfield.errors import InputError

USUAL = 0.8  # share of lines with the same number of words, from which on a file has columns


@dataclass(frozen=True)
class Pool:
    """Sentences, their keys, and the roles of their cells, the word first."""

    sentences: tuple[Sentence, ...]
    keys: tuple[str, ...]
    roles: tuple[str, ...]
    found: tuple[str, ...] = ()  # what each file was taken for
    repeated: int = 0  # sentences that were left out

    def __len__(self) -> int:
        return len(self.keys)


def key_of(rows: Iterable[Row]) -> str:
    """The key of a sentence.

    >>> key_of([("Anna",), ("left",)]) == key_of([("Anna",), ("left",)]) != key_of([("Anna", "left")])
    True
    """
    text = "\n".join("\t".join(row) for row in rows)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=9).hexdigest()


def read_pool(paths: Sequence[str], reading: ReadOptions, expected: Sequence[str] = ()) -> Pool:
    """The sentences of some files; a file of running text is one where lines have different numbers of words.

    expected: the columns of a template, for files whose columns have no names

    >>> pool = read_pool([Source("a.txt", b"Anna left .\\nIt rains\\nIt rains\\n")], ReadOptions())
    >>> [sentence.words for sentence in pool.sentences], pool.found
    ([('Anna', 'left', '.'), ('It', 'rains')], ('a.txt: plain text',))
    """
    sentences: dict[str, Sentence] = {}
    found: list[str] = []
    repeated = 0
    roles: tuple[str, ...] | None = None
    for source in open_inputs(paths, reading.format, reading.encoding):
        each = reading
        if reading.format is None and reading.columns is None and kind_of(source) == "columns" and is_text(source):
            each = replace(reading, format="text")
        form = detect(source, format=each.format, columns=each.columns, header=each.header, expected=expected)
        found.append(f"{source.name}: {'plain text' if form.kind == 'text' else form.describe()}")
        for record in sentences_of(records_of_source(source, form, each), each):
            sentence = _word_first(record)
            roles = sentence.roles if roles is None else roles
            if not sentence.tokens or sentence.words[0] == DOCSTART:
                continue
            if sentence.roles != roles:
                raise InputError(
                    f"{sentence.where}: the columns are {' '.join(sentence.roles)}, but {' '.join(roles)} before"
                )
            key = key_of(sentence.tokens)
            repeated += key in sentences
            sentences.setdefault(key, sentence)
    if not sentences:
        raise InputError("the files hold no sentence to label")
    for sentence in sentences.values():
        "".join(write_columns([replace(sentence, labels=("O",) * len(sentence.tokens))]))  # refuses what no file holds
    return Pool(tuple(sentences.values()), tuple(sentences), roles or (WORD,), tuple(found), repeated)


def is_text(source: Source) -> bool:
    """Whether the lines of a file have so different numbers of words that they are no columns.

    >>> is_text(Source("a", b"Anna left .\\nIt rains\\n")), is_text(Source("a", b"Anna\\nleft\\n\\nIt\\n"))
    (True, False)
    """
    lines = source.text[:HEAD].decode(errors="replace").split("\n")
    widths = Counter(len(line.split()) for line in lines if line.strip() and not line.startswith(("#", DOCSTART)))
    return bool(widths) and max(widths.values()) < USUAL * widths.total()


def _word_first(sentence: Sentence) -> Sentence:
    """A sentence without labels, whose first cell is the word, as column files have it."""
    order = sorted(range(len(sentence.roles)), key=lambda k: sentence.roles[k] != WORD)
    rows = tuple(tuple(row[k] for k in order) for row in sentence.tokens)
    return Sentence(rows, None, tuple(sentence.roles[k] for k in order), where=sentence.where)
