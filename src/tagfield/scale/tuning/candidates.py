"""What is tried: the default, what differs from it in one thing, and then settings on other templates.

    SETTINGS × templates ─▶ default ─▶ other settings, other templates ─▶ both changed, in a drawn order

Each line of SETTINGS has options of `Settings.of`, which are also those of `tagfield train`. Recipes other than the
default are trained for about as long as they need on corpora of a few thousand sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tagfield.train import Settings

PASSES, STEPS = {"epochs": 10}, {"epochs": 100}
SETTINGS: tuple[dict[str, Any], ...] = (
    {},
    {"c2": 0.3},
    {"recipe": "pa", "features": "all", **PASSES},
    {"cost": 0.0},
    {"recipe": "u2.g1", "average": True, "features": "all", **PASSES},
    {"recipe": "lbfgs", "c1": 0.1, "c2": 0.1, **STEPS},
    {"c2": 0.03},
    {"rate": 0.2, "epochs": 10},
    {"recipe": "ap", "features": "all", **PASSES},
    {"features": "observed"},
    {"cost": 4.0, "epochs": 10},
    {"recipe": "lbfgs", "c2": 1.0, **STEPS},
    {"c2": 1.0, "rate": 0.8},
    {"recipe": "sgd", "average": True, "features": "all", "rate": 0.2, "c2": 0.1, **PASSES},
    {"recipe": "pa", **PASSES},
    {"recipe": "u2.g1", "average": True, **PASSES},
    {"average": False, "rate": 0.1},
    {"recipe": "arow", "features": "all", **PASSES},
    {"min_count": 2},
)


@dataclass(frozen=True)
class Candidate:
    """Options for `Settings.of`, and the template they are used with; "" where the data is encoded already.

    >>> str(Candidate({"recipe": "pa", "epochs": 10}, "words")), str(Candidate({}))
    ('pa, epochs 10, template words', 'default')
    """

    options: dict[str, Any]
    template: str = ""

    def settings(self, seed: int = 0) -> Settings:
        return Settings.of(**{**self.options, "seed": seed})

    def __str__(self) -> str:
        words = [self.options.get("recipe", "default")]
        for name, value in self.options.items():
            if name == "average":
                words.append("averaged" if value else "not averaged")
            elif name == "features":
                words.append(f"{value} features")
            elif name != "recipe":
                words.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
        return ", ".join(words + ([f"template {self.template}"] if self.template else []))


def candidates(
    templates: Sequence[str] = ("",), seed: int = 0, settings: Sequence[dict[str, Any]] = SETTINGS
) -> list[Candidate]:
    """Every candidate: first the default, then one change at a time, then two. The first template is the default's.

    >>> [str(each) for each in candidates(["words", "names"])[:3]]
    ['default, template words', 'default, c2 0.3, template words', 'default, template names']
    """
    usual, *others = templates
    changed = [Candidate(options, usual) for options in settings if options]
    retold = [Candidate({}, template) for template in others]
    one: list[Candidate] = []
    while changed or retold:  # in turn: a small budget tries some of both
        one += [each.pop(0) for each in (changed, retold) if each]
    two = [Candidate(options, template) for template in others for options in settings if options]
    drawn = np.random.default_rng(seed).permutation(len(two))
    return [Candidate({}, usual), *one, *(two[k] for k in drawn)]
