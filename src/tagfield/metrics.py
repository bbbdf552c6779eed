"""Metrics of label sequences, for scikit-learn: sklearn-crfsuite's flat metrics, and metrics of chunks.

    flat_*                       token by token: scikit-learn's own metrics on the flattened labels
    sequence_accuracy_score      whole sequences
    chunk_*                      chunks (entities, phrases), exactly as conlleval counts them, or words, or runs

    flat_accuracy, sequence_accuracy, chunk_f1, …    scorers, for GridSearchCV and cross_val_score

y_true and y_pred are sequences of label sequences; an error names the index of the first wrong sequence. The flat
metrics take sample_weight with one weight per sequence, as GridSearchCV routes it, or per token.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from tagfield.errors import InputError, needs_sklearn
from tagfield.evaluate import Scores, Tally, evaluate
from tagfield.utils import flatten

try:
    from sklearn import metrics
    from sklearn.metrics import make_scorer
except ModuleNotFoundError as error:
    raise needs_sklearn("tagfield.metrics", error) from None

Sequences: TypeAlias = Iterable[Iterable[Any]]


def _checked(y_true: Sequences, y_pred: Sequences, *, lengths: bool = True) -> tuple[list[list[Any]], list[list[Any]]]:
    """Both as lists of lists; with `lengths`, sequences must have the same length in both."""
    true: list[Any] = list(y_true)
    pred: list[Any] = list(y_pred)
    if len(true) != len(pred):
        raise InputError(f"y_true has {len(true)} sequences, but y_pred has {len(pred)}; pass both for the same X")
    for index, (a, b) in enumerate(zip(true, pred, strict=True)):
        if isinstance(b, str) or not isinstance(a, str):  # labels of one character may be a string; two such are labels
            _check_sequence(f"y_true[{index}]", a)
        _check_sequence(f"y_pred[{index}]", b)
        true[index], pred[index] = one, other = list(a), list(b)
        if lengths and len(one) != len(other):
            raise InputError(f"sequence {index} has {len(one)} labels in y_true, but {len(other)} in y_pred")
    return true, pred


def _check_sequence(where: str, labels: Any) -> None:
    if isinstance(labels, str | bytes) or not hasattr(labels, "__iter__"):
        raise InputError(f"{where} is of type {type(labels).__name__}; pass a list of labels for each sequence")


def _flat(y_true: Sequences, y_pred: Sequences, given: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """All labels; in the given arguments, a weight per sequence becomes one per token."""
    true, pred = _checked(y_true, y_pred)
    if given.get("sample_weight") is not None:
        given["sample_weight"] = _token_weights(given["sample_weight"], [len(labels) for labels in true])
    return flatten(true), flatten(pred)


def _token_weights(given: Any, lengths: list[int]) -> Any:
    """Weights of tokens, from weights of sequences, of tokens, or a list of weights for each sequence."""
    weights = list(given)
    if weights and all(hasattr(each, "__len__") for each in weights):
        if list(map(len, weights)) != lengths:
            raise InputError("sample_weight has a list for each sequence, but not of the lengths of y_true")
        return np.array(flatten(weights))
    if len(weights) == len(lengths):
        return np.repeat(weights, lengths)
    if len(weights) == sum(lengths):
        return np.array(weights)
    raise InputError(
        f"sample_weight has {len(weights)} entries, but there are {len(lengths)} sequences with {sum(lengths)} tokens; "
        "pass one weight per sequence, or one per token"
    )


def flat_accuracy_score(y_true: Sequences, y_pred: Sequences, **kwargs: Any) -> float:
    """The fraction of tokens with the right label.

    >>> flat_accuracy_score([["A", "B"], ["A"]], [["A", "A"], ["A"]])
    0.6666666666666666
    """
    return float(metrics.accuracy_score(*_flat(y_true, y_pred, kwargs), **kwargs))


def flat_precision_score(y_true: Sequences, y_pred: Sequences, **kwargs: Any) -> Any:
    """scikit-learn's precision_score on all tokens.

    >>> float(flat_precision_score([["A", "B"]], [["A", "A"]], labels=["A"], average="macro"))
    0.5
    """
    return metrics.precision_score(*_flat(y_true, y_pred, kwargs), **kwargs)


def flat_recall_score(y_true: Sequences, y_pred: Sequences, **kwargs: Any) -> Any:
    """scikit-learn's recall_score on all tokens.

    >>> float(flat_recall_score([["A", "B"]], [["A", "A"]], labels=["A"], average="macro"))
    1.0
    """
    return metrics.recall_score(*_flat(y_true, y_pred, kwargs), **kwargs)


def flat_f1_score(y_true: Sequences, y_pred: Sequences, **kwargs: Any) -> Any:
    """scikit-learn's f1_score on all tokens.

    >>> round(float(flat_f1_score([["A", "B"]], [["A", "A"]], labels=["A"], average="macro")), 4)
    0.6667
    """
    return metrics.f1_score(*_flat(y_true, y_pred, kwargs), **kwargs)


def flat_fbeta_score(y_true: Sequences, y_pred: Sequences, beta: float, **kwargs: Any) -> Any:
    """scikit-learn's fbeta_score on all tokens.

    >>> round(float(flat_fbeta_score([["A", "B"]], [["A", "A"]], 2, labels=["A"], average="macro")), 4)
    0.8333
    """
    return metrics.fbeta_score(*_flat(y_true, y_pred, kwargs), beta=beta, **kwargs)


def flat_classification_report(
    y_true: Sequences, y_pred: Sequences, labels: Sequence[Any] | None = None, **kwargs: Any
) -> Any:
    """scikit-learn's classification_report on all tokens.

    >>> print(flat_classification_report([["A", "B"]], [["A", "B"]]).splitlines()[2].split())
    ['A', '1.00', '1.00', '1.00', '1']
    """
    return metrics.classification_report(*_flat(y_true, y_pred, kwargs), labels=labels, **kwargs)


def sequence_accuracy_score(y_true: Sequences, y_pred: Sequences) -> float:
    """The fraction of sequences with every label right; 0 if there are no sequences, as in sklearn-crfsuite.

    A sequence with another number of labels is wrong.

    >>> sequence_accuracy_score([["A", "B"], ["A"]], [["A", "B"], ["B"]])
    0.5
    """
    true, pred = _checked(y_true, y_pred, lengths=False)
    try:
        return float(np.mean([a == b for a, b in zip(true, pred, strict=True)])) if true else 0.0
    except RecursionError:
        raise InputError("a sequence of labels contains itself; pass a list of labels for each sequence") from None


def _chunk_scores(y_true: Sequences, y_pred: Sequences, scheme: str | None) -> Scores:
    return evaluate(*_checked(y_true, y_pred), scheme=scheme)


def _average(scores: Scores, figure: str, average: str) -> float:
    types = {name: tally for name, tally in scores.types.items() if name or len(scores.types) == 1}
    if average == "micro":
        return float(getattr(scores.counted, figure))
    if average not in ("macro", "weighted"):
        raise InputError(f"no average named {average!r} for chunks; choose micro, macro or weighted")
    figures = [getattr(tally, figure) for tally in types.values()]
    weights = [1 if average == "macro" else tally.gold for tally in types.values()]
    return float(np.average(figures, weights=weights)) if sum(weights) else 0.0


def chunk_f1_score(y_true: Sequences, y_pred: Sequences, average: str = "micro", scheme: str | None = None) -> float:
    """F1 of chunks as conlleval counts them; micro is conlleval's FB1 as a fraction.

    scheme: What to count, as in `tagfield.evaluate.evaluate`: "runs" counts runs of labels without prefixes.

    >>> chunk_f1_score([["B-X", "I-X", "O"]], [["B-X", "I-X", "B-X"]])
    0.6666666666666666
    """
    return _average(_chunk_scores(y_true, y_pred, scheme), "f1", average)


def chunk_precision_score(
    y_true: Sequences, y_pred: Sequences, average: str = "micro", scheme: str | None = None
) -> float:
    """The fraction of predicted chunks that are right.

    >>> chunk_precision_score([["B-X", "I-X", "O"]], [["B-X", "I-X", "B-X"]])
    0.5
    """
    return _average(_chunk_scores(y_true, y_pred, scheme), "precision", average)


def chunk_recall_score(
    y_true: Sequences, y_pred: Sequences, average: str = "micro", scheme: str | None = None
) -> float:
    """The fraction of gold chunks that were found.

    >>> chunk_recall_score([["B-X", "I-X", "O"]], [["B-X", "I-X", "B-X"]])
    1.0
    """
    return _average(_chunk_scores(y_true, y_pred, scheme), "recall", average)


def chunk_classification_report(
    y_true: Sequences, y_pred: Sequences, digits: int = 2, output_dict: bool = False, scheme: str | None = None
) -> Any:
    """Precision, recall, F1 and support of each chunk type, laid out like scikit-learn's report.

    >>> print(chunk_classification_report([["B-X", "O"]], [["B-X", "O"]]).splitlines()[2].split())
    ['X', '1.00', '1.00', '1.00', '1']
    """
    scores = _chunk_scores(y_true, y_pred, scheme)
    support = scores.counted.gold
    rows: dict[str, dict[str, float]] = {name: _figures(tally) for name, tally in scores.types.items()}
    rows["micro avg"] = _figures(scores.counted)
    for average in ("macro", "weighted"):
        figures = {f: _average(scores, f, average) for f in ("precision", "recall", "f1")}
        rows[f"{average} avg"] = {
            "precision": figures["precision"],
            "recall": figures["recall"],
            "f1-score": figures["f1"],
            "support": support,
        }
    if output_dict:
        return rows
    width = max(map(len, rows))
    head = " " * width + "".join(f" {name:>9}" for name in ("precision", "recall", "f1-score", "support"))
    lines = [head, ""]
    for name, row in rows.items():
        if name == "micro avg":
            lines.append("")
        figures_text = "".join(f" {row[f]:>9.{digits}f}" for f in ("precision", "recall", "f1-score"))
        lines.append(f"{name:>{width}}{figures_text} {row['support']:>9d}")
    return "\n".join(lines) + "\n"


def _figures(tally: Tally) -> dict[str, float]:
    return {"precision": tally.precision, "recall": tally.recall, "f1-score": tally.f1, "support": tally.gold}


flat_accuracy = make_scorer(flat_accuracy_score)
sequence_accuracy = make_scorer(sequence_accuracy_score)
chunk_f1 = make_scorer(chunk_f1_score)
chunk_precision = make_scorer(chunk_precision_score)
chunk_recall = make_scorer(chunk_recall_score)
