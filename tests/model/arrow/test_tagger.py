"""arrow_tagger: a function that is sent to other processes, called as pandas, Spark and Ray call it."""

import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tagfield import Model, Settings
from tagfield.errors import InputError, TagfieldError
from tagfield.model.arrow import tagger

X = [["Anna", "left"], ["It", "left"]]
model = Model.train_words(X, [["B-PER", "O"], ["O", "O"]], settings=Settings("lbfgs", c2=0.05))
other = Model.train_words(X, [["O", "O"], ["B-PER", "O"]], settings=Settings("lbfgs", c2=0.05))
TEXTS = ["Anna left", None, "", "It left. Anna left"]
NAMES = [["Anna"], None, [], ["Anna"]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    model.save(tmp_path / "names.tagfield")
    return tmp_path / "names.tagfield"


def found(spans) -> list:
    return [row if row is None else [span["text"] for span in row] for row in spans]


def test_batches_of_pandas_as_mapInPandas_hands_them_over(path: Path) -> None:
    tag = pickle.loads(pickle.dumps(Model.arrow_tagger(path)))
    frames = [pd.DataFrame({"id": range(k, k + 4), "text": TEXTS}, index=[3, 1, 1, 0]) for k in (0, 4)]
    tagged = tag(iter(frames))
    assert isinstance(tagged, Iterator)
    for before, after in zip(frames, tagged, strict=True):
        assert after.columns.tolist() == ["id", "text", "spans"]
        assert after[["id", "text"]].equals(before)
        assert found(after["spans"]) == NAMES
    assert list(tag(iter([]))) == []
    assert tag(frames[0].head(0)).columns.tolist() == ["id", "text", "spans"]


def test_batches_of_arrow_as_mapInArrow_hands_them_over(path: Path) -> None:
    tag = pickle.loads(pickle.dumps(Model.arrow_tagger(path, probabilities=False)))
    batch = pa.RecordBatch.from_pydict({"id": range(4), "text": TEXTS})
    for after in tag(iter([batch, batch.slice(1)])):
        assert isinstance(after, pa.RecordBatch)
        assert after.equals(model.tag_arrow(batch.slice(4 - after.num_rows), probabilities=False))
    reader = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    assert found(tag(reader).read_all()["spans"].to_pylist()) == NAMES


def test_batches_of_arrays_as_ray_hands_them_over(path: Path) -> None:
    tag = Model.arrow_tagger(path, column="words")
    same = tag({"words": np.array([["Anna", "left"], ["It", "left"]], object), "id": np.arange(2)})
    assert same["labels"].tolist() == [["B-PER", "O"], ["O", "O"]]
    assert same["id"].tolist() == [0, 1]
    rows = np.empty(2, object)
    rows[:] = [np.array(["Anna"]), np.array([], object)]
    assert tag({"words": rows})["labels"].tolist() == [["B-PER"], []]


def test_other_columns_may_hold_anything(path: Path) -> None:
    frame = pd.DataFrame({"text": ["Anna left"], "mixed": [object()], "sets": [{1, "a"}]})
    assert found(Model.arrow_tagger(path)(frame)["spans"]) == [["Anna"]]


def test_a_process_loads_a_file_once_and_again_when_it_has_changed(path: Path) -> None:
    loads = []

    def load(name: str) -> Model:
        loads.append(name)
        return Model.load(name)

    tag = tagger.ArrowTagger(load, str(path), tagger.Options())
    for _ in range(3):
        assert found(tag(pa.table({"text": TEXTS}))["spans"].to_pylist()) == NAMES
    assert loads == [str(path)]
    other.save(path)
    assert found(tag(pa.table({"text": ["Anna left", "It left"]}))["spans"].to_pylist()) == [[], ["It"]]
    assert len(loads) == 2


def test_another_process_gets_the_path_or_the_model(path: Path) -> None:
    code = (
        "import pickle, sys, pandas\n"
        "for _ in range(2):\n"
        "    tag = pickle.load(sys.stdin.buffer)\n"
        "    [frame] = tag(iter([pandas.DataFrame({'text': ['Anna left']})]))\n"
        "    print([[span['text'] for span in row] for row in frame['spans']])"
    )
    by_path, whole = (pickle.dumps(Model.arrow_tagger(given)) for given in (path, model))
    assert len(by_path) < 2_000
    done = subprocess.run([sys.executable, "-c", code], input=by_path + whole, capture_output=True, check=True)
    assert done.stdout.decode().splitlines() == ["[['Anna']]"] * 2


def test_what_is_wrong_is_said_where_the_tagger_is_made(tmp_path: Path, path: Path) -> None:
    with pytest.raises(TagfieldError, match=r"missing\.tagfield"):
        Model.arrow_tagger(tmp_path / "missing.tagfield")
    with pytest.raises(InputError, match="tag_arrow has no option 'thread'; did you mean 'threads'"):
        Model.arrow_tagger(path, thread=2)
    tag = Model.arrow_tagger(path)
    with pytest.raises(InputError, match="column 'text' must hold strings or lists of strings"):
        tag(pd.DataFrame({"text": ["a", 1]}))
    with pytest.raises(InputError, match="the table has no column named 'body'"):
        Model.arrow_tagger(path, "body")(pd.DataFrame({"text": ["a"]}))
