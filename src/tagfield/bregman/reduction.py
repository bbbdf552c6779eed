"""Reduction: which of the six updates are the same for a generator (the paper's section 3.3).

If h is even, U1 ≡ U3 and U2 ≡ U5; if h is constant, all six are plain gradient descent. U4 and U6 are U3 and
U5 for the shifted function G(u + Ẽ), which is why the paper sets them aside. An update that needs G where it
is not defined is listed as such.
"""

from dataclasses import dataclass

from tagfield.bregman.convex import Generator


@dataclass(frozen=True)
class Reduction:
    """Groups of updates that coincide, and the updates that the generator's domain rules out.

    >>> from tagfield.bregman.generators import arctan
    >>> print(reduce(arctan(0.1)))
    arctan:0.1: U1 ≡ U3; U2 ≡ U5; U4; U6
    """

    generator: str
    groups: tuple[tuple[str, ...], ...]
    undefined: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.generator}: " + "; ".join(" ≡ ".join(group) for group in self.groups)
        return text + (f"; not defined: {', '.join(self.undefined)}" if self.undefined else "")


def reduce(generator: Generator) -> Reduction:
    """Say which of U1–U6 coincide for this generator.

    >>> from tagfield.bregman.generators import entropy, quadratic
    >>> print(reduce(quadratic()))
    quadratic: U1 ≡ U2 ≡ U3 ≡ U4 ≡ U5 ≡ U6
    >>> print(reduce(entropy()))
    entropy: U4; U6; not defined: U1, U2, U3, U5
    """
    name = str(generator)
    if generator.linear:
        return Reduction(name, (("U1", "U2", "U3", "U4", "U5", "U6"),))
    if generator.domain[0] >= 0 or generator.domain[1] <= 0:  # u has both signs, and U2, U5 need ∇G(0)
        return Reduction(name, (("U4",), ("U6",)), ("U1", "U2", "U3", "U5"))
    if generator.symmetric:
        return Reduction(name, (("U1", "U3"), ("U2", "U5"), ("U4",), ("U6",)))
    return Reduction(name, (("U1",), ("U2",), ("U3",), ("U4",), ("U5",), ("U6",)))
