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


def read_file(path: Path) -> File:
    """A file of a page, with its headers.

    >>> read_file(HERE / "icon.svg").headers[0]
    (b'content-type', b'image/svg+xml')
    """
    body = path.read_bytes()
    kind = KINDS[path.suffix]
    length = b"%d" % len(body)
    return File(
        [(b"content-type", kind), (b"content-length", length), (b"cache-control", b"no-cache"), *SECURITY], body
    )


def read_parts(folder: Path) -> dict[str, File]:
    """The style sheets, scripts and pictures in a folder, by their paths /page/….

    >>> "/page/base.css" in read_parts(HERE)
    True
    """
    parts = [path for path in sorted(folder.iterdir()) if path.suffix in (".css", ".js", ".svg")]
    return {f"/page/{path.name}": read_file(path) for path in parts}


FILES = {"/": read_file(HERE / "index.html"), "/docs": read_file(HERE / "docs.html"), **read_parts(HERE)}
