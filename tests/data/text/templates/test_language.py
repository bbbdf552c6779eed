"""The template language against its naive twin, and every function's example."""

import pickle
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, WordEncoder, encode_words
from tagfield.data.text.templates.cell_functions import ngrams
from tagfield.data.text.templates.functions import FUNCTIONS
from tagfield.data.text.templates.parsing import parse_template
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.resources import Resource, cluster, gazetteer, regex
from tagfield.data.text.templates.template import Pattern, Template
from tagfield.errors import InputError
from tagfield.templates import column, template
from tests.data.test_encode import check
from tests.support import naive_template as twin
from tests.support import naive_text as naive

words = st.text(alphabet="abAB12-/漢かーก่$_İß", min_size=1, max_size=7) | st.sampled_from(["a", "b", "A", "B-1"])
sentences = st.lists(st.lists(st.tuples(words, words), max_size=6), max_size=4)

RESOURCES = (
    gazetteer("ab", twin.PHRASES["ab"]),
    gazetteer("case", twin.PHRASES["case"], ignore_case=True),
    cluster("paths", twin.PATHS),
    *(regex(name, expression) for name, expression in twin.EXPRESSIONS.items()),
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, twin.Call]:
    """A call as text, and as the twin takes it."""
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    n, m = draw(st.integers(1, 4)), draw(st.integers(0, 2))
    match FUNCTIONS[name].takes:
        case "N":
            return f"{name}{n}", (name, (n,))
        case "N-M":
            return f"{name}{n}-{n + m}" if m else f"{name}{n}", (name, (n, n + m))
        case "(ROW)":
            row = n if m else -n
            return f"{name}({row})", (name, (row,))
        case "(GAZETTEER)":
            which = draw(st.sampled_from(sorted(twin.PHRASES)))
            return f"{name}({which})", (name, (which,))
        case "(CLUSTER,N)":
            return (f"{name}(paths,{n})", (name, (n,))) if m else (f"{name}(paths)", (name, (None,)))
        case "(REGEX)":
            which = draw(st.sampled_from(sorted(twin.EXPRESSIONS)))
            return f"{name}({which})", (name, (which,))
    return name, (name, ())


@st.composite
def patterns(draw: st.DrawFn) -> tuple[str, list[twin.Cell]]:
    """A pattern as text, and its cells as the twin takes them."""
    texts, cells = [], []
    for _ in range(draw(st.integers(1, 3))):
        row, place = draw(st.integers(-2, 2)), draw(st.integers(0, 1))
        several, chain = False, []
        for text, call in draw(st.lists(calls(), max_size=3)):
            if several and call[0] in ("in", "same", "parts", "ngrams"):
                continue
            several = several or FUNCTIONS[call[0]].many
            chain.append((text, call))
        texts.append(f"%x[{row},{'.'.join(['ab'[place], *(text for text, _ in chain)])}]")
        cells.append((row, place, tuple(call for _, call in chain)))
    return "U:" + "|".join(texts), cells


@settings(deadline=None)  # the twin computes every cell anew
@given(st.lists(sentences, min_size=1, max_size=3), st.lists(patterns(), min_size=1, max_size=4), st.booleans())
def test_the_language_is_what_its_twin_says(batches: list, drawn: list, padding: bool) -> None:
    made = Template("drawn", tuple(Pattern(text) for text, _ in drawn), ("a", "b", "y"), padding, True, RESOURCES)
    made.check()
    one = WordEncoder(made, known := encode_words([], template=made).attributes)
    ids: dict[str, int] = {}
    for X in batches:
        expected = [twin.attributes(rows, [("U:", cells) for _, cells in drawn], padding, True) for rows in X]
        named = [[[(name, 1.0) for name in token] for token in tokens] for tokens in expected]
        check(one.encode(X, grow=True).dataset, naive.pack(named, ids))
        assert known.strings() == list(ids)
    frozen = dict(list(ids.items())[::2])
    frozen = {name: k for k, name in enumerate(frozen)}
    half = WordEncoder(made, Vocabulary(list(frozen)))
    for X in (*batches, *batches):
        expected = [twin.attributes(rows, [("U:", cells) for _, cells in drawn], padding, True) for rows in X]
        named = [[[(name, 1.0) for name in token] for token in tokens] for tokens in expected]
        check(half.encode(X, gather=False).dataset, naive.pack(named, frozen, frozen=True, gather=False))


def values(call: str, sentence: list[str], resources: tuple[Resource, ...]) -> list[str]:
    """What a function gives at each token of a sentence."""
    made = Template("example", (Pattern(f"=%x[0,w.{call}]"),), ("w", "y"), resources=resources)
    encoded = encode_words([sentence], template=made)
    return [
        name.removeprefix("=") for name, _ in (pair for tokens in next(encoded.sequences()).tokens for pair in tokens)
    ]


