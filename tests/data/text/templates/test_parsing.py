"""The text of a template: lines, comments, declarations, and wrong ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.encode import WordEncoder, encode_files
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("w.sufix3", r"line 1: no function named 'sufix3'; did you mean suffixN\?"),
        ("w.suffix", "'suffix' has the wrong arguments; write suffixN with N from 1 to 9"),
        ("w.suffix0", "'suffix0' has the wrong arguments"),
        ("w.lower3", "'lower3' has the wrong arguments; write lower"),
        ("w.ngrams4-2", "'ngrams4-2' has the wrong arguments; write ngramsN-M or ngramsN"),
        ("w.same(0)", "but not 0"),
        ("w.in(cities)", r"in\(cities\): no gazetteer has this name; declare it with a line gazetteer cities = …"),
        ("regex year = 1\nw.match(yaer)", r"line 2: match\(yaer\): no regex has this name; did you mean 'year'\?"),
        ("regex year = (\nw", r"line 1: regex year: '\(' is not a regular expression"),
        ("regex year\nw", "found regex 'year'; write regex NAME = …"),
        ("regex a = 1\nregex a = 2\nw", "line 2: regex a: the name is taken"),
        ("gazetteer a! = x", "a name must consist of letters"),
        ("gazetteer a = missing.txt", "line 1: .*missing.txt"),
        ("cluster a ignorecase = x", "ignorecase is for gazetteers"),
        ("column w y", "line 1: 'column w y' is not a pattern; did you mean columns\\?"),
        ("columns w w", "line 1: .*a role occurs twice"),
        ("padding maybe", "write padding on or padding off"),
        ("w[2:-2]", "line 1: .* the range 2:-2 is empty; write the smaller row first"),
        ("w.suffix3:1", "the range 3:1 is empty"),
        ("w[-1", "is not a pattern; write cells such as"),
        ("w[9]", "reads 9 rows away"),
        ("w.parts.same(1)", "needs a column with one value for each token"),
        ("v", "names column v, but a token has only w besides the label"),
    ],
)
def test_wrong_lines_of_the_language_are_refused_with_advice(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordEncoder(parse_template(text, "mine").with_columns("w y"))


def test_half_a_character_in_a_template_is_refused() -> None:
    with pytest.raises(InputError, match=r"template 'mine': 'U:\\ud800%x\[0,0\]' holds a lone surrogate"):
        parse_template("U:\ud800%x[0,0]", "mine")
    forged = Template("mine", (Pattern("U:%x[0,w]"),), ("w", "y")).to_json().replace("U:", "U:\\ud800")
    with pytest.raises(InputError, match="holds a lone surrogate"):
        Template.from_json(forged)


def test_comments_are_skipped_and_ends_are_padded() -> None:
    text = "# comment\n\nU0:%x[-2,0]/%x[1,0]\r\nU0:%x[-2,0]/%x[1,0]\nU1\nB\nB7\n"
    template = parse_template(text, "mine")
    assert [pattern.line for pattern in template.patterns] == [3, 4, 5]
    encoded = encode_files([Source("file", b"a A\nb B\n")], template=template)
    assert encoded.attributes.strings() == ["U0:_B-2/b", "U1", "U0:_B-1/_B+1"]
    assert encoded.dataset.position.tolist() == [0, 0, 1, 1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("U0:%x[0,0]\nB1:%x[0,0\n", "template mine, line 2: .* a % that does not begin"),
        ("X0:%x[0,0]", "line 1: .* neither U nor B"),
        ("U0:%x[0,0", "line 1: .* a % that does not begin"),
        ("U0:%y[0,0]", "a % that does not begin"),
        ("U0:100%", "a % that does not begin"),
        ("U0:%x[9,0]", "reads 9 rows away"),
        ("U0:%x[0,w.upper]", r"line 1: no function named 'upper'; did you mean isupper\?"),
        ("# nothing\nB\n", "found no pattern; add at least one U line"),
    ],
)
def test_wrong_lines_of_crfpp_are_refused_with_their_number(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_template(text, "mine")


@given(st.text(alphabet="UB#%x[]0,w.-: \n\r", max_size=40))
def test_random_templates_are_read_or_refused(text: str) -> None:
    try:
        template = parse_template(text)
    except InputError:
        return
    assert all("".join(p.pieces) or p.cells for p in template.patterns)
    try:
        encode_files([Source("file", b"a b A\n")], template=template)
    except InputError as error:
        assert "names column" in str(error)  # noqa: PT017
