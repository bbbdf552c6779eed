"""Everything that writes a file, as a function of the folder that it writes to, and how to see that a file is whole."""

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tagfield import CRF, Model, Settings, encode_sequences, read, write, write_errors_page
from tagfield.cli.commands import run
from tagfield.data.dataset import Dataset
from tagfield.system.storage import load_tensors

TEXT = "".join(f"word{k % 7} {'B-X' if k % 3 else 'O'}\n" + ("\n" if k % 4 == 3 else "") for k in range(80))
X = [[[f"a{k}", "b"] for k in range(5)]] * 4
Y = [["P", "Q", "P", "Q", "P"]] * 4


class Target(NamedTuple):
    """What writes, and the check that one of its files is whole; None: it is the same in every run, bit for bit."""

    act: Callable[[Path, Path], int]  # input folder, folder to write to ─▶ exit code
    whole: Callable[[Path], bool] | None = None


def command(*arguments: str) -> Callable[[Path, Path], int]:
    """A command; IN and OUT stand for the two folders."""

    def act(given: Path, folder: Path) -> int:
        return run([each.replace("IN", str(given)).replace("OUT", str(folder)) for each in arguments])

    return act


def method(call: Callable[[Path], object]) -> Callable[[Path, Path], int]:
    """A method that writes to a path in the folder; an error that tagfield raises is one line on stderr."""

    def act(given: Path, folder: Path) -> int:
        from tagfield.errors import TagfieldError

        try:
            call(folder)
        except TagfieldError as error:
            print(f"tagfield: {error}", file=sys.stderr)
            return 1
        return 0

    return act


def is_model(path: Path) -> bool:
    return len(Model.load(path).labels) >= 2


def is_json_lines(path: Path) -> bool:
    """A log is written line by line, and only its last line may be cut."""
    lines = path.read_text().split("\n")
    return all(isinstance(json.loads(line), dict) for line in lines[:-1])


def is_result(path: Path) -> bool:
    if path.name.endswith(".jsonl"):
        return is_json_lines(path)
    return is_model(path)


def is_settings(path: Path) -> bool:
    return path.suffix != ".toml" or bool(tomllib.loads(path.read_text()))


def is_dataset(path: Path) -> bool:
    return len(Dataset.from_arrays(load_tensors(path)[0])) == 4


def is_packed(path: Path) -> bool:
    """A file of a corpus, or of a run that packs one."""
    if path.suffix == ".json":
        return isinstance(json.loads(path.read_text()), dict)
    return path.suffix == ".lock" or bool(load_tensors(path)[0])


def label(given: Path, folder: Path) -> int:
    """Label and take back in a file of annotate; given/acknowledged has what was done, and what was begun."""
    from tagfield.apps.annotate.labelled_file import LabelledFile
    from tagfield.errors import TagfieldError

    try:
        with (given / "acknowledged").open("w") as said, LabelledFile(str(folder / "model-labelled.txt")) as file:

            def tell(more: list[list[str]] | None, less: int = 0) -> None:
                state = [[row[0] for row in each.rows] for each in file.sentences]
                state = (state[:-less] if less else state) + (more or [])
                said.write(json.dumps(state) + "\n")
                said.flush()

            tell(None)
            try:
                for number in range(6):
                    words = [f"word{number}", "and", "more"]
                    tell([words])
                    added = file.append([(word,) for word in words], ["B-X", "O", "O"])
                    tell(None)
                    if number % 2:
                        tell(None, 1)
                        file.take_back(added)
                        tell(None)
            except TagfieldError:
                tell(None)
                tell(None)  # it was refused, so nothing of it may stay
                raise
    except TagfieldError as error:
        print(f"tagfield: {error}", file=sys.stderr)
        return 1
    return 0


def is_labelled(path: Path) -> bool:
    """The sentences are those that were acknowledged last, or those of the change that was under way."""
    if ".kept-" in path.name:
        return True
    from tagfield.apps.annotate.labelled_lines import parse

    known = (path.parent.parent / "given" / "acknowledged").read_text().split("\n")[:-1]
    blocks, _ = parse(path.read_bytes(), 1, lambda rows: False, path.name)
    found = [[row[0] for row in block.sentence.rows] for block in blocks]
    return found in [json.loads(line) for line in known[-2:]] or (not known and not found)


ENCODED = encode_sequences(X, Y)
MODEL = Model.train(ENCODED, Settings("lbfgs", epochs=3))
ESTIMATOR = CRF(max_iterations=3).fit(X, Y)


def stream() -> Model:
    """A model with the state of a stream: more arrays, so more writes."""
    crf = CRF(algorithm="sgd")
    crf.partial_fit(X, Y, classes=["P", "Q"])
    return crf.model_  # type: ignore[no-any-return]


STREAM = stream()

TARGETS: dict[str, Target] = {
    "train": Target(command("train", "IN/data.txt", "-o", "OUT/model", "--epochs", "2", "-q"), is_model),
    "train --log": Target(
        command("train", "IN/data.txt", "-o", "OUT/model", "--log", "OUT/log.jsonl", "--epochs", "3", "-q"), is_result
    ),
    "pack": Target(command("pack", "IN/data.txt", "-o", "OUT/corpus", "--shard-size", "1MB", "-q"), is_packed),
    "pack --min-count": Target(command("pack", "IN/data.txt", "-o", "OUT/corpus", "--min-count", "2", "-q"), is_packed),
    "convert": Target(command("convert", "IN/data.txt", "OUT/data.jsonl")),
    "write_errors_page": Target(
        method(lambda folder: write_errors_page(MODEL, (X, [["Q", "P", "P", "Q", "P"]] * 4), folder / "errors.html"))
    ),
    "convert to items": Target(command("convert", "IN/data.txt", "OUT/data.items")),
    "convert to brat": Target(command("convert", "IN/data.txt", "OUT/brat", "--to", "brat")),
    "demo-data": Target(command("demo-data", "addresses", "-o", "OUT", "--train", "30", "--test", "9", "--force")),
    "tune": Target(
        command("tune", "IN/data.txt", "-o", "OUT/best.toml", "--budget", "4", "--folds", "2", "--workers", "1"),
        is_settings,
    ),
    "responses": Target(command("responses", "-o", "OUT/f.svg"), lambda path: path.read_bytes().endswith(b"</svg>\n")),
    "Model.save": Target(method(lambda folder: MODEL.save(folder / "model"))),
    "Model.save of a stream": Target(method(lambda folder: STREAM.save(folder / "model"))),
    "CRF.save": Target(method(lambda folder: ESTIMATOR.save(folder / "model"))),
    "CRF.fit": Target(
        method(lambda folder: CRF(max_iterations=2, model_filename=str(folder / "model")).fit(X, Y)), is_model
    ),
    "Dataset.save": Target(method(lambda folder: ENCODED.dataset.save(folder / "data")), is_dataset),
    "annotate": Target(label, is_labelled),
    "write": Target(method(lambda folder: write(read_text(), folder / "out.conll"))),
}


def read_text() -> list[object]:
    """Some records."""
    from tagfield.data.text.sources import Source

    return list(read(Source("data.txt", TEXT.encode())))
