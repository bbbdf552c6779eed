"""A choice as a file and as a command: what `tagfield train --config` reads, and what you can copy.

options of Settings.of, template ─▶ keys: the long options of `tagfield train` ─▶ [train] in TOML · --key value
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any


def train_options(options: Mapping[str, Any], template: str = "") -> dict[str, Any]:
    """Long options of `tagfield train`, without the hyphens in front, and their values.

    >>> train_options({"recipe": "pa", "min_count": 2}, "words")
    {'algorithm': 'pa', 'min-count': 2, 'template': 'words'}
    """
    named = {"algorithm" if name == "recipe" else name.replace("_", "-"): value for name, value in options.items()}
    return named | ({"template": template} if template else {})


def to_toml(options: Mapping[str, Any], template: str = "", comment: str = "") -> str:
    """The configuration file: a table [train], with a comment above it.

    >>> print(to_toml({"c2": 0.3, "average": False}, "words", "chosen by tagfield tune"), end="")
    # chosen by tagfield tune
    [train]
    c2 = 0.3
    average = false
    template = "words"
    """
    head = [f"# {line}" for line in comment.splitlines()]
    body = [f"{name} = {_value(value)}" for name, value in train_options(options, template).items()]
    return "\n".join([*head, "[train]", *body]) + "\n"


def _value(value: Any) -> str:
    return repr(value) if isinstance(value, int | float) and not isinstance(value, bool) else json.dumps(value)


def command(options: Mapping[str, Any], template: str, files: Sequence[str]) -> str:
    """The command that trains with these options.

    >>> command({"recipe": "u2.g1", "average": True}, "my template", ["train.txt"])
    "tagfield train train.txt -o model --algorithm u2.g1 --average --template 'my template'"
    """
    words = ["tagfield", "train", *files, "-o", "model"]
    for name, value in train_options(options, template).items():
        if isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", str(value)]
    return shlex.join(words)
