"""The files of the pages, read once, with headers that let them load nothing from elsewhere.

/         index.html       the page to try a model on
/docs     docs.html        the API, rendered from /openapi.json
/page/…   their style sheets and scripts
/web/…    those of all pages

web/frame.html is around each page, and web/token.html is the question for a token.
"""

from pathlib import Path
from typing import NamedTuple

from tagfield.apps import web

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


def as_file(body: bytes, suffix: str) -> File:
    """Bytes with the headers of their kind.

    >>> as_file(b"<svg/>", ".svg").headers[0]
    (b'content-type', b'image/svg+xml')
    """
    length = b"%d" % len(body)
    kind = KINDS[suffix]
    return File(
        [(b"content-type", kind), (b"content-length", length), (b"cache-control", b"no-cache"), *SECURITY], body
    )


def read_page(path: Path, title: str, style: str, script: str, token: bool = True) -> File:
    """A page in its frame; `token`: with the question for a token.

    >>> b"<title>tagfield: the API</title>" in read_page(HERE / "docs.html", "tagfield: the API", "docs", "docs").body
    True
    """
    parts = [path, web.HERE / "token.html"] if token else [path]
    body = "".join(part.read_text(encoding="utf-8") for part in parts).rstrip()
    frame = (web.HERE / "frame.html").read_text(encoding="utf-8")
    return as_file((frame % {"title": title, "style": style, "script": script, "body": body}).encode(), ".html")


def read_parts(folder: Path) -> dict[str, File]:
    """The style sheets, scripts and pictures of a page, under /page, and of all pages, under /web.

    >>> sorted(read_parts(HERE))[:3]
    ['/page/copies.js', '/page/docs.css', '/page/docs.js']
    """
    return {
        f"/{root}/{path.name}": as_file(path.read_bytes(), path.suffix)
        for root, where in (("page", folder), ("web", web.STATIC))
        for path in sorted(where.iterdir())
        if path.suffix in (".css", ".js", ".svg")
    }


FILES = {
    "/": read_page(HERE / "index.html", "tagfield", "page", "main"),
    "/docs": read_page(HERE / "docs.html", "tagfield: the API", "docs", "docs", token=False),
    **read_parts(HERE),
}
