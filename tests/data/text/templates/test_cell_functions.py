"""Functions of a cell: what they keep of it, and cells at their edges."""

import unicodedata
from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.templates.cell_functions import (
    category,
    digits,
    first_part,
    kind,
    last_part,
    length,
    longshape,
    ngrams,
    parts,
    script,
    shape,
    zeros,
)

CELLS = st.text("aBé1٣-/–.漢ーก่ \u00df", min_size=1, max_size=8) | st.text(min_size=1, max_size=5)


@given(CELLS)
def test_shapes_hold_a_class_for_each_character_or_for_each_run(cell: str) -> None:
    long = longshape(cell)
    assert len(long) == len(cell)
    runs = [(c, len(list(run))) for c, run in groupby(long)]
    assert shape(cell) == "".join(c * (1 if c in "Xxd" else count) for c, count in runs)


@given(CELLS)
def test_digits_become_zeros_and_nothing_else_changes(cell: str) -> None:
    made = zeros(cell)
    assert [(a, b) for a, b in zip(cell, made, strict=True) if a != b and not (a.isdigit() and b == "0")] == []
    assert digits(cell) == (made if any(c.isdigit() for c in cell) else None)


@given(CELLS, st.integers(1, 3), st.integers(0, 2))
def test_ngrams_are_the_different_pieces_of_the_marked_cell(cell: str, shortest: int, more: int) -> None:
    found = ngrams(cell, shortest, shortest + more)
    text = f"^{cell}$"
    pieces = {text[i:j] for i in range(len(text)) for j in range(i + 1, len(text) + 1)}
    assert sorted(found) == sorted(piece for piece in pieces if shortest <= len(piece) <= shortest + more)
    assert [len(piece) for piece in found] == sorted(map(len, found))


@given(CELLS)
def test_categories_are_those_of_unicode_with_runs_as_one(cell: str) -> None:
    assert category(cell).split("+") == [name for name, _ in groupby(map(unicodedata.category, cell))]
    assert len(script(cell).split("+")) <= len(cell)


@pytest.mark.parametrize(
    ("size", "name"), [(1, "1"), (5, "5"), (6, "6-8"), (8, "6-8"), (9, "9-12"), (12, "9-12"), (13, "13+"), (99, "13+")]
)
def test_lengths_have_classes(size: int, name: str) -> None:
    assert length("漢" * size) == name


@pytest.mark.parametrize(
    ("cell", "found", "first", "last"),
    [
        ("a-b/a", ["a", "b"], "a", "a"),
        ("post–war", ["post", "war"], "post", "war"),
        ("-", [], None, None),
        ("-x", ["x"], "x", "x"),
        ("x-", ["x"], "x", None),
        ("x", [], None, None),
    ],
)
def test_parts_stand_between_joints(cell: str, found: list[str], first: str | None, last: str | None) -> None:
    assert (parts(cell), first_part(cell), last_part(cell)) == (found, first, last)


@pytest.mark.parametrize(
    ("cell", "name"),
    [("ー", "katakana"), ("Ａ", "latin"), ("ｶ", "katakana"), ("\ue000", "control"), ("+ ", "symbol+space")],
)
def test_scripts_look_through_the_forms_of_a_character(cell: str, name: str) -> None:
    assert script(cell) == name


@pytest.mark.parametrize(
    ("cell", "name"),
    [("٣", "digit"), ("É", "upper1"), ("ß", "lower"), ("漢", "mixed"), ("½", "other"), ("A1-é.", "dXx-.")],
)
def test_kinds_know_unicode(cell: str, name: str) -> None:
    assert kind(cell) == name
