"""Reliability: claimed probabilities against how often the claims are right, in ten bins.

    claimed [N], right [N] ─▶ Reliability.of ─▶ rows: claims between 0.8 and 0.9 were right 83 % of the time
                                             ─▶ ece = Σ_bins |Σ claimed − Σ right| / N

ECE is the expected calibration error: the mean distance between what is claimed and what is right.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tagfield.errors import InputError

BINS = 10


@dataclass(frozen=True)
class Reliability:
    """How many claims are in each bin, the sum of their probabilities, and how many are right.

    >>> found = Reliability.of([0.95, 0.97, 0.55], [True, False, True])
    >>> round(found.ece, 3)
    0.457
    >>> print(found.table("spans"), end="")
    spans        claimed    right    count
    0.5 – 0.6    55.00 %  100.00 %       1
    0.9 – 1.0    96.00 %   50.00 %       2
    ECE          45.67 %
    """

    count: tuple[int, ...]
    claimed: tuple[float, ...]
    right: tuple[int, ...]

    @classmethod
    def of(cls, claimed: ArrayLike, right: ArrayLike) -> "Reliability":
        """claimed: probabilities between 0 and 1; right: whether each claim is right."""
        p, ok = np.asarray(claimed, np.float64).reshape(-1), np.asarray(right, bool).reshape(-1)
        if len(p) != len(ok):
            raise InputError(f"found {len(p)} probabilities but {len(ok)} outcomes; pass one outcome for each")
        if len(p) and not (p.min() >= 0 and p.max() <= 1 + 1e-6):
            raise InputError("probabilities must be between 0 and 1")
        bin_of = np.minimum((p * BINS).astype(np.int64), BINS - 1)
        counts, rights = np.bincount(bin_of, minlength=BINS), np.bincount(bin_of[ok], minlength=BINS)
        sums = np.bincount(bin_of, p, BINS)
        return cls(tuple(counts.tolist()), tuple(sums.tolist()), tuple(rights.tolist()))

    def __add__(self, other: "Reliability") -> "Reliability":
        """The claims of both together."""
        pairs = [zip(getattr(self, name), getattr(other, name), strict=True) for name in ("count", "claimed", "right")]
        count, claimed, right = ([one + two for one, two in each] for each in pairs)
        return Reliability(tuple(count), tuple(claimed), tuple(right))

    @property
    def ece(self) -> float:
        """The expected calibration error, between 0 and 1; 0 without a claim."""
        return float(sum(abs(p - k) for p, k in zip(self.claimed, self.right, strict=True)) / max(1, sum(self.count)))

    def rows(self) -> list[tuple[float, float, float, float, int]]:
        """(from, to, mean probability, share right, count) of each bin that has a claim."""
        found = enumerate(zip(self.count, self.claimed, self.right, strict=True))
        return [(k / BINS, (k + 1) / BINS, p / n, right / n, n) for k, (n, p, right) in found if n]

    def table(self, name: str) -> str:
        """The rows as text, then the ECE."""
        lines = [f"{name:<11}  claimed    right    count"]
        for low, high, p, right, n in self.rows():
            lines.append(f"{low:.1f} – {high:.1f}  {100 * p:7.2f} %  {100 * right:6.2f} %  {n:6d}")
        return "\n".join([*lines, f"ECE        {100 * self.ece:7.2f} %"]) + "\n"

    def to_dict(self) -> dict[str, object]:
        """The ECE and the rows, for JSON.

        >>> Reliability.of([1.0], [True]).to_dict()["bins"]
        [{'from': 0.9, 'to': 1.0, 'claimed': 1.0, 'right': 1.0, 'count': 1}]
        """
        names = ("from", "to", "claimed", "right", "count")
        return {"ece": self.ece, "bins": [dict(zip(names, row, strict=True)) for row in self.rows()]}
