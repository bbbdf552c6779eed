"""The text of a template → Template: CRF++'s lines, windows, transitions, and declarations.

    file ─▶ read_template ─▶ parse_template ─▶ lines ─▶ patterns, transitions, columns, ends, resources with their files
                                  ▲
    include ner ──────────────────┘   a preset or another file, which the lines then extend

A resource that no pattern reads is read by the patterns that suit its kind (`READ_BY`), so declaring it is enough.
"""

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from tagfield.data.text.lines import check_lines
from tagfield.data.text.sources import STDIN, PathLike, open_source
from tagfield.data.text.templates.functions import Call
from tagfield.data.text.templates.resources import Resource, check_name, cluster, gazetteer, regex
from tagfield.data.text.templates.template import IGNORED, LABEL, WAPITI, Pattern, Template, check_pattern
from tagfield.data.text.templates.wapiti.template import parse_wapiti
from tagfield.data.text.templates.windows import expand_window, pattern_text
from tagfield.errors import InputError, did_you_mean, nearest

_RESOURCE = re.compile(r"(\S+)(\s+ignorecase)?\s*=\s*(.+)")
SYNTAX, TRANSITION = "syntax", "transition"  # words that begin a line
EXTENDED = ", extended"  # after the name of a template that has more lines than its file or preset
DEEPEST = 8  # files that include each other

# How a resource that no pattern reads is read, with the column and its name in place of {0} and {1}. The lengths of
# cluster paths are those that gained most for names, chunks and parts of speech.
READ_BY = {
    "gazetteer": ("{0}.in({1})[-1:1]",),
    "cluster": tuple(f"{{0}}.cluster({{1}},{length})[-1:1]" for length in (4, 6, 8, 10, 12, 16, 20)),
    "regex": ("{0}.match({1})[-1:1]",),
}

_SWITCH = {"": True, "on": True, "off": False}


def read_template(path: PathLike, *, depth: int = 0) -> Template:
    """Read a template file. Files that it names are found beside it.

    depth: how many files include this one

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "template")
    >>> _ = path.write_text("# words\\nU00:%x[-1,0]\\nU01:%x[0,0]\\n\\nB\\n")
    >>> [pattern.line for pattern in read_template(path).patterns]
    [2, 3]
    """
    source = open_source(path)
    check_lines(source)
    try:
        text = source.text.decode()
    except UnicodeDecodeError as error:
        line = source.text.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{source.name}, line {line}: the bytes are not valid UTF-8; convert the file to UTF-8 first"
        ) from None
    name = os.fspath(path)
    return parse_template(text, source.name, folder="" if name == STDIN else os.path.dirname(name), depth=depth)


def parse_template(text: str, name: str = "template", *, folder: PathLike = "", depth: int = 0) -> Template:
    """Read the text of a template; relative paths in it begin at `folder`.

    A text whose first line is `syntax wapiti` has the patterns of Wapiti; see `parse_wapiti`.

    depth: how many files include this text

    >>> parse_template("U00:%x[0,0]").padding
    True
    >>> template = parse_template("columns w y\\nregex year = ^(19|20)\\\\d\\\\d$\\nw[-1:1]\\nw.match(year)")
    >>> len(template.patterns), template.columns
    (4, ('w', 'y'))
    >>> parse_template("U00:%x[0,0]\\nB01:%x[-1,0]/%x[0,0]").transitions[0].cells
    ((-1, '0'), (0, '0'))
    >>> parse_template("include ner\\nregex year = ^(19|20)\\\\d\\\\d$", "mine")
    Template 'mine': 33 patterns, columns w y, __BOS__/__EOS__, regex year
    """
    first, _, rest = text.partition("\n")
    if first.split()[:1] == [SYNTAX]:
        if first.split() != [SYNTAX, WAPITI]:
            raise InputError(
                f"template {name}, line 1: found {first.strip()!r}; write {SYNTAX} {WAPITI}, or leave it out"
            )
        return parse_wapiti("\n" + rest, name)
    lines = _Lines(name, os.fspath(folder), depth)
    for number, line in enumerate(text.split("\n"), start=1):
        lines.read(line.removesuffix("\r"), number)
    return lines.finish()


