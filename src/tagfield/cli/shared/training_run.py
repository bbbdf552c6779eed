"""The work of `tagfield train`: read the data, train with a progress display, print a summary."""

import logging
import os
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tagfield.cli.shared.epoch_log import Log
from tagfield.cli.shared.interrupts import Interrupts, run_beside
from tagfield.cli.shared.messages import Messages, logging_to, print_json
from tagfield.data.corpus import Corpus, is_corpus, pack
from tagfield.data.encode import Encoded, encode_files
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import STDIN
from tagfield.data.text.templates.fitting import besides_words
from tagfield.data.text.templates.presets import load_template
from tagfield.data.text.templates.template import Template
from tagfield.errors import InputError, MemoryLimitError, OutputError
from tagfield.model.model import Model
from tagfield.train import Epoch, Settings, Trained, train
from tagfield.train.progress.figures import count, duration, objective, percent, size
from tagfield.train.progress.status import RunStatus, measured_on
from tagfield.train.progress.terminal import describe, open_progress

if TYPE_CHECKING:
    from tagfield.scale.cluster.training import Started

LONG = 100  # tokens; a file of one sentence with more has most likely lost its empty lines
WHERE = {"dev": "held-out data", "sample": "a sample of the training data", "training": "the training data"}


@dataclass(frozen=True)
class Data:
    """The files and their format."""

    train: list[str]
    dev: str | None
    template: str | None
    reading: ReadOptions

    def check(self) -> None:
        """Raise InputError for a bad template, and for options that have no effect."""
        if self.reading.format != "items":
            _ = self.loaded_template
            return
        given = {"--template": self.template, "--columns": self.reading.columns, "--add": self.reading.add or None}
        for flag in (flag for flag, value in given.items() if value is not None):
            raise InputError(f"{flag} has no effect on item files, which already contain attributes; leave it out")

    @cached_property
    def loaded_template(self) -> Template | None:
        """The template that was asked for; without one, the data decides."""
        return None if self.template is None else load_template(self.template, self.reading.columns, self.reading.add)

    @contextmanager
    def opened(self, console: Console, folder: str) -> Iterator[tuple[Encoded | Corpus, Encoded | None]]:
        """Training data, and held-out data; what does not fit into memory is packed into a folder within `folder`.

        That folder is removed at the end.
        """
        try:
            found = self.read(console)
        except MemoryLimitError as error:
            if STDIN in self.train or is_corpus(self.train[0]):
                raise
            found, reason = None, str(error).partition(";")[0]
        if found is not None:
            yield found
            return
        show_row(console, "", f"{reason}; packing the text into {folder} instead, as tagfield pack does")
        try:
            made = tempfile.mkdtemp(prefix="tagfield-corpus-", dir=folder)
        except OSError as failed:
            raise OutputError(
                f"cannot write into {folder!r}: {failed.strerror or failed}; choose another --work-dir"
            ) from None
        try:
            pack(self.train, made, template=self.loaded_template, reading=self.reading)
            yield replace(self, train=[made], template=None, reading=ReadOptions()).read(console)
        finally:
            shutil.rmtree(made, ignore_errors=True)

    def read(self, console: Console) -> tuple[Encoded | Corpus, Encoded | None]:
        """Training data, and held-out data encoded with the same vocabularies."""
        start = time.monotonic()
        encoded: Encoded | Corpus
        if is_corpus(self.train[0]):
            encoded = open_corpus(self.train, self.reading, self.template)
        else:
            encoded = encode_files(self.train, template=self.loaded_template, reading=self.reading)
        show_row(console, "input", describe_input(self.train[0], encoded))
        what = describe(len(encoded), encoded.tokens)
        sizes = f"{count(len(encoded.labels), 'label')}, {count(len(encoded.attributes), 'attribute')}"
        show_row(console, "train", f"{what}, {sizes}, read in {duration(time.monotonic() - start)}")
        if len(encoded) == 1 and encoded.tokens > LONG:
            show_row(console, "", "the whole file is one sentence; put an empty line after each sentence")
        if self.dev is None:
            return encoded, None
        held_out = encode_files(
            self.dev,
            template=encoded.template,
            reading=self.reading if encoded.template is not None else replace(self.reading, format="items"),
            attributes=encoded.attributes,
            labels=encoded.labels,
            edge_attributes=encoded.edges,
        )
        bare = held_out.dataset.first_unlabelled(held_out.gold)
        if bare is not None:
            raise InputError(f"{held_out.where(bare)}: the sequence has no labels, but --dev needs labelled data")
        show_row(console, "dev", describe(len(held_out), int(held_out.dataset.tokens[-1])))
        if held_out.unseen_labels:
            unseen = ", ".join(held_out.unseen_labels)
            show_row(console, "", f"labels missing from the training data, counted as errors: {unseen}")
        return encoded, held_out


def open_corpus(paths: list[str], reading: ReadOptions, template: str | None = None) -> Corpus:
    """The packed corpus that is named instead of files; InputError if other files or options are named with it."""
    if len(paths) > 1:
        raise InputError(f"{paths[0]}: this is a packed corpus, which is read alone; give one folder")
    if template is not None or reading != ReadOptions():
        raise InputError(
            f"{paths[0]}: the corpus is packed already, so --template and the options of reading have no effect; give "
            "them to tagfield pack"
        )
    return Corpus.open(paths[0])


