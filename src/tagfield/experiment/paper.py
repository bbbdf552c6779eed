"""The paper's table, to lay our figures beside.

Yuan Cao, "Training Conditional Random Fields with Natural Gradient Descent", the table of F-scores on the test set.
What it calls F-score is token accuracy: converged runs of CRFsuite print these figures as item accuracy, while chunk
F1 is more than two points lower. CRFsuite leaves out of that count what follows a label that training never saw.
"""

from tagfield.experiment.results import Results
from tagfield.experiment.summary import Row

# recipe → feature set → mean and standard deviation over five shuffles, in percent
TABLE: dict[str, dict[str, tuple[float, float | None]]] = {
    "sgd": {"observed": (95.98, 0.02), "all": (96.02, 0.01)},
    "pa": {"observed": (95.82, 0.04), "all": (95.90, 0.03)},
    "lbfgs": {"observed": (96.00, None), "all": (96.01, None)},
    "u1.g1": {"observed": (95.99, 0.02), "all": (96.06, 0.03)},
    "u2.g1": {"observed": (96.02, 0.02), "all": (96.06, 0.02)},
    "u2.g1p": {"observed": (96.03, 0.01), "all": (96.06, 0.03)},
    "u2.g2": {"observed": (96.03, 0.02), "all": (96.06, 0.02)},
    "u2.g3": {"observed": (96.02, 0.02), "all": (96.06, 0.02)},
}
SIZES = {"train": (8936, 211727), "test": (2012, 47377)}  # sentences, tokens
WEIGHTS = {"observed": 452_755, "all": 7_385_312}


def is_paper(results: Results) -> bool:
    """Whether the results are on the paper's data, with its feature sets."""
    sizes = {part: (results.data[part]["sentences"], results.data[part]["tokens"]) for part in SIZES}
    weights = {run.run.features: run.closing["weights"] for run in results.runs if not run.failed}
    return sizes == SIZES and all(WEIGHTS[kind] == count for kind, count in weights.items())


def paper_figure(row: Row) -> str:
    """The paper's figure for a row, as it prints it.

    >>> paper_figure(Row("u2.g1p", "all", 5, 0)), paper_figure(Row("arow", "all", 5, 0))
    ('96.06 ± 0.03', '–')
    """
    if row.recipe not in TABLE:
        return "–"
    mean, sd = TABLE[row.recipe][row.features]
    return f"{mean:.2f}" if sd is None else f"{mean:.2f} ± {sd:.2f}"


def difference(row: Row) -> float | None:
    """Our mean accuracy minus the paper's, in points."""
    if row.recipe not in TABLE or row.accuracy is None:
        return None
    return 100 * row.accuracy.mean - TABLE[row.recipe][row.features][0]
