"""Rows from Python: names of labels from the features of a dataset, and rows that are none."""

from types import SimpleNamespace
from typing import Any

import pytest

from tagfield.data.text.reading import read
from tagfield.errors import InputError


class Rows(list[dict[str, Any]]):
    """Rows with the features of a Hugging Face dataset: only `features`, `feature` and `names` are asked for."""

    def __init__(self, rows: list[dict[str, Any]], features: dict[str, Any]) -> None:
        super().__init__(rows)
        self.features = features


@pytest.mark.parametrize("nested", [lambda label: SimpleNamespace(feature=label), lambda label: [label]])
def test_numbers_get_the_names_of_the_features(nested: Any) -> None:
    names = nested(SimpleNamespace(names=["O", "B-PER"]))
    tags = nested(SimpleNamespace(names=["NN", "VB"]))
    features = {"tokens": nested(SimpleNamespace(dtype="string")), "ner_tags": names, "pos_tags": tags}
    rows = [{"id": "0", "tokens": ["Anna", "sings"], "ner_tags": [1, 0], "pos_tags": [0, 1]}]
    [sentence] = read(Rows(rows, features)).sentences()
    assert (sentence.labels, sentence.column("pos")) == (("B-PER", "O"), ("NN", "VB"))
    with pytest.raises(InputError, match="row 0, ner_tags: 5 has no name; the dataset names 2 labels"):
        read(Rows([{"tokens": ["a"], "ner_tags": [5]}], features))


def test_a_dataset_of_hugging_face_is_read() -> None:
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets is not installed")
    import pyarrow

    label = datasets.Sequence(datasets.ClassLabel(names=["O", "B-PER"]))
    features = datasets.Features({"tokens": datasets.Sequence(datasets.Value("string")), "ner_tags": label})
    table = pyarrow.table({"tokens": [["Anna", "sings"]], "ner_tags": [[1, 0]]}).cast(features.arrow_schema)
    made = datasets.Dataset(table, info=datasets.DatasetInfo(features=features), fingerprint="none")
    assert [s.labels for s in read(made).sentences()] == [("B-PER", "O")]
    assert [s.labels for s in read(made.with_format("numpy")).sentences()] == [("B-PER", "O")]


def test_rows_and_options_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="row 0: found int; a row is a dict"):
        read([3])
    with pytest.raises(InputError, match="no option named 'colums'"):
        read([], colums="w y")
