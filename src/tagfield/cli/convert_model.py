"""`tagfield convert-model`: reads a model of one program and writes it for another.

    IN: tagfield, CRFsuite, CRF++ (text, binary), Wapiti, or a pickle of sklearn-crfsuite ─▶ Parts ─▶ OUT

Labels and weights are kept or the command fails. What else OUT cannot hold is left out, and the command says so.
"""

from dataclasses import replace
from typing import Annotated

import typer

from tagfield.cli.shared.checks import check_inputs, check_target
from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.errors import InputError, did_you_mean
from tagfield.model.file import Parts
from tagfield.model.formats import FORMATS, notes_on, read_parts, write
from tagfield.model.formats.pickles import Pickled, is_pickle, models_in
from tagfield.model.formats.raw_items import is_raw, plain_parts
from tagfield.system.storage import open_file
from tagfield.train.progress.figures import count

TARGETS = [name for name, each in FORMATS.items() if each.writer or name == "tagfield"]


def convert_model(
    source: Annotated[
        str,
        typer.Argument(
            metavar="IN", help="Model of tagfield, CRFsuite, CRF++ or Wapiti, or a pickle of sklearn-crfsuite."
        ),
    ],
    target: Annotated[str, typer.Argument(metavar="OUT", help="Model file to write.")],
    to: Annotated[
        str, typer.Option("--to", metavar="FORMAT", help=f"Format of OUT: {', '.join(TARGETS)}.")
    ] = "tagfield",
    which: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Model to take from a pickle that has several, counted from 1."),
    ] = None,
    plain_names: Annotated[
        bool,
        typer.Option(
            "--plain-names",
            help="For models of Wapiti's raw mode: every item of the data has the token b, so make plain transitions "
            "of it, and remove the letters u, b and * from names.",
        ),
    ] = False,
    without_constraints: Annotated[
        bool, typer.Option("--without-constraints", help="Drop the constraints of the model, which only tagfield has.")
    ] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Convert a model from one program to another.

    The new model gives the same labels and probabilities. A pickle is searched for its model, and not executed. What
    the new format cannot hold is an error if it would change a label, and otherwise named in a note.
    """
    messages = Messages(quiet, json=as_json)
    if to not in TARGETS:
        raise UsageError(f"no model format named {to!r}; {did_you_mean(to, TARGETS)}")
    if target == "-":
        raise UsageError("a model is written to a file, not to standard output; give a file name for OUT")
    check_inputs(target, [source])
    check_target(target)
    parts, found = _read(source, which)
    if plain_names:
        parts = plain_parts(parts)
    elif is_raw(parts) and to not in ("tagfield", "wapiti"):
        raise InputError(
            f"{source} is a model of Wapiti's raw mode, where a transition has a weight only if its item has a token "
            "that begins with b; if every item of your data has the token b, add --plain-names"
        )
    dropped = without_constraints and parts.info.get("constraints") is not None
    if dropped:
        parts = replace(parts, info={name: value for name, value in parts.info.items() if name != "constraints"})
    write(parts, target, to)
    size = f"{count(len(parts.labels), 'label')}, {count(len(parts.attributes), 'attribute')}"
    messages.note(f"read   {source}: a model of {found}, {size}")
    messages.note(f"wrote  {target}: a model for {FORMATS[to].program}")
    notes = notes_on(parts, to, target) + ["left out: the constraints of its labels"] * dropped
    for line in notes:
        messages.note(line)
    if as_json:
        facts = {"input": source, "program": found, "output": target, "format": to}
        print_json(facts | {"labels": len(parts.labels), "attributes": len(parts.attributes), "notes": notes})


def _read(source: str, which: int | None) -> tuple[Parts, str]:
    """The model, and whose it is."""
    data = open_file(source)
    if is_pickle(bytes(data[:4096])):
        chosen = _chosen(models_in(data, source), source, which)
        return chosen.parts, "sklearn-crfsuite, in a pickle"
    if which is not None:
        raise UsageError("--which applies only to pickles, and IN is not one; leave it out")
    parts = read_parts(source)
    format = parts.info.get("format")
    return parts, FORMATS[format].program if format in FORMATS else "tagfield"


def _chosen(models: list[Pickled], source: str, which: int | None) -> Pickled:
    if which is None and len(models) == 1:
        return models[0]
    if which is None or which > len(models):
        listed = "; ".join(f"{k}: {model.describe()}" for k, model in enumerate(models, start=1))
        raise InputError(f"{source} holds {count(len(models), 'model')}; choose one with --which ({listed})")
    return models[which - 1]
