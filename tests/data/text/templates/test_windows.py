"""The short form of patterns: ranges, and limits on what a line makes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import WordEncoder
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.windows import MOST, expand_window, pattern_text
from tagfield.errors import InputError


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("w[-4000:4000]|w[-4000:4000]", "makes 64,016,001 patterns; the limit is 10,000 for a line"),
        ("w" + ".suffix1:99" * 9, "makes 970,299 patterns; the limit is 10,000 for a line"),
        ("w.suffix" + "9" * 5000, "no function named"),
        (f"U:%x[0,{'9' * 5000}]", "names column 99999"),
    ],
)
def test_slips_of_the_pen_do_not_fill_the_memory(line: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordEncoder(parse_template(f"columns w y\n{line}"))


@given(st.lists(st.tuples(st.sampled_from(["w", "pos", "w.lower"]), st.integers(-9, 9)), min_size=1, max_size=4))
def test_a_line_of_single_cells_is_one_pattern_with_its_name(cells: list[tuple[str, int]]) -> None:
    line = "|".join(f"{column}[{row}]" for column, row in cells)
    [found] = expand_window(line)
    assert found == tuple((row, column) for column, row in cells)
    assert pattern_text(found).startswith(f"{line}=%x[")
    assert pattern_text(found).count("%x") == len(cells)


def test_ranges_give_every_combination_in_order() -> None:
    found = [pattern_text(cells).split("=")[0] for cells in expand_window(" w.suffix1:2[-1:0] | pos ")]
    assert found == ["w.suffix1[-1]|pos[0]", "w.suffix1[0]|pos[0]", "w.suffix2[-1]|pos[0]", "w.suffix2[0]|pos[0]"]


@pytest.mark.parametrize("line", ["", "w|", "w[a]", "w[1]2", "w [0] x", "w[0:1:2]"])
def test_a_line_that_is_no_window_is_refused(line: str) -> None:
    with pytest.raises(InputError, match="is not a pattern; write cells such as"):
        expand_window(line)


def test_the_limit_itself_is_allowed() -> None:
    assert len(expand_window("w[-49:50]|w[-49:50]")) == MOST
    with pytest.raises(InputError, match="makes 10,100 patterns"):
        expand_window("w[-50:50]|w[-49:50]")
