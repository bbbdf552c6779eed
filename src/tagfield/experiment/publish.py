"""One Markdown page of results for a repository: docs/results.md, with its figures beside it.

Results ─▶ verdicts (what can be said of the paper's table) ─┐
        ─▶ tables, figures, how they were made ──────────────┴─▶ write_results
"""

from pathlib import Path

from tagfield.atomic import write_atomically
from tagfield.experiment.figures import SETS, write_figures
from tagfield.experiment.paper import TABLE, difference, is_paper
from tagfield.experiment.results import Results
from tagfield.experiment.summary import BASELINE, Row, summarise
from tagfield.experiment.tables import SETS as TITLES
from tagfield.experiment.tables import text_table

TOLERANCE = 0.06  # points of token accuracy

CAPTIONS = {
    "baselines": "Token accuracy of the baselines and of U1\\*.G1 and U2\\*.G1 after each epoch",
    "sigmoids": "Token accuracy of SGD and of the four U2\\* recipes after each epoch",
    "beyond": "Token accuracy of SGD, U2\\*.G1 and recipes that the paper does not have",
    "time": "Test figures against the seconds of training on one core; the paper has no such figure",
}


def verdicts(results: Results) -> list[str]:
    """Sentences on how our figures lie beside the paper's; none for other data."""
    if not is_paper(results):
        return []
    rows = [row for row in summarise(results) if row.recipe in TABLE]
    cells = len([kind for kinds in TABLE.values() for kind in kinds])
    near = [
        row for row in rows if abs(difference(row) or 0.0) <= TOLERANCE + 1e-9 and row.accuracy is not None
    ]
    said = [f"{len(near)} of the {cells} cells of the paper's table are within ±{TOLERANCE:.2f} of it."]
    said += [
        f"{row.recipe} on {row.features}: {difference(row):+.2f}."
        for row in rows
        if row not in near and row.accuracy
    ]
    said += [f"{recipe} on {kind} was not run." for recipe, kind in _not_run(rows)]
    for kind in SETS:
        base = _accuracy(rows, BASELINE, kind)
        ours = {row.recipe: _accuracy(rows, row.recipe, kind) for row in rows if row.recipe.startswith("u2")}
        known = {name: value for name, value in ours.items() if value is not None}
        if base is not None and known:
            below = [name for name, value in known.items() if round(value, 2) < round(base, 2)]
            state = f"below {BASELINE}: {', '.join(below)}" if below else f"all at or above {BASELINE}"
            said.append(f"{TITLES[kind]}: of {', '.join(known)}, {state} ({base:.2f}).")
    return said


def _not_run(rows: list[Row]) -> list[tuple[str, str]]:
    there = {(row.recipe, row.features) for row in rows}
    return [(name, kind) for name, kinds in TABLE.items() for kind in kinds if (name, kind) not in there]


def _accuracy(rows: list[Row], recipe: str, kind: str) -> float | None:
    for row in rows:
        if (row.recipe, row.features) == (recipe, kind) and row.accuracy is not None:
            return 100 * row.accuracy.mean
    return None


KEPT = "<!-- written by hand from here on -->"


def write_results(results: Results, path: Path) -> None:
    """Writes the page, and its figures to the folder `figures` beside it; what stands below KEPT stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _, mark, below = path.read_text().partition(KEPT) if path.exists() else ("", "", "")
    figures = write_figures(results, path.parent / "figures")
    with write_atomically(path) as file:
        text = results_text(results, [figure.name for figure in figures])
        file.write((text + ("\n" + mark + below if mark else "")).encode())


def results_text(results: Results, figures: list[str]) -> str:
    """The page as text."""
    data, plan = results.data, results.plan
    versions = results.sessions[-1]["versions"] if results.sessions else {}
    paper = is_paper(results)
    parts = ["# The paper's experiment, repeated\n" if paper else "# Recipes compared\n"]
    parts.append(
        f"{'CoNLL-2000 chunking' if paper else data.get('name') or 'The data'}: "
        f"{data['train']['sentences']:,} training sentences ({data['train']['tokens']:,} tokens), "
        f"{data['test']['sentences']:,} test sentences ({data['test']['tokens']:,} tokens), "
        f"{data['labels']} labels, {data['attributes']:,} attributes. {plan.seeds} shuffles of {plan.epochs} "
        f"epochs each, c2 = {plan.c2:g}, rates found by calibration; L-BFGS until it converges. Made by "
        f"tagfield {versions.get('tagfield', '')} ({versions.get('kernels', '')} kernels) on "
        f"{versions.get('cpu', 'an unknown machine')}.\n"
    )
    if paper:
        parts.append("Made by `make paper CONLL2000=DIR`; `tagfield fetch conll2000` brings the corpus.\n")
    parts += [
        "## The table\n",
        "Figures on the test set, mean ± standard deviation over the shuffles. Seconds are processor time of training "
        f"on one core, scoring left out. The last column tells when the mean accuracy first reaches what {BASELINE} "
        "ends with.\n",
        text_table(results, "| ", " | ", " |", "---", set()),
    ]
    if paper:
        parts += ["\n".join(f"- {line}" for line in verdicts(results)) + "\n", _known(results), _NOTE]
    for name in figures:
        kind, _, features = name.removesuffix(".png").partition("-")
        parts.append(f"![{CAPTIONS[kind]}, {SETS[features]}](figures/{name})\n")
        parts.append(
            f"*{CAPTIONS[kind]}; {SETS[features]}. Bands are one standard deviation to each side.*\n"
        )
    return "\n".join(parts)


def _known(results: Results) -> str:
    """Our figures in CRFsuite's way of counting."""
    lines = ["| recipe | features | every token | as CRFsuite counts |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| {row.recipe} | {row.features} | {row.accuracy} | {row.known_accuracy} |"
        for row in summarise(results)
        if row.accuracy is not None
    ]
    return "\n".join(lines) + "\n"


_NOTE = """\
What the paper calls F-score is token accuracy: CRFsuite prints it as item accuracy, and chunk F1 is more than two
points lower. Our column counts every token, also those with the label `I-LST`, which no training sentence has.
CRFsuite stops counting in a sentence at such a label, so its figures come out 0.02 to 0.03 higher on the same
predictions; the second table has both counts.
"""
