"""`tagfield serve`: models behind HTTP, with a page to try them on."""

import ipaddress
import os
import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from tagfield.apps.serve.limits import Limits
from tagfield.cli.shared.exit_codes import UsageError, usage
from tagfield.cli.shared.options import Host, Port
from tagfield.errors import InputError, UnknownAttributesWarning

if TYPE_CHECKING:
    from tagfield.apps.serve.asgi_app import AsgiApp

LOOPBACK = frozenset(("localhost", "127.0.0.1", "[::1]"))
TOKEN = "TAGFIELD_TOKEN"


def serve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL", help="Model files; NAME=PATH gives a model another name.")
    ],
    port: Port = 8000,
    host: Host = "127.0.0.1",
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TOKEN",
            help=f"Token that clients must send. Better in the environment variable {TOKEN}, which others cannot see.",
        ),
    ] = None,
    threads: Annotated[
        int | None, typer.Option(metavar="N", min=1, max=256, help="Number of threads. \\[default: one per core]")
    ] = None,
    max_body: Annotated[float, typer.Option(metavar="MB", help="Maximum size of a request body, in MB.")] = Limits.body
    >> 20,
    max_tokens: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of tokens in a request.")
    ] = Limits.tokens,
    max_requests: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of concurrent requests.")
    ] = Limits.requests,
    max_connections: Annotated[
        int, typer.Option(metavar="N", help="Maximum number of open connections.")
    ] = Limits.connections,
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", help="Timeout of a request, in seconds.")
    ] = Limits.seconds,
    allow_slow_patterns: Annotated[
        bool,
        typer.Option(
            "--allow-slow-patterns",
            help="Serve a model although a word could make a regular expression of its template take very long.",
        ),
    ] = False,
) -> None:
    """Serve models over HTTP, with a page to try them on.

    Open the address that it logs in a browser, or post text to /v1/tag; /docs describes the API. A model file that is
    replaced on disk is loaded without a pause. Logs are lines of JSON on standard error, plain ones on a terminal.
    Ctrl-C and SIGTERM stop it when the requests under way are answered.
    """
    run = started_server("serve")
    from tagfield.apps.serve.app import App
    from tagfield.apps.serve.registry import ModelFile, Registry, check_names

    with usage():
        limits = Limits(
            body=int(max_body * (1 << 20)),
            tokens=max_tokens,
            requests=max_requests,
            connections=max_connections,
            seconds=timeout,
        )
        files = [ModelFile.of(model) for model in models]
        check_names(files)
        secret = checked_token(host, token or os.environ.get(TOKEN))
    warnings.simplefilter("ignore", UnknownAttributesWarning)  # it would quote attributes of a request
    registry = Registry(files, slow_patterns=allow_slow_patterns)
    sys.setswitchinterval(0.001)  # the loop should not wait 5 ms for a thread of the pool
    app = App(registry, limits, secret, None if secret else LOOPBACK | {host}, threads or os.cpu_count() or 1)
    with usage():
        run(app, host, port)


def started_server(command: str) -> Callable[["AsgiApp", str, int], None]:
    """`tagfield.apps.serve.server.run`, which needs the extra `serve`; UsageError if that is not installed."""
    try:
        from tagfield.apps.serve.server import run
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("uvicorn", "httptools", "h11", "click"):
            raise
        advice = "install it with: pip install 'tagfield[serve]'"
        raise UsageError(f"tagfield {command} needs {error.name}; {advice}") from None
    return run


def checked_token(host: str, token: str | None) -> str | None:
    """The token, if it is one; InputError if other machines can reach the service and there is none.

    >>> checked_token("127.0.0.1", None) is None
    True
    >>> checked_token("0.0.0.0", None)
    Traceback (most recent call last):
    tagfield.errors.InputError: on 0.0.0.0 other machines can reach the service; give it a token with --token or \
TAGFIELD_TOKEN
    """
    if token is not None and (len(token) < 8 or not token.isascii() or not token.isprintable() or " " in token):
        raise InputError("the token must have at least 8 characters, all of them printable ASCII without spaces")
    if not token and not _is_loopback(host):
        raise InputError(f"on {host} other machines can reach the service; give it a token with --token or {TOKEN}")
    return token


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
