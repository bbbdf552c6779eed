"""What a model of CRF++ holds, in its text and in its binary file → Parts.

    U00:dog          a token has it: L weights               ─▶ an attribute
    B01:dog          a pair of tokens has it: L · L weights  ─▶ an edge attribute
    B                no macro, so every pair has it          ─▶ the transitions; several such lines add up
    U00:%x[0,0] …    the templates                           ─▶ the model's template, which reads words and columns

The strings of CRF++ are bytes without an encoding. tagfield reads words as Unicode, so a model in another encoding than
UTF-8 would know none of them; it is refused.
"""

import re
from collections import Counter
from typing import Any, NamedTuple

import numpy as np

from tagfield.data.dataset import Doubles, Longs
from tagfield.data.text.templates.template import LABEL, Pattern, Template
from tagfield.errors import InputError, ModelFileError
from tagfield.model.file import Parts
from tagfield.model.formats.names import name_of
from tagfield.model.formats.observations import EDGE, TOKEN, Observations, starts_of, to_parts

VERSION = 100
MOST_LABELS = 1 << 16
MOST_COLUMNS = 1 << 10
FOREIGN_SHARE = 0.1  # of the names that are not ASCII; with more that are not UTF-8, the encoding is another one

MACRO = re.compile(rb"%x\[(-?\d{1,4}),(\d{1,4})\]")


class Found(NamedTuple):
    """The content of a file."""

    name: str  # of the file
    size: int  # in bytes
    labels: list[bytes]
    templates: list[bytes]
    columns: int  # that the templates read
    ids: Longs  # [F]  index of the first weight of each feature
    names: list[bytes]  # [F]
    weight: Doubles  # [maxid]
    about: dict[str, Any]  # what else writing the file again needs

    def damaged(self, what: str) -> ModelFileError:
        return ModelFileError(f"{self.name!r} is damaged: {what}; copy the file again, or train the model again")


def parts_of(found: Found, format: str, dtype: Any) -> Parts:
    """The model; ModelFileError if its content does not fit together."""
    labels = len(found.labels)
    if not 0 < labels <= MOST_LABELS:
        raise found.damaged(f"it has {labels:,} labels")
    if not 0 < found.columns <= MOST_COLUMNS:
        raise found.damaged(f"its templates read {found.columns:,} columns")
    if not np.isfinite(found.weight).all():
        raise found.damaged("a weight is not a finite number")
    _check_encoding(found)
    order = np.argsort(found.ids, kind="stable")
    names = [found.names[k] for k in order.tolist()]
    odd = next((name for name in names if name[:1] not in (b"U", b"B")), None)
    if odd is not None:
        raise found.damaged(f"the feature {name_of(odd)[:60]!r} begins with neither U nor B")
    kinds = np.array([TOKEN if name[:1] == b"U" else EDGE for name in names], np.uint8)
    starts = starts_of(kinds, labels)
    if starts[-1] != len(found.weight) or not np.array_equal(starts[:-1], found.ids[order]):
        raise found.damaged(f"its features do not share its {len(found.weight):,} weights without gaps and overlaps")
    template, always, also = _template(found)
    spare = next((name for name in names if name[:1] == b"B" and name not in always), None)
    if spare is not None and not also:
        raise found.damaged(f"no template makes the feature {name_of(spare)[:60]!r}")
    place = {name: k for k, name in enumerate(names) if name in always}
    seen = Observations(
        found.labels,
        names,
        kinds,
        np.arange(len(found.weight)),
        found.weight,
        {k: always[name] for name, k in place.items()},
        frozenset(k for name, k in place.items() if any(expression.fullmatch(name) for expression in also)),
    )
    lines = [name_of(line) for line in found.templates]
    about = {"columns": found.columns, "templates": lines, **found.about}
    info = {"format": format, "trained_by": "CRF++", format: about}
    return to_parts(seen, found.name, found.size, template, info, dtype)


def _template(found: Found) -> tuple[Template, Counter[bytes], list[re.Pattern[bytes]]]:
    """The template; how often each constant B occurs; what the other B lines may make."""
    tokens: list[Pattern] = []
    edges: list[Pattern] = []
    always: Counter[bytes] = Counter()
    made: list[re.Pattern[bytes]] = []
    for line in found.templates:
        macros = MACRO.findall(line)
        pieces = MACRO.split(line)[::3]
        if line[:1] not in (b"U", b"B") or any(b"%" in piece for piece in pieces):
            raise found.damaged(f"the template {name_of(line)[:60]!r} is none of CRF++")
        far = next((int(column) for _, column in macros if int(column) >= found.columns), None)
        if far is not None:
            raise found.damaged(f"the template {name_of(line)[:60]!r} reads column {far} of {found.columns}")
        if line[:1] == b"U":
            tokens.append(Pattern(name_of(line)))
        elif macros:
            edges.append(Pattern(name_of(line)))
            made.append(re.compile(b".+".join(map(re.escape, pieces)), re.DOTALL))
        else:
            always[line] += 1
    roles = ("w", *(f"x{k}" for k in range(1, found.columns)), LABEL)
    try:
        template = Template("crfpp", tuple(tokens), roles, padding=True, transitions=tuple(edges))
        template.check()
    except InputError as error:
        raise found.damaged(str(error)) from None
    return template, always, made


def _check_encoding(found: Found) -> None:
    text = b"\n".join(found.names)
    if text.isascii():
        return
    wide = [name for name in found.names if not name.isascii()]
    wrong = sum(not _is_utf8(name) for name in wide)
    if wrong > FOREIGN_SHARE * len(wide):
        raise ModelFileError(
            f"{found.name!r}: its strings are not UTF-8, so words would not be found in it; write the model as text "
            "(crf_learn -t), convert the text to UTF-8 with iconv, and load that"
        )


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True
