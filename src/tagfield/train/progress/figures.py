"""Formats numbers for the terminal: counts, percentages, sizes and durations."""


def count(number: int, one: str = "", many: str = "") -> str:
    """A number and its noun, in singular or plural.

    >>> count(8936, "sequence"), count(1, "sequence"), count(2, "pass", "passes")
    ('8,936 sequences', '1 sequence', '2 passes')
    """
    noun = one if number == 1 else (many or f"{one}s") if one else ""
    return f"{number:,} {noun}".rstrip()


def percent(share: float) -> str:
    """A fraction as a percentage.

    >>> percent(0.95964)
    '95.96 %'
    """
    return f"{100 * share:.2f} %"


def size(bytes: float) -> str:
    """A file size, in units of 1000.

    >>> size(950), size(12_345_678)
    ('950 bytes', '12.3 MB')
    """
    if bytes < 1000:
        return count(int(bytes), "byte")
    for unit in ("kB", "MB", "GB"):
        bytes /= 1000
        if bytes < 1000 or unit == "GB":
            break
    return f"{bytes:.1f} {unit}"


def duration(seconds: float) -> str:
    """A duration, rounded to the parts that matter.

    >>> duration(0.31), duration(42.4), duration(200), duration(7260)
    ('0.3 s', '42.4 s', '3 min 20 s', '2 h 1 min')
    """
    if seconds < 99.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def clock(seconds: float) -> str:
    """A duration for a running clock.

    >>> clock(65), clock(3700)
    ('1:05', '1:01:40')
    """
    whole = max(0, int(seconds))
    minutes = f"{whole // 60 % 60}:{whole % 60:02d}"
    return minutes if whole < 3600 else f"{whole // 3600}:{minutes:0>5}"


def objective(value: float) -> str:
    """An objective value: two decimals, or four below 100.

    >>> objective(13139.3621), objective(2.51)
    ('13,139.36', '2.5100')
    """
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4f}"


def printable(text: str) -> str:
    """The text with control characters escaped, so that a model file cannot control the terminal.

    >>> printable("B-\\x1b[31mPER")
    'B-\\\\x1b[31mPER'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
