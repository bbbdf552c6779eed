"""A session with Ray: a cluster of this machine's own that ends with the session, or a connection to yours.

    local       ─▶ start Ray here: loopback only, a token of its own, a folder that is removed at the end (cleanup.py)
    HOST:PORT   ─▶ check that something listens there ─▶ connect; at the end only our own workers are gone
    None        ─▶ the connection that your program has already opened with ray.init()

Whoever reaches the ports of a Ray cluster and knows its token runs code there. Ray reads these settings from the
environment when it is imported, so a local session sets them before.
"""

import contextlib
import importlib.util
import os
import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from tagfield.errors import InputError, TagfieldError, nearest
from tagfield.scale.cluster import cleanup
from tagfield.system.checks import whole

LOCAL = "local"
SECONDS = 5.0  # to reach an address
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # of HTTP/2, with an empty SETTINGS
SETTINGS = b"\x04"  # the type of that frame
STORE = 128 << 20  # bytes of shared memory, at least

QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}  # Ray's name for: bind to 127.0.0.1 and to no other interface


class ClusterError(TagfieldError):
    """The cluster failed: it cannot be reached, or a worker ends again and again."""


def check_ready(address: str | None) -> None:
    """Raise InputError where an address can be none, or Ray is not installed; without importing it."""
    if address not in (None, LOCAL):
        check_shape(str(address))
    if importlib.util.find_spec("ray") is None:
        raise InputError("a cluster needs Ray; install it with: pip install 'tagfield[cluster]'")


@contextmanager
def open_session(address: str | None = LOCAL, *, cpus: int = 1, store: int = STORE) -> Iterator[Any]:
    """Ray, connected; it is left as it was found.

    cpus, store: what a local cluster has: how many processors, and how many bytes of shared memory
    """
    check_ready(address)
    if address is None:
        import ray

        if not ray.is_initialized():
            raise InputError("Ray is not connected; give address='local', or HOST:PORT of a cluster's head node")
        yield ray
        return
    with _environment(QUIET | (LOOPBACK if address == LOCAL else {})):
        if address == LOCAL:
            _use_token()
        import ray

        if ray.is_initialized():
            raise InputError(
                f"Ray is connected already, so {address!r} has no effect; leave the address out to use this connection"
            )
        yield from _local(ray, cpus, store) if address == LOCAL else _connected(ray, address)


def _use_token() -> None:
    """Gives this process and its children a token. It stays, since Ray reads it once in a process."""
    if not any(os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")):
        os.environ["RAY_AUTH_TOKEN"] = secrets.token_hex(32)
    if "ray" not in sys.modules:  # one that is imported turns the token on by itself
        os.environ.setdefault("RAY_AUTH_MODE", "token")


@contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables for Ray and its processes; what you have set yourself stays."""
    new = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)


@contextmanager
def _on_loopback() -> Iterator[None]:
    """Binds to 127.0.0.1 also where your program imported Ray before the variable was set."""
    constants: Any = sys.modules.get("ray._private.ray_constants")
    before = getattr(constants, "ENABLE_RAY_CLUSTER", None)
    try:
        if before:
            constants.ENABLE_RAY_CLUSTER = False
        yield
    finally:
        if before:
            constants.ENABLE_RAY_CLUSTER = before


def _local(ray: Any, cpus: int, store: int) -> Iterator[Any]:
    with _own_folder() as folder:
        try:
            start = partial(
                ray.init,
                address=LOCAL,
                num_cpus=cpus,
                num_gpus=0,
                object_store_memory=max(STORE, store),
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                _temp_dir=folder,
            )
            with _on_loopback(), _one_sentence("cannot start Ray on this machine"):
                try:
                    start()
                except Exception:  # Ray gives its processes 30 seconds, and a busy machine may take longer
                    ray.shutdown()
                    start()
            yield ray
        finally:
            ray.shutdown()


@contextmanager
def _own_folder() -> Iterator[str]:
    """A folder for a local cluster. A process of its own removes it, and what is left running, when this one ends."""
    # A short path: Ray's sockets are in it, and the name of a socket has at most 107 bytes.
    folder = tempfile.mkdtemp(prefix="tagfield-", dir="/tmp" if sys.platform != "win32" else None)
    command = [sys.executable, "-I", "-S", cleanup.__file__, folder]
    with subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True) as watcher:
        os.environ[cleanup.SESSION] = folder  # the watcher itself does not have it
        try:
            yield folder
        finally:
            os.environ.pop(cleanup.SESSION, None)
            assert watcher.stdin is not None
            watcher.stdin.close()  # and wait for it


def _connected(ray: Any, address: str) -> Iterator[Any]:
    check_address(address)
    try:
        with _one_sentence(f"cannot connect to the Ray cluster at {address}"):
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        yield ray
    finally:
        ray.shutdown()


@contextmanager
def _one_sentence(what: str) -> Iterator[None]:
    """Whatever Ray raises here, as one sentence; its own messages fill pages."""
    try:
        yield
    except Exception as error:
        reason = str(error).strip().partition("\n")[0].rstrip(".") or type(error).__name__
        raise ClusterError(
            f"{what}: {reason}; run this command on a machine of the cluster, with the cluster's version of Ray and "
            "its token (RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH)"
            if "cannot connect" in what
            else f"{what}: {reason}"
        ) from None


def check_shape(address: str) -> tuple[str, int]:
    """Host and port of an address.

    >>> check_shape("10.0.0.5:6379")
    ('10.0.0.5', 6379)
    >>> check_shape("nowhere")
    Traceback (most recent call last):
    tagfield.errors.InputError: the cluster's address must be local or HOST:PORT, as in 10.0.0.5:6379; got 'nowhere'
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536 or "/" in host:
        near = nearest(address.lower(), [LOCAL])
        raise InputError(
            f"the cluster's address must be local or HOST:PORT, as in 10.0.0.5:6379; got {address!r}"
            + ("; did you mean local?" if near else "")
        )
    return host.strip("[]"), int(port)


def check_address(address: str) -> None:
    """Raise an error within seconds if nothing listens at HOST:PORT, or something else than Ray.

    Ray itself would wait for minutes. Its head node speaks gRPC, that is HTTP/2: a server greets with a SETTINGS frame.
    """
    host, port = check_shape(address)
    try:
        with contextlib.closing(socket.create_connection((host, port), timeout=SECONDS)) as connection:
            if os.environ.get("RAY_USE_TLS", "0") not in ("", "0"):
                return
            connection.sendall(PREFACE)
            answer = connection.recv(9)
    except OSError as error:
        reason = "no answer" if isinstance(error, TimeoutError) else (error.strerror or str(error)).lower()
    else:
        if answer[3:4] == SETTINGS:
            return
        reason = "what listens there is not Ray"
    raise ClusterError(
        f"no Ray cluster at {address}: {reason}; start one there with `ray start --head --port={port}`, or use "
        "--cluster local"
    )


def at_least_one(called: str, value: int) -> int:
    """A whole number from 1 up.

    >>> at_least_one("workers", 0)
    Traceback (most recent call last):
    tagfield.errors.InputError: workers must be at least 1, got 0
    """
    found = whole(called, value)
    if found < 1:
        raise InputError(f"{called} must be at least 1, got {value}")
    return found
