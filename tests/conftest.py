"""What every test may rely on."""

import os
import signal

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
settings.load_profile("tagfield")