def describe_input(path: str, encoded: Encoded | Corpus) -> str:
    """The line that says what a file was taken for, and which template reads it.

    >>> from tagfield.data.text.sources import Source
    >>> describe_input("a.txt", encode_files(Source("a.txt", b"The B-NP\\ndog I-NP\\n")))
    'a.txt: columns: word, label (space-separated, 2 labels); template ner'
    """
    name = "standard input" if path == STDIN else path
    if encoded.template is None:
        return f"{name}: {encoded.describe()}"
    others = besides_words(encoded.template)
    verb = "pack" if isinstance(encoded, Corpus) else "train"
    more = f" (reads {' and '.join(others)}; to label plain text, {verb} with --template ner)" if others else ""
    return f"{name}: {encoded.describe()}; template {encoded.template.name}{more}"


def train_with_progress(
    encoded: Encoded | Corpus,
    dev: Encoded | None,
    settings: Settings,
    messages: Messages,
    log: Log,
    run: Callable[..., Trained] = train,
    cluster: str = "",
) -> tuple[Trained, bool]:
    """Train with a progress display; returns the result and whether Ctrl-C stopped it.

    run: what trains, on this machine or on a cluster
    cluster: what to say while a cluster starts; empty if there is none
    """
    course = RunStatus.of(encoded, settings, dev=dev is not None, verbose=messages.verbose)
    progress = open_progress(course, messages.console)
    more: dict[str, Any] = {}

    def on_start(started: "Started") -> None:
        course.begin("the first pass")
        crew = f"{count(started.workers, 'worker')}, {count(started.shares, 'share')} of the sentences"
        show_row(messages.console, "cluster", f"{started.address}, {crew}, started in {duration(started.seconds)}")

    if cluster:
        course.first, more["on_start"] = "starting the cluster", on_start
        show_row(messages.console, "cluster", cluster)

    def on_epoch(epoch: Epoch) -> bool:
        progress.epoch(epoch)
        log.add(epoch)
        return interrupts.asked

    try:
        with (
            show_choices(messages.console),
            messages.library_log(),
            Interrupts(progress.stopping) as interrupts,
            progress,
        ):
            trained = run_beside(lambda: run(encoded, settings, dev=dev, on_epoch=on_epoch, **more))
    finally:
        log.close()
    if log.trouble:  # a failing log does not stop training
        print(f"tagfield: the log is incomplete: {log.trouble}; training continued without it", file=sys.stderr)
    return trained, interrupts.asked and not trained.converged


@contextmanager
def show_choices(console: Console) -> Iterator[None]:
    """Print what `--generator auto` tries."""

    class ToConsole(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            console.print(record.getMessage(), style="dim")

    with logging_to(ToConsole(), "tagfield.train.trainers.update_search"):
        yield


def summarise(
    messages: Messages, trained: Trained, model: Model, path: str, dev: str | None, interrupted: bool
) -> None:
    """Print the result, the model file, and commands to run next."""
    if messages.json:
        print_json(record(trained, model, path, interrupted))
        return
    console = Console(highlight=False)
    settings, best = trained.settings, trained.best
    unit = settings.recipe.unit
    end = "you pressed Ctrl-C" if interrupted else trained.stop_reason
    seconds = trained.history[-1].seconds if trained.history else 0.0
    passes = f"after {count(len(trained.history), unit)} and {duration(seconds)}"
    states, transitions = model.info["state_features"], model.info["transition_features"]
    edges = model.info.get("edge_features")
    features = f"{states:,} state{' and' if edges is None else ','} {transitions:,} transition"
    features += "" if edges is None else f" and {edges:,} edge"
    show_row(messages.console, "", "")
    show_row(console, "recipe", trained.describe())
    kept = f"the weights of {unit} {best.number}" if best.number else "the initial weights"
    show_row(console, "ended", f"{passes}: {end}; {kept} are kept")
    if trained.ending is not None:
        show_row(console, "weights", trained.ending.describe())
    if best.loss is not None:
        where = measured_on(settings, dev is not None).removesuffix(" loss")
        show_row(console, "loss", f"{best.loss:.4f} per token on {WHERE[where]}")
    elif best.number:
        show_row(console, "objective", objective(best.objective))
    if best.scores is not None:
        unit = "word" if best.scores.kind == "words" else "chunk"
        chunks = f", {unit} F1 {percent(best.scores.f1)}" if best.scores.has("f1") else ""
        show_row(console, "dev", f"token accuracy {percent(best.scores.accuracy)}{chunks}")
    weight = f", {size(Path(path).stat().st_size)}" if os.path.isfile(path) else ""
    show_row(console, "saved", f"{path}{weight}: {features} features", "green")
    data = shlex.quote(dev) if dev not in (None, "-") else "FILE"
    name = shlex.quote(path)
    show_row(messages.console, "next", f"tagfield eval -m {name} {data}", "cyan")
    words_alone = model.template is not None and not besides_words(model.template)
    show_row(messages.console, "", f"tagfield tag -m {name} {'--text FILE' if words_alone else data}", "cyan")


def record(trained: Trained, model: Model, path: str, interrupted: bool) -> dict[str, Any]:
    """The summary as a dict, for --json."""
    best = trained.best
    found: dict[str, Any] = {"model": path, "bytes": os.path.getsize(path) if os.path.isfile(path) else None}
    found |= {name: value for name, value in model.info.items() if name not in ("objective", "version")}
    found |= {"interrupted": interrupted, "kept": best.number, "objective": best.objective, "loss": best.loss}
    return found | ({} if best.scores is None else {"dev": best.scores.to_dict()})


def show_row(console: Console, name: str, text: str, style: str = "") -> None:
    """A line of the summary: a name and what there is to say."""
    if console.quiet:
        return
    if console.is_terminal:
        row = Table.grid()
        row.add_column(width=11, style="dim")
        row.add_column(overflow="fold")
        row.add_row(name, Text(text, style))
        console.print(row)
        return
    with suppress(OSError):  # rich would exit here; training must continue
        print(f"{name:<11}{text}".rstrip(), file=console.file, flush=True)
