"""How much memory this process may use: that of the machine, or of its container if that is less.

/proc/self/cgroup ─▶ the control groups that this process is in ─▶ the least of their limits and of physical memory
"""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

GROUPS, MOUNTED = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


def usable_memory() -> float:
    """Bytes of memory that this process may use; infinity if the system does not report it.

    >>> usable_memory() > 1e8
    True
    """
    try:
        physical = float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):
        physical = float("inf")
    return min([physical, *group_limits()])


def group_limits(groups: Path = GROUPS, mounted: Path = MOUNTED) -> Iterator[float]:
    """The memory limits of this process's control groups and of those above them; Linux only.

    A line of `groups` is 0::/PATH (version 2) or N:memory:/PATH (version 1). In a container the path may lie outside of
    what is mounted, so folders that are missing are skipped.
    """
    lines: list[str] = []
    with suppress(OSError):
        lines = groups.read_text().splitlines()
    for line in lines:
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers == "":
            top, name = mounted, "memory.max"
        elif "memory" in controllers.split(","):
            top, name = mounted / "memory", "memory.limit_in_bytes"
        else:
            continue
        folder = top / path.lstrip("/")
        for each in (folder, *folder.parents):
            with suppress(OSError, ValueError):  # "max" is no limit, and no number
                yield float(int((each / name).read_text()))
            if each == top:
                break
