"""Units against Python's own UTF-16."""

from hypothesis import given
from hypothesis import strategies as st

from tagfield.data.text.utf16 import Units


@given(st.text(st.sampled_from("aé\u0301中😀𝒳")), st.integers(-2, 30))
def test_units_are_those_of_utf_16(text: str, unit: int) -> None:
    units = Units(text)
    places = [len(text[:at].encode("utf-16-le")) // 2 for at in range(len(text) + 1)]
    assert [units.of(at) for at in range(len(text) + 1)] == places
    assert units.characters(unit) == (places.index(unit) if unit in places else None)
