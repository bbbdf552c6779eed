"""`tagfield demo-data`: a synthetic corpus: two files of words and labels, and plain text to tag."""

import io
import os
import shlex
from pathlib import Path
from typing import Annotated, Any

import typer

from tagfield.cli.shared.exit_codes import UsageError
from tagfield.cli.shared.messages import AsJson, Messages, Quiet, print_json
from tagfield.cli.shared.training_options import offer
from tagfield.demo import addresses, mentions, plain_text, write_columns
from tagfield.demo.corpus import Sentence
from tagfield.errors import OutputError, did_you_mean
from tagfield.system.atomic import write_atomically
from tagfield.train.progress.figures import count

CORPORA = {"addresses": addresses, "mentions": mentions}
NEW = 10  # sentences of plain text


def demo_data(
    corpus: Annotated[
        str, typer.Argument(metavar="|".join(CORPORA), help="Name of the corpus.", autocompletion=offer(CORPORA))
    ],
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="DIR", help="Folder to write train.txt, test.txt and new.txt to.")
    ],
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed; the same seed gives the same files.")] = 0,
    train: Annotated[int, typer.Option(metavar="N", help="Number of sentences in train.txt.")] = 3000,
    test: Annotated[int, typer.Option(metavar="N", help="Number of sentences in test.txt.")] = 1000,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing files.")] = False,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Generate a small labelled corpus.

    [bold]addresses[/bold]: postal addresses of nine countries; nearly every word has a label.

    [bold]mentions[/bold]: support mails, orders and notes; most words are O.

    train.txt and test.txt have a word and its label on each line, and an empty line after each sentence. new.txt is
    plain text without labels, to try a model on.
    """
    if corpus not in CORPORA:
        raise UsageError(f"no corpus named {corpus!r}; {did_you_mean(corpus, CORPORA)}")
    if train < 1 or test < 1:
        raise UsageError(f"--train and --test must be at least 1, got {min(train, test)}")
    made = CORPORA[corpus](seed=seed, train=train, test=test)
    folder = Path(output)
    texts = {folder / "train.txt": _columns(made.train), folder / "test.txt": _columns(made.test)}
    new = CORPORA[corpus](seed=seed + 1, train=0, test=NEW).test
    texts[folder / "new.txt"] = "".join(plain_text(sentence) + "\n" for sentence in new).encode()
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
    for (path, text), sentences in zip(texts.items(), (made.train, made.test, new), strict=True):
        with write_atomically(path) as file:
            file.write(text)
        sizes.append({"file": os.fspath(path), "sentences": len(sentences), "tokens": sum(map(len, sentences))})
    names = [shlex.quote(os.fspath(folder / name)) for name in ("train.txt", "test.txt", "model", "new.txt")]
    if as_json:
        print_json({"corpus": corpus, "seed": seed, "files": sizes})
    else:
        for each in sizes:
            print(f"{each['file']}: {count(each['sentences'], 'sentence')}, {count(each['tokens'], 'token')}")
    Messages(quiet).note(f"next: tagfield train {names[0]} --dev {names[1]} -o {names[2]}")
    Messages(quiet).note(f"      tagfield tag -m {names[2]} --text --format inline {names[3]}")


def _columns(sentences: list[Sentence]) -> bytes:
    stream = io.StringIO()
    write_columns([[(word, label) for word, _, label in sentence] for sentence in sentences], stream)
    return stream.getvalue().encode()
