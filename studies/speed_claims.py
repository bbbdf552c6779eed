"""Claims about speed: ahead of SGD along the curves, L-BFGS, and the cost of an epoch."""

from studies.accuracy_claims import OTHERS, OTHERS_TUNED
from studies.claims import OVER_SEEDS, Judged, claim, of_tests, of_total, places
from studies.evidence import Lead, costs, leads
from studies.run_studies import Findings
from studies.study_list import TRANSFORMED
from studies.tables import cost_table, lead_table, markdown
from studies.wording import label, listed, where
from tagfield.compare.summary import LearningCurves, final_accuracy, first_reaching

FACTOR = 2.0  # an epoch that costs at most this often SGD's has "the same complexity"
ON_TOP = "U1\\*.G1 and U2\\*.G1 “stay on top of the SGD curves most of the time”."


def _ahead(found: Findings, studies: tuple[str, ...]) -> Judged:
    """Ahead: more tokens right over the first epochs, and the higher curve in most of them."""
    rows = leads(found.results, [(place, name, "sgd") for place in places(studies) for name in ("u1.g1", "u2.g1")])
    yes = [row for row in rows if row.verdict == "ahead" and 2 * row.on_top > row.epochs]
    behind = [row for row in rows if row.verdict == "behind"]
    words = f"Ahead over the first epochs and on top in most of all: {len(yes)} of {len(rows)}."
    if behind:
        words += f" Really behind: {listed([_named(row) for row in behind])}."
    faster = [row for row in rows if row.reached is not None and row.own is not None]
    if faster:
        most = min(faster, key=lambda row: row.reached[0] / row.own[0] if row.reached and row.own else 1.0)
        if most.reached and most.own and most.reached[0] < most.own[0]:
            words += (
                f" Quickest to SGD's final accuracy: {_named(most)}, at epoch {most.reached[0]}, SGD at {most.own[0]}."
            )
    never = [row for row in rows if row.reached is None]
    if never:
        words += f" Never there: {listed([_named(row) for row in never])}."
    return Judged(of_tests(len(yes), len(behind), len(rows)), words, lead_table(rows))


def _named(row: Lead) -> str:
    return f"{label(row.one)} on {where(row.place.study, row.place.features)}"


@claim("Faster, by the paper's protocol", ON_TOP, ["table"], OVER_SEEDS)
def faster_by_its_protocol(found: Findings) -> Judged:
    """Curves on CoNLL-2000 with the paper's protocol."""
    return _ahead(found, ("table",))


@claim("Faster, at equal strength", ON_TOP, ["table", "strength"], OVER_SEEDS)
def faster_at_equal_strength(found: Findings) -> Judged:
    """Curves on CoNLL-2000 at equal effective strength."""
    return _ahead(found, ("strength",))


@claim("Faster, tuned", ON_TOP, ["tuned-observed", "tuned-all"], OVER_SEEDS)
def faster_when_tuned(found: Findings) -> Judged:
    """Curves on CoNLL-2000, tuned."""
    return _ahead(found, ("tuned-observed", "tuned-all"))


@claim("Faster, other corpora", ON_TOP, OTHERS, OVER_SEEDS)
def faster_elsewhere(found: Findings) -> Judged:
    """Curves on three other corpora by the paper's protocol."""
    return _ahead(found, OTHERS)


@claim("Faster, other corpora, tuned", ON_TOP, OTHERS_TUNED, OVER_SEEDS)
def faster_elsewhere_when_tuned(found: Findings) -> Judged:
    """Curves on three other corpora, tuned."""
    return _ahead(found, OTHERS_TUNED)


@claim(
    "L-BFGS is slow, and catches up",
    "“L-BFGS converges very slowly, although eventually it catches up.”",
    ["table"],
    "none: iterations beside epochs, each a pass over the data",
)
def lbfgs_is_slow_and_catches_up(found: Findings) -> Judged:
    """Iterations of L-BFGS until SGD's final accuracy, and where it ends."""
    lines, yes = [], 0
    groups = found.results["table"].groups()
    for place in places(("table",)):
        runs = [run for run in groups.get(("lbfgs", place.features), []) if not run.failed]
        base = [run for run in groups.get(("sgd", place.features), []) if not run.failed]
        if not runs or not base:
            continue
        goal, curves, own = final_accuracy(base), LearningCurves.of(runs), LearningCurves.of(base)
        reached, theirs = first_reaching(curves, goal), first_reaching(own, goal)
        yes += reached is not None and theirs is not None and reached[0] > theirs[0]
        lines.append(
            [
                where(place.study, place.features),
                f"{100 * goal:.2f}",
                _when(theirs, "epochs"),
                _when(reached, "iterations"),
                f"{100 * float(curves.mean['test_accuracy'][-1]):.2f}",
                str(len(runs[0].epochs)),
            ]
        )
    heads = [
        "where",
        ">SGD's final accuracy %",
        ">SGD reaches it after",
        ">L-BFGS after",
        ">L-BFGS ends at %",
        ">after iterations",
    ]
    words = f"Slower than SGD and at its accuracy in the end on {yes} of {len(lines)} feature sets."
    return Judged(of_total(yes, len(lines)), words, markdown(heads, lines))


def _when(reached: tuple[int, float] | None, unit: str) -> str:
    return "never" if reached is None else f"{reached[0]} {unit}, {reached[1]:.1f} s"


@claim(
    "The cost of an epoch",
    "“all of them have the same time complexity as SGD”, and values can come from a table.",
    ["table"],
    f"95 % interval of the ratio over seeds, at most {FACTOR:g}; CPU time of one core without scoring",
)
def an_epoch_costs_little_more(found: Findings) -> Judged:
    """Seconds of an epoch, compared with SGD."""
    every = [row for place in places(("table",)) for row in costs(found.results["table"], "table", place.features)]
    others = [row for row in every if row.recipe in TRANSFORMED]
    shown = [row for row in every if row.recipe == "sgd" or row in others]
    if not others:
        return Judged(of_total(0, 0), "No run has two epochs.")
    low, high = (pick(others, key=lambda row: row.ratio) for pick in (min, max))
    words = (
        f"An epoch costs {low.ratio:.2f} times SGD's ({label(low.recipe)} on {where('table', low.place.features)}) to "
        f"{high.ratio:.2f} times ({label(high.recipe)} on {where('table', high.place.features)})."
    )
    return Judged(of_total(sum(row.high <= FACTOR for row in others), len(others)), words, cost_table(shown))


QUESTIONS = (
    faster_by_its_protocol,
    faster_at_equal_strength,
    faster_when_tuned,
    faster_elsewhere,
    faster_elsewhere_when_tuned,
    lbfgs_is_slow_and_catches_up,
    an_epoch_costs_little_more,
)
