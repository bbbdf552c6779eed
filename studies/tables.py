"""The tables of the article, in Markdown: each difference with its seeds, interval, tests and number of test tokens."""

from collections.abc import Sequence

from studies.evidence import EARLY, Cost, Gain, Lead
from studies.run_studies import Findings, steps
from studies.study_list import studies
from studies.wording import label, p_of, signed, span, where
from tagfield.compare.plan import runs_by_iteration
from tagfield.compare.summary import summarise

OTHER_DATA = {
    "sensitivity": "CoNLL-2000, small, training part only",
    "curves": "CoNLL-2000, small",
    "minibatches": "WNUT-17 and CoNLL-2000, small, training parts only",
}


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; heads that begin with > are of columns of numbers.

    >>> print(markdown(["a", ">b"], [["x", "1"]]), end="")
    | a | b |
    | --- | ---: |
    | x | 1 |
    """
    rule = ["---:" if head.startswith(">") else "---" for head in heads]
    lines = [[head.lstrip(">") for head in heads], rule, *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def gain_table(rows: Sequence[Gain]) -> str:
    """Final scores compared with another recipe: tokens, and chunk F1 if the labels mark chunks."""
    chunks = any(row.chunks is not None for row in rows)
    others = {row.other for row in rows}
    beside = f"more tokens right than {label(others.pop())}" if len(others) == 1 else "more tokens right"
    heads = ["where", "recipe", ">seeds", f">{beside}, of the test part's", ">95 % interval", ">points"]
    heads += [">p, sentences", ">p, seeds", "verdict (corrected p)"]
    heads += [">chunk F1 (95 % interval)", "verdict on F1"] if chunks else []
    lines = []
    for row in rows:
        found = row.tokens
        name = label(row.one) if not others else f"{label(row.one)} beside {label(row.other)}"
        line = [where(row.place.study, row.place.features), name, str(row.seeds)]
        line += [
            f"{signed(found.tokens)} of {found.test_tokens:,}",
            span(found.low, found.high),
            signed(found.points, 2),
        ]
        line += [p_of(found.by_sentences), p_of(found.by_seeds), f"{row.verdict} ({p_of(row.adjusted)})"]
        if chunks and row.chunks is not None:
            line += [f"{signed(row.chunks.points, 2)} ({span(row.chunks.low, row.chunks.high, 2)})"]
            line += [f"{row.chunk_verdict} ({p_of(row.adjusted_chunks)})"]
        elif chunks:
            line += ["–", "–"]
        lines.append(line)
    return markdown(heads, lines)


def lead_table(rows: Sequence[Lead]) -> str:
    """How early a recipe is ahead of another."""
    heads = [
        "where",
        "recipe",
        ">seeds",
        f">more right, first {EARLY} epochs",
        ">95 % interval",
        "verdict (corrected p)",
    ]
    heads += [">on top", ">reaches SGD's final", ">SGD itself"]
    lines = []
    for row in rows:
        line = [where(row.place.study, row.place.features), label(row.one), str(row.seeds), signed(row.early)]
        line += [
            span(row.low, row.high),
            f"{row.verdict} ({p_of(row.adjusted)})",
            f"{row.on_top} of {row.epochs} epochs",
        ]
        lines.append([*line, _when(row.reached), _when(row.own)])
    return markdown(heads, lines)


def _when(reached: tuple[int, float] | None) -> str:
    return "–" if reached is None else f"epoch {reached[0]}, {reached[1]:.1f} s"


def cost_table(rows: Sequence[Cost]) -> str:
    """Seconds of an epoch."""
    heads = ["where", "recipe", ">ms an epoch", ">beside SGD's", ">95 % interval"]
    lines = [
        [
            where(row.place.study, row.place.features),
            label(row.recipe),
            f"{1000 * row.seconds:.0f}",
            f"{row.ratio:.2f}",
            "–" if row.recipe == "sgd" else f"{row.low:.2f} to {row.high:.2f}",
        ]
        for row in rows
    ]
    return markdown(heads, lines)


def score_table(found: Findings, names: Sequence[str]) -> str:
    """Test scores of every recipe in some studies, with the c2 and rate that they had."""
    heads = ["where", "recipe", ">seeds", ">epochs", ">c2", ">rate", ">token accuracy %", ">chunk F1 %"]
    lines = []
    for name in names:
        for row in summarise(found.results[name]) if name in found.results else []:
            line = [
                where(name, row.features),
                label(row.recipe),
                f"{row.seeds}{f' ({row.failed} failed)' if row.failed else ''}",
            ]
            line += [f"{row.epochs:.0f}", "–" if row.c2 is None else f"{row.c2:g}", row.rate]
            scores = ["failed" if row.accuracy is None else str(row.accuracy), "–" if row.f1 is None else str(row.f1)]
            lines.append([*line, *scores])
    return markdown(heads, lines)


def study_table(found: Findings, small: bool = False) -> str:
    """What was run: question, corpus, runs, and the minutes that it took."""
    heads = ["study", "question", "corpus", ">test tokens", ">recipes", ">seeds", ">epochs", "c2 and rate", ">minutes"]
    lines = []
    for study in studies(small):
        results = found.results.get(study.name)
        if results is None:
            continue
        plan, minutes = study.plan, found.times.get(study.name, 0.0) / 60
        how = "chosen on a held-out tenth" if study.tuned else "c2 = 1, calibrated"
        if plan.strength == "effective":
            how = f"c2 = {plan.c2:g}·f′(0), calibrated"
        few = sum(runs_by_iteration(name) for name in plan.recipes)
        features = " and ".join("small" if kind == "observed" else "large" for kind in plan.features)
        lines.append(
            [
                f"`{study.name}`",
                study.question,
                f"{where(study.name, '').split(',')[0].split(' (')[0]}, {features}",
                f"{results.data['test']['tokens']:,}",
                f"{len(plan.recipes)}{', L-BFGS once' if few else ''}",
                str(plan.seeds),
                str(plan.epochs),
                how,
                f"{minutes:.1f}",
            ]
        )
    for step in steps(small):
        if step.name in OTHER_DATA and step.name in found.times:
            data = [OTHER_DATA[step.name], *["–"] * 5]
            lines.append([f"`{step.name}`", step.question, *data, f"{found.times[step.name] / 60:.1f}"])
    return markdown(heads, lines)
