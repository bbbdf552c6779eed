"""`tagfield responses`: plots the response functions of the paper's Figure 1, and those of other generators."""

import os
from typing import Annotated, Any

import numpy as np
import typer

from tagfield.bregman.generators import parse_generator
from tagfield.cli.shared.exit_codes import usage
from tagfield.cli.shared.messages import AsJson, print_json
from tagfield.compare.response_curves import figure_one, response_curve
from tagfield.data.dataset import Doubles
from tagfield.errors import InputError
from tagfield.system.atomic import write_atomically

# Wong's palette, safe for colour-blind readers; each colour has its own line style for print.
STYLES = [
    ("#000000", "-"),
    ("#0072B2", "--"),
    ("#D55E00", "-."),
    ("#009E73", ":"),
    ("#CC79A7", (0, (5, 1))),
    ("#E69F00", (0, (3, 1, 1, 1))),
    ("#56B4E9", (0, (1, 1))),
]


def responses(
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="Output file, .png or .svg.")
    ] = "responses.png",
    generator: Annotated[
        list[str] | None,
        typer.Option(
            "--generator", metavar="G", help="Add this generator, such as softplus or arctan:0.01; may be repeated."
        ),
    ] = None,
    reach: Annotated[float, typer.Option(metavar="U", help="Largest |u| on the x axis.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Plot response functions f(u).

    The plot shows the responses of the paper's Figure 1, each with slope 10 at u = 0 and height 1. For every
    --generator it adds the update U2, with the same slope and its own height.
    """
    with usage():
        kind, u, curves = _curves(out, generator or [], reach)
    figure = draw(u, curves)
    with write_atomically(out) as file:
        figure.savefig(file, format=kind, dpi=160)
    if as_json:
        values = {name: [float(value) for value in f] for name, f in curves.items()}
        print_json({"file": out, "u": [float(value) for value in u], "responses": values})
    else:
        print(f"{out}: {len(curves)} responses")


def _curves(out: str, generators: list[str], reach: float) -> tuple[str, Doubles, dict[str, Doubles]]:
    """The format of the file, u, and the responses by name; InputError for what is wrong with the options."""
    kind = os.path.splitext(out)[1].lower().lstrip(".")
    if kind not in ("png", "svg"):
        raise InputError(f"{out}: the file name must end in .png or .svg")
    if not (reach > 0 and np.isfinite(reach)):
        raise InputError(f"--reach must be > 0, got {reach:g}")
    u, curves = figure_one(reach=reach)
    for name in generators:
        curves[name] = response_curve(parse_generator(name), u)
    return kind, u, curves


def draw(u: Doubles, curves: dict[str, Doubles]) -> Any:
    """The matplotlib figure, with one line per response."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("plots need matplotlib; install it with: pip install 'tagfield[plots]'") from None
    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for i, (name, f) in enumerate(curves.items()):
        colour, style = STYLES[i % len(STYLES)]
        axes.plot(u, f, color=colour, linestyle=style, linewidth=1.8, label=name)
    axes.axhline(0, color="0.8", linewidth=0.8, zorder=0)
    axes.axvline(0, color="0.8", linewidth=0.8, zorder=0)
    axes.set_xlabel("u = E − Ẽ of one feature in one sentence")
    axes.set_ylabel("response f(u), slope 10 at u = 0")
    axes.set_xlim(u[0], u[-1])
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    return figure
