"""Refusals: what the service does not answer, as a status and a sentence."""

from tagfield.apps.serve.limits import Limits

BAD_REQUEST, UNAUTHORIZED, FORBIDDEN, NOT_FOUND, NOT_ALLOWED, TOO_SLOW = 400, 401, 403, 404, 405, 408
CONFLICT, TOO_LARGE, MISDIRECTED = 409, 413, 421
HEADERS_TOO_LARGE, FAILED, UNAVAILABLE = 431, 500, 503


class Refusal(Exception):
    """A request that is not answered: its status, and a sentence for the client.

    >>> str(Refusal(404, "no such page"))
    'no such page'
    """

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = headers


def bad(sentence: str) -> Refusal:
    """The refusal of a request that is wrong in itself.

    >>> bad("text must be a string").status
    400
    """
    return Refusal(BAD_REQUEST, sentence)


def too_large(limits: Limits, closes: bool = False) -> Refusal:
    """The refusal of a body that is too large.

    closes: whether the connection ends here; otherwise the rest of the body is read and forgotten
    """
    advice = "send fewer texts in one request" if limits.body < 1 << 30 else "split it"
    more = {"connection": "close"} if closes else {}
    return Refusal(TOO_LARGE, f"the body is larger than {limits.body:,} bytes; {advice}", **more)


def too_many_tokens(found: int, limits: Limits) -> Refusal:
    """The refusal of a request with too many tokens."""
    return Refusal(TOO_LARGE, f"the request has {found:,} tokens, and {limits.tokens:,} are allowed; split it")


def too_busy() -> Refusal:
    """The refusal of a request when too many are under way."""
    return Refusal(UNAVAILABLE, "the server is busy; try again in a second", retry_after="1")


def too_late(limits: Limits) -> Refusal:
    """The refusal of a request that takes too long."""
    return Refusal(
        UNAVAILABLE,
        f"the request took longer than {limits.seconds:g} s; send less in one request, or try again later",
        retry_after="1",
    )
