"""`tagfield demo-data`: a synthetic corpus, as two column files."""

import io
import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from tagfield.atomic import write_atomically
from tagfield.cli.exits import UsageError
from tagfield.cli.figures import count
from tagfield.cli.options import offer
from tagfield.cli.voice import AsJson, Quiet, Voice, print_json
from tagfield.errors import OutputError, did_you_mean
from tagfield.experiment.demo import addresses, mentions, write_columns
from tagfield.experiment.demo.corpus import Sentence

CORPORA = {"addresses": addresses, "mentions": mentions}


def demo_data(
    corpus: Annotated[
        str, typer.Argument(metavar="|".join(CORPORA), help="Name of the corpus.", autocompletion=offer(CORPORA))
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder to write train.txt and test.txt to.")
    ],
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed; the same seed gives the same files.")] = 0,
    train: Annotated[int, typer.Option(metavar="N", help="Number of sentences in train.txt.")] = 3000,
    test: Annotated[int, typer.Option(metavar="N", help="Number of sentences in test.txt.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite train.txt and test.txt.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Generate a small labelled corpus.

    [bold]addresses[/bold]: postal addresses of nine countries; nearly every word has a label.

    [bold]mentions[/bold]: support mails, orders and notes; most words are O.

    The columns are word, shape and label, in the order that --template chunking expects.
    """
    if corpus not in CORPORA:
        raise UsageError(f"no corpus named {corpus!r}; {did_you_mean(corpus, CORPORA)}")
    if train < 1 or test < 1:
        raise UsageError(f"--train and --test must be at least 1, got {min(train, test)}")
    made = CORPORA[corpus](seed=seed, train=train, test=test)
    folder = Path(output)
    texts = {folder / "train.txt": _text(made.train), folder / "test.txt": _text(made.test)}
    for path, text in texts.items():
        if not force and path.is_file() and path.read_bytes() != text:
            raise OutputError(
                f"{path} exists with different content; choose another folder, or overwrite it with --force"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot create folder {output!r}: {error.strerror or error}") from None
    sizes: list[dict[str, Any]] = []
    for (path, text), sentences in zip(texts.items(), (made.train, made.test), strict=True):
        with write_atomically(path) as file:
            file.write(text)
        sizes.append({"file": os.fspath(path), "sentences": len(sentences), "tokens": sum(map(len, sentences))})
    names = [shlex.quote(os.fspath(path)) for path in (*texts, folder / "model")]
    if as_json:
        print_json({"corpus": corpus, "seed": seed, "files": sizes})
    else:
        for each in sizes:
            print(f"{each['file']}: {count(each['sentences'], 'sentence')}, {count(each['tokens'], 'token')}")
    Voice(quiet).note(f"next: tagfield train {names[0]} --dev {names[1]} -o {names[2]}")


def _text(sentences: list[Sentence]) -> bytes:
    stream = io.StringIO()
    write_columns(sentences, stream)
    return stream.getvalue().encode()
