"""The short form of patterns: ranges, and limits on what a line makes."""

import pytest

from tagfield.data.encode import WordEncoder
from tagfield.data.text.templates.parsing import parse_template
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
