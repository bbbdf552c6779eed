r"""Wapiti's pattern files → Template.

    u00:%x[0,0]      attributes of tokens              ─▶ patterns
    b01:%x[0,0]      attributes of transitions         ─▶ transitions
    *02:%x[0,0]      both                              ─▶ patterns and transitions
    b                no macro: the plain transitions, which every model has

A # begins a comment, wherever it stands, and blanks at the end of a line are dropped. Beyond the ends of a sentence a
macro reads _x-1 to _x-4 and _x-#, or _x+1 to _x+4 and _x+#. Lines that are equal count twice, as they do in Wapiti.
"""

from tagfield.data.text.templates.template import WAPITI, Pattern, Template, check_pattern
from tagfield.errors import InputError


def parse_wapiti(text: str, name: str = "template") -> Template:
    """Read the text of a pattern file of Wapiti.

    >>> template = parse_wapiti("U:%x[0,0]  # the word\\nb:%X[-1,0]\\n*\\n")
    >>> [pattern.text for pattern in template.patterns], [pattern.text for pattern in template.transitions]
    (['u:%x[0,0]', '*'], ['b:%X[-1,0]'])
    """
    patterns: list[Pattern] = []
    transitions: list[Pattern] = []
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.partition("#")[0].rstrip(" \t\r\v\f")
        if not line:
            continue
        pattern = Pattern(line[0].lower() + line[1:], number, WAPITI)
        check_pattern(Template(name, (), syntax=WAPITI), pattern)
        if pattern.text[0] != "b":
            patterns.append(pattern)
        if pattern.text[0] != "u" and pattern.cells:
            transitions.append(pattern)
    made = Template(name, tuple(patterns), (), padding=True, transitions=tuple(transitions), syntax=WAPITI)
    if not patterns and not transitions:
        raise InputError(f"template {name}: found no pattern; add at least one, such as u:%x[0,0]")
    return made
