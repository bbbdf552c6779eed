"""The app: the page of annotation and its paths, on the server of `tagfield serve`.

    GET  /          the page
    POST /v1/next   {client}                    ─▶ {sentence, state}: what to label now
    POST /v1/label  {client, key, marks}        ─▶ the same, for the next sentence; the labels are on the disk
    POST /v1/skip   {client, key}               ─▶ the same
    POST /v1/undo   {client}                    ─▶ the same, for the sentence that was taken back
    POST /v1/state  {client}                    ─▶ {state}
    POST /v1/labels {client, name}              ─▶ {state} with a new label

What touches the disk or waits for the model runs in a thread, so that the other windows need not wait.
"""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tagfield import __version__
from tagfield.apps.annotate.session import Session
from tagfield.apps.serve.asgi_app import Answer, AsgiApp, Endpoint, Receive, Send, as_json
from tagfield.apps.serve.files import read_page, read_parts
from tagfield.apps.serve.limits import Limits
from tagfield.apps.serve.refusals import UNAVAILABLE, Refusal, bad, too_busy
from tagfield.apps.serve.requests import read_json
from tagfield.data.labels.schemes import Chunk
from tagfield.errors import InputError, OutputError, did_you_mean, shown

PAGE = Path(__file__).parent / "page"
FILES = {"/": read_page(PAGE / "index.html", "tagfield: annotate", "annotate", "annotate"), **read_parts(PAGE)}
LIMITS = Limits(body=1 << 20, requests=64, connections=200)
LONGEST_CLIENT = 64

Work = Callable[[dict[str, Any]], Any]


class AnnotateApp(AsgiApp):
    """The page and its paths; `token` and `hosts` are those of `AsgiApp`. Pages of other sites cannot post to it."""

    def __init__(self, session: Session, token: str | None, hosts: frozenset[str] | None) -> None:
        super().__init__(LIMITS, token, hosts, FILES, own_pages=True)
        self._session = session
        self._under_way = 0
        works: dict[str, tuple[Work, frozenset[str]]] = {
            "next": (self._next, frozenset(("client",))),
            "label": (self._label, frozenset(("client", "key", "marks"))),
            "skip": (self._skip, frozenset(("client", "key"))),
            "undo": (self._undo, frozenset(("client",))),
            "state": (self._state, frozenset(("client",))),
            "labels": (self._add, frozenset(("client", "name"))),
        }
        self.routes = {f"/v1/{name}": ("POST", True, self._endpoint(*work)) for name, work in works.items()}
        self.routes["/healthz"] = ("GET", False, self._health)

    def _endpoint(self, work: Work, fields: frozenset[str]) -> Endpoint:
        async def run(scope: Any, receive: Receive) -> Answer:
            if self._under_way >= self.limits.requests:
                raise too_busy()
            self._under_way += 1
            try:
                record = _checked(read_json(await self.body(scope["headers"], receive)), fields)
                return as_json(await asyncio.to_thread(work, record))
            except InputError as error:
                raise bad(str(error)) from None
            except OutputError as error:
                raise Refusal(UNAVAILABLE, f"nothing was saved: {error}") from None
            finally:
                self._under_way -= 1

        return run

    # The paths; these run in threads

    def _next(self, record: dict[str, Any]) -> Any:
        self._session.settle()
        return self._shown(record["client"])

    def _label(self, record: dict[str, Any]) -> Any:
        self._session.answer(record["client"], record["key"], read_marks(record["marks"]))
        return self._next(record)

    def _skip(self, record: dict[str, Any]) -> Any:
        self._session.skip(record["client"], record["key"])
        return self._shown(record["client"])

    def _undo(self, record: dict[str, Any]) -> Any:
        sentence = self._session.undo(record["client"])
        return {"sentence": sentence, "state": self._session.state(record["client"])}

    def _state(self, record: dict[str, Any]) -> Any:
        return {"state": self._session.state(record["client"])}

    def _add(self, record: dict[str, Any]) -> Any:
        self._session.add_label(record["name"].strip())
        return self._state(record)

    def _shown(self, client: str) -> Any:
        sentence = self._session.next(client)
        return {"sentence": sentence, "state": self._session.state(client)}

    async def _health(self, scope: Any, receive: Receive) -> Answer:
        return as_json({"status": "ok", "version": __version__})

    async def live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await asyncio.to_thread(self._session.close)
        await send({"type": "lifespan.shutdown.complete"})


def _checked(record: dict[str, Any], fields: frozenset[str]) -> dict[str, Any]:
    """A request that has these fields and no others; all but `marks` are strings."""
    for name in record:
        if name not in fields:
            raise bad(f"no field named {shown(name, 40)}; {did_you_mean(name[:80], sorted(fields))}")
    for name in sorted(fields):
        if name not in record:
            raise bad(f"the request has no field {name!r}")
        if name != "marks" and not isinstance(record[name], str):
            raise bad(f"{name} must be a string")
    if not 0 < len(record["client"]) <= LONGEST_CLIENT:
        raise bad(f"client must have 1 to {LONGEST_CLIENT} characters, of your choice")
    return record


def read_marks(given: Any) -> list[Chunk]:
    """The marks of a request.

    >>> read_marks([{"start": 0, "end": 2, "label": "PER"}])
    [Chunk(start=0, end=2, label='PER')]
    """
    if not isinstance(given, list):
        raise bad("marks must be a list of objects with start, end and label")
    found = []
    for mark in given:
        if not isinstance(mark, dict) or set(mark) != {"start", "end", "label"}:
            raise bad("a mark must be an object with start, end and label")
        start, end, label = mark["start"], mark["end"], mark["label"]
        if type(start) is not int or type(end) is not int or not isinstance(label, str):
            raise bad("start and end of a mark must be numbers of words, and its label a string")
        found.append(Chunk(start, end, label))
    return found
