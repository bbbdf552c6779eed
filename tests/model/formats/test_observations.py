"""Observations: parts with the order of the file."""

import numpy as np

from tagfield.model.formats.observation_order import in_old_order
from tagfield.model.formats.observations import ALWAYS, EDGE, TOKEN, Observations, to_parts


def test_every_kind_of_observation_keeps_its_place() -> None:
    kinds = np.array([TOKEN, TOKEN | EDGE, EDGE, EDGE, TOKEN | EDGE, TOKEN], np.uint8)
    names = [b"ua", b"*b", b"bc", b"b", b"*", b"ud"]
    size = 2 * 4 + 4 * 4
    found = Observations([b"X", b"Y"], names, kinds, np.arange(size), 1.0 + np.arange(size), {3: 2, 4: 1})
    parts = to_parts(found, "model", 1000, None, {"format": "wapiti"})
    assert parts.attributes.strings() == ["ua", "*b", "*", "ud"]
    assert parts.edges is not None
    assert parts.edges.strings() == ["*b", "bc"]
    # b has the weights 13 to 16 and counts twice, * has 19 to 22
    assert parts.weights.transitions().tolist() == [[2 * 13 + 19, 2 * 14 + 20], [2 * 15 + 21, 2 * 16 + 22]]
    assert parts.info["wapiti"]["runs"] == [[1, 1], [3, 1], [2, 1], [ALWAYS, 1], [TOKEN | ALWAYS, 1], [1, 1]]
    again = in_old_order(parts, parts.info["wapiti"])
    assert again is not None
    assert again.names == names
    assert again.kinds.tolist() == kinds.tolist()
    assert again.index.tolist() == list(range(size))
    assert again.weight.tolist() == found.weight.tolist()