EXAMPLES = (gazetteer("cities", ["New York"]), cluster("brown", {"Rome": "0010"}), regex("year", r"^(19|20)\d\d$"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_functions(name: str) -> None:
    call, cell, expected = FUNCTIONS[name].example
    assert values(call, cell.split(), EXAMPLES) == expected.split()


@pytest.mark.parametrize(
    ("call", "cell"), [("isupper", "1"), ("istitle", "iPhone"), ("in(cities)", "New"), ("cluster(brown)", "Oslo")]
)
def test_a_function_that_gives_nothing_leaves_the_pattern_out(call: str, cell: str) -> None:
    assert values(call, [cell], EXAMPLES) == []


def test_the_longest_phrase_wins_and_phrases_do_not_overlap() -> None:
    phrases = gazetteer("x", ["a b", "a b c", "c d", "d"])
    assert values("in(x)", list("abcd"), (phrases,)) == ["B-x", "I-x", "I-x", "B-x"]
    assert values("in(x)", list("abd"), (phrases,)) == ["B-x", "I-x", "B-x"]


def test_text_and_python_make_the_same_template(tmp_path: Any) -> None:
    (tmp_path / "cities.txt").write_text("New  York\r\nRome\n\nRome\n")
    (tmp_path / "brown.txt").write_text("0010\tRome\t12\n0011\tParis\t3\n")
    (tmp_path / "paths.txt").write_text("Rome\t0010\nParis\t0011\n")
    text = r"""
# names
columns w pos y
padding off
edges on
gazetteer cities ignorecase = cities.txt
cluster brown = brown.txt
regex year = ^(19|20)\d\d$
w[-2:2]
w[-1]|w[0]
w[0]|w[1]
w.lower.suffix1:3
w.in(cities)
w.cluster(brown,2)
w.match(year)|pos[-1:0]
w.parts.ngrams2-3
pos.same(-1)
"""
    (tmp_path / "template").write_text(text)
    w, pos = column("w"), column("pos")
    made = template(
        w[-2:2],
        (w & w[1])[-1:0],
        w.lower.suffix(1, 3),
        w.in_list("cities", ["New York", "Rome"], ignore_case=True),
        w.cluster("brown", tmp_path / "paths.txt", 2),
        w.match("year", r"^(19|20)\d\d$") & pos[-1:0],
        w.parts.ngrams(2, 3),
        pos.same(-1),
    )
    read = load_template(tmp_path / "template")
    assert [p.text for p in read.patterns] == [p.text for p in made.patterns]
    assert (read.columns, read.padding, read.boundaries, read.resources) == (
        made.columns,
        made.padding,
        made.boundaries,
        made.resources,
    )
    assert Template.from_json(made.to_json()) == made
    assert Template.from_json(made.to_json(texts=False), [r.text for r in made.resources]) == made
    assert pickle.loads(pickle.dumps(made)) == made


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
        ("regex year = 1\nw.match(yaer)", r"line 2: match\(yaer\): no regex has this name; did you mean year\?"),
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
def test_wrong_templates(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        WordEncoder(parse_template(text, "mine").with_columns("w y"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda w: template(), "at least one pattern"),
        (lambda w: template(3), "of type int"),
        (lambda w: w[2:1], "the range 2:1 is empty"),
        (lambda w: w[:1], "needs both ends"),
        (lambda w: w.suffix(3, 1), "the range 3, 1 is empty"),
        (lambda w: template(w.suffix(12)), "'suffix12' has the wrong arguments"),
        (lambda w: (w & w).lower, "apply lower to each column before you combine them"),
        (lambda w: column("y"), "a column must have a name such as w or pos, got 'y'"),
        (lambda w: template(w.in_list("a", ["x"]), w.in_list("a", ["z"])), "gazetteer a: the name is taken"),
        (lambda w: w.in_list("a", []), "gazetteer a: found no phrase"),
        (lambda w: w.cluster("a", {"": "0"}), "empty string"),
        (lambda w: w.cluster("a", {}), "found no word"),
        (lambda w: w.match("a", ""), "the text is empty"),
        (lambda w: w.match("a", "\ud800"), "lone surrogate"),
    ],
)
def test_wrong_cells(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make(column("w"))


def test_half_a_character_in_a_template() -> None:
    with pytest.raises(InputError, match=r"template 'mine': 'U:\\ud800%x\[0,0\]' holds a lone surrogate"):
        parse_template("U:\ud800%x[0,0]", "mine")
    forged = Template("mine", (Pattern("U:%x[0,w]"),), ("w", "y")).to_json().replace("U:", "U:\\ud800")
    with pytest.raises(InputError, match="holds a lone surrogate"):
        Template.from_json(forged)


def test_an_unknown_function_of_a_column() -> None:
    with pytest.raises(AttributeError, match="no function 'lowr'; did you mean 'lower'"):
        _ = column("w").lowr


def test_cluster_files_with_wrong_lines(tmp_path: Any) -> None:
    (tmp_path / "paths").write_text("Rome\t0010\nParis\n")
    with pytest.raises(InputError, match="line 2: found 'Paris'; write word<TAB>path"):
        cluster("brown", tmp_path / "paths")


def test_a_long_word_has_a_limited_number_of_attributes() -> None:
    encoder = WordEncoder(parse_template("w.ngrams1-9|w.ngrams1-9", "mine").with_columns("w y"))
    found = encoder.encode([["abcdefghijklmnopqrstuvwxyz"]]).attributes.strings()
    every = ngrams("abcdefghijklmnopqrstuvwxyz", 1, 9)
    assert [name.partition("=")[2] for name in found] == [f"{a}|{b}" for a in every for b in every][:4096]
    assert len(encoder.encode([["a"]]).attributes) == 36
    one = WordEncoder(parse_template("w.ngrams1", "mine").with_columns("w y"))
    assert len(one.encode([["".join(map(chr, range(0x4E00, 0x7000)))]]).attributes) == 4096


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


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gazetteer("g", [["New", "York"]]), "gazetteer g: ['New', 'York'] is no phrase"),
        (lambda: gazetteer("g", None), "gazetteer g: give a file or a list of phrases, not NoneType"),
        (lambda: cluster("c", {"Rome": 10}), "cluster c: 'Rome' has the path 10; words and paths must be strings"),
        (lambda: cluster("c", [("Rome", "10")]), "cluster c: give a file or a dict of each word's path, not list"),
        (lambda: regex(None, "a"), "regex None: a name must consist of letters"),
    ],
)
def test_resources_of_the_wrong_type(make: Any, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        make()
