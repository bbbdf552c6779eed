"""The files of the pages, read once, with headers that let them load nothing from elsewhere.

/         index.html       the page to try a model on
/docs     docs.html        the API, rendered from /openapi.json
/page/…   their style sheets and scripts
"""

from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent / "page"
KINDS = {
    ".html": b"text/html; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".js": b"text/javascript; charset=utf-8",
    ".svg": b"image/svg+xml",
}
SECURITY = [  # of every answer
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"),
    (b"referrer-policy", b"no-referrer"),
]


class File(NamedTuple):
    """A file as the service sends it."""

    headers: list[tuple[bytes, bytes]]
    body: bytes


def _read(name: str) -> File:
    body = (HERE / name).read_bytes()
    kind = KINDS[Path(name).suffix]
    length = b"%d" % len(body)
    return File(
        [(b"content-type", kind), (b"content-length", length), (b"cache-control", b"no-cache"), *SECURITY], body
    )


FILES = {
    "/": _read("index.html"),
    "/docs": _read("docs.html"),
    **{
        f"/page/{path.name}": _read(path.name)
        for path in sorted(HERE.iterdir())
        if path.suffix in (".css", ".js", ".svg")
    },
}
