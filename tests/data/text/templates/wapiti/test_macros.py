"""What Wapiti's macros do to a cell."""

import pytest

from tagfield.data.encode import encode_words
from tagfield.data.text.stray_bytes import bytes_of_text
from tagfield.data.text.templates.wapiti import macros
from tagfield.errors import InputError
from tagfield.templates import parse_wapiti


def test_a_part_of_a_character_is_kept_or_refused() -> None:
    template = parse_wapiti('u:%m[0,0,"^."]/%m[0,0,".$"]').with_columns("w y")
    (name,) = encode_words([["é"]], template=template).attributes
    assert bytes_of_text(name) == b"u:\xc3/\xa9"
    beside = parse_wapiti('u:%m[0,0,"^."]%m[0,0,".$"]').with_columns("w y")
    assert encode_words([["ab"]], template=beside).attributes.strings() == ["u:ab"]
    with pytest.raises(InputError, match="cuts a character of 'é' in two, next to another %m; write some text between"):
        encode_words([["é"]], template=beside)


@pytest.mark.parametrize(
    ("step", "cell", "made"),
    [
        (macros.Test(r"^\u"), "Rome", "true"),
        (macros.Test(r"^\u"), "École", "false"),  # a character beyond ASCII is in no class
        (macros.Part("..$"), "Rome", "me"),
        (macros.Part("x"), "Rome", ""),
        (macros.AsciiLower(), "ÉTÉ 1A", "ÉtÉ 1a"),
    ],
)
def test_a_macro_makes_one_string_of_a_cell(step: macros.Test, cell: str, made: str) -> None:
    step.check({})
    assert step.over({})(cell) == made


@pytest.mark.parametrize("step", [macros.Test, macros.Part])
def test_an_expression_that_cannot_be_read_is_refused(step: type[macros.Test]) -> None:
    with pytest.raises(InputError, match="has a * with nothing before it".replace("*", r"\*")):
        step("*").check({})


def test_a_part_that_must_be_whole_may_not_cut_a_character() -> None:
    cut = macros.Part("^.", whole=True).over({})
    assert cut("abc") == "a"
    with pytest.raises(InputError, match=r'%m with "\^\." cuts a character of \'é\' in two, next to another %m'):
        cut("é")
