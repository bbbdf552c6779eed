"""Commands that pages show: each `tagfield NAME --option`, in a block or in a line of text, is one that exists."""

import re
from functools import cache

from tagfield.cli.commands import COMMANDS, group

CODE = re.compile(r"^```\w+\n(.*?)^```$|^( {4}[^\n]*)$|`([^`\n]*)`", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"(?:^ *|\$\()(?:\.venv/bin/)?tagfield ([^\n`]*)", re.MULTILINE)
OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")


@cache
def options_of(name: str) -> frozenset[str]:
    """The options of a command.

    >>> "--model" in options_of("tag"), "--modle" in options_of("tag")
    (True, False)
    """
    context = group().commands[name].make_context(name, [], resilient_parsing=True)
    found = context.command.get_params(context)
    return frozenset(option for each in found for option in (*each.opts, *each.secondary_opts))


def wrong_commands(text: str) -> list[str]:
    """The commands of a page that do not exist, or have an option that they do not know.

    >>> wrong_commands("`tagfield trian FILE`, `tagfield train FILE --dve x`, `tagfield tag -m model FILE`")
    ['trian FILE', 'train FILE --dve x']
    """
    wrong = []
    code = "\n".join(block or line or words for block, line, words in CODE.findall(text))
    for shown in SHOWN.findall(code):
        command = re.sub(r"[\"'][^\"']*[\"']|#.*| > .*|[|].*", "", shown).strip()
        name, _, rest = command.partition(" ")
        if not re.fullmatch(r"[a-z][a-z-]*", name):
            continue  # tagfield --version
        if name not in COMMANDS or not set(OPTION.findall(rest)) <= options_of(name):
            wrong.append(shown.strip())
    return wrong
