"""A real server of `tagfield annotate` in a process of its own, and sessions without a server."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tagfield.apps.annotate.labelled_file import LabelledFile
from tagfield.apps.annotate.labelling import Labelling
from tagfield.apps.annotate.learning import Learning
from tagfield.apps.annotate.pool import Pool, read_pool
from tagfield.apps.annotate.session import Session
from tagfield.data.text.reading import ReadOptions
from tagfield.data.text.sources import Source
from tagfield.data.text.templates.presets import load_template
from tests.support.service import PATIENCE, Service

TEXTS = [
    f"{person} {middle} {place} today ." if middle != "is" else f"{place} is large ."
    for middle in ("lives in", "went to", "is")
    for person, place in zip(("Anna", "Ben", "Clara", "Bob"), ("Oslo", "Paris", "Rome", "Lima"), strict=True)
]


class Annotation(Service):
    """A server of `tagfield annotate`."""

    command = "annotate"

    def first(self) -> dict[str, Any]:
        while True:
            line = self.lines.get(timeout=PATIENCE)
            assert line["level"] == "info", line
            if line["message"] == "listening":
                return line

    def ask(self, path: str, client: str = "me", **body: Any) -> tuple[int, Any]:
        return self.post(f"/v1/{path}", {"client": client, **body}, content_type="application/json")

    def kill(self) -> None:
        """SIGKILL: no handler, no flush."""
        self.process.kill()
        self.process.wait(PATIENCE)
        assert self.process.stderr is not None
        self._reader.join(PATIENCE)
        self.process.stderr.close()


def pool_of(lines: Sequence[str]) -> Pool:
    return read_pool([Source("texts.txt", "\n".join(lines).encode())], ReadOptions(format="text"))  # type: ignore[list-item]


@contextmanager
def session_of(folder: Path, lines: Sequence[str] = TEXTS, **options: Any) -> Iterator[Session]:
    """A session that labels some lines into labelled.txt."""
    labelling = options.pop("labelling", Labelling("bio", ("PER", "LOC")))
    pool = pool_of(lines)
    file = LabelledFile(str(folder / "labelled.txt"))
    session = Session(pool, file, labelling, Learning(load_template("ner")), **options)
    try:
        yield session
    finally:
        session.close()


def gold(words: Sequence[str]) -> list[dict[str, Any]]:
    """The marks of a sentence of TEXTS."""
    kinds = {"PER": ("Anna", "Ben", "Clara", "Bob"), "LOC": ("Oslo", "Paris", "Rome", "Lima")}
    return [
        {"start": t, "end": t + 1, "label": kind}
        for t, word in enumerate(words)
        for kind, names in kinds.items()
        if word in names
    ]
