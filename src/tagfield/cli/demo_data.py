"""`tagfield demo-data`: a corpus from a seed, as two column files."""

import io
import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from tagfield.atomic import write_atomically
from tagfield.cli.figures import count
from tagfield.errors import InputError, OutputError
from tagfield.text.demo import addresses, mentions, write_columns
from tagfield.text.demo.corpus import Sentence

CORPORA = {"addresses": addresses, "mentions": mentions}


def demo_data(
    corpus: Annotated[str, typer.Argument(metavar="|".join(CORPORA), help="Which corpus.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="DIR", help="The folder to write to.")],
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same text.")] = 0,
    train: Annotated[int, typer.Option(metavar="N", help="Sentences in train.txt.")] = 3000,
    test: Annotated[int, typer.Option(metavar="N", help="Sentences in test.txt.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Replace other files of the same names.")] = False,
) -> None:
    """Write a corpus to try things on, made from a seed.

    [bold]addresses[/bold]: postal addresses of nine countries, nearly every word labelled.

    [bold]mentions[/bold]: support mails, orders and notes, where most words are O.

    Both are columns of word, shape and label, as --template chunking reads them.
    """
    if corpus not in CORPORA:
        raise InputError(f"there is no corpus {corpus!r}; choose one of {', '.join(CORPORA)}")
    if train < 1 or test < 1:
        raise InputError(f"each file holds at least one sentence, not {min(train, test)}")
    made = CORPORA[corpus](seed=seed, train=train, test=test)
    folder = Path(output)
    texts = {folder / "train.txt": _text(made.train), folder / "test.txt": _text(made.test)}
    for path, text in texts.items():
        if not force and path.is_file() and path.read_bytes() != text:
            raise OutputError(
                f"{path}: a file with other content is already there; choose another folder, or --force"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {output!r}: {error.strerror or error}") from None
    for (path, text), sentences in zip(texts.items(), (made.train, made.test), strict=True):
        with write_atomically(path) as file:
            file.write(text)
        print(f"{path}: {count(len(sentences), 'sentence')}, {count(sum(map(len, sentences)), 'token')}")
    names = [shlex.quote(os.fspath(path)) for path in (*texts, folder / "model")]
    print(f"next: tagfield train {names[0]} --dev {names[1]} -o {names[2]}")


def _text(sentences: list[Sentence]) -> bytes:
    stream = io.StringIO()
    write_columns(sentences, stream)
    return stream.getvalue().encode()
