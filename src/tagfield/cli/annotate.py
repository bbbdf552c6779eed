"""`tagfield annotate`: a page on which you label sentences, while a model learns from them.

read the texts, the labels, the file of an earlier session ─▶ Session ─▶ AnnotateApp ─▶ the server, until Ctrl-C
"""

import os
import shlex
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Annotated

import typer

from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.apps.annotate.labelling import NONE, Labelling, find_labelling
from tagfield.apps.annotate.learning import MADE, Learning
from tagfield.apps.annotate.pool import Pool, read_pool
from tagfield.apps.annotate.session import Session
from tagfield.apps.serve.log import log
from tagfield.cli.serve import LOOPBACK, TOKEN, checked_token, started_server
from tagfield.cli.shared.checks import check_inputs, check_model_target, check_target
from tagfield.cli.shared.exit_codes import UsageError, usage
from tagfield.cli.shared.options import Host, Port
from tagfield.cli.shared.reading_options import label_names, with_reading_options
from tagfield.cli.shared.training_options import offer
from tagfield.data.labels.schemes import SCHEMES
from tagfield.data.text.reading import ReadOptions, read_files
from tagfield.data.text.records import Row, Sentence
from tagfield.data.text.templates.fitting import cells_for, fitting_template
from tagfield.data.text.templates.presets import PRESETS, load_template
from tagfield.data.text.templates.template import LABEL, Template
from tagfield.errors import InputError
from tagfield.model.model import Model


@with_reading_options("--from", with_model=True)
def annotate(
    texts: Annotated[list[str], typer.Argument(metavar="TEXTS", help="Files with the sentences to label.")],
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="File for the labelled sentences; sentences that it has are kept."
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            "-m",
            "--model",
            metavar="MODEL",
            help="Model to start from, which is not changed. A file that does not exist, or that annotate has made, is "
            "where the model is saved. \\[default: saved beside FILE, as labelled.model for labelled.txt]",
        ),
    ] = None,
    labels: Annotated[str | None, typer.Option(metavar="A,B,…", help="Labels to choose from, such as PER,LOC.")] = None,
    labels_from: Annotated[
        str | None, typer.Option(metavar="FILE", help="Labelled file whose labels you choose from.")
    ] = None,
    scheme: Annotated[
        str | None,
        typer.Option(
            metavar=f"{'|'.join(SCHEMES)}|{NONE}",
            help="Scheme of the labels of spans; none: a tag for each word. \\[default: found from the labels, or bio]",
            autocompletion=offer((*SCHEMES, NONE)),
        ),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|FILE",
            help=f"Feature template: {', '.join(PRESETS)}, or a file. \\[default: what fits the labels]",
            autocompletion=offer(PRESETS),
        ),
    ] = None,
    dev: Annotated[
        str | None, typer.Option(metavar="FILE", help="Labelled file on which the page shows the model's score.")
    ] = None,
    port: Port = 8000,
    host: Host = "127.0.0.1",
    token: Annotated[
        str | None, typer.Option(metavar="TOKEN", help=f"Token that the page asks for. Better in the variable {TOKEN}.")
    ] = None,
    *,
    reading: ReadOptions,
) -> None:
    """Label text by hand, while a model learns and suggests.

    Open the address that it logs in a browser. The sentences that the model is least sure of come first. Each sentence
    that you accept is appended to FILE, which tagfield train reads, and is on the disk before the next one appears.
    Stop with Ctrl-C; the same command continues where you stopped.
    """
    run = started_server("annotate")
    from tagfield.apps.annotate.app import AnnotateApp

    with usage():
        secret = checked_token(host, token or os.environ.get(TOKEN))
        chosen = None if template is None else load_template(template, reading.columns)
    check_inputs(output, [*texts, dev, labels_from])
    check_target(output)
    start, saved = _models(model, output, [*texts, dev, labels_from])
    if start is not None and start.template is None:
        raise InputError(f"{model} was trained on attributes, not on words; annotate needs a model of words")
    if start is not None and chosen is not None:
        raise UsageError("the model has a template of its own; leave --template out")
    chosen = chosen if start is None else start.template
    pool = read_pool(texts, reading, () if chosen is None else chosen.columns)
    with ExitStack() as stack:
        file = stack.enter_context(LabelledFile(output, len(pool.roles), _beginnings(pool)))
        seen = [y for each in file.sentences for y in each.labels]
        if labels_from is not None:
            seen += read_files(labels_from, ReadOptions()).labels
        seen += () if start is None else start.label_names
        with usage():
            listed = () if labels is None else label_names(labels)
            labelling = find_labelling(listed, list(dict.fromkeys(seen)), scheme, template)
        learning = Learning(chosen or _template(pool, labelling), start)
        for sentence in pool.sentences[:1]:
            cells_for(learning.template, sentence)  # says what the template lacks
        held_out = None if dev is None else _held_out(dev, labelling)
        session = Session(pool, file, labelling, learning, model_path=saved, dev=held_out)
        stack.callback(session.close)
        _tell(pool, file, session)
        with usage():
            run(AnnotateApp(session, secret, None if secret else LOOPBACK | {host}), host, port)
        count = len(file)
    log("info", f"{count} sentences are in {output}", next=f"tagfield tag -m {shlex.quote(saved)} --text FILE")


def _models(given: str | None, output: str, inputs: list[str | None]) -> tuple[Model | None, str]:
    """The model to start from, and the file to save to."""
    root, ending = os.path.splitext(output)
    usual = f"{output if ending in ('.model', '.tagfield') else root}.model"
    if given is None or not os.path.exists(given):
        saved = usual if given is None else given
        check_model_target(saved, [*inputs, output])
        if os.path.exists(saved) and MADE not in Model.load(saved).info:
            raise UsageError(
                f"{saved} is another model, which would be replaced; name a new file with -m, or start from it"
            )
        return None, saved
    model = Model.load(given)
    if MADE in model.info:
        return None, given  # everything that it knows is in the labelled file
    return model, _models(None, output, inputs)[1]


def _template(pool: Pool, labelling: Labelling) -> Template:
    """The preset that fits; a preset of words where the columns are none that a preset reads."""
    words = [word for sentence in pool.sentences[:1000] for word in sentence.words]
    names = {f"B-{name}" for name in labelling.names or ("X",)} if labelling.scheme else set(labelling.names or ("X",))
    return fitting_template([*pool.roles, LABEL], names, words, "the texts")


def _beginnings(pool: Pool) -> Callable[[Sequence[Row]], bool]:
    """Whether rows are the beginning of a sentence of the pool, but not all of one."""

    def begins(rows: Sequence[Row]) -> bool:
        found = [each.tokens for each in pool.sentences if each.tokens[: len(rows)] == tuple(rows)]
        return bool(found) and all(len(tokens) > len(rows) for tokens in found)

    return begins


def _held_out(path: str, labelling: Labelling) -> list[Sentence]:
    found = list(read_files(path, ReadOptions()).sentences())
    for sentence in found:
        if labelling.scheme is not None:
            labelling.marks([label or "" for label in sentence.labels or ()])
    return found


def _tell(pool: Pool, file: LabelledFile, session: Session) -> None:
    for each in pool.found:
        log("info", each)
    if pool.repeated:
        log("info", f"{pool.repeated} sentences are repetitions, which are shown once")
    if file.cut:
        log("warning", "the last sentence of the file was unfinished and is to be labelled again", kept=file.cut)
    state = session.state()
    log(
        "info",
        f"{state['left']} of {len(pool)} sentences are to be labelled",
        output=file.path,
        model=session.model_path,
        template=session.template.name,
    )
