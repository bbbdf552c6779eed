"""A Markdown page of results, such as docs/results.md, with its plots in a folder next to it.

Results ─▶ compare_with_paper (sentences) ─┐
        ─▶ tables, plots, settings ────────┴─▶ write_results
"""

from pathlib import Path

from tagfield.compare.differences import explanation, markdown_differences
from tagfield.compare.paper_results import PAPER_ACCURACY, difference_to_paper, matches_paper
from tagfield.compare.plan import strength_words
from tagfield.compare.plots import FEATURE_CAPTIONS, write_plots
from tagfield.compare.results import Results
from tagfield.compare.summary import BASELINE, SummaryRow, summarise
from tagfield.compare.tables import FEATURE_TITLES, markdown_table
from tagfield.system.atomic import write_atomically

TOLERANCE = 0.06  # percentage points of token accuracy

CAPTIONS = {
    "baselines": "Token accuracy of the baselines and of U1\\*.G1 and U2\\*.G1 after each epoch",
    "sigmoids": "Token accuracy of SGD and of the four U2\\* recipes after each epoch",
    "beyond": "Token accuracy of SGD, U2\\*.G1 and recipes that the paper does not have",
    "time": "Test scores against seconds of training on one core; the paper has no such plot",
}


def compare_with_paper(results: Results) -> list[str]:
    """Sentences that compare our results with the paper's; empty for other data."""
    if not matches_paper(results):
        return []
    rows = [row for row in summarise(results) if row.recipe in PAPER_ACCURACY]
    cells = len([kind for kinds in PAPER_ACCURACY.values() for kind in kinds])
    near = [
        row for row in rows if abs(difference_to_paper(row) or 0.0) <= TOLERANCE + 1e-9 and row.accuracy is not None
    ]
    sentences = [f"{len(near)} of the paper's {cells} results are reproduced within ±{TOLERANCE:.2f} points."]
    sentences += [
        f"{row.recipe} on {row.features}: {difference_to_paper(row):+.2f}."
        for row in rows
        if row not in near and row.accuracy
    ]
    sentences += [f"{recipe} on {kind} was not run." for recipe, kind in _not_run(rows)]
    for kind in FEATURE_TITLES:
        base = _accuracy(rows, BASELINE, kind)
        u2 = {row.recipe: _accuracy(rows, row.recipe, kind) for row in rows if row.recipe.startswith("u2")}
        known = {name: value for name, value in u2.items() if value is not None}
        if base is not None and known:
            below = [name for name, value in known.items() if round(value, 2) < round(base, 2)]
            state = f"below {BASELINE}: {', '.join(below)}" if below else f"all at or above {BASELINE}"
            sentences.append(f"{FEATURE_TITLES[kind]}: of {', '.join(known)}, {state} ({base:.2f}).")
    return sentences


def _not_run(rows: list[SummaryRow]) -> list[tuple[str, str]]:
    there = {(row.recipe, row.features) for row in rows}
    return [(name, kind) for name, kinds in PAPER_ACCURACY.items() for kind in kinds if (name, kind) not in there]


def _accuracy(rows: list[SummaryRow], recipe: str, kind: str) -> float | None:
    for row in rows:
        if (row.recipe, row.features) == (recipe, kind) and row.accuracy is not None:
            return 100 * row.accuracy.mean
    return None


HANDWRITTEN = "<!-- written by hand from here on -->"


def write_results(results: Results, path: Path) -> None:
    """Write the page, and its plots to the folder `figures` next to it; keep the text below HANDWRITTEN."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _, mark, below = path.read_text().partition(HANDWRITTEN) if path.exists() else ("", "", "")
    plots = write_plots(results, path.parent / "figures")
    with write_atomically(path) as file:
        text = results_text(results, [plot.name for plot in plots])
        file.write((text + ("\n" + mark + below if mark else "")).encode())


def results_text(results: Results, plots: list[str]) -> str:
    """The page as text."""
    data, plan = results.data, results.plan
    versions = results.sessions[-1]["versions"] if results.sessions else {}
    paper = matches_paper(results)
    parts = ["# The paper's experiment, repeated\n" if paper else "# Recipes compared\n"]
    parts.append(
        f"{'CoNLL-2000 chunking' if paper else data.get('name') or 'The data'}: "
        f"{data['train']['sentences']:,} training sentences ({data['train']['tokens']:,} tokens), "
        f"{data['test']['sentences']:,} test sentences ({data['test']['tokens']:,} tokens), "
        f"{data['labels']} labels, {data['attributes']:,} attributes. {plan.seeds} shuffles of {plan.epochs} "
        f"epochs each, c2 = {strength_words(plan)}, {'chosen' if plan.chosen else 'calibrated'} learning rates; "
        "L-BFGS until it converges. Computed with "
        f"tagfield {versions.get('tagfield', '')} ({versions.get('kernels', '')} kernels) on "
        f"{versions.get('cpu', 'an unknown machine')}.\n"
    )
    if paper:
        parts.append(
            "To reproduce it, run `tagfield fetch conll2000` and `tagfield compare --recipes paper` on its two files; "
            "`make paper` computes it along with [paper.md](paper.md), which says what it means: equal c2 is not equal "
            "regularisation.\n"
        )
    parts += [
        "## The table\n",
        "Test scores, mean ± standard deviation over the shuffles. Seconds are CPU time of training on one core, "
        f"without scoring. The last column is the first epoch with at least the final mean accuracy of {BASELINE}.\n",
        markdown_table(results),
    ]
    if paper:
        parts += ["\n".join(f"- {line}" for line in compare_with_paper(results)) + "\n", _known(results), _NOTE]
    if table := markdown_differences(results):
        parts += ["## Which differences are real\n", explanation(results) + "\n", table]
    for name in plots:
        kind, _, features = name.removesuffix(".png").partition("-")
        parts.append(f"![{CAPTIONS[kind]}, {FEATURE_CAPTIONS[features]}](figures/{name})\n")
        parts.append(f"*{CAPTIONS[kind]}; {FEATURE_CAPTIONS[features]}. Bands are ± one standard deviation.*\n")
    return "\n".join(parts)


def _known(results: Results) -> str:
    """Our accuracies, counted over all tokens and as CRFsuite counts."""
    lines = ["| recipe | features | every token | as CRFsuite counts |", "| --- | --- | ---: | ---: |"]
    lines += [
        f"| {row.recipe} | {row.features} | {row.accuracy} | {row.known_accuracy} |"
        for row in summarise(results)
        if row.accuracy is not None
    ]
    return "\n".join(lines) + "\n"


_NOTE = """\
The paper's "F-score" is token accuracy: CRFsuite prints it as item accuracy, and chunk F1 is more than two points
lower. Our accuracy counts every token, including those with the label `I-LST`, which does not occur in training.
CRFsuite stops counting a sentence at such a label, so it reports 0.01 to 0.02 more on the same predictions. The second
table has both counts.
"""
