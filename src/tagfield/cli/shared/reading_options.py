"""The options that say how input is read, written once for all commands.

    @with_reading_options()
    def eval(…, reading: ReadOptions): …      ─▶  tagfield eval … --format jsonl --encoding latin-1 --on-cut widen

A command takes one `reading`; on the command line it is one option for each field of ReadOptions and its Policy.
"""

import functools
import inspect
import os
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from tagfield.cli.shared.exit_codes import usage
from tagfield.data.labels.schemes import SCHEMES
from tagfield.data.text.formats.decoding import decode_lines
from tagfield.data.text.formats.table import READ, check_format
from tagfield.data.text.lines import BLANKS, is_blank, split_lines
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import open_source
from tagfield.data.text.spans import ON_CUT, ON_OVERLAP, Policy
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.tokenizer.tokenizer import TOKENIZERS
from tagfield.errors import InputError
from tagfield.system.memory import memory_limited

PANEL = "The input"

Command = Callable[..., None]


def _option(flag: str, metavar: str | None, help: str, *, kind: Any = str, panel: str | None = PANEL) -> Any:
    shown = typer.Option(flag, metavar=metavar, help=help, rich_help_panel=panel, show_default=False)
    return Annotated[kind | None, shown]


def _parameters(format_flag: str, with_model: bool, extends: bool) -> dict[str, Any]:
    """Name and annotation of each option; where a model is at hand, its labels say what scheme spans get."""
    add = "Line to add to the template, such as 'gazetteer brand = brands.txt' or 'w[-3:3]'; may be repeated."
    read, tokenizers, schemes = ", ".join(READ), "|".join(TOKENIZERS), "|".join(SCHEMES)
    columns = "Names of the columns, in order: w is the word, y is the label, _ is ignored."
    names = "Names of labels that are numbers, in order: a list, or a file with one name per line."
    cut = "What to do with a span that cuts a token: fail, widen it to whole tokens, or drop it. \\[default: error]"
    overlap = "What to do with spans that overlap: fail, or keep the longest. \\[default: error]"
    memory = "Fail early if more memory than this is needed, such as 4GB. "
    memory += "\\[default: four fifths of the machine's, or of its container's]"
    made = {
        "format": _option(
            format_flag, "FORMAT", f"Input format: {read}. \\[default: found from the name and the content]"
        ),
        "columns": _option("--columns", "'w pos y'", columns),
        "header": _option("--header/--no-header", None, "Whether the first line names the columns.", kind=bool),
        "encoding": _option("--encoding", "NAME", "Encoding of the input, such as latin-1. \\[default: utf-8]"),
        "label_names": _option("--label-names", "A,B,…|FILE", names),
        "tokenizer": _option("--tokenizer", tokenizers, "How to split text into tokens. \\[default: words]"),
        "scheme": _option("--scheme", schemes, "Scheme of the labels that are made from spans. \\[default: bio]"),
        "on_cut": _option("--on-cut", "|".join(ON_CUT), cut),
        "on_overlap": _option("--on-overlap", "|".join(ON_OVERLAP), overlap),
        "add": _option("--add", "LINE", add, kind=list[str]),
        "max_memory": _option("--max-memory", "SIZE", memory, panel=None),
    }
    applies = {"scheme": not with_model, "add": extends}
    return {name: each for name, each in made.items() if applies.get(name, True)}


def with_reading_options(
    format_flag: str = "--format", *, with_model: bool = False, extends: bool = False
) -> Callable[[Command], Command]:
    """Replace a command's parameter `reading` by one option for each of its fields.

    with_model: the command has a model, whose labels say what scheme spans get
    extends: the command chooses a template, which --add extends
    """

    def decorate(command: Command) -> Command:
        own = [p for p in inspect.signature(command).parameters.values() if p.name != "reading"]
        made = _parameters(format_flag, with_model, extends)

        @functools.wraps(command)
        def run(**arguments: Any) -> None:
            given = {name: arguments.pop(name, None) for name in made}
            limit = given.pop("max_memory")
            with usage():
                reading = reading_from(given, format_flag)
                limited = memory_limited(limit)
            with limited:
                command(reading=reading, **arguments)

        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
            for name, annotation in made.items()
        ]
        run.__signature__ = inspect.Signature([*own, *options])  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in [*own, *options]} | {"return": None}
        return run

    return decorate


def reading_from(given: dict[str, Any], format_flag: str = "--format") -> ReadOptions:
    """The ReadOptions of some options; None means that an option is not set.

    >>> reading_from({"format": "jsonl", "scheme": "iobes", "label_names": "O,B-PER"}).label_names
    ('O', 'B-PER')
    """
    rules = {name: given[name] for name in ("scheme", "on_cut", "on_overlap") if given.get(name) is not None}
    names = given.get("label_names")
    if given.get("format") is not None:
        check_format(given["format"])
    tokenizer = given.get("tokenizer")
    if tokenizer is not None and tokenizer not in TOKENIZERS:
        raise InputError(f"no tokenizer named {tokenizer!r}; choose {', '.join(TOKENIZERS)}")
    return ReadOptions(
        given.get("format"),
        given.get("columns"),
        given.get("header"),
        given.get("encoding"),
        None if names is None else label_names(names),
        tokenizer,
        Policy(**rules),
        checked_lines(given.get("add") or ()),
    )


def checked_lines(lines: Sequence[str]) -> tuple[str, ...]:
    """The lines of --add; raises InputError for one that no template can have.

    >>> checked_lines(["gazeteer brand = brands.txt"])
    Traceback (most recent call last):
    tagfield.errors.InputError: --add 'gazeteer brand = brands.txt': did you mean gazetteer?
    """
    for count, line in enumerate(lines, start=1):
        try:
            load_template("ner", add=lines[:count])
        except InputError as error:
            told = str(error).partition(f", line {count}: ")[2] or str(error)
            raise InputError(f"--add {line!r}: {told.removeprefix(f'{line!r} is not a pattern; ')}") from None
    return tuple(lines)


def flags_of(reading: ReadOptions) -> dict[str, Any]:
    """Long options that say what a ReadOptions says, without the hyphens in front: the reverse of `reading_from`.

    >>> flags_of(reading_from({"format": "jsonl", "header": False, "on_cut": "widen", "label_names": "O, B-PER"}))
    {'format': 'jsonl', 'header': False, 'label-names': 'O,B-PER', 'on-cut': 'widen'}
    """
    usual, names = Policy(), reading.label_names
    found = {name: getattr(reading, name) for name in ("format", "columns", "header", "encoding")}
    found |= {"label-names": None if names is None else ",".join(names), "tokenizer": reading.tokenizer}
    for name in ("scheme", "on_cut", "on_overlap"):
        chosen = getattr(reading.policy, name)
        found[name.replace("_", "-")] = None if chosen == getattr(usual, name) else chosen
    found["add"] = list(reading.add) or None
    return {name: value for name, value in found.items() if value is not None}


def label_names(names: str) -> tuple[str, ...]:
    """The names in a list with commas, or in a file with one name per line.

    >>> label_names("O, B-PER,I-PER")
    ('O', 'B-PER', 'I-PER')
    """
    found = split_lines(decode_lines(open_source(names))) if os.path.isfile(names) else names.split(",")
    return tuple(name.strip(BLANKS) for name in found if not is_blank(name))
