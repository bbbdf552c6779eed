"""The template language against its naive twin, and every function's example."""

from hypothesis import given, settings
from hypothesis import strategies as st

from tagfield.data.encode import Vocabulary, WordEncoder, encode_words
from tagfield.data.text.templates.functions import FUNCTIONS
from tagfield.data.text.templates.resources import Resource, cluster, gazetteer, regex
from tagfield.data.text.templates.template import Pattern, Template
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
