"""How figures look: counts, shares, sizes and times, for people."""

from typing import Any


def count(number: int, one: str = "", many: str = "") -> str:
    """A number with its noun.

    >>> count(8936, "sequence"), count(1, "sequence"), count(2, "pass", "passes")
    ('8,936 sequences', '1 sequence', '2 passes')
    """
    noun = one if number == 1 else (many or f"{one}s") if one else ""
    return f"{number:,} {noun}".rstrip()


def percent(share: float) -> str:
    """A share of one, in percent.

    >>> percent(0.95964)
    '95.96 %'
    """
    return f"{100 * share:.2f} %"


def size(bytes: float) -> str:
    """A file size in units of 1000.

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
    """A time, with as many parts as matter.

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
    """A time for a display that ticks.

    >>> clock(65), clock(3700)
    ('1:05', '1:01:40')
    """
    whole = max(0, int(seconds))
    minutes = f"{whole // 60 % 60}:{whole % 60:02d}"
    return minutes if whole < 3600 else f"{whole // 3600}:{minutes:0>5}"


def objective(value: float) -> str:
    """An objective, with the digits that can still change.

    >>> objective(13139.3621), objective(2.51)
    ('13,139.36', '2.5100')
    """
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.4f}"


def update_told(loss: str, gamma: float, generator: str) -> str:
    """What ngd was asked to do, or what it chose.

    >>> update_told("B2", 0.5, "gd:5"), update_told("U2", 0.0, "auto: sgd, averaged")
    ('B2, γ = 0.5, of gd:5', 'auto: sgd, averaged')
    """
    if generator.startswith("auto: "):
        return generator
    return f"{loss.upper()}{f', γ = {gamma:g},' if loss[:1] in 'Bb' else ''} of {generator}"


def beside(settings: dict[str, Any]) -> list[str]:
    """What else changes the update of a stochastic recipe.

    >>> beside({"respond": "states", "metric": "adaptive", "anneal": 0.0, "batch": False})
    ['on states only', 'in the adaptive metric']
    """
    words = [
        ("on states only", settings.get("respond") == "states"),
        ("in the adaptive metric", settings.get("metric") == "adaptive"),
        (f"annealed by {settings.get('anneal', 0.0):g}", settings.get("anneal", 0.0) > 0),
        ("on the whole corpus at once", settings.get("batch", False)),
    ]
    return [word for word, holds in words if holds]
