"""Numbers for the terminal: nouns, units, and texts that cannot control it."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tagfield.train.progress.figures import clock, count, duration, objective, percent, printable, size

SECONDS = st.floats(0, 1e6, allow_nan=False)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (count(0, "epoch"), "0 epochs"),
        (count(1, "pass", "passes"), "1 pass"),
        (count(1234567), "1,234,567"),
        (percent(0.0), "0.00 %"),
        (percent(1.0), "100.00 %"),
        (objective(-123.456), "-123.46"),
        (objective(99.99994), "99.9999"),
    ],
)
def test_counts_percentages_and_objectives(found: str, expected: str) -> None:
    assert found == expected


@pytest.mark.parametrize(
    ("bytes", "expected"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1000, "1.0 kB"), (1e9, "1.0 GB"), (5e12, "5000.0 GB")],
)
def test_a_size_takes_the_largest_unit_that_fits_up_to_gigabytes(bytes: float, expected: str) -> None:
    assert size(bytes) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0.0, "0.0 s"), (99.94, "99.9 s"), (99.96, "1 min 40 s"), (3599.4, "59 min 59 s"), (3599.6, "1 h 0 min")],
)
def test_a_duration_rounds_before_it_chooses_the_unit(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected


@given(SECONDS)
def test_a_duration_is_right_to_its_last_part(seconds: float) -> None:
    unit = {"s": 1, "min": 60, "h": 3600}
    parts = re.findall(r"([\d.]+) (\w+)", duration(seconds))
    last = 0.1 if len(parts) == 1 else unit[parts[-1][1]]
    assert abs(sum(float(number) * unit[name] for number, name in parts) - seconds) <= last + 1e-6


@given(SECONDS)
def test_a_clock_reads_the_whole_seconds(seconds: float) -> None:
    read = 0
    for part in clock(seconds).split(":"):
        read = 60 * read + int(part)
    assert read == int(seconds)


def test_a_clock_never_runs_before_zero_and_pads_within_hours() -> None:
    assert clock(-5.0) == "0:00"
    assert clock(3605.0) == "1:00:05"


@given(st.text(max_size=20))
def test_a_printable_text_controls_no_terminal_and_leaves_letters_alone(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert (shown == text) == text.isprintable()
