"""Arrow tables: compare tag_arrow with to_pylist, tag_words and pa.array, which give the same column.

Usage: arrow.py FOLDER [--quick], with train.txt and test.txt of CoNLL-2000 in FOLDER. The table has the words of
test.txt eight times over. Wall clock, the rows taking turns, medians.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from pathlib import Path

import peer
import pyarrow as pa
from timing import asked, clock, head, machine, round_robin, row

from tagfield import Model, Settings

TIMES = 8


def words_of(path: Path) -> tuple[list[list[str]], list[list[str]]]:
    """The words and the labels of a file."""
    sentences = peer.read(path)
    return [[cells[0] for cells in s] for s in sentences], [[cells[2] for cells in s] for s in sentences]


def main(folder: Path, repeats: int) -> None:
    model = Model.train_words(*words_of(folder / "train.txt"), template="words", settings=Settings(epochs=3))
    table = pa.table({"tokens": words_of(folder / "test.txt")[0] * TIMES})

    def with_lists() -> pa.Table:
        labels = model.tag_words(table["tokens"].to_pylist())
        return table.append_column("labels", pa.array(labels))

    assert with_lists()["labels"].to_pylist() == model.tag_arrow(table)["labels"].to_pylist()
    rows = {
        "to_pylist, tag_words, pa.array": with_lists,
        "tag_arrow": lambda: model.tag_arrow(table),
        "tag_arrow, 2 threads": lambda: model.tag_arrow(table, threads=2),
    }
    seconds = round_robin([lambda work=work: clock(work) for work in rows.values()], repeats)
    print(machine())
    head(
        f"{table.num_rows:,} sentences, {sum(map(len, table['tokens'].to_pylist())):,} tokens",
        "seconds",
        "times faster",
    )
    for name, each in zip(rows, seconds, strict=True):
        row(name, f"{each:.3f} s", f"{seconds[0] / each:.1f}")


if __name__ == "__main__":
    given = asked(__doc__)
    main(given.folder, 1 if given.quick else 7)
