"""Writes CRF++'s text models; `crf_learn -C` makes the binary file of one.

    a model that CRF++ made          as it was, byte for byte if it came from a text file
    a model with a template          the same template in CRF++'s words, if it has a counterpart there
    any other model                  templates U%x[0,k]: the data has one attribute in each column

The file is dense: a weight for each label of every attribute, with 16 decimals.
"""

import math
import shlex
from typing import Any

import numpy as np

from tagfield.errors import InputError
from tagfield.model.file import Parts
from tagfield.model.formats.crfpp_binary import FORMAT as BINARY
from tagfield.model.formats.crfpp_model import MACRO, VERSION
from tagfield.model.formats.crfpp_templates import lines_of
from tagfield.model.formats.crfpp_text import unpack_signs
from tagfield.model.formats.names import bytes_of
from tagfield.model.formats.observation_order import in_new_order, in_old_order
from tagfield.model.formats.observations import Observations, value_notes

FORMAT = "crfpp"
ALWAYS = b"B"
LONGEST_LINE = 8191
MOST_WEIGHTS = 2**31 - 1
UNFIT = b" \t\n\r\0"


def to_bytes(parts: Parts) -> bytes:
    """The file of a model; InputError if the format cannot hold it.

    >>> from tagfield.native._text import Vocabulary
    >>> from tagfield.weights.layout import FeatureSet
    >>> made = FeatureSet.from_triples(1, 2, ([0], [0], [1.5]), ([0], [1], [-0.5]))
    >>> print(to_bytes(Parts(Vocabulary(["X", "Y"]), Vocabulary(["w=dog"]), *made, None, {})).decode(), end="")
    version: 100
    cost-factor: 1
    maxid: 6
    xsize: 1
    <BLANKLINE>
    X
    Y
    <BLANKLINE>
    U%x[0,0]
    B
    <BLANKLINE>
    0 B
    4 Uw=dog
    <BLANKLINE>
    0.0000000000000000
    -0.5000000000000000
    0.0000000000000000
    0.0000000000000000
    1.5000000000000000
    0.0000000000000000
    """
    old = _as_it_was(parts)
    if old is not None:
        return _file(*old)
    made = lines_of(parts)
    observed = in_new_order(parts, made.tokens, made.edges, ALWAYS, by_name=True)
    templates = [*made.templates, *(observed.names[k] for k in observed.always)]
    return _file(observed, templates, {"columns": made.columns})


def notes(parts: Parts, target: str) -> tuple[list[str], bool]:
    """What to know about the file, and whether it keeps the template."""
    made = None if _as_it_was(parts) is not None else lines_of(parts)
    by_columns = made is not None and made.each_in_a_column
    lines = [f"next   crf_learn -C {shlex.quote(target)} MODEL makes the binary file that crf_test reads"]
    if made is not None and by_columns:
        data = f"data   one attribute in each of {made.columns} columns; fill up with a word of your own, such as _"
        lines.insert(0, data)
    return lines + value_notes(parts), parts.template is not None and not by_columns


def _as_it_was(parts: Parts) -> tuple[Observations, list[bytes], dict[str, Any]] | None:
    format = parts.info.get("format")
    record = parts.info.get(format) if format in (FORMAT, BINARY) else None
    if not isinstance(record, dict):
        return None
    found, lines = in_old_order(parts, record), _templates(parts, record)
    return None if found is None or lines is None else (found, lines, record)


def _file(found: Observations, templates: list[bytes], record: dict[str, Any]) -> bytes:
    starts = found.starts
    count = int(starts[-1])
    if not 0 < count <= MOST_WEIGHTS:
        raise InputError(f"a model of CRF++ has 1 to {MOST_WEIGHTS:,} weights, and this one has {count:,}; prune it")
    for what, names in (("label", found.labels), ("attribute", found.names), ("template", templates)):
        for name in names:
            _check(name, what)
    version = _whole(record.get("version"), VERSION, 199)
    read = [int(column) + 1 for line in templates for _, column in MACRO.findall(line)]
    columns = _whole(record.get("columns"), max(read, default=1), 1 << 10)
    head = f"version: {version}\ncost-factor: {_cost(record.get('cost_factor'))}\nmaxid: {count}\nxsize: {columns}\n\n"
    order = sorted(range(len(found.names)), key=found.names.__getitem__)
    features = [b"%d %s\n" % (starts[k], found.names[k]) for k in order]
    weight = np.zeros(count)
    weight[found.index] = found.weight
    zero = weight == 0
    try:
        signs = unpack_signs(str(record.get("negative_zeros", "")), int(zero.sum()))
    except ValueError:
        signs = np.zeros(int(zero.sum()), bool)
    weight[np.flatnonzero(zero)[signs]] = -0.0
    blocks = [b"".join(name + b"\n" for name in names) + b"\n" for names in (found.labels, templates)]
    weights = "".join([f"{value:.16f}\n" for value in weight.tolist()])
    return b"".join([head.encode(), *blocks, *features, b"\n", weights.encode()])


def _check(name: bytes, what: str) -> None:
    unfit = b"\n\r\0" if what == "template" else UNFIT
    bad = not name or any(byte in unfit for byte in name)
    if bad or len(name) > LONGEST_LINE - 12:
        shown = name[:60].decode("utf-8", "replace")
        wrong = "is empty" if not name else f"{shown!r} " + ("holds a blank or a line end" if bad else "is too long")
        raise InputError(f"a {what} {wrong}, which CRF++'s format cannot hold; rename it, or save in tagfield's format")


def _whole(value: Any, least: int, most: int) -> int:
    return value if type(value) is int and least <= value <= most else least


def _cost(value: Any) -> str:
    """The cost factor as the file had it; 1 if the model did not come from one."""
    try:
        return value if isinstance(value, str) and value.isascii() and math.isfinite(float(value)) else "1"
    except ValueError:
        return "1"


def _templates(parts: Parts, record: dict[str, Any]) -> list[bytes] | None:
    """The recorded templates; None if they are not those of the model."""
    lines, template = record.get("templates"), parts.template
    if template is None or not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        return None
    tokens = [pattern.text for pattern in template.patterns]
    pairs = [pattern.text for pattern in template.transitions]
    same = [line for line in lines if line[:1] == "U"] == tokens
    same = same and [line for line in lines if line in set(pairs)] == pairs
    return [bytes_of(line) for line in lines] if same else None
