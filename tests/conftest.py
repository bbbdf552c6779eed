"""What every test may rely on."""

import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# pytest -n has a process for each core. Threads beside them would wait for each other; tests of threads ask for them.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# A shell that runs the tests in the background has them ignore Ctrl-C, and so would every process they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("sanitize", deadline=None, suppress_health_check=[HealthCheck.too_slow])  # it runs slowly

# How long an example takes says how busy the machine is, not whether the code is right.
settings.register_profile("tagfield", deadline=None)
settings.register_profile("thorough", settings.get_profile("tagfield"))
settings.load_profile("tagfield")

SHARE, FEWEST = 0.3, 10  # of the examples that a test asks for; at least so many


@pytest.hookimpl(trylast=True)  # after hypothesis has marked its tests
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw a share of the examples that a test asks for; a profile that is named draws all of them."""
    if config.getoption("--hypothesis-profile"):
        return
    tests = {getattr(item, "obj", None) for item in items if item.get_closest_marker("hypothesis")}
    for test in tests:
        asked = test._hypothesis_internal_use_settings
        fewer = min(asked.max_examples, max(FEWEST, round(SHARE * asked.max_examples)))
        test._hypothesis_internal_use_settings = settings(asked, max_examples=fewer)
