"""Claims about final accuracy: higher than SGD's, U2*.G1 beside U1*.G1, the sigmoids, the baselines."""

from itertools import combinations

import numpy as np

from studies.claims import (
    OVER_SENTENCES,
    UNTESTED,
    Judged,
    claim,
    count_words,
    extremes,
    of_tests,
    of_total,
    places,
    told,
)
from studies.evidence import Gain, Place, gains
from studies.run_studies import Findings
from studies.study_list import TRANSFORMED
from studies.tables import gain_table, markdown
from studies.wording import label, p_of, signed, span, where
from tagfield.compare.paper_results import PAPER_ACCURACY, difference_to_paper, matches_paper, paper_accuracy
from tagfield.compare.results_page import TOLERANCE
from tagfield.compare.significance import LEVEL
from tagfield.compare.summary import summarise

SIGMOIDS = ("u2.g1", "u2.g1p", "u2.g2", "u2.g3")
OTHERS = ("wnut17", "ingredients", "ewt_xpos")
OTHERS_TUNED = tuple(f"{name}-tuned" for name in OTHERS)
ALIKE = 0.1  # points of accuracy: smaller differences are "almost indistinguishable"
TUNED = ("u1.g1", "u2.g1", "u2.g1p")
OUTPERFORM = "“both the proposed algorithm U1\\*.G1 and U2\\*.G1 outperform SGD”, and so do U2\\*.G2 and U2\\*.G3"


@claim(
    "The table", "Token accuracy (printed as “F-score”) after convergence.", ["table"], "none: two tables side by side"
)
def reproduced(found: Findings) -> Judged:
    """Whether our table is the paper's."""
    results = found.results["table"]
    if not matches_paper(results):
        return Judged(UNTESTED, "The data are not the paper's.")
    rows = [row for row in summarise(results) if row.recipe in PAPER_ACCURACY and row.accuracy is not None]
    apart = [difference_to_paper(row) or 0.0 for row in rows]
    near = sum(abs(each) <= TOLERANCE + 1e-9 for each in apart)
    heads = [
        "recipe",
        "features",
        ">seeds",
        ">ours",
        ">the paper's",
        ">difference",
        ">counted as CRFsuite does",
        ">chunk F1 %",
    ]
    lines = [
        [
            label(row.recipe),
            "small" if row.features == "observed" else "large",
            str(row.seeds),
            str(row.accuracy),
            paper_accuracy(row),
            signed(each, 2),
            str(row.known_accuracy),
            str(row.f1),
        ]
        for row, each in zip(rows, apart, strict=True)
    ]
    cells = sum(map(len, PAPER_ACCURACY.values()))
    return Judged(
        of_total(near, cells),
        f"{near} of its {cells} figures are reproduced within ±{TOLERANCE:.2f} points; the largest difference is "
        f"{signed(max(apart, key=abs), 2)}, the mean {signed(sum(apart) / len(apart), 2)}.",
        markdown(heads, lines),
    )


def _against_sgd(found: Findings, studies: tuple[str, ...], recipes: tuple[str, ...]) -> list[Gain]:
    return gains(found.results, [(place, name, "sgd") for place in places(studies) for name in recipes])


def _higher(rows: list[Gain]) -> Judged:
    """Verdict, sentence and table of a family of recipes compared with SGD."""
    better = told(rows, "better")
    words = f"{count_words(rows)}. {extremes(rows)}"
    by_seeds = [row for row in rows if row.tokens.tokens > 0 and (row.tokens.by_seeds or 0.0) < LEVEL]
    by_sentences = [row for row in rows if row.tokens.tokens > 0 and row.tokens.by_sentences < LEVEL]
    words += (
        f" Before the correction, positive beyond the noise of seeds: {len(by_seeds)}; "
        f"beyond that of the test sentences: {len(by_sentences)}."
    )
    marked = [row for row in rows if row.chunks is not None]
    if marked:
        up, down = (sum(row.chunk_verdict == side for row in marked) for side in ("better", "worse"))
        words += f" By chunk F1, {up} of {len(marked)} are really higher and {down} really lower."
    return Judged(of_tests(len(better), len(told(rows, "worse")), len(rows)), words, gain_table(rows))


@claim("Higher accuracy, by the paper's protocol", OUTPERFORM + ".", ["table"], OVER_SENTENCES)
def higher_by_its_protocol(found: Findings) -> Judged:
    """Final accuracy with the paper's protocol: c2 = 1 for every recipe."""
    return _higher(_against_sgd(found, ("table",), TRANSFORMED))


@claim("Higher accuracy, at equal strength", OUTPERFORM + ".", ["table", "strength"], OVER_SENTENCES)
def higher_at_equal_strength(found: Findings) -> Judged:
    """Final accuracy where SGD is regularised as little as they effectively are: c2/f′(0) = 0.1 for all."""
    return _higher(_against_sgd(found, ("strength",), TRANSFORMED))


@claim("Higher accuracy, tuned", OUTPERFORM + ".", ["tuned-observed", "tuned-all"], OVER_SENTENCES)
def higher_when_tuned(found: Findings) -> Judged:
    """Final accuracy where c2 and rate are chosen for each recipe on held-out training data."""
    return _higher(_against_sgd(found, ("tuned-observed", "tuned-all"), TUNED))


