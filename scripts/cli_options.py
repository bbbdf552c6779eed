"""Print every command of `tagfield` with its parameters, as sorted JSON, so that two versions can be compared.

    python scripts/cli_options.py > before.json      in the old version
    python scripts/cli_options.py | diff before.json -      in the new one

It lists what scripts and config files rely on: flags, defaults, types, choices, limits. Help texts may change.
"""

import json
from typing import Any

from tagfield.cli.commands import group


def parameter(param: Any) -> dict[str, Any]:
    """A parameter as plain values."""
    limits = getattr(param, "type", param)  # where Typer keeps types and limits depends on its version
    described = getattr(param, "type_descriptor", None)
    return {
        "kind": param.param_type_name,
        "flags": sorted(param.opts),
        "off_flags": sorted(param.secondary_opts),
        "default": None if callable(param.default) else param.default,
        "type": limits.name if described is None else str(described.annotation),
        "choices": list(getattr(limits, "choices", ())),
        "limits": [getattr(limits, "min", None), getattr(limits, "max", None)],
        "metavar": param.metavar,
        "envvar": param.envvar,
        "required": param.required,
        "multiple": getattr(param, "multiple", False),
        "values": param.nargs,
        "is_flag": getattr(param, "is_flag", False),
        "eager": param.is_eager,
        "hidden": getattr(param, "hidden", False),
        "panel": getattr(param, "rich_help_panel", None),
    }


def options() -> dict[str, dict[str, Any]]:
    """Command → parameter → what it accepts."""
    tagfield = group()
    contexts = {name: each.make_context(name, [], resilient_parsing=True) for name, each in tagfield.commands.items()}
    found = {name: context.command.get_params(context) for name, context in contexts.items()}
    found[""] = tagfield.get_params(tagfield.make_context("tagfield", [], resilient_parsing=True))
    return {name: {str(each.name): parameter(each) for each in params} for name, params in found.items()}


if __name__ == "__main__":
    print(json.dumps(options(), indent=2, sort_keys=True, ensure_ascii=False, default=str))
