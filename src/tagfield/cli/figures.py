"""Number formats of the commands: those of tagfield/train/progress/figures.py."""

from tagfield.train.progress.figures import clock, count, duration, objective, percent, printable, size

__all__ = ["clock", "count", "duration", "objective", "percent", "printable", "size"]
