"""What a model of CRF++ holds: attributes, edge attributes and transitions; content that does not fit is refused."""

from typing import Any

import numpy as np
import pytest

from tagfield.errors import ModelFileError
from tagfield.model.formats.crfpp_model import Found, parts_of

FOUND = Found(
    name="m",
    size=1000,
    labels=[b"X", b"Y"],
    templates=[b"U00:%x[0,0]", b"B", b"B01:%x[0,1]"],
    columns=2,
    ids=np.array([6, 0, 4]),
    names=[b"B01:N", b"B", b"U00:dog"],
    weight=np.arange(10.0),
    about={"version": 100},
)


def read(**changes: Any) -> Any:
    return parts_of(FOUND._replace(**changes), "crfpp", np.float64)


def test_units_are_attributes_and_pairs_are_edge_attributes_or_transitions() -> None:
    parts = read()
    assert parts.attributes.strings() == ["U00:dog"]
    assert parts.features.row(parts.weights, 0).tolist() == [4.0, 5.0]
    assert parts.edges.strings() == ["B01:N"]
    assert parts.weights.transitions().tolist() == [[0.0, 1.0], [2.0, 3.0]]
    assert parts.template.columns == ("w", "x1", "y")
    assert [pattern.text for pattern in parts.template.transitions] == ["B01:%x[0,1]"]


def test_a_constant_pair_that_is_listed_twice_counts_twice() -> None:
    parts = read(templates=[*FOUND.templates, b"B"])
    assert parts.weights.transitions().tolist() == [[0.0, 2.0], [4.0, 6.0]]


def test_what_writing_the_file_again_needs_is_kept() -> None:
    info = read().info
    assert (info["format"], info["trained_by"]) == ("crfpp", "CRF++")
    kept = {key: info["crfpp"][key] for key in ("version", "columns", "templates")}
    assert kept == {"version": 100, "columns": 2, "templates": ["U00:%x[0,0]", "B", "B01:%x[0,1]"]}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"labels": []}, "it has 0 labels"),
        ({"labels": [b"X"] * 70_000}, "it has 70,000 labels"),
        ({"columns": 0}, "its templates read 0 columns"),
        ({"columns": 5000}, "its templates read 5,000 columns"),
        ({"weight": np.array([*range(9), np.inf])}, "a weight is not a finite number"),
        ({"weight": np.arange(11.0)}, "do not share its 11 weights without gaps and overlaps"),
        ({"ids": np.array([5, 0, 4])}, "without gaps and overlaps"),
        ({"labels": [b"X", b"X"]}, "occurs twice"),
        ({"templates": [b"U00:%x[0,0]", b"B"]}, "no template makes the feature 'B01:N'"),
        ({"templates": [b"U%x[0,2]"]}, r"the template 'U%x\[0,2\]' reads column 2 of 2"),
    ],
)
def test_content_that_does_not_fit_together_is_damage(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ModelFileError, match=f"^'m' is damaged: .*{said}"):
        read(**changes)


def test_a_few_names_of_another_encoding_are_let_through() -> None:
    names = [b"B01:N", b"B", *("U00:ä%d".encode() % k for k in range(19)), b"U00:\xff"]
    sizes = np.array([4, 4, *[2] * 20])
    changes = {"names": names, "ids": np.cumsum(sizes) - sizes, "weight": np.ones(48)}
    assert len(read(**changes).attributes) == 20
    changes["names"] = [*names[:-3], b"U00:\xfd", b"U00:\xfe", b"U00:\xff"]
    with pytest.raises(ModelFileError, match="its strings are not UTF-8"):
        read(**changes)
