"""The roles of columns, from a header or from their number."""

import pytest

from tagfield.data.text.formats.csv_tsv import is_header


@pytest.mark.parametrize(
    ("cells", "named"),
    [(["word", "label"], True), (["Word", "POS", "Tag"], True), (["word", "NN"], False), (["The", "DT"], False)],
)
def test_cells_that_name_columns_are_a_header(cells: list[str], named: bool) -> None:
    assert is_header(cells) is named
