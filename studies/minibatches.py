"""How the size of mini-batches changes an update: accuracy, F1, and the bias on skewed labels.

    recipe × b × sum or mean ─▶ trains on nine tenths of the training data, its rate calibrated
                                    └─▶ on the other tenth: accuracy, F1, P(not O), recall of tokens that are not O

A saturating f gives a large u hardly more weight than a small one, so b sentences that agree count for less than each
of them alone. If most tokens are O, this takes probability from the rare labels. With means and a large b every u is
small, f is almost linear, and the bias disappears.

P(not O) is also measured on the nine tenths: there plain gradients end with the share of the labels, and any difference
is the bias itself. On the held-out tenth, unseen names lower it for every recipe.

Only training data is used. Finished runs are saved in `minibatches.json`; another call trains the missing ones.
"""

import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tagfield.compare.line_styles import style_of
from tagfield.compare.plots import LOOK, requires_matplotlib
from tagfield.compare.shared_data import fingerprint
from tagfield.compare.tune_recipes import parts
from tagfield.data.encode import Encoded, encode_files
from tagfield.errors import InputError, TrainingError
from tagfield.evaluate import label_kind
from tagfield.inference.decoder import Decoder
from tagfield.system.atomic import write_atomically
from tagfield.train import Settings, train
from tagfield.train.loop.held_out import fitting, held_out_scorer
from tagfield.train.problem.problem import Problem

FILE = "minibatches.json"
CORPORA = {"wnut17": "words", "conll2000": "chunking"}  # folder of the data, and its template
RECIPES = ("sgd", "u2.g1")
SIZES = (1, 8, 64, 512, 10**9)  # the last is the whole corpus
EPOCHS, C2 = 20, 0.1
SENTENCES = 3000  # of each corpus, so that the study takes a few minutes
OUTSIDE = "O"
SHOWN = {
    "accuracy": "token accuracy, %",
    "f1": "F1, %",
    "fitted": "P(not O) in training, % of gold",
    "recall": "recall of what is not O, %",
}


@dataclass(frozen=True)
class Cell:
    """A point of the study."""

    corpus: str
    recipe: str
    size: int
    mean: bool

    @property
    def key(self) -> str:
        """Its name in the file.

        >>> Cell("wnut17", "u2.g1", 8, True).key, Cell("wnut17", "sgd", 10**9, False).key
        ('wnut17/u2.g1/mean of 8', 'wnut17/sgd/sum of all')
        """
        many = "all" if self.size == SIZES[-1] else str(self.size)
        return f"{self.corpus}/{self.recipe}/{'mean' if self.mean else 'sum'} of {many}"

    def settings(self, epochs: int) -> Settings:
        mean = self.mean and self.size > 1
        return Settings.of(self.recipe, minibatch=self.size, minibatch_mean=mean, c2=C2, epochs=epochs, period=0)


@dataclass(frozen=True)
class Figures:
    """The results of a run on the held-out tenth."""

    accuracy: float
    f1: float
    fitted: float  # mean P(not O) of a training token, relative to the share of them that are not O
    share: float  # the same of the held-out tokens
    recall: float  # of the tokens that are not O, those that got their label
    rate: float
    epochs: int
    reason: str


def cells(corpora: tuple[str, ...] = tuple(CORPORA)) -> list[Cell]:
    """Every point; a mini-batch of one sentence is its own mean.

    >>> len(cells())
    36
    """
    each = [(1, False), *((size, mean) for size in SIZES[1:] for mean in (False, True))]
    return [Cell(corpus, recipe, size, mean) for corpus in corpora for recipe in RECIPES for size, mean in each]


def run(cell: Cell, known: Encoded, held_out: Encoded, epochs: int = EPOCHS) -> Figures:
    """Train one cell and score the held-out data."""
    settings = cell.settings(epochs)
    trained = train(known, settings)
    problem = Problem.of(known, settings)
    dataset = fitting(held_out, trained.attributes, trained.edges)
    scores = held_out_scorer(held_out, dataset, problem, label_kind(known.labels.strings()))(trained.weights)
    field = trained.features.field(trained.weights)
    decoders = [Decoder(field, part, threads=settings.thread_count) for part in (known, held_out)]
    inside = held_out.gold != _outside(held_out)
    right = decoders[1].best() == held_out.gold
    return Figures(
        float(scores.accuracy),
        float(scores.f1),
        _share(decoders[0], known),
        _share(decoders[1], held_out),
        float(right[inside].mean()) if inside.any() else 1.0,
        float(trained.settings.recipe.rate),
        len(trained.history),
        trained.stop_reason,
    )


def _outside(data: Encoded) -> int:
    names = data.names.strings()
    return names.index(OUTSIDE) if OUTSIDE in names else -1


def _share(decoder: Decoder, data: Encoded) -> float:
    """The mean of P(not O), relative to the share of tokens that are not O."""
    outside = _outside(data)
    mass = 1 - float(decoder.marginals()[:, outside].mean(dtype=float)) if outside >= 0 else 1.0
    return mass / max(1e-12, float((data.gold != outside).mean()))


