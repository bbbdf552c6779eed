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
    "write": Target(method(lambda folder: write(read_text(), folder / "out.conll"))),
}


def read_text() -> list[object]:
    """Some records."""
    from tagfield.data.text.sources import Source

    return list(read(Source("data.txt", TEXT.encode())))
