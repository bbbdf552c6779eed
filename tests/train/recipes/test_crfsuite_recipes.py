"""CRFsuite's algorithms as records: their bounds, their epochs and their arrays."""

import numpy as np
import pytest

from tagfield.errors import InputError
from tagfield.train import Settings, train
from tests.support.strategies import encode, learnable


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pa_type": 3}, "pa_type must be at most 2, got 3"),
        ({"pa_type": -1}, "pa_type must be ≥ 0, got -1"),
        ({"pa_type": 0.5}, "pa_type must be a whole number, got 0.5"),
        ({"pa_c": 0.0}, "pa_c must be above 0, got 0"),
        ({"epsilon": -1.0}, "epsilon must be ≥ 0, got -1"),
    ],
)
def test_options_of_pa_that_are_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}$"):
        Settings.of("pa", **options)


@pytest.mark.parametrize("name", ["arow_variance", "arow_gamma"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_variances_and_gammas_of_arow_must_be_positive_and_finite(name: str, value: float) -> None:
    with pytest.raises(InputError, match=f"{name} must be"):
        train(encode(learnable(2)), Settings.of("arow", **{name: value}))
