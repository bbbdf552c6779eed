"""Text models of CRF++: a damaged file says what is wrong."""

import pytest

from tagfield import Model
from tagfield.errors import ModelFileError
from tests.support.model_files import MODELS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"version: 100", b"version: 200"), "version 200"),
        ((b"maxid: ", b"maxid: 1"), "weights, but its header says|without gaps"),
        ((b"cost-factor: 1", b"cost-factor: nan"), "header"),
        ((b"xsize: 2", b"xsize: 1"), "reads column 1 of 1"),
        ((b"U01:%x[0,0]", b"X01:%x[0,0]"), "none of CRF\\+\\+"),
        ((b"U01:%x[0,0]", b"U01:%y[0,0]"), "none of CRF\\+\\+"),
        ((b"U01:%x[0,0]", b"U01:%x[9,0]"), "limit is 8"),
        ((b" U01:", b" X01:"), "neither U nor B"),
        ((b"O\n\nU", b"O"), "damaged"),
        ((b"0.0000000000000000\n", b"zero\n"), "no number"),
        ((b"0.0000000000000000\n", b"inf\n"), "finite"),
        ((b"\n", b"\r\n"), "CRLF"),
    ],
)
def test_a_damaged_text_says_what_is_wrong(change: tuple[bytes, bytes], said: str) -> None:
    raw = (MODELS / "plain.crfpp.txt").read_bytes()
    assert change[0] in raw
    with pytest.raises(ModelFileError, match=said):
        Model.load_bytes(raw.replace(*change))
