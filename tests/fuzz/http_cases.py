"""Requests of HTTP/1.1 that are malformed, odd or dangerous behind a proxy, and the statuses of their answers.

The rules are those of RFC 9112. A request that two readers may cut differently must not be answered with 200: a server
behind a proxy would then answer a request that the proxy has never seen.
"""

BODY = b'{"words":["Anna"],"probabilities":false}'
END = b"Connection: close\r\n\r\n"
POST = b"POST /v1/tag HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n" + END
SMUGGLED = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"


def _sized(data: bytes, *lines: bytes) -> bytes:
    return POST + b"".join(line + b"\r\n" for line in lines) + b"Content-Length: %d\r\n" % len(data) + END + data


def _chunks(*chunks: bytes) -> bytes:
    return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


# name: (bytes, the status of each answer)
CASES: dict[str, tuple[bytes, list[int]]] = {
    "a request": (_sized(BODY), [200]),
    "a chunked request": (_chunks(BODY[:9], BODY[9:]), [200]),
    "trailers": (_chunks(BODY)[:-2] + b"X: a\r\n\r\n", [200]),
    "chunk extensions": (CHUNKED + b'%x;a=b;c="d"\r\n%s\r\n0\r\n\r\n' % (len(BODY), BODY), [200]),
    "leading line breaks": (b"\r\n\r\n" + _sized(BODY), [200]),
    "absolute form": (_sized(BODY).replace(b" /v1", b" http://localhost/v1", 1), [200]),
    "a query": (_sized(BODY).replace(b"/v1/tag", b"/v1/tag?a=b", 1), [200]),
    "HTTP/1.0": (_sized(BODY).replace(b"HTTP/1.1", b"HTTP/1.0", 1), [200]),
    "two at once": (_sized(BODY).replace(END, b"\r\n") + _sized(BODY), [200, 200]),
    "a wrong one, then another": (_sized(b"[").replace(END, b"\r\n") + _sized(BODY), [400, 200]),
    "an upgrade": (_sized(SMUGGLED, b"Upgrade: h2c", b"Connection: Upgrade"), [400]),
    "equal lengths twice": (_sized(BODY, b"Content-Length: %d" % len(BODY)), [400]),
    "two lengths": (_sized(SMUGGLED, b"Content-Length: 0"), [400]),
    "lengths in a list": (POST + b"Content-Length: 0, 0\r\n" + END, [400]),
    "a length with a sign": (POST + b"Content-Length: +2\r\n" + END + b"{}", [400]),
    "a negative length": (POST + b"Content-Length: -2\r\n" + END + b"{}", [400]),
    "a length in hexadecimal": (POST + b"Content-Length: 0x2\r\n" + END + b"{}", [400]),
    "a length beyond 64 bits": (POST + b"Content-Length: 18446744073709551617\r\n" + END + b"{}", [400]),
    "an empty length": (POST + b"Content-Length:\r\n" + END, [400]),
    "length and chunks": (_sized(b"0\r\n\r\n" + SMUGGLED, b"Transfer-Encoding: chunked"), [400]),
    "chunks twice": (CHUNKED.replace(b"chunked", b"chunked, chunked") + b"0\r\n\r\n", [400]),
    "chunks, then another coding": (CHUNKED.replace(b"chunked", b"chunked, identity") + b"0\r\n\r\n", [400]),
    "a coding that is unknown": (CHUNKED.replace(b"chunked", b"xchunked") + b"0\r\n\r\n", [400]),
    "a blank before the colon": (CHUNKED.replace(b"Encoding:", b"Encoding :") + b"0\r\n\r\n", [400]),
    "a chunk size that is no number": (CHUNKED + b"xyz\r\n{}\r\n0\r\n\r\n", [400]),
    "a negative chunk size": (CHUNKED + b"-2\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk size with 0x": (CHUNKED + b"0x2\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk size beyond 64 bits": (CHUNKED + b"1" * 17 + b"\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk longer than its size": (CHUNKED + b"1\r\n{}\r\n0\r\n\r\n", [400]),
    "a chunk without its line break": (CHUNKED + b"2\r\n{}0\r\n\r\n", [400]),
    "a chunk size that ends in LF": (CHUNKED + b"2\n{}\r\n0\r\n\r\n", [400]),
    "a NUL in a chunk extension": (CHUNKED + b"2;a=\0\r\n{}\r\n0\r\n\r\n", [400]),
    "an extension without end": (CHUNKED + b"2;" + b"a" * 70_000, [431]),
    "trailers without end": (CHUNKED + b"2\r\n{}\r\n0\r\n" + b"X: a\r\n" * 12_000, [431]),
    "headers without end": (POST + b"X: a\r\n" * 12_000, [431]),
    "a folded header": (_sized(BODY, b"X: a\r\n b"), [400]),
    "a folded length": (POST + b"Content-Length:\r\n 2\r\n" + END + b"{}", [400]),
    "a folded first header": (b"GET /healthz HTTP/1.1\r\n Host: localhost\r\n" + END, [400]),
    "LF alone": (_sized(BODY).replace(b"\r\n", b"\n"), [400]),
    "CR alone": (_sized(BODY, b"X: a\rY: b"), [400]),
    "a NUL in a value": (_sized(BODY, b"X: a\0b"), [400]),
    "a NUL in a name": (_sized(BODY, b"X\0: a"), [400]),
    "a NUL in the path": (_sized(BODY).replace(b"/v1/tag", b"/v1/t\0g", 1), [400]),
    "an empty name": (_sized(BODY, b": a"), [400]),
    "a header without a colon": (_sized(BODY, b"X"), [400]),
    "two hosts": (_sized(BODY, b"Host: other"), [400]),
    "authority form": (b"CONNECT localhost:80 HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "authority form of another method": (b"GET localhost:80 HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "asterisk form": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n" + END, [404]),
    "no path": (b"GET  HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "a path with a blank": (b"GET /a b HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "a path with dots": (b"GET /page/../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n" + END, [404]),
    "an escaped path": (b"GET /%2e%2e/%00%ff HTTP/1.1\r\nHost: localhost\r\n" + END, [404]),
    "no host": (b"GET /v1/models HTTP/1.1\r\n" + END, [421]),
    "a method that is unknown": (b"BREW /v1/tag HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "a method in lower case": (b"get /healthz HTTP/1.1\r\nHost: localhost\r\n" + END, [400]),
    "another method": (b"DELETE /v1/tag HTTP/1.1\r\nHost: localhost\r\n" + END, [405]),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400]),
    "HTTP/0.9": (b"GET /healthz\r\n\r\n", [400]),
    "HTTP/1.2": (b"GET /healthz HTTP/1.2\r\nHost: localhost\r\n" + END, [400]),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 60, [400]),
    "an expectation that is unknown": (_sized(BODY, b"Expect: tea"), [200]),
    "a body with GET": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n" + END + b"{}", [200]),
}
