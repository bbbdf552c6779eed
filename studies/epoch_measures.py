"""What changes during training: divergence, likelihood, objective and accuracy of a recipe after each epoch.

    recipe ─▶ an epoch ─▶ weights ─▶ E, Ẽ of all sentences ─▶ B(E, Ẽ), −log p per token, objective, test accuracy

The four need not agree. B compares means over the whole corpus, while a stochastic step lowers the B of one sentence.
The objective has the penalty of plain gradients, which a transformed recipe does not minimise. Accuracy may rise while
the other three stay constant. All values are for the weights after the epoch.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass

import numpy as np

from tagfield.bregman import divergence
from tagfield.bregman.responses import Response
from tagfield.compare.plan import Plan, PlannedRun
from tagfield.data.encode import Encoded
from tagfield.evaluate import label_kind
from tagfield.train.loop.held_out import fitting, held_out_scorer
from tagfield.train.problem.order import epoch_order
from tagfield.train.problem.problem import Problem
from tagfield.train.recipes.recipe import Descent
from tagfield.train.trainers.objective import Objective, dot
from tagfield.train.trainers.trainer import Finished
from tagfield.train.trainers.whole_corpus import empirical


@dataclass(frozen=True)
class EpochMeasures:
    """The state of a recipe after an epoch."""

    recipe: str
    epoch: int
    divergence: float  # B(E, Ẽ) of the recipe's own generator and loss; means over the sentences
    loss: float  # −log p(y | x) per token
    objective: float  # per token: the loss and c2·‖θ‖²
    accuracy: float  # on the test data

    def to_dict(self) -> dict[str, float | str]:
        """For a table or JSON."""
        return asdict(self)


def measure_epochs(train: Encoded, test: Encoded, plan: Plan, run: PlannedRun) -> Iterator[EpochMeasures]:
    """Train one run of a plan, as `compare` does, and measure it after each epoch.

    >>> from tagfield.data.encode import encode_sequences
    >>> data = encode_sequences([[["a"], ["b"]], [["b"], ["a"]]] * 9, [["X", "Y"], ["Y", "X"]] * 9)
    >>> found = list(measure_epochs(data, data, Plan(epochs=3), PlannedRun("sgd", "all", 0)))
    >>> [each.epoch for each in found], found[2].accuracy
    ([1, 2, 3], 1.0)
    """
    settings = plan.settings(run)
    problem = Problem.of(train, settings)
    objective = Objective(problem)
    count, tokens = max(1, len(problem.dataset)), max(1, int(problem.dataset.tokens[-1]))
    target = objective.pack(empirical(problem.dataset, problem.features)) / count
    scorer = held_out_scorer(test, fitting(test, problem.attributes), problem, label_kind(train.labels.strings()))
    rng = np.random.default_rng(settings.seed)
    trainer = settings.recipe.trainer(problem, rng)
    f = settings.recipe.f if isinstance(settings.recipe, Descent) else None
    for epoch in range(1, settings.max_epochs + 1):
        try:
            trainer.run(epoch_order(rng, problem.count))
        except Finished:
            return
        weights = trainer.weights()
        x = objective.pack(weights)
        value, gradient = objective(x)
        c2 = objective.c2
        expected = (gradient - 2 * c2 * x) / count + target
        apart = np.nan if f is None else _divergence(f, expected, target)
        loss = (value - c2 * dot(x, x)) / tokens
        yield EpochMeasures(run.recipe, epoch, apart, loss, value / tokens, float(scorer(weights).accuracy))


def _divergence(f: Response, expected: np.ndarray, target: np.ndarray) -> float:
    """B(E, Ẽ), with the scale of the response."""
    return f.scale * divergence(f.generator, f.loss, expected, target)
