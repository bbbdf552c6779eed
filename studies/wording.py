"""Numbers and lists in the sentences of the article."""

from collections.abc import Sequence

from tagfield.compare.differences import shown_p
from tagfield.compare.line_styles import style_of

PLACES = {
    "table": "CoNLL-2000",
    "strength": "CoNLL-2000, equal strength",
    "tuned-observed": "CoNLL-2000, tuned",
    "tuned-all": "CoNLL-2000, tuned",
    "kin": "CoNLL-2000, tuned, 10 epochs",
    "wnut17": "WNUT-17",
    "wnut17-tuned": "WNUT-17, tuned",
    "ewt_xpos": "EWT",
    "ewt_xpos-tuned": "EWT, tuned",
    "ingredients": "ingredients",
    "ingredients-tuned": "ingredients, tuned",
    "kinds": "WNUT-17",
}


def label(recipe: str) -> str:
    """The paper's name of a recipe, for Markdown.

    >>> label("u2.g1p"), label("sgd")
    ('U2\\\\*.G1′', 'SGD')
    """
    return style_of(recipe).label.replace("*", "\\*")


def where(study: str, features: str) -> str:
    """A study and a feature set.

    >>> where("table", "all"), where("wnut17", "all")
    ('CoNLL-2000 (large set)', 'WNUT-17')
    """
    if study in ("table", "strength", "tuned-observed", "tuned-all", "kin"):
        return f"{PLACES[study]} ({'large' if features == 'all' else 'small'} set)"
    return PLACES.get(study, study)


def signed(value: float, digits: int = 0) -> str:
    """A number with its sign and a true minus; none where it rounds to 0.

    >>> signed(-3.2), signed(0.04, 2), signed(-0.001, 2)
    ('−3', '+0.04', '0.00')
    """
    text = f"{value:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]


def listed(names: Sequence[str], last: str = "and") -> str:
    """Names in a sentence.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    found = list(names)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} {last} {found[-1]}" if found else ""


def span(low: float, high: float, digits: int = 0) -> str:
    """An interval.

    >>> span(-3.0, 4.0)
    '−3 to +4'
    """
    return f"{signed(low, digits)} to {signed(high, digits)}"


def p_of(p: float | None) -> str:
    """A p value; a dash where there is none.

    >>> p_of(0.0321), p_of(None)
    ('0.032', '–')
    """
    return "–" if p is None else shown_p(p)
