"""What training ends with: weights, their names, the epochs, and why it stopped."""

from dataclasses import dataclass

from tagfield.native._text import Vocabulary
from tagfield.system.contents import ByContent
from tagfield.system.html import table
from tagfield.train.loop.history import Epoch
from tagfield.train.recipes.settings import Settings
from tagfield.weights.layout import FeatureSet, Weights

SHOWN = ("epoch", "loss", "objective", "accuracy", "f1", "seconds", "kept")  # of an epoch, in a notebook


@dataclass(frozen=True)
class Parts:
    """How the data was divided, where the weights depend on it: on a cluster."""

    shares: int
    mixes: int = 0  # of an epoch; 0 if the shares add up a gradient

    def describe(self) -> str:
        """The same in words.

        >>> Parts(2, 32).describe(), Parts(16).describe()
        ('2 shares, 32 mixes an epoch', '16 shares')
        """
        shares = f"{self.shares} share{'s' * (self.shares > 1)}"
        return shares + (f", {self.mixes} mix{'es' * (self.mixes > 1)} an epoch" if self.mixes else "")


@dataclass(frozen=True)
class Ending:
    """What was done to the weights after the last epoch (ending.py)."""

    temperature: float = 1.0  # what the weights were divided by
    threshold: float = 0.0  # weights up to this were removed, before the division
    judged: int = 0  # held-out sentences that these were chosen by
    reason: str = ""  # why there was no choosing

    def describe(self) -> str:
        """The same in words.

        >>> Ending(1.25, 0.1).describe()
        'weights up to 0.1 removed, the rest divided by temperature 1.25'
        """
        if self.reason:
            return f"not calibrated: {self.reason}"
        what = [f"weights up to {self.threshold:g} removed"] if self.threshold else []
        if self.temperature != 1:
            what.append(f"{'the rest' if what else 'weights'} divided by temperature {self.temperature:g}")
        return ", ".join(what) or "weights as trained"


@dataclass(frozen=True, eq=False)
class Trained(ByContent):
    """What training ends with."""

    weights: Weights
    features: FeatureSet
    attributes: Vocabulary  # those with a weight
    history: list[Epoch]
    settings: Settings  # with the recipe and the learning rate that were used
    converged: bool
    stop_reason: str
    fell_back: bool = False  # training went wrong, and earlier weights are kept
    edges: Vocabulary | None = None  # the edge attributes with a weight; None if there are none
    feature_seconds: float = 0.0  # what finding the features took
    parts: Parts | None = None  # of the data, if it was trained in several
    ending: Ending | None = None  # what was done to the weights after the last epoch

    @property
    def best(self) -> Epoch:
        """The epoch whose weights were kept; an empty one where there was nothing to train."""
        return ([Epoch(0, 0.0, 0.0)] + [epoch for epoch in self.history if epoch.best])[-1]

    def describe(self) -> str:
        """The settings that were used, in a few words, and the parts of the data if there were several."""
        return self.settings.describe() + (f" · {self.parts.describe()}" if self.parts else "")

    def __repr__(self) -> str:
        seconds = self.history[-1].seconds if self.history else 0.0
        passes = f"{len(self.history)} {self.settings.recipe.unit}s in {seconds:.1f} s"
        return f"<Trained: {self.settings.recipe}, {passes}; {self.stop_reason}>"

    def _repr_html_(self) -> str:
        """The last epochs."""
        logs = [epoch.to_dict() | {"kept": epoch is self.best} for epoch in self.history[-10:]]
        names = [name for name in SHOWN if any(name in log for log in logs)]
        rows = [[_cell(log.get(name, "")) for name in names] for log in logs]
        return table(names, rows, f"{self.settings.describe()}; {self.stop_reason}")


def _cell(value: object) -> str:
    """A figure of an epoch, for people.

    >>> _cell(True), _cell(0.123456), _cell(12)
    ('yes', '0.1235', '12')
    """
    if isinstance(value, bool):
        return "yes" if value else ""
    return f"{value:,.4f}" if isinstance(value, float) else str(value)
