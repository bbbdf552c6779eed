"""The report as a page: one self-contained HTML file that loads nothing else.

Results ─▶ page_data (JSON) ─┐
page.html · page.css · page.js ┴─▶ write_page ─▶ index.html
"""

import re
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from tagfield.apps.web.one_file import embed, one_file_page
from tagfield.compare.advice import advise
from tagfield.compare.differences import explanation, html_differences
from tagfield.compare.line_styles import style_of
from tagfield.compare.plan import FEATURES, runs_by_iteration, strength_words
from tagfield.compare.results import Results, RunResult
from tagfield.compare.summary import BASELINE, LearningCurves
from tagfield.compare.tables import FEATURE_TITLES, html_table
from tagfield.train import DEFAULT

HERE = Path(__file__).parent
F1_OPTIONS = '<option value="test_f1">chunk F1, test</option><option value="train_f1">chunk F1, training</option>'


def page_text(results: Results) -> str:
    """The page as one string."""
    data = results.data
    sizes = (
        f"Trained on {data['train']['sentences']:,} sequences ({data['train']['tokens']:,} tokens), tested on "
        f"{data['test']['sentences']:,} ({data['test']['tokens']:,}); {data['labels']} labels, "
        f"{data['attributes']:,} attributes."
    )
    values = {
        "title": "Recipes compared" + (f": {escape(str(data['name']))}" if data.get("name") else ""),
        "lead": escape(sizes),
        "notice": _notice(results),
        "table": html_table(results),
        "footnote": escape(
            "Seconds are CPU time of training on one core, with calibration and without scoring. The last column is "
            f"the first epoch with at least the final mean test accuracy of {BASELINE}."
        ),
        "differences": (found := _differences(results)),
        "differences_link": '<a href="#differences">Differences</a> ' if found else "",
        "f1_options": F1_OPTIONS if any("test_f1" in run.epochs[0] for run in results.runs if run.epochs) else "",
        "settings": _settings(results),
        "advice": _advice(results),
    }
    return one_file_page(HERE, values, embed(page_data(results)), shared=("chart.js",))


def page_data(results: Results) -> dict[str, Any]:
    """The data for the page's script."""
    groups = results.groups()
    kinds = [kind for kind in FEATURES if any(features == kind for _, features in groups)]
    recipes = list(dict.fromkeys(recipe for recipe, _ in groups))
    return {
        "epochs": results.plan.epochs,
        "default": DEFAULT["recipe"],
        "features": [{"name": kind, "title": FEATURE_TITLES[kind]} for kind in reversed(kinds)],
        "styles": {recipe: vars(style_of(recipe)) for recipe in recipes},
        "groups": [_group(recipe, kind, runs) for (recipe, kind), runs in groups.items()],
    }


def _group(recipe: str, features: str, runs: Sequence[RunResult]) -> dict[str, Any]:
    good = [run for run in runs if not run.failed]
    record: dict[str, Any] = {
        "recipe": recipe,
        "features": features,
        "seeds": len(good),
        "by_iteration": runs_by_iteration(recipe),
    }
    if not good:
        return record
    curves = LearningCurves.of(good)
    record["curves"] = {
        metric: {
            "mean": [float(f"{v:.7g}") for v in curves.mean[metric]],
            "sd": [float(f"{v:.3g}") for v in curves.sd[metric]],
        }
        for metric in curves.mean
    }
    counts: dict[str, list[int]] = {}
    confusion: dict[tuple[str, str], int] = {}
    for run in good:
        for label, tally in run.closing["test"]["labels"].items():
            so_far = counts.setdefault(label, [0, 0, 0])
            for i, name in enumerate(("gold", "predicted", "correct")):
                so_far[i] += tally[name]
        names = run.closing["confusion"]["labels"]
        for gold, row in zip(names, run.closing["confusion"]["counts"], strict=True):
            for guess, count in zip(names, row, strict=True):
                confusion[gold, guess] = confusion.get((gold, guess), 0) + count
    labels = sorted({label for pair in confusion for label in pair}, key=_by_type)
    record["labels"] = [[label, *counts.get(label, [0, 0, 0])] for label in labels]
    record["confusion"] = {
        "labels": labels,
        "counts": [[confusion.get((gold, guess), 0) for guess in labels] for gold in labels],
    }
    return record


def _by_type(label: str) -> tuple[str, str]:
    """Sort key that puts B-NP next to I-NP, and O last.

    >>> sorted(["O", "I-NP", "B-VP", "B-NP"], key=_by_type)
    ['B-NP', 'I-NP', 'B-VP', 'O']
    """
    prefix, dash, kind = label.partition("-")
    return ("\uffff", label) if label == "O" else (kind if dash else label, prefix)


def _notice(results: Results) -> str:
    lines = []
    if results.missing:
        lines.append(f"{len(results.missing)} of {len(results.plan.runs())} runs have not finished yet.")
    lines += [f"{run.run.key} failed: {run.closing['error']}." for run in results.runs if run.failed]
    return f'<div class="notice">{"<br>".join(escape(line) for line in lines)}</div>' if lines else ""


def _advice(results: Results) -> str:
    """The last section of the page: what to use, and why."""
    advice = advise(results)
    if advice is None:
        return ""
    lines = "".join(f"<p>{_with_code(line)}</p>" for line in advice.sentences)
    return f'<section id="use">\n  <h2>What to use</h2>\n  {lines}\n</section>\n'


def _with_code(text: str) -> str:
    """Text as HTML, with text between backticks as code.

    >>> _with_code("`tagfield tune` & more")
    '<code>tagfield tune</code> &amp; more'
    """
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _settings(results: Results) -> str:
    plan, data = results.plan, results.data
    rows: list[tuple[str, object]] = [
        ("recipes", ", ".join(plan.recipes)),
        ("feature sets", ", ".join(plan.features)),
        ("seeds", f"0 to {plan.seeds - 1}" if plan.seeds > 1 else "0"),
        ("epochs", plan.epochs),
        ("iterations of L-BFGS", f"until convergence, at most {plan.iterations:,}"),
        ("c2", strength_words(plan)),
    ]
    rows += [(name, data[name]) for name in ("train file", "test file", "template") if data.get(name)]
    if data["unseen_labels"]:
        rows.append(("labels only in the test set", f"{', '.join(data['unseen_labels'])}; counted as errors"))
    rows.append(("sha256 of the data", data["fingerprint"]))
    if results.sessions:
        rows += list(results.sessions[-1]["versions"].items())
        rows.append(("started", ", ".join(str(session["started"]) for session in results.sessions)))
    cells = "".join(
        f'<tr><th scope="row" class="text">{escape(name)}</th><td class="wide">{escape(str(value))}</td></tr>'
        for name, value in rows
    )
    return f'<table class="data" id="settings-table"><tbody>{cells}</tbody></table>'


def _differences(results: Results) -> str:
    table = html_differences(results)
    if not table:
        return ""
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="Differences">{table}</div>'
    head = f"<h2>Which differences are real</h2>\n  <p>{escape(explanation(results))}</p>"
    return f'<section id="differences">\n  {head}\n  {region}\n</section>\n'
