"""Docstrings as Markdown, for the reference pages of the site.

examples with prompts ─▶ fenced blocks
name: what it is      ─▶ a list
indented formulas     ─▶ code, as in Markdown
"""

import inspect
import re
from importlib import import_module
from itertools import groupby
from typing import Any

import griffe

ARGUMENT = re.compile(r"([a-zA-Z_*][\w*]*(?:, [\w*]+)*): (\S.*)")


FILLED_IN = ("tagfield.compat.sklearn.crf.", "tagfield.train.")  # classes whose options join the docstring on import


class Docstrings(griffe.Extension):
    """Rewrites each docstring when it is read."""

    def on_object(self, *, obj: Any, **_: Any) -> None:
        if obj.docstring is None:
            return
        text = obj.docstring.value
        if obj.is_class and obj.path.startswith(FILLED_IN):
            module, _, name = obj.path.rpartition(".")
            text = inspect.getdoc(getattr(import_module(module), name)) or text
        obj.docstring.value = as_markdown(text)


def as_markdown(text: str) -> str:
    r"""A docstring as Markdown.

    >>> as_markdown("Do it.\n\nn: how often;\n    at least 1\n\n>>> 1 + 1\n2").splitlines()
    ['Do it.', '', '- `n`: how often; at least 1', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    paragraphs = [
        list(lines) for filled, lines in groupby(text.splitlines(), key=lambda line: bool(line.strip())) if filled
    ]
    summary, rest = paragraphs[:1], paragraphs[1:]
    return "\n\n".join("\n".join(lines) for lines in summary + [_paragraph(lines) for lines in rest])


def _paragraph(lines: list[str]) -> list[str]:
    for i, line in enumerate(lines):
        if line.startswith(">>> "):
            before = [*_paragraph(lines[:i]), ""] if i else []
            return [*before, "```pycon", *lines[i:], "```"]
    heads = [line for line in lines if not line.startswith(" ")]
    if not heads or not all(ARGUMENT.fullmatch(line) for line in heads):
        return lines
    items: list[str] = []
    for line in lines:
        if found := ARGUMENT.fullmatch(line):
            items.append(f"- `{found[1]}`: {found[2]}")
        else:
            items[-1] += f" {line.strip()}"
    return items