def extended_template(
    template: Template, lines: str | Iterable[str] = (), resources: Iterable[Resource] = (), *, folder: PathLike = ""
) -> Template:
    """A template with more lines and resources; relative paths in the lines begin at `folder`.

    >>> from tagfield.data.text.templates.presets import PRESETS
    >>> extended_template(PRESETS["words"], "w[-3]")
    Template 'words, extended': 24 patterns, columns w y, __BOS__/__EOS__
    """
    if template.syntax:
        raise InputError(f"template {template.name} has the patterns of Wapiti; add the lines to its file instead")
    made = _Lines(f"{template.name.removesuffix(EXTENDED)}{EXTENDED}", os.fspath(folder))
    made.take(template)
    for number, line in enumerate(lines.split("\n") if isinstance(lines, str) else lines, start=1):
        made.read(line, number)
    for resource in resources:
        made.declare(resource)
    return made.finish()


@dataclass
class _Lines:
    """The template that the lines read so far declare; None where they do not say, and an included one may."""

    name: str
    folder: str
    depth: int = 0
    patterns: list[Pattern] = field(default_factory=list)
    transitions: list[Pattern] = field(default_factory=list)
    columns: tuple[str, ...] | None = None
    padding: bool | None = None
    edges: bool | None = None
    resources: dict[str, Resource] = field(default_factory=dict)
    included: Template | None = None  # the first one

    def read(self, line: str, number: int) -> None:
        if not line.strip() or line.startswith("#"):
            return
        word, *rest = line.split(None, 1)
        try:
            if word == TRANSITION:
                self.transitions += _window("".join(rest), number)
            elif word in _DECLARATIONS:
                _DECLARATIONS[word](self, "".join(rest).strip())
            elif line[0] in "UB":
                self._crfpp(line, number)
            else:
                self._window(line, number)
        except InputError as error:
            raise InputError(f"template {self.name}, line {number}: {error}") from None

    def finish(self) -> Template:
        usual = self.included or Template(self.name, (), padding=True)
        patterns: dict[str, Pattern] = {}
        for pattern in self.patterns:
            patterns.setdefault(pattern.text, pattern)  # a line may repeat one of an included template
        made = Template(
            self.name,
            tuple(patterns.values() if self.included else self.patterns),
            usual.columns if self.columns is None else self.columns,
            usual.padding if self.padding is None else self.padding,
            usual.boundaries if self.edges is None else self.edges,
            tuple(self.resources.values()),
            tuple(self.transitions),
        )
        for pattern in made.all_patterns:
            check_pattern(made, pattern)
        made = replace(made, patterns=made.patterns + tuple(_reading_the_rest(made)))
        if not made.all_patterns:
            raise InputError(f"template {self.name}: found no pattern; add at least one U line, such as U00:%x[0,0]")
        return made

    def _crfpp(self, line: str, number: int) -> None:
        pattern = Pattern(line, number)
        if line[0] == "U":
            self.patterns.append(pattern)
        elif pattern.cells or "%" in line:  # a lone B is the plain transitions, which every model has
            self.transitions.append(pattern)

    def _window(self, line: str, number: int) -> None:
        word = line.split()[0]
        if "%" in line:
            wapiti = (
                f"; for the patterns of Wapiti write {SYNTAX} {WAPITI} on the first line" if line[0] in "ub*" else ""
            )
            raise InputError(f"{line!r} starts with neither U nor B; begin each pattern with U{wapiti}")
        close = nearest(word, [*_DECLARATIONS, TRANSITION])
        if " " in line.strip() and "|" not in line and close:
            raise InputError(f"{line!r} is not a pattern; did you mean {close}?")
        self.patterns += _window(line, number)

    def _columns(self, rest: str) -> None:
        self.columns = Template(self.name, ()).with_columns(rest).columns

    def _padding(self, rest: str) -> None:
        self.padding = _switch("padding", rest)

    def _edges(self, rest: str) -> None:
        self.edges = _switch("edges", rest)

    def _gazetteer(self, rest: str) -> None:
        name, ignore_case, path = _resource("gazetteer", rest, "cities.txt")
        self.declare(gazetteer(name, os.path.join(self.folder, path), ignore_case))

    def _cluster(self, rest: str) -> None:
        name, ignore_case, path = _resource("cluster", rest, "paths.txt")
        if ignore_case:
            raise InputError(f"cluster {name}: ignorecase is for gazetteers; use w.lower.cluster({name})")
        self.declare(cluster(name, os.path.join(self.folder, path)))

    def _regex(self, rest: str) -> None:
        name, ignore_case, expression = _resource("regex", rest, "^[0-9]+$")
        if ignore_case:
            raise InputError(f"regex {name}: ignorecase is for gazetteers; begin the expression with (?i)")
        self.declare(regex(name, expression))

    def _include(self, rest: str) -> None:
        from tagfield.data.text.templates.presets import PRESETS  # its presets are parsed here

        if not rest:
            raise InputError(f"include what? Write include NAME, with {', '.join(PRESETS)} or a template file")
        if self.depth >= DEEPEST:
            raise InputError(f"include {rest}: {DEEPEST} files include each other; does one of them include itself?")
        path = os.path.join(self.folder, rest)
        if rest in PRESETS:
            found = PRESETS[rest]
        elif os.path.exists(path):
            found = read_template(path, depth=self.depth + 1)
        else:
            raise InputError(f"include {rest}: no such template; {did_you_mean(rest, PRESETS)}")
        if found.syntax:
            raise InputError(f"include {rest}: a template with the patterns of Wapiti cannot be included")
        self.take(found)

    def take(self, found: Template) -> None:
        """Continue a template: its patterns and resources; its columns and ends hold unless lines say otherwise."""
        self.included = self.included or found
        self.patterns += [replace(pattern, line=0) for pattern in found.patterns]  # the line is one of another file
        self.transitions += [replace(pattern, line=0) for pattern in found.transitions]
        for resource in found.resources:
            self.declare(resource)

    def declare(self, resource: Resource) -> None:
        if resource.name in self.resources:
            raise InputError(f"{resource.kind} {resource.name}: the name is taken; choose another one")
        self.resources[resource.name] = resource


