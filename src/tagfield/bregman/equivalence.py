"""Which of the six updates are the same for a generator (the paper's section 3.3).

If h is even, U1 ≡ U3 and U2 ≡ U5. If h is constant, all six are plain gradient descent. U4 and U6 are U3 and U5 of the
shifted function G(u + Ẽ), which is why the paper does not study them. An update is undefined if it evaluates G outside
its domain.
"""

from dataclasses import dataclass

from tagfield.bregman.convex import Generator


@dataclass(frozen=True)
class UpdateGroups:
    """Groups of equal updates, and the updates that the generator's domain rules out.

    >>> from tagfield.bregman.generators import arctan
    >>> print(equivalent_updates(arctan(0.1)))
    arctan:0.1: U1 ≡ U3; U2 ≡ U5; U4; U6
    """

    generator: str
    groups: tuple[tuple[str, ...], ...]
    undefined: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"{self.generator}: " + "; ".join(" ≡ ".join(group) for group in self.groups)
        return text + (f"; not defined: {', '.join(self.undefined)}" if self.undefined else "")


def equivalent_updates(generator: Generator) -> UpdateGroups:
    """Groups the updates U1–U6 that are the same for this generator.

    >>> from tagfield.bregman.generators import entropy, quadratic
    >>> print(equivalent_updates(quadratic()))
    quadratic: U1 ≡ U2 ≡ U3 ≡ U4 ≡ U5 ≡ U6
    >>> print(equivalent_updates(entropy()))
    entropy: U4; U6; not defined: U1, U2, U3, U5
    """
    name = str(generator)
    if generator.linear:
        return UpdateGroups(name, (("U1", "U2", "U3", "U4", "U5", "U6"),))
    if generator.domain[0] >= 0 or generator.domain[1] <= 0:  # u has both signs, and U2, U5 need ∇G(0)
        return UpdateGroups(name, (("U4",), ("U6",)), ("U1", "U2", "U3", "U5"))
    if generator.symmetric:
        return UpdateGroups(name, (("U1", "U3"), ("U2", "U5"), ("U4",), ("U6",)))
    return UpdateGroups(name, (("U1",), ("U2",), ("U3",), ("U4",), ("U5",), ("U6",)))
