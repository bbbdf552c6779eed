"""`tagfield info`: shows what is in a model file and how it was trained, or what a packed corpus holds."""

import json
import os
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from tagfield.cli.pack import contents, places
from tagfield.cli.pack import record as pack_record
from tagfield.cli.shared.messages import AsJson, print_json
from tagfield.cli.shared.training_run import describe_input
from tagfield.data.corpus import Corpus, is_corpus
from tagfield.model.formats import FORMATS
from tagfield.model.model import Model
from tagfield.train.progress.figures import count, duration, objective, printable, size


def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model file, or a folder of tagfield pack.")],
    as_json: AsJson = False,
    top: Annotated[int, typer.Option(metavar="N", min=0, help="Number of weights to show, largest first.")] = 10,
) -> None:
    """Show what is in a model file and how it was trained.

    Prints the labels, the number of features, the input that the model expects, the training settings, and the largest
    weights. Of a packed corpus it prints how much there is in it, and what it was packed from.
    """
    if is_corpus(model):
        show_corpus(Corpus.open(model, verify=False), as_json)
        return
    loaded = Model.load(model)
    if as_json:
        print_json(record(loaded, model, top))
        return
    console = _print_facts(facts(loaded, model))
    strongest = [(weight, label, attribute) for attribute, label, weight in loaded.top_features(top)]
    _print_weights(console, "attribute", strongest)
    edges = loaded.top_edges(top)
    _print_weights(console, "edge attribute", [(w, f"{before} → {label}", edge) for edge, before, label, w in edges])


def show_corpus(corpus: Corpus, as_json: bool) -> None:
    """What `tagfield pack` printed, and the labels by name."""
    if as_json:
        print_json(pack_record(corpus))
        return
    _print_facts(
        [
            ("corpus", f"{corpus.path}, {places(corpus)}"),
            ("packed", contents(corpus)),
            ("labels", f"{len(corpus.labels)}: {_some(corpus.labels.strings())}"),
            ("input", describe_input(_files(corpus), corpus)),
            ("next", f"tagfield train {corpus.path} -o MODEL"),
        ]
    )


def _files(corpus: Corpus) -> str:
    """The files that a corpus was packed from."""
    try:
        found = [str(name) for name, *_ in corpus.manifest.options["files"]]
    except (KeyError, TypeError, ValueError):
        return corpus.path
    return _some(found, 3)


def _print_facts(found: list[tuple[str, str]]) -> Console:
    """Lines of (name, text); returns the console for what comes after them."""
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="fold")
    for name, text in found:
        rows.add_row(name, Text(printable(text)))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 110)
    console.print(rows)
    return console


def _print_weights(console: Console, what: str, found: list[tuple[float, str, str]]) -> None:
    """A table of (weight, label, attribute); nothing if there are none."""
    if not found:
        return
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("weight", justify="right")
    table.add_column("label")
    table.add_column(what, overflow="fold")
    for weight, label, attribute in found:
        table.add_row(
            Text(f"{weight:+.4f}", "green" if weight > 0 else "red"), Text(printable(label)), Text(printable(attribute))
        )
    console.print()
    console.print(table)


def facts(model: Model, path: str) -> list[tuple[str, str]]:
    """The lines to print, as (name, text)."""
    found: dict[str, Any] = model.info
    rows = [
        ("model", f"{path}, {size(os.path.getsize(path))}, {_writer(found)}"),
        ("labels", f"{len(model.labels)}: {_some(model.labels.strings())}"),
        ("attributes", count(len(model.attributes))),
    ]
    if model.edges is not None:
        rows.append(("edges", count(len(model.edges), "attribute") + " of transitions"))
    rows += [("features", _features(model)), ("input", _input(model))]
    if model.constraints is not None:
        rules = model.constraints if isinstance(model.constraints, str) else "of its own"
        rows.append(("constraints", rules))
    if "trained_by" in found:
        rows.append(("trained by", found["trained_by"]))
    if "sequences" in found:
        data = count(found["sequences"], "sequence")
        data += f", {count(found['tokens'], 'token')}" if "tokens" in found else ""
        rows.append(("trained on", data))
    if "stop_reason" in found:
        passes = f"{count(found['epochs'], 'epoch')} and {duration(found['seconds'])}"
        rows.append(("ended", f"after {passes}: {found['stop_reason']}"))
    if "ending" in found:
        rows.append(("weights", found["ending"]))
    if found.get("objective") is not None:
        rows.append(("objective", objective(found["objective"])))
    return rows


def record(model: Model, path: str, top: int) -> dict[str, Any]:
    """The same as a dict, for --json."""
    states, transitions = model.features.counts
    return {
        "model": path,
        "bytes": os.path.getsize(path),
        "labels": model.labels.strings(),
        "attributes": len(model.attributes),
        "features": model.features.kind,
        "state_features": states,
        "transition_features": transitions,
        "edge_attributes": 0 if model.edges is None else len(model.edges),
        "edge_features": model.features.edge_count,
        "weights": model.weights.state.dtype.name,
        "template": None if model.template is None else json.loads(model.template.to_json(texts=False)),
        "info": model.info,
        "top": [
            {"attribute": attribute, "label": label, "weight": weight}
            for attribute, label, weight in model.top_features(top)
        ],
        "top_edges": [
            {"attribute": attribute, "previous": before, "label": label, "weight": weight}
            for attribute, before, label, weight in model.top_edges(top)
        ],
    }


def _features(model: Model) -> str:
    states, transitions = model.features.counts
    parts = f"{states:,} state + {transitions:,} transition"
    if model.edges is not None:
        parts += f" + {model.features.edge_count:,} edge"
    kind = "" if model.weights.state.dtype == np.float32 else f" in {model.weights.state.dtype.name}"
    return f"{model.features.kind}: {parts} = {model.features.size:,} weights{kind}"


def _input(model: Model) -> str:
    if model.template is None:
        return "attributes, and attributes of transitions (edges)" if model.edges else "CRFsuite items"
    template = model.template
    patterns = count(len(template.patterns), "pattern")
    if template.transitions:
        patterns += f" and {len(template.transitions)} of transitions"
    return f"columns {' '.join(template.columns)}, template {template.name} ({patterns})"


def _writer(found: dict[str, Any]) -> str:
    """Whose file it is."""
    program = FORMATS[found["format"]].program if found.get("format") in FORMATS else ""
    return f"a model of {program}" if program else f"written by tagfield {found.get('version', '?')}"


def _some(names: list[str], most: int = 30) -> str:
    more = f" … and {len(names) - most:,} more" if len(names) > most else ""
    return " ".join(names[:most]) + more
