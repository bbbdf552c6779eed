"""The line style of each recipe, shared by the plots and the page.

Each recipe has its own colour, dashes and marker, so colour is never the only difference. The colours are Okabe and
Ito's palette for colour-blind readers, without the yellow, which is too faint on white.
"""

from dataclasses import dataclass

from tagfield.train import RECIPES

BLACK, ORANGE, SKY, GREEN, BLUE, RED, PINK, GREY = (
    "#000000",
    "#E69F00",
    "#56B4E9",
    "#009E73",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
    "#7F7F7F",
)


@dataclass(frozen=True)
class Style:
    """A line style; dashes are on, off, … in line widths, empty for a solid line."""

    label: str
    colour: str
    dashes: tuple[float, ...]
    marker: str  # one of o s ^ v D P X *


STYLES = {
    "sgd": Style("SGD", BLACK, (), "o"),
    "pa": Style("PA", ORANGE, (6, 1.5, 1.5, 1.5), "s"),
    "lbfgs": Style("L-BFGS", GREY, (1.5, 1.5), "^"),
    "u1.g1": Style("U1*.G1", GREEN, (4, 2), "D"),
    "u2.g1": Style("U2*.G1", BLUE, (), "v"),
    "u2.g1p": Style("U2*.G1′", SKY, (4, 2), "P"),
    "u2.g2": Style("U2*.G2", RED, (6, 1.5, 1.5, 1.5), "X"),
    "u2.g3": Style("U2*.G3", PINK, (1.5, 1.5), "*"),
}
_COLOURS = ("#6A3D9A", "#8C510A", "#01665E", "#B2182B", BLUE, GREEN, GREY)
_DASHES: tuple[tuple[float, ...], ...] = ((), (8, 2), (3, 1, 1, 1, 1, 1), (2, 1))
_MARKERS = "D*Xs^vPo"


def style_of(recipe: str) -> Style:
    """The style of a recipe; recipes that the paper does not have get the next free combination.

    >>> style_of("u2.g1p").label
    'U2*.G1′'
    """
    if recipe in STYLES:
        return STYLES[recipe]
    others = [name for name in RECIPES if name not in STYLES]
    place = others.index(recipe) if recipe in others else len(others)
    return Style(
        recipe, _COLOURS[place % len(_COLOURS)], _DASHES[place % len(_DASHES)], _MARKERS[place % len(_MARKERS)]
    )
