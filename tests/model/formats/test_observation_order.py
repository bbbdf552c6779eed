"""The order of observations that a model file keeps: used where it fits the model, and never trusted."""

from dataclasses import replace
from typing import Any

import pytest

from tagfield import Model
from tagfield.model.formats.crfpp_writer import to_bytes as to_crfpp
from tagfield.model.formats.wapiti_writer import to_bytes as to_wapiti
from tests.support.model_files import MODELS, read_sentences

BAD: list[Any] = [
    None,
    3,
    {},
    {"runs": 1},
    {"runs": [[1, -5]]},
    {"runs": [[1, 10**30]]},
    {"runs": [[9, 1]]},
    {"runs": [[1, 1, 1]]},
    {"runs": []},
    {"always": [["B", 1], ["B", 1]]},
    {"always": [[5, "x"]]},
    {"matrices": [[1.0]]},
    {"matrices": "x"},
    {"templates": [1]},
    {"templates": ["U00:%x[0,0]"]},
    {"patterns": ["u"]},
    {"patterns": 7},
    {"type": "2"},
    {"reader": [1, 2, 3]},
    {"reader": None},
    {"negative_zeros": "?"},
    {"negative_zeros": "eJw="},
    {"columns": -1, "version": 10**20, "cost_factor": "inf"},
]


@pytest.mark.parametrize("change", BAD)
@pytest.mark.parametrize("name", ["edges.crfpp.txt", "twice.wapiti"])
def test_a_forged_record_changes_no_label(change: Any, name: str) -> None:
    model = Model.load(MODELS / name)
    format = model.info["format"]
    record = {**model.info[format], **change} if isinstance(change, dict) and change else change
    forged = replace(model, info={**model.info, format: record})
    raw = (to_wapiti if format == "wapiti" else to_crfpp)(forged)
    data = read_sentences("data.txt")
    assert Model.load_bytes(raw).tag_words(data) == model.tag_words(data)
