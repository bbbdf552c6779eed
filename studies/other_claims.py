"""Claims about the parameters of G, the related methods that the paper names, and the divergence itself."""

import numpy as np

from studies.claims import OVER_SENTENCES, Judged, claim, of_total
from studies.evidence import Place, gains
from studies.run_studies import Findings
from studies.sensitivity import LETTERS, PARAMETERS, Cell, best_of_sgd, epochs_to
from studies.study_list import KIN
from studies.tables import gain_table, markdown
from studies.wording import label, listed
from tagfield.compare.results import RunResult

FLAT = 0.1  # points of accuracy: a smaller spread is "insensitive"
Grid = dict[Cell, RunResult]


@claim(
    "The parameters hardly matter",
    "“Performances of U2\\*.G1 given by arctan functions are insensitive to the choice of the hyper-parameters”; of "
    "erf and gd “similar properties can be expected”.",
    ["sensitivity"],
    f"none: a grid on held-out training data, one seed; insensitive: a spread of at most {FLAT} points",
)
def insensitive(found: Findings) -> Judged:
    """The accuracy over ε, α, β: with the best rate and c2 for each value, and with those that suit SGD.

    The first decides, because the paper calibrates the rate of each function.
    """
    grid, lines, yes, fixed_yes = found.grid, [], 0, 0
    goal, spread = best_of_sgd(grid), {}
    for name, values in PARAMETERS.items():
        cells = {p: [cell for cell in grid if (cell.generator, cell.parameter) == (name, p)] for p in values}
        best = [100 * max(_last(grid[cell]) for cell in cells[p]) for p in values]
        fixed = _at_one_setting(grid, name)
        quick = [min(epochs_to(grid[cell], goal) for cell in cells[p]) for p in values]
        yes += max(best) - min(best) <= FLAT
        fixed_yes += max(fixed) - min(fixed) <= FLAT
        spread[name] = max(best) - min(best)
        lines.append(
            [
                f"U2 of {name}",
                f"{LETTERS[name]} = {', '.join(f'{value:g}' for value in values)}",
                *(", ".join(f"{value:.2f}" for value in each) for each in (fixed, best)),
                ", ".join(f"{e:.0f}" if np.isfinite(e) else "–" for e in quick),
            ]
        )
    heads = [
        "update",
        "parameter",
        "accuracy % at SGD's best rate·f′(0) and c2/f′(0)",
        "at its own best",
        f"epochs to SGD's best, {100 * goal:.2f} %",
    ]
    spreads = ", ".join(f"{name} {value:.2f}" for name, value in spread.items())
    words = (
        f"With the best rate and c2 for each value, the parameter moves accuracy by at most {FLAT} points for {yes} of "
        f"{len(lines)} functions ({spreads}); at one effective rate and strength, for {fixed_yes}."
    )
    return Judged(of_total(yes, len(lines)), words, markdown(heads, lines))


def _last(run: RunResult) -> float:
    return float(run.curve("test_accuracy")[-1]) if run.epochs else 0.0


def _at_one_setting(grid: Grid, name: str) -> list[float]:
    """The accuracy for each parameter, at the rate and c2 that suit SGD best."""
    base = max((cell for cell in grid if cell.parameter is None), key=lambda cell: _last(grid[cell]))
    return [100 * _last(grid[Cell(name, p, base.strength, base.rate)]) for p in PARAMETERS[name]]


@claim(
    "Kin of U1\\*.G1",
    "U1\\*.G1 “can be treated as a stochastic second-order optimization procedure” and “reminds us of the online "
    "Newton step”; SGD-QN and AdaGrad are named beside it, meta-descent in the introduction.",
    ["kin"],
    f"{OVER_SENTENCES}; akin: no significant difference from U1\\*.G1",
)
def kin_beside_u1(found: Findings) -> Judged:
    """Related methods and U1*.G1 compared with SGD, and the methods with U1*.G1, each tuned."""
    kin, place = ("adaptive", *KIN), Place("kin", "all")
    asked = [(place, name, "sgd") for name in ("u1.g1", *kin)] + [(place, name, "u1.g1") for name in kin]
    rows = gains(found.results, asked)
    beside_u1 = [row for row in rows if row.other == "u1.g1"]
    beside_sgd = [row for row in rows if row.other == "sgd"]
    apart = [row for row in beside_u1 if row.verdict != "not significant"]
    words = "Compared with SGD: " + ", ".join(f"{label(row.one)} {row.verdict}" for row in beside_sgd) + "."
    words += (
        f" Significantly different from U1\\*.G1: {listed([f'{label(r.one)} ({r.verdict})' for r in apart]) or 'none'}."
    )
    return Judged(of_total(len(beside_u1) - len(apart), len(beside_u1)), words, gain_table(rows))


@claim(
    "The divergence is minimised",
    "The updates descend the Bregman divergence between E and Ẽ, whose minimum is that of maximum likelihood.",
    ["curves"],
    "none: B(E, Ẽ) over the whole training part after each epoch, one seed",
)
def the_divergence_falls(found: Findings) -> Judged:
    """Whether the stochastic recipes lower their own B over the corpus, and what the likelihood does meanwhile."""
    lines, yes, total = [], 0, 0
    for name, curve in found.curves.items():
        first, last, lowest = curve[0], curve[-1], min(curve, key=lambda point: point.divergence)
        if name != "sgd":
            total += 1
            yes += last.divergence < first.divergence
        lines.append(
            [
                label(name),
                f"{first.divergence:.3g}",
                f"{last.divergence:.3g}",
                f"{lowest.divergence:.3g} (epoch {lowest.epoch})",
                f"{first.loss:.4f}",
                f"{last.loss:.4f}",
                f"{100 * last.accuracy:.2f}",
            ]
        )
    heads = [
        "recipe",
        ">B after epoch 1",
        ">B at the end",
        ">lowest B",
        ">−log p per token, epoch 1",
        ">at the end",
        ">test accuracy %",
    ]
    words = f"Its own B is lower at the end than after the first epoch for {yes} of {total} transformed recipes."
    return Judged(of_total(yes, total), words, markdown(heads, lines))


QUESTIONS = (insensitive, kin_beside_u1, the_divergence_falls)
