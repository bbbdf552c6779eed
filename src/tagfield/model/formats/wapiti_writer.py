"""Writes Wapiti's model files.

    a model that Wapiti made           as it was, byte for byte
    a model with patterns of Wapiti    those patterns, and b for the plain transitions
    any other model                    raw mode: u before each attribute, b before each edge attribute, and for the
                                       transitions b alone, which every item of the data must have

Weights that are 0 are left out, as Wapiti leaves them out.
"""

from typing import Any

from tagfield.data.text.templates.template import WAPITI
from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.names import bytes_of
from tagfield.model.formats.observation_order import edge_names, in_new_order, in_old_order, token_names
from tagfield.model.formats.observations import Observations
from tagfield.model.formats.wapiti import CRF, FORMAT, KINDS

ALWAYS = b"b"
BLANKS = b" \t\n\r\v\f"


def to_bytes(parts: Parts) -> bytes:
    """The file of a model; InputError if the format cannot hold it.

    >>> from tagfield.native._text import Vocabulary
    >>> from tagfield.weights.layout import FeatureSet
    >>> made = FeatureSet.from_triples(1, 2, ([0], [0], [1.5]), ([0], [1], [-0.5]))
    >>> print(to_bytes(Parts(Vocabulary(["X", "Y"]), Vocabulary(["dog"]), *made, None, {})).decode(), end="")
    #mdl#2#2
    #rdr#0/0/0
    #qrk#2
    1:X,
    1:Y,
    #qrk#2
    1:b,
    4:udog,
    1=-0x1p-1
    4=0x1.8p+0
    """
    record = parts.info.get(FORMAT) if parts.info.get("format") == FORMAT else None
    if isinstance(record, dict):
        found, patterns = in_old_order(parts, record), _patterns(parts, record)
        if found is not None and patterns is not None:
            kind, reader = record.get("type"), record.get("reader")
            known = kind is None or (type(kind) is int and 0 <= kind <= CRF)
            if known and isinstance(reader, list) and len(reader) in (1, 2) and all(type(n) is int for n in reader):
                return _file(found, patterns, kind, reader)
    if parts.template is not None and parts.template.syntax == WAPITI:
        return _with_patterns(parts)
    return _raw(parts, as_they_are=isinstance(record, dict))


def _with_patterns(parts: Parts) -> bytes:
    template = parts.template
    assert template is not None
    tokens = [pattern.text for pattern in template.patterns]
    pairs = [pattern.text for pattern in template.transitions if pattern.text[0] == "b"]
    found = in_new_order(parts, token_names(parts), edge_names(parts), ALWAYS, both=b"*")
    _check_letters(found)
    patterns = [bytes_of(text) for text in tokens + pairs] + [found.names[k] for k in found.always]
    columns = [int(column) for pattern in template.all_patterns for _, column in pattern.cells]
    return _file(found, patterns, CRF, [max(columns, default=0), 0])


def _raw(parts: Parts, as_they_are: bool) -> bytes:
    tokens, edges = token_names(parts), edge_names(parts)
    if not (as_they_are and all(name[:1] in KINDS for name in tokens + edges)):
        tokens, edges = [b"u" + name for name in tokens], [b"b" + name for name in edges]
    for name in tokens + edges:
        if any(byte in BLANKS for byte in name):
            shown = name.decode("utf-8", "replace")[1:61]
            raise InputError(
                f"the attribute {shown!r} holds a blank, which no item of Wapiti's data can have; rename it, or save "
                "the model in tagfield's format"
            )
    return _file(in_new_order(parts, tokens, edges, ALWAYS, both=b"*"), [], CRF, [0, 0])


def _check_letters(found: Observations) -> None:
    for name, kind in zip(found.names, found.kinds.tolist(), strict=True):
        if KINDS.get(name[:1], 0) & kind != kind:
            shown = name.decode("utf-8", "replace")[:60]
            raise InputError(f"the attribute {shown!r} was not made by the model's patterns, so Wapiti cannot use it")


def _file(found: Observations, patterns: list[bytes], kind: int | None, reader: list[int]) -> bytes:
    for what, names in (("label", found.labels), ("attribute", found.names), ("pattern", patterns)):
        for name in names:
            if not name or b"\0" in name:
                wrong = "is empty" if not name else f"{name[:60].decode('utf-8', 'replace')!r} holds a NUL"
                raise InputError(f"a {what} {wrong}, which Wapiti's format cannot hold; rename it")
    head = b"#mdl#" + (b"" if kind is None else b"%d#" % kind) + b"%d\n" % len(found.index)
    lines = [head, b"#rdr#" + b"/".join(b"%d" % number for number in (len(patterns), *reader)) + b"\n"]
    lines += map(_string, patterns)
    for names in (found.labels, found.names):
        lines.append(b"#qrk#%d\n" % len(names))
        lines += map(_string, names)
    pairs = zip(found.index.tolist(), found.weight.tolist(), strict=True)
    lines += [b"%d=%s\n" % (index, hexadecimal(weight).encode()) for index, weight in pairs]
    return b"".join(lines)


def _string(name: bytes) -> bytes:
    return b"%d:%s,\n" % (len(name), name)


def hexadecimal(number: float) -> str:
    """A number as C's %a prints it: without zeros at the end.

    >>> hexadecimal(-0.375), hexadecimal(1.0), hexadecimal(0.1)
    ('-0x1.8p-2', '0x1p+0', '0x1.999999999999ap-4')
    """
    digits, _, exponent = number.hex().partition("p")
    return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}p{exponent}"


def _patterns(parts: Parts, record: dict[str, Any]) -> list[bytes] | None:
    """The recorded patterns; None if they are not those of the template."""
    lines = record.get("patterns")
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    template = parts.template
    tokens = [] if template is None else [pattern.text for pattern in template.patterns]
    pairs = [] if template is None else [pattern.text for pattern in template.transitions]
    same = [line for line in lines if line[:1] != "b"] == tokens
    same = same and [line for line in lines if line in set(pairs)] == pairs
    return [bytes_of(line) for line in lines] if same and (template is not None) == bool(lines) else None
