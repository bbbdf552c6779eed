"""Functions of cells: what a derived column holds.

w.lower, w.shape, w.prefix3, w.suffix3

A function sees each distinct cell of its column once.
"""

import re
from collections.abc import Callable


def cell_function(how: str) -> Callable[[list[str]], list[str]]:
    """The function of a derived column, over a list of cells: lower, shape, prefixN or suffixN.

    >>> cell_function("shape")(["McDonald's", "1.5"]), cell_function("suffix2")(["walked"])
    (["XxXx'x", 'd.d'], ['ed'])
    """
    if how == "lower":
        return lambda cells: [cell.lower() for cell in cells]
    if how == "shape":
        return lambda cells: [_shape(cell) for cell in cells]
    n = int(how[-1])
    if how.startswith("prefix"):
        return lambda cells: [cell[:n] for cell in cells]
    return lambda cells: [cell[-n:] for cell in cells]


def _shape(cell: str) -> str:
    kinds = "".join("X" if c.isupper() else "d" if c.isdigit() else "x" if c.isalpha() else c for c in cell)
    return re.sub(r"([Xxd])\1+", r"\1", kinds)
