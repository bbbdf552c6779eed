"""One pattern of Wapiti: its pieces, cells and steps."""

import pytest
from hypothesis import given

from tagfield.data.text.templates.wapiti import macros
from tagfield.data.text.templates.wapiti.macros import AsciiLower, AtRow, Part
from tagfield.data.text.templates.wapiti.patterns import check_wapiti, split_wapiti
from tagfield.errors import InputError
from tests.data.text.templates.wapiti.test_template import lines


@given(lines)
def test_pieces_stand_around_the_cells(line: str) -> None:
    line = line[0].lower() + line[1:]
    check_wapiti(line)
    pieces, cells, chains = split_wapiti(line)
    assert len(pieces) == len(cells) + 1 == len(chains) + 1
    assert "%" not in "".join(pieces)
    assert [column for column, _ in chains] == [column for _, column in cells]


def test_each_macro_has_its_steps() -> None:
    _, cells, chains = split_wapiti(r'u:%x[ -1,+07]/%T[0,1,"a\"b"]/%m[@-1,0,"..$"]/%X[@1,0]')
    assert cells == ((-1, "7"), (0, "1"), (0, "0"), (0, "0"))
    assert [steps for _, steps in chains] == [
        (),
        (macros.Test(r"a\"b"), AsciiLower()),
        (AtRow(-1), Part("..$")),
        (AtRow(1), AsciiLower()),
    ]


def test_parts_side_by_side_must_be_whole_characters() -> None:
    _, _, chains = split_wapiti('u:%m[0,0,"a"]%M[0,0,"b"]/%m[0,0,"c"]%x[0,0]')
    assert [step.whole for _, steps in chains for step in steps if isinstance(step, Part)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'' starts with ''; begin each pattern with u, b or *"),
        ("u:%x[-4097,0]", "'u:%x[-4097,0]' reads -4097 rows away; the limit is 4096 rows"),
        ('u:%M[0,0,"?"]', """'u:%M[0,0,"?"]': the expression '?' has a ? with nothing before it; write \\?"""),
        ("u:%T[0,0]", '%T[0,0] has no expression; write %T[row,column,"expression"]'),
    ],
)
def test_a_wrong_pattern_begins_its_message(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_wapiti(text)
    assert message in str(caught.value)
