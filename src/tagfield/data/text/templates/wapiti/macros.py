r"""What Wapiti's macros do to a cell: the steps that plan.py turns into derived columns.

    %x[0,0]              the cell                          %X, %T, %M: the result with ASCII letters in lower case
    %t[0,0,"^\u"]        true or false: does the expression match?
    %m[0,0,"..$"]        the part that matches, or nothing at all
    %x[@1,0], %x[@-1,0]  the first and the last cell of the sentence

Expressions see bytes, so %m may cut a character in two; stray_bytes.py says how such a part is written. Two parts side
by side could form a character again, which no part alone can tell, so %m directly after %m refuses them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from tagfield.data.text.stray_bytes import has_stray, text_of_bytes
from tagfield.data.text.templates.resources import Resource
from tagfield.data.text.templates.wapiti.regex import compile_wapiti
from tagfield.errors import InputError

BEFORE = ("_x-1", "_x-2", "_x-3", "_x-4", "_x-#")  # beyond the ends of a sentence; the last one for all farther cells
AFTER = ("_x+1", "_x+2", "_x+3", "_x+4", "_x+#")

_UPPER = re.compile("[A-Z]+")


@dataclass(frozen=True)
class AtRow:
    """The cell at a row of the sentence: 1 is the first, -1 the last, and 0 the one before the first."""

    row: int
    many: ClassVar[bool] = False

    def check(self, resources: Mapping[str, Resource]) -> None: ...


@dataclass(frozen=True)
class Test:
    """`%t`: whether the expression matches.

    >>> Test(r"^\\u").over({})("Rome")
    'true'
    """

    expression: str
    many: ClassVar[bool] = False

    def check(self, resources: Mapping[str, Resource]) -> None:
        compile_wapiti(self.expression)

    def over(self, resources: Mapping[str, Resource]) -> Any:
        matches = compile_wapiti(self.expression).matches
        return lambda cell: "true" if matches(cell.encode()) else "false"


@dataclass(frozen=True)
class Part:
    """`%m`: the part of the cell that matches; whole: refuse a part that begins or ends within a character.

    >>> Part("^.?.?").over({})("Rome")
    'Ro'
    """

    expression: str
    whole: bool = False
    many: ClassVar[bool] = False

    def check(self, resources: Mapping[str, Resource]) -> None:
        compile_wapiti(self.expression)

    def over(self, resources: Mapping[str, Resource]) -> Any:
        part_of = compile_wapiti(self.expression).part

        def part(cell: str) -> str:
            text = text_of_bytes(part_of(cell.encode()) or b"")
            if self.whole and has_stray(text):
                raise InputError(
                    f'%m with "{self.expression}" cuts a character of {cell!r} in two, next to another %m; write some '
                    "text between the two macros"
                )
            return text

        return part


@dataclass(frozen=True)
class AsciiLower:
    """Upper-case macros: A to Z in lower case, and every other character as it is.

    >>> AsciiLower().over({})("ÉTÉ")
    'ÉtÉ'
    """

    many: ClassVar[bool] = False

    def check(self, resources: Mapping[str, Resource]) -> None: ...

    def over(self, resources: Mapping[str, Resource]) -> Any:
        return lambda cell: _UPPER.sub(lambda found: found[0].lower(), cell)
