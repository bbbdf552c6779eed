"""How much of a gain remains by protocol: the paper's, equal strength, tuned. The table at the top of the article."""

import numpy as np

from studies.accuracy_claims import OTHERS, TUNED
from studies.evidence import Gain, Place, gains, wrong_tokens
from studies.run_studies import Findings
from studies.study_list import settings_of
from studies.tables import markdown
from studies.wording import PLACES, label, listed, p_of, signed, span
from tagfield.compare.significance import compare_pair

CONLL = {"observed": "small set", "all": "large set"}


def protocol_table(found: Findings) -> str:
    """The mean gain over SGD of the recipes that every protocol has, in test tokens and points of chunk F1."""
    rows = []
    for features, name in CONLL.items():
        cells = [Place("table", features), Place("strength", features), Place(f"tuned-{features}", features)]
        rows.append([f"CoNLL-2000, {name}", *(_cell(found, place) for place in cells)])
    for name in OTHERS:
        rows.append([PLACES[name], _cell(found, Place(name, "all")), "–", _cell(found, Place(f"{name}-tuned", "all"))])
    heads = ["mean gain over SGD", ">the paper's protocol", ">equal strength", ">tuned"]
    names = listed([label(name) for name in TUNED])
    return (
        f"{markdown(heads, rows)}\nMeans over {names} where trained, in test tokens; in brackets points of chunk F1.\n"
    )


def tuning_table(found: Findings) -> str:
    """What tuning did to each recipe: its test tokens right, beside those of the same recipe with the paper's c2."""
    rows = []
    for features, title in CONLL.items():
        names = (f"tuned-{features}", "table")
        if any(name not in found.results for name in names):
            continue
        both = [found.results[name] for name in names]
        for recipe in ("sgd", *TUNED):
            errors = [wrong_tokens(results, recipe, features) for results in both]
            if errors[0] is None or errors[1] is None:
                continue
            tokens = both[0].data["test"]["tokens"]
            gain, had = compare_pair(errors[0], errors[1], tokens), settings_of(both[0], recipe, features)
            given = [f"{had[option]:g}" for option in ("c2", "rate")]
            cells = [f"{signed(gain.tokens)} of {tokens:,}", span(gain.low, gain.high), p_of(gain.by_sentences)]
            rows.append([f"CoNLL-2000, {title}", label(recipe), *given, *cells])
    heads = ["where", "recipe", ">c2 chosen", ">rate chosen", ">more tokens right than with c2 = 1", ">95 % interval"]
    return markdown([*heads, ">p, sentences"], rows)


def _cell(found: Findings, place: Place) -> str:
    rows: list[Gain] = gains(found.results, [(place, name, "sgd") for name in TUNED])
    if not rows:
        return "–"
    tokens = float(np.mean([row.tokens.tokens for row in rows]))
    points = [row.chunks.points for row in rows if row.chunks is not None]
    f1 = f" ({signed(float(np.mean(points)), 2)} F1)" if points else ""
    return f"{signed(tokens)} of {rows[0].tokens.test_tokens:,}{f1}"
