"""Number formats of the commands: those of tagfield/progress/figures.py."""

from tagfield.progress.figures import clock, count, duration, objective, percent, printable, size

__all__ = ["clock", "count", "duration", "objective", "percent", "printable", "size"]