def study(
    data_folder: str | os.PathLike[str],
    out_folder: str | os.PathLike[str],
    *,
    corpora: tuple[str, ...] = tuple(CORPORA),
    epochs: int = EPOCHS,
    say: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Run what `out_folder` does not have yet, and return everything: {"about": …, "runs": {key: figures}}.

    data_folder: has a folder for each corpus, with train.txt in it
    """
    path = Path(out_folder) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    about: dict[str, Any] = {"epochs": epochs, "c2": C2, "held_out": "a tenth of the training data", "data": {}}
    data = {}
    for corpus in corpora:
        file = Path(data_folder) / corpus / "train.txt"
        if not file.is_file():
            raise InputError(f"no {corpus}/train.txt in {str(data_folder)!r}; give the folder of the corpora")
        read = encode_files(file, template=CORPORA[corpus])
        data[corpus] = parts(read.take(np.arange(min(SENTENCES, len(read)))))
        about["data"][corpus] = fingerprint(*data[corpus])
    found = json.loads(path.read_text()) if path.exists() else {}
    runs: dict[str, Any] = found.get("runs", {}) if found.get("about") == about else {}
    for cell in cells(corpora):
        if cell.key in runs:
            continue
        try:
            runs[cell.key] = asdict(cell) | asdict(run(cell, *data[cell.corpus], epochs))
        except TrainingError as error:
            runs[cell.key] = asdict(cell) | {"failed": str(error)}
        with write_atomically(path) as out:
            out.write(json.dumps({"about": about, "runs": runs}, indent=1, ensure_ascii=False).encode())
        say(f"{cell.key}: {_words(runs[cell.key])}")
    return {"about": about, "runs": runs}


def table(results: dict[str, Any]) -> str:
    """The runs as a Markdown table, a row for each.

    >>> row = {"corpus": "c", "recipe": "sgd", "size": 8, "mean": False, "accuracy": 0.9, "f1": 0.5, "share": 0.8}
    >>> print(table({"runs": {"": row | {"fitted": 1.0, "recall": 0.25, "rate": 0.1}}}).splitlines()[-1])
    | c | sgd | 8 | sum | 0.1 | 90.00 | 50.00 | 100.0 | 80.0 | 25.00 |
    """
    head = [
        "corpus",
        "recipe",
        "b",
        "over",
        "rate",
        "accuracy",
        "F1",
        "P(not O), training",
        "P(not O)",
        "recall, not O",
    ]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * 4 + ["---:"] * 6) + " |"]
    for row in results["runs"].values():
        many = "all" if row["size"] == SIZES[-1] else str(row["size"])
        over = "one" if row["size"] == 1 else "mean" if row["mean"] else "sum"
        figures = ["failed", *["–"] * 5]
        if "rate" in row:
            shown = [("accuracy", 2), ("f1", 2), ("fitted", 1), ("share", 1), ("recall", 2)]
            figures = [f"{row['rate']:.3g}", *(f"{100 * row[name]:.{digits}f}" for name, digits in shown)]
        lines.append("| " + " | ".join([row["corpus"], row["recipe"], many, over, *figures]) + " |")
    return "\n".join(lines)


def figure(results: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Draws the four figures over b, a row of panels for each corpus: a line for each recipe, over sums and means."""
    matplotlib = requires_matplotlib()
    from matplotlib.figure import Figure

    rows = [row for row in results["runs"].values() if "rate" in row]
    corpora = list(dict.fromkeys(row["corpus"] for row in rows))
    with matplotlib.rc_context(LOOK):
        drawn = Figure(figsize=(9.6, 2.6 * len(corpora)), layout="constrained")
        axes = drawn.subplots(len(corpora), len(SHOWN), squeeze=False)
        for line, corpus in zip(axes, corpora, strict=True):
            for axis, (name, title) in zip(line, SHOWN.items(), strict=True):
                for recipe in RECIPES:
                    style = style_of(recipe)
                    for mean in (False, True):
                        own = [r for r in rows if (r["corpus"], r["recipe"]) == (corpus, recipe)]
                        points = {r["size"]: 100 * r[name] for r in own if r["mean"] == mean or r["size"] == 1}
                        at = [SIZES.index(size) for size in sorted(points)]
                        label = f"{style.label}, {'means' if mean else 'sums'}"
                        look: dict[str, Any] = {"color": style.colour, "marker": style.marker, "markersize": 4}
                        axis.plot(
                            at, [points[size] for size in sorted(points)], "--" if mean else "-", label=label, **look
                        )
                axis.set_xticks(range(len(SIZES)), [*map(str, SIZES[:-1]), "all"])
                axis.set_title(f"{corpus}: {title}", fontsize=7.5)
                axis.set_xlabel("b")
                axis.grid(visible=True)
        drawn.legend(*axes[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
        kind = Path(path).suffix[1:] or "png"
        metadata: Any = {"Date": None} if kind == "svg" else {"Software": None}
        with write_atomically(path) as file:
            drawn.savefig(file, format=kind, dpi=150, metadata=metadata)


def _words(row: dict[str, Any]) -> str:
    if "failed" in row:
        return str(row["failed"])
    return (
        ", ".join(f"{name} {100 * row[name]:.2f}" for name in ("accuracy", "f1", "fitted", "share", "recall"))
        + f", rate {row['rate']:.3g}"
    )


def main(data_folder: str, out_folder: str, **options: Any) -> None:
    """The study with its table and figure: `python -m studies.minibatches DATA OUT`."""
    results = study(data_folder, out_folder, say=print, **options)
    figure(results, Path(out_folder) / "minibatches.svg")
    with write_atomically(Path(out_folder) / "minibatches.md") as file:
        file.write(table(results).encode() + b"\n")


if __name__ == "__main__":
    import sys

    main(*sys.argv[1:3])
