"""Which builds of the kernels this processor runs, compared with what the system says about it."""

from pathlib import Path

import pytest

from tagfield.native import supported_levels

FLAGS = {"avx2": {"avx2", "fma", "bmi2"}, "avx512": {"avx512f", "avx512vl", "avx512bw", "avx512dq"}}


def flags() -> set[str]:
    """What Linux calls the abilities of the first processor."""
    path = Path("/proc/cpuinfo")
    text = path.read_text() if path.exists() else ""
    return {word for line in text.splitlines() if line.startswith("flags") for word in line.split()}


def test_the_levels_are_those_of_the_processor() -> None:
    if not flags():
        pytest.skip("only Linux on x86-64 lists what the processor can do")
    expected = ["base"]
    for level, needed in FLAGS.items():
        if not needed <= flags():
            break
        expected.append(level)
    assert supported_levels() == expected
