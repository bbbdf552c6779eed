"""The messages of a training run, in CRFsuite's words and order, so that scripts that read its log keep working.

feature generation ─▶ the algorithm and its parameters ─▶ one block for each iteration ─▶ why it ended ─▶ storing
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tagfield.evaluate import Scores
from tagfield.evaluate.scores import Tally
from tagfield.train.loop.history import Epoch
from tagfield.train.loop.trained import Trained

TITLES = {
    "lbfgs": "L-BFGS optimization",
    "l2sgd": "Stochastic Gradient Descent (SGD)",
    "averaged-perceptron": "Averaged perceptron",
    "passive-aggressive": "Passive Aggressive",
    "arow": "Adaptive Regularization of Weights (AROW)",
}
LBFGS_ORDER = ("c1", "c2", "num_memories", "max_iterations", "epsilon", "period", "delta", "linesearch")
PRINTED = {"period": "stop"}  # CRFsuite's names in the log of lbfgs, where they differ
NOTHING = -1020  # libLBFGS's code for an objective without variables
MINIMUM = 2  # and for a start that is the minimum


def opening(values: Mapping[str, Any], holdout: int) -> Iterator[str]:
    """Up to the progress of feature generation."""
    if holdout >= 0:
        yield from (f"Holdout group: {holdout + 1}\n", "\n")
    yield from ("Feature generation\n", "type: CRF1d\n")
    for name in ("feature.minfreq", "feature.possible_states", "feature.possible_transitions"):
        yield f"{name}: {printed(values[name])}\n"
    for tenth in range(10):
        yield from (str(tenth), ".", ".", ".", ".")
    yield from ("10", "\n")


def features(count: int, seconds: float) -> Iterator[str]:
    """What feature generation found."""
    yield from (f"Number of features: {count}\n", f"Seconds required: {seconds:.3f}\n", "\n")


def parameters(algorithm: str, values: Mapping[str, Any], sequences: int) -> Iterator[str]:
    """The algorithm and its parameters."""
    yield f"{TITLES[algorithm]}\n"
    own = {name: value for name, value in values.items() if not name.startswith(("feature.", "calibration."))}
    if algorithm == "lbfgs":
        yield from (f"{PRINTED.get(name, name)}: {printed(own[name])}\n" for name in LBFGS_ORDER)
        yield from (f"linesearch.max_iterations: {own['max_linesearch']}\n", "\n")
        return
    yield from (f"{name}: {printed(value)}\n" for name, value in own.items())
    yield "\n"
    if algorithm == "l2sgd":
        yield "Calibrating the learning rate (eta)\n"
        calibration = {name: value for name, value in values.items() if name.startswith("calibration.")}
        calibration["calibration.samples"] = min(int(calibration["calibration.samples"]), sequences)
        yield from (f"{name}: {printed(value)}\n" for name, value in calibration.items())


def calibrated(rate: float, seconds: float) -> Iterator[str]:
    """The learning rate that was found."""
    yield from (f"Best learning rate (eta): {rate:f}\n", f"Seconds required: {seconds:.3f}\n", "\n")


def iteration(
    algorithm: str, epoch: Epoch, seconds: float, before: Sequence[Epoch], period: int, labels: Sequence[str]
) -> Iterator[str]:
    """One block; `before` are the epochs before this one."""
    figures = epoch.figures
    yield f"***** {'Epoch' if algorithm == 'l2sgd' else 'Iteration'} #{epoch.number} *****\n"
    yield f"Loss: {epoch.objective:f}\n"
    if algorithm == "l2sgd":
        if 0 < period <= len(before):
            gain = (before[-period].objective - epoch.objective) / (epoch.objective or 1.0)
            yield f"Improvement ratio: {gain:f}\n"
        yield f"Feature L2-norm: {epoch.norm:f}\n"
        yield f"Learning rate (eta): {figures.learning_rate or 0.0:f}\n"
        yield f"Total number of feature updates: {figures.updates or 0}\n"
    else:
        yield f"Feature norm: {epoch.norm:f}\n"
    if algorithm == "lbfgs":
        yield f"Error norm: {figures.error_norm or 0.0:f}\n"
        yield f"Active features: {figures.active_features or 0}\n"
        yield f"Line search trials: {figures.linesearch_trials or 0}\n"
        yield f"Line search step: {figures.linesearch_step or 0.0:f}\n"
    yield f"Seconds required for this iteration: {seconds:.3f}\n"
    if epoch.scores is not None:
        yield from performance(epoch.scores, labels)
    yield "\n"


def performance(scores: Scores, labels: Sequence[str]) -> Iterator[str]:
    """Scores of each label on the held-out group; a label that it lacks has none."""
    yield "Performance by label (#match, #model, #ref) (precision, recall, F1):\n"
    found = [scores.labels.get(label, Tally(0, 0, 0)) for label in labels]
    for label, t in zip(labels, found, strict=True):
        ratios = f"{t.precision:.4f}, {t.recall:.4f}, {t.f1:.4f}" if t.gold else "******, ******, ******"
        yield f"    {label}: ({t.correct}, {t.predicted}, {t.gold}) ({ratios})\n"
    means = [sum(getattr(t, name) for t in found) / len(found) for name in ("precision", "recall", "f1")]
    yield f"Macro-average precision, recall, F1: ({', '.join(f'{mean:f}' for mean in means)})\n"
    for name, counted in (("Item", scores.tokens), ("Instance", scores.sequences)):
        yield f"{name} accuracy: {counted.correct} / {counted.gold} ({counted.recall:.4f})\n"


def ending(algorithm: str, trained: Trained | None, seconds: float) -> Iterator[str]:
    """Why training ended; None: there was nothing to train."""
    if algorithm == "lbfgs" and (trained is None or not trained.history):
        yield f"L-BFGS terminated with error code ({NOTHING if trained is None else MINIMUM})\n"
    elif algorithm in ("lbfgs", "l2sgd") and trained is not None:
        name = "L-BFGS" if algorithm == "lbfgs" else "SGD"
        if "gradient norm" in trained.stop_reason:
            yield f"{name} resulted in convergence\n"
        elif "settled" in trained.stop_reason:
            yield f"{name} terminated with the stopping criteria\n"
        elif "maximum" in trained.stop_reason:
            yield f"{name} terminated with the maximum number of iterations\n"
        else:
            yield f"{name} terminated: {trained.stop_reason}\n"
        if algorithm == "l2sgd":
            yield f"Loss: {trained.best.objective:f}\n"
    yield from (f"Total seconds required for training: {seconds:.3f}\n", "\n")


def storing(active: int, count: int, attributes: tuple[int, int], labels: int) -> Iterator[str]:
    """What is stored: weights that are not 0, of all of them; attributes that have one, of all."""
    yield "Storing the model\n"
    yield f"Number of active features: {active} ({count})\n"
    yield f"Number of active attributes: {attributes[0]} ({attributes[1]})\n"
    yield f"Number of active labels: {labels} ({labels})\n"
    for what in ("labels", "attributes", "feature references for transitions", "feature references for attributes"):
        yield f"Writing {what}\n"


def stored(seconds: float) -> Iterator[str]:
    """The end of the log."""
    yield from (f"Seconds required: {seconds:.3f}\n", "\n")


def printed(value: Any) -> str:
    """A parameter as CRFsuite prints it.

    >>> printed(1.0), printed(True), printed("MoreThuente")
    ('1.000000', '1', 'MoreThuente')
    """
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:f}" if isinstance(value, float) else str(value)
