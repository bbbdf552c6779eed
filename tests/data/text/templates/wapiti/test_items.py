"""Wapiti's data without patterns."""

import pytest

from tagfield.errors import InputError
from tagfield.templates import split_observations


def test_observations_are_split_by_their_first_letter() -> None:
    X, edges = split_observations([[["u1", "u1", "b"], ["*2"]], []])
    assert X == [[["u1", "u1"], ["*2"]], []]
    assert edges == [[["b"], ["*2"]], []]
    assert split_observations([[["x"]]], prefix=True) == ([[["ux"]]], [[[]]])
    with pytest.raises(InputError, match=r"X\[0\]\[1\] has the observation 'x'; without patterns it must begin with u"):
        split_observations([[["u"], ["x"]]])
    with pytest.raises(InputError, match=r"X\[0\]\[0\] must be a list of observations"):
        split_observations([["u"]])
