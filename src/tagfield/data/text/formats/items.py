r"""CRFsuite's item lines, read and written with its exact escaping.

    files ─▶ read_items ─▶ Dataset            source ─▶ parse_items ─▶ ItemSequence ─▶ write_items ─▶ lines

    @weight:2.5                                 the weight of the sequence, where it is not 1
    B-NP <TAB> w[0]=The <TAB> length:3          label, then attributes, each with its value where it is not 1
    <empty line>                                the end of the sequence

A colon in a name is written `\:` and a backslash `\\`. Only TAB separates fields, so a name may hold spaces.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NoReturn, TypeAlias

from tagfield.data.dataset import Dataset
from tagfield.data.text.formats.decoding import encode_text
from tagfield.data.text.lines import check_lines, full_lines
from tagfield.data.text.sources import Locations, Source
from tagfield.errors import InputError
from tagfield.native._text import ItemEncoder, ItemLister, Vocabulary

Token: TypeAlias = list[tuple[str, float]]  # (attribute, value)
_ATTRIBUTE = re.compile(r".*[=\[].*|.*[^\\]:[-+.0-9eE]+|__[BE]OS__.*")


@dataclass(frozen=True)
class ItemSequence:
    """One labelled sequence. An empty label means that the label is not known."""

    tokens: list[Token]
    labels: list[str]
    weight: float = 1.0
    where: str = ""  # file and line, for messages


def is_items(head: str) -> bool:
    """Whether lines hold a label and attributes, such as w=dog or length:3, with tabs between them."""
    lines = full_lines(head)[:50]
    return bool(lines) and (lines[0].startswith("@weight:") or all(map(_is_item, lines)))


def _is_item(line: str) -> bool:
    label, *fields = line.split("\t")
    return bool(fields) and not {":", "\\"} & set(label) and all(map(_ATTRIBUTE.fullmatch, fields))


def refuse_items(source: Source, *_: object) -> NoReturn:
    """Item files have no words, so they cannot be read as sentences."""
    raise InputError(
        f"{source.name}: item files contain attributes instead of words; use encode_files or tagfield train"
    )


def read_items(
    sources: list[Source], attributes: Vocabulary, labels: Vocabulary, *, frozen: bool = False, grouped: bool = True
) -> tuple[Dataset, Locations]:
    r"""Encode item files. New attributes join `attributes` unless it is frozen, and new labels join `labels`.

    >>> data, locations = read_items([Source("tiny", b"\nA\tx\nB\tx\n")], Vocabulary(), Vocabulary())
    >>> data.labels.tolist(), locations.where(0)
    ([0, 1], 'tiny, line 2')
    """
    encoder = ItemEncoder(attributes, frozen, labels, grouped)
    for index, source in enumerate(sources):
        check_lines(source)
        encoder.read(source.text, source.name, index)
    arrays, gold, weight, file, line = encoder.finish()
    return Dataset(*arrays, gold, weight), Locations(sources, file, line)


def parse_items(source: Source) -> Iterator[ItemSequence]:
    r"""Read item lines sequence by sequence, as strings; values stay 64-bit.

    >>> next(parse_items(Source("tiny", b"NN\tw=12\\:30\tlength:5\n"))).tokens
    [[('w=12:30', 1.0), ('length', 5.0)]]
    """
    check_lines(source)
    lister = ItemLister(source.text, source.name)
    while (found := lister.next()) is not None:
        tokens, labels, weight, line = found
        yield ItemSequence(tokens, labels, weight, f"{source.name}, line {line}")


def write_items(sequences: Iterable[ItemSequence], stream: BinaryIO) -> int:
    r"""Write sequences as item lines, one at a time, and return how many there were.

    >>> import io
    >>> stream = io.BytesIO()
    >>> write_items([ItemSequence([[("12:30", 1.0), ("length", 5.0)]], ["NN"], weight=2.0)], stream)
    1
    >>> stream.getvalue()
    b'@weight:2.0\nNN\t12\\:30\tlength:5.0\n\n'
    """
    count = 0
    for count, sequence in enumerate(sequences, start=1):
        where = sequence.where or f"sequence {count - 1}"
        text = format_items(sequence, where)
        stream.write(encode_text(text) if count == 1 else text.encode())
    return count


def format_items(sequence: ItemSequence, where: str) -> str:
    r"""One sequence as text, with the empty line that ends it.

    >>> format_items(ItemSequence([[("a\\b", 1.0)]], ["X"]), "here")
    'X\ta\\\\b\n\n'
    """
    if not sequence.tokens:
        raise InputError(f"{where}: item lines cannot hold an empty sequence; leave it out")
    if len(sequence.tokens) != len(sequence.labels):
        raise InputError(
            f"{where}: found {len(sequence.tokens)} tokens but {len(sequence.labels)} labels; give one label per token"
        )
    lines = [] if sequence.weight == 1.0 else [f"@weight:{float(sequence.weight)!r}"]
    for token, label in zip(sequence.tokens, sequence.labels, strict=True):
        if label.startswith("@"):
            raise InputError(f"{where}: item lines cannot hold the label {label!r}; a label must not begin with @")
        if label.startswith("\ufeff"):
            raise InputError(f"{where}: item lines cannot hold the label {label!r}; remove its byte order mark")
        if not label and not token:
            raise InputError(
                f"{where}: item lines cannot hold a token without label and attributes; give it one of them"
            )
        fields = [_escape(label, where)]
        fields += [_field(_escape(name, where), value) for name, value in token]
        lines.append("\t".join(fields))
    return "\n".join(lines) + "\n\n"


def _field(name: str, value: float) -> str:
    return name if value == 1.0 and name else f"{name}:{float(value)!r}"


def _escape(name: str, where: str) -> str:
    if "\t" in name or "\n" in name or "\r" in name:
        raise InputError(f"{where}: item lines cannot hold {name!r}; remove the tab or line break in it")
    return name.replace("\\", "\\\\").replace(":", "\\:") if ":" in name or "\\" in name else name
