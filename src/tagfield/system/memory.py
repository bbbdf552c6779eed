"""How much memory this process may use, and whether something fits into it.

/proc/self/cgroup ─▶ the control groups that this process is in ─▶ the least of their limits and of physical memory
TAGFIELD_MAX_MEMORY, --max-memory, limit_memory("4GB")  ─▶ max_memory(); without them SHARE of that
check_fits(bytes, "training with lbfgs", "…") ─▶ MemoryLimitError before the memory is allocated, or nothing
"""

import math
import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

from tagfield.errors import InputError, MemoryLimitError

GROUPS, MOUNTED = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
VARIABLE = "TAGFIELD_MAX_MEMORY"  # an environment variable, so that worker processes know it too
SHARE = 0.8  # of all memory, if no limit is set
SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?\s*", re.IGNORECASE)
UNITS = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}


def limit_memory(size: str | float | None) -> None:
    """Set how much memory tagfield may use in this process, in bytes or as "4GB"; None goes back to the default.

    Before it reads a file, makes weights or trains, tagfield estimates what that takes. If that does not fit, it raises
    MemoryLimitError, which says what would fit. The default is 80 % of the memory of the machine or its container.

    >>> limit_memory("4 GB")
    >>> max_memory()
    4000000000.0
    >>> limit_memory(None)
    """
    if size is None:
        os.environ.pop(VARIABLE, None)
    else:
        os.environ[VARIABLE] = f"{parse_size(size):.0f}"


def memory_limited(size: str | float | None) -> AbstractContextManager[None]:
    """Within it, `limit_memory(size)` holds; None changes nothing. The size is checked at once.

    >>> with memory_limited("2GB"):
    ...     max_memory()
    2000000000.0
    """
    if size is not None:
        parse_size(size)
    return _limited(size)


@contextmanager
def _limited(size: str | float | None) -> Iterator[None]:
    before = os.environ.get(VARIABLE)
    try:
        if size is not None:
            limit_memory(size)
        yield
    finally:
        if size is not None:
            limit_memory(before)


def max_memory() -> float:
    """Bytes that this process may use.

    >>> max_memory() <= usable_memory()
    True
    """
    given = os.environ.get(VARIABLE)
    if not given:
        return SHARE * usable_memory()
    try:
        return parse_size(given)
    except InputError as error:
        raise InputError(f"{VARIABLE}: {error}") from None


def parse_size(text: str | float) -> float:
    """A number of bytes from a text such as "500M", "4GB" or "1.5 GiB"; all units are powers of 1,000.

    >>> parse_size("1.5G"), parse_size(2048)
    (1500000000.0, 2048.0)
    """
    found = SIZE.fullmatch(str(text))
    size = float(found[1]) * UNITS[found[2].lower()] if found else math.nan
    if isinstance(text, int | float) and not isinstance(text, bool):
        size = float(text)
    if not 0 < size < math.inf:
        raise InputError(f"{text!r} is not a size of memory; write it like 500MB or 4GB")
    return size


def check_fits(needed: float, what: str, advice: str) -> None:
    """Raise MemoryLimitError if `needed` more bytes do not fit: "WHAT needs about N GB of memory …; ADVICE".

    >>> limit_memory("1MB")
    >>> check_fits(5e9, "training", "leave out rare attributes (min_count)")
    Traceback (most recent call last):
    tagfield.errors.MemoryLimitError: training needs about 5.0 GB of memory, but ...
    >>> limit_memory(None)
    """
    room = room_left()
    if needed <= room:
        return
    raise MemoryLimitError(
        f"{what} needs about {spell(needed)} of memory, but only {spell(room)} of the "
        f"{spell(max_memory())} that may be used are left; {advice}, or raise the limit (--max-memory, {VARIABLE})"
    )


def room_left() -> float:
    """Bytes that this process may still take.

    >>> room_left() <= max_memory()
    True
    """
    return max(0.0, max_memory() - resident_memory())


def resident_memory() -> float:
    """Bytes of physical memory that this process has now; 0 if the system does not report it.

    >>> resident_memory() >= 0
    True
    """
    try:
        return float(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError, IndexError):
        return 0.0


def spell(size: float) -> str:
    """A size in words.

    >>> spell(3.2e9), spell(512e6), spell(100)
    ('3.2 GB', '512 MB', '1 MB')
    """
    if size >= 1e12:
        return f"{size / 1e12:,.1f} TB"
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{max(1, round(size / 1e6))} MB"


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
            with suppress(OSError, ValueError):  # "max" means no limit
                yield float(int((each / name).read_text()))
            if each == top:
                break
