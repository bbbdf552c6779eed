"""The default number of threads: every core that this process may run on.

OMP_NUM_THREADS lowers the number, as for other libraries: joblib sets it in its workers, so that processes and threads
together do not ask for more cores than there are.
"""

import os


def cores() -> int:
    """Cores that this process may run on; taskset and containers may leave it fewer than the machine has.

    >>> cores() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads() -> int:
    """The number of threads by default: all cores, or OMP_NUM_THREADS if that is less.

    >>> 1 <= usual_threads() <= cores()
    True
    """
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return min(cores(), int(given)) if given.isascii() and given.isdigit() and int(given) > 0 else cores()