@claim("Higher accuracy, other corpora", OUTPERFORM + ".", OTHERS, OVER_SENTENCES)
def higher_elsewhere(found: Findings) -> Judged:
    """Final accuracy on three other corpora by the paper's protocol."""
    return _higher(_against_sgd(found, OTHERS, TRANSFORMED))


@claim("Higher accuracy, other corpora, tuned", OUTPERFORM + ".", OTHERS_TUNED, OVER_SENTENCES)
def higher_elsewhere_when_tuned(found: Findings) -> Judged:
    """Final accuracy on three other corpora, tuned."""
    return _higher(_against_sgd(found, OTHERS_TUNED, TUNED))


EVERYWHERE = ("table", "tuned-observed", "tuned-all", *OTHERS, *OTHERS_TUNED)


@claim(
    "U2\\*.G1 beside U1\\*.G1",
    "“the U2\\*.G1 update appears to be a little more advantageous than U1\\*.G1”.",
    EVERYWHERE,
    OVER_SENTENCES,
)
def u2_over_u1(found: Findings) -> Judged:
    """U2*.G1 beside U1*.G1, everywhere."""
    rows = gains(found.results, [(place, "u2.g1", "u1.g1") for place in places(EVERYWHERE)])
    words = f"{count_words(rows)}. {extremes(rows)}"
    verdict = of_tests(len(told(rows, "better")), len(told(rows, "worse")), len(rows))
    return Judged(verdict, words, gain_table(rows))


@claim(
    "The sigmoids are alike",
    "“performances of their corresponding updates are almost indistinguishable”.",
    ["table", *OTHERS],
    f"{OVER_SENTENCES}; alike: no pair differs significantly, and every 95 % interval lies within ±{ALIKE} points",
)
def sigmoids_alike(found: Findings) -> Judged:
    """arctan.1, arctan.2, erf and gd, pair by pair."""
    asked = [(place, a, b) for place in places(("table", *OTHERS)) for a, b in combinations(SIGMOIDS, 2)]
    rows = gains(found.results, asked)
    every = list(dict.fromkeys(row.place for row in rows))
    lines, alike = [], []
    for place in every:
        here = [row for row in rows if row.place == place]
        real = [row for row in here if row.verdict != "not significant"]
        size = here[0].tokens.test_tokens
        widest = max(100 * max(abs(row.tokens.low), abs(row.tokens.high)) / size for row in here)
        if not real and widest <= ALIKE:
            alike.append(place)
        most = max(here, key=lambda row: abs(row.tokens.tokens))
        pair = (most.one, most.other) if most.tokens.tokens > 0 else (most.other, most.one)
        lines.append(
            [
                where(place.study, place.features),
                str(most.seeds),
                f"{size:,}",
                f"{len(real)} of {len(here)}",
                f"{label(pair[0])} over {label(pair[1])}",
                signed(abs(most.tokens.tokens)),
                f"±{widest:.2f}",
                p_of(most.adjusted),
            ]
        )
    heads = [
        "where",
        ">seeds",
        ">test tokens",
        ">pairs that differ",
        "furthest apart",
        ">tokens",
        ">intervals within, points",
        ">corrected p",
    ]
    apart = sum(row.verdict != "not significant" for row in rows)
    words = f"Alike at {len(alike)} of {len(every)} places. Of {len(rows)} pairs, {apart} differ significantly."
    return Judged(of_total(len(alike), len(every)), words, markdown(heads, lines))


@claim("SGD is the strongest baseline", "“The strongest baseline is given by SGD.”", ["table"], OVER_SENTENCES)
def sgd_is_the_strongest_baseline(found: Findings) -> Judged:
    """PA and L-BFGS compared with SGD."""
    rows = _against_sgd(found, ("table",), ("pa", "lbfgs"))
    verdict = of_tests(len(told(rows, "worse")), len(told(rows, "better")), len(rows))
    return Judged(verdict, f"{count_words(rows)}. {extremes(rows)}", gain_table(rows))


@claim(
    "PA overfits",
    "“PA appears to overfit the training data”.",
    ["table"],
    f"means over seeds on both parts; {OVER_SENTENCES}",
)
def pa_overfits(found: Findings) -> Judged:
    """PA is higher on the training part and really lower on the test part."""
    rows = {row.place: row for row in _against_sgd(found, ("table",), ("pa",))}
    words, yes = [], 0
    for place, row in rows.items():
        pa, sgd = (_training_accuracy(found, place, name) for name in ("pa", "sgd"))
        yes += pa > sgd and row.verdict == "worse"
        words.append(
            f"{where(place.study, place.features)}: {pa:.2f} % on the training part, where SGD has {sgd:.2f}, and "
            f"{signed(row.tokens.tokens)} of {row.tokens.test_tokens:,} test tokens "
            f"({span(row.tokens.low, row.tokens.high)}), {row.verdict}"
        )
    return Judged(of_total(yes, len(rows)), f"{'; '.join(words)}.")


def _training_accuracy(found: Findings, place: Place, recipe: str) -> float:
    runs = [run for run in found.results[place.study].groups()[recipe, place.features] if not run.failed]
    return 100 * float(np.mean([run.epochs[run.closing["kept"] - 1]["train_accuracy"] for run in runs]))


QUESTIONS = (
    reproduced,
    higher_by_its_protocol,
    higher_at_equal_strength,
    higher_when_tuned,
    higher_elsewhere,
    higher_elsewhere_when_tuned,
    u2_over_u1,
    sigmoids_alike,
    sgd_is_the_strongest_baseline,
    pa_overfits,
)
