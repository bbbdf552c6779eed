"""The paper's results, to compare ours with.

Yuan Cao, "Training Conditional Random Fields with Natural Gradient Descent", the table of F-scores on the test set.
The paper's "F-score" is token accuracy: converged runs of CRFsuite print these values as item accuracy, and chunk F1
is more than two points lower. CRFsuite does not count the tokens after a label unseen in training.
"""

from tagfield.compare.results import Results
from tagfield.compare.summary import SummaryRow

# recipe → feature set → mean and standard deviation over five shuffles, in percent
PAPER_ACCURACY: dict[str, dict[str, tuple[float, float | None]]] = {
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


def matches_paper(results: Results) -> bool:
    """Whether the data and feature sets have the sizes of the paper's."""
    sizes = {part: (results.data[part]["sentences"], results.data[part]["tokens"]) for part in SIZES}
    weights = {run.run.features: run.closing["weights"] for run in results.runs if not run.failed}
    return sizes == SIZES and all(WEIGHTS[kind] == count for kind, count in weights.items())


def paper_accuracy(row: SummaryRow) -> str:
    """The paper's accuracy for a row, as printed there.

    >>> paper_accuracy(SummaryRow("u2.g1p", "all", 5, 0)), paper_accuracy(SummaryRow("arow", "all", 5, 0))
    ('96.06 ± 0.03', '–')
    """
    if row.recipe not in PAPER_ACCURACY:
        return "–"
    mean, sd = PAPER_ACCURACY[row.recipe][row.features]
    return f"{mean:.2f}" if sd is None else f"{mean:.2f} ± {sd:.2f}"


def difference_to_paper(row: SummaryRow) -> float | None:
    """Our mean accuracy minus the paper's, in percentage points."""
    if row.recipe not in PAPER_ACCURACY or row.accuracy is None:
        return None
    return 100 * row.accuracy.mean - PAPER_ACCURACY[row.recipe][row.features][0]
