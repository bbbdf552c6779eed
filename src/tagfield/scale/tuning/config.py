"""A choice as a file and as a command: what `tagfield train --config` reads, and what you can copy.

options of Settings.of, template, columns ─▶ the long options of `tagfield train` ─▶ [train] in TOML · --key value
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from typing import Any


def train_options(
    options: Mapping[str, Any], template: str = "", data: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Long options of `tagfield train`, without the hyphens in front.

    data: the options that say how the files are read

    >>> train_options({"recipe": "pa", "min_count": 2}, "words", {"columns": "w _ y"})
    {'algorithm': 'pa', 'min-count': 2, 'template': 'words', 'columns': 'w _ y'}
    """
    named = {"algorithm" if name == "recipe" else name.replace("_", "-"): value for name, value in options.items()}
    return named | ({"template": template} if template else {}) | dict(data or {})


def to_toml(named: Mapping[str, Any], comment: str = "") -> str:
    """The configuration file for options of `tagfield train`: a table [train], with a comment above it.

    >>> print(to_toml({"c2": 0.3, "average": False, "template": "words"}, "chosen by tagfield tune"), end="")
    # chosen by tagfield tune
    [train]
    c2 = 0.3
    average = false
    template = "words"
    """
    head = [f"# {line}" for line in comment.splitlines()]
    body = [f"{name} = {_value(value)}" for name, value in named.items()]
    return "\n".join([*head, "[train]", *body]) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML has no pairs of surrogates


def command(named: Mapping[str, Any], files: Sequence[str]) -> str:
    """The command that trains with options of `tagfield train`.

    >>> command({"algorithm": "u2.g1", "average": True, "template": "my template"}, ["train.txt"])
    "tagfield train train.txt -o model --algorithm u2.g1 --average --template 'my template'"
    """
    words = ["tagfield", "train", *files, "-o", "model"]
    for name, value in named.items():
        if isinstance(value, list):
            words += [word for each in value for word in (f"--{name}", each)]
        elif isinstance(value, bool):
            words.append(f"--{name}" if value else f"--no-{name}")
        else:
            words += [f"--{name}", str(value)]
    return shlex.join(words)
