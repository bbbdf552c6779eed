"""How a budget of training runs is spent: successive halving over folds.

    many candidates × 1 fold ─▶ the better third × 3 folds ─▶ the better third of those × all folds

The default takes part in every round, whatever its score: the others are compared with it, fold by fold. A run of an
earlier round is not repeated, since a candidate is scored on the same folds in the same order.
"""

from dataclasses import dataclass

from tagfield.errors import InputError

KEPT = 3  # one in three goes on
FEWEST = 3  # candidates of the last round, the default among them


@dataclass(frozen=True)
class Round:
    """How many candidates are scored, each on the first `folds` folds."""

    candidates: int
    folds: int


def plan(budget: int, folds: int, there: int) -> list[Round]:
    """The rounds for at most `budget` training runs, with as many of the candidates `there` as that allows.

    >>> plan(60, 5, 100)
    [Round(candidates=30, folds=1), Round(candidates=10, folds=3), Round(candidates=4, folds=5)]
    """
    if folds < 2:
        raise InputError(f"folds must be at least 2, got {folds}")
    least = runs(_rounds(min(2, there), folds))
    if budget < least:
        raise InputError(f"budget must be at least {least} training runs for {folds} folds, got {budget}")
    count = 1
    while count < there and runs(_rounds(count + 1, folds)) <= budget:
        count += 1
    return _rounds(count, folds)


def _rounds(count: int, folds: int) -> list[Round]:
    middle = (folds + 1) // 2
    sizes = [count, max(-(-count // KEPT), min(count, FEWEST)), max(-(-count // KEPT**2), min(count, FEWEST))]
    made = [Round(size, fold) for size, fold in zip(sizes, (1, middle, folds), strict=True)]
    return [each for k, each in enumerate(made) if k == 0 or each.folds > made[k - 1].folds]


def runs(rounds: list[Round]) -> int:
    """Training runs of all rounds.

    >>> runs(plan(60, 5, 100))
    58
    """
    done, total = 0, 0
    for each in rounds:
        total += each.candidates * (each.folds - done)
        done = each.folds
    return total