_DECLARATIONS: dict[str, Callable[[_Lines, str], None]] = {
    "include": _Lines._include,
    "columns": _Lines._columns,
    "padding": _Lines._padding,
    "edges": _Lines._edges,
    "gazetteer": _Lines._gazetteer,
    "cluster": _Lines._cluster,
    "regex": _Lines._regex,
}


def _reading_the_rest(template: Template) -> list[Pattern]:
    """Patterns of the resources that no pattern reads, over the words, or over the first column."""
    calls = [call for pattern in template.all_patterns for _, found in pattern.chains for call in found]
    read = {call.resource for call in calls if isinstance(call, Call)}
    roles = [role for role in template.columns if role not in (LABEL, IGNORED)]
    column = "w" if "w" in roles else (roles or ["0"])[0]
    lines = [
        line.format(column, found.name)
        for found in template.resources
        if found.name not in read
        for line in READ_BY[found.kind]
    ]
    return [pattern for line in lines for pattern in _window(line, 0)]


def _window(line: str, number: int) -> list[Pattern]:
    return [Pattern(pattern_text(cells), number) for cells in expand_window(line.strip())]


def _switch(name: str, text: str) -> bool:
    if text not in _SWITCH:
        raise InputError(f"found {name} {text!r}; write {name} on or {name} off")
    return _SWITCH[text]


def _resource(kind: str, text: str, example: str) -> tuple[str, bool, str]:
    match = _RESOURCE.fullmatch(text)
    if not match:
        raise InputError(f"found {kind} {text!r}; write {kind} NAME = …, such as {kind} mine = {example}")
    check_name(kind, match[1])
    return match[1], bool(match[2]), match[3].strip()
