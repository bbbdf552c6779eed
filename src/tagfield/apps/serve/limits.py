"""Limits: how much a client may ask for, and how long it may take to ask.

The command line sets the first five; the others are fixed. docs/serve.md lists them all.
"""

from dataclasses import dataclass

from tagfield.errors import InputError


@dataclass(frozen=True)
class Limits:
    """What one request, one connection and all of them together may use.

    >>> Limits(tokens=0)
    Traceback (most recent call last):
    tagfield.errors.InputError: --max-tokens must be at least 1, got 0
    """

    body: int = 4 << 20  # bytes of a request's body
    tokens: int = 100_000  # tokens of a request
    requests: int = 256  # requests under way
    connections: int = 2_000  # open connections
    seconds: float = 30.0  # from the first byte of a body to its answer
    n_best: int = 100  # paths of a sentence
    path_tokens: int = 1_000_000  # n_best · tokens of a request
    header_bytes: int = 32 << 10  # of a request's line, headers and trailers
    idle_seconds: int = 30  # between two requests of a connection
    write_seconds: float = 20.0  # while a client reads nothing of its answer

    @property
    def header_seconds(self) -> float:
        """Seconds until the headers of a request are there."""
        return min(10.0, self.seconds)

    def __post_init__(self) -> None:
        for option, value in (
            ("--max-body", self.body),
            ("--max-tokens", self.tokens),
            ("--max-requests", self.requests),
            ("--max-connections", self.connections),
        ):
            if value < 1:
                raise InputError(f"{option} must be at least 1, got {value}")
        if not 0 < self.seconds <= 86_400:
            raise InputError(f"--timeout must be above 0 and at most 86400 seconds, got {self.seconds:g}")
