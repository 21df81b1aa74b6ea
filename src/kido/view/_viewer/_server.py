"""The server that browsers connect to."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import rich

from kido.errors import MissingDependencyError

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["free_port", "load_viser", "start_server", "stop_server"]

_MOST_PORTS = 100


def load_viser() -> Any:
    """The module viser. Raises MissingDependencyError where it is not installed."""
    try:
        import viser
    except ImportError:
        raise MissingDependencyError("viser", "view", "kido.Viewer") from None
    return viser


def free_port(host: str, port: int) -> int:
    """The first port from `port` on at which nobody listens; 0 stays 0, for any.

    Raises OSError where the host is none of this machine's, or all of a hundred ports are in use.
    """
    if port == 0:
        return 0
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    for candidate in range(port, min(port + _MOST_PORTS, 65536)):
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, candidate, *address[2:]))
            except PermissionError:
                raise
            except OSError as error:
                if not _in_use(error):
                    raise OSError(error.errno, f"cannot listen at {host}: {error.strerror}") from error
                continue
            return candidate
    raise OSError(f"all ports from {port} to {port + _MOST_PORTS - 1} of {host} are in use")


def start_server(host: str, port: int, title: str) -> ViserServer:
    """A server that listens. It prints nothing, and has no button that opens it to the internet.

    Raises MissingDependencyError; OSError as `free_port`.
    """
    viser = load_viser()
    with _quiet():
        server: ViserServer = viser.ViserServer(host, free_port(host, port), title, verbose=False)
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    return server


def stop_server(server: ViserServer) -> None:
    """End a server, its threads and its connections."""
    loop = server._websock_server._background_event_loop
    with _quiet():
        server.stop()
    if loop is not None and not loop.is_running():
        _close_left(loop)


def _close_left(loop: asyncio.AbstractEventLoop) -> None:
    """Close the sockets of connections that a loop had open when it ended, which nothing else does."""
    for transport in list(getattr(loop, "_transports", {}).values()):
        left = getattr(transport, "_sock", None)
        if left is not None:
            left.close()
            transport._sock = None


def _in_use(error: OSError) -> bool:
    return error.errno == errno.EADDRINUSE


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what viser prints when it begins and ends."""
    console = rich.get_console()
    quiet, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = quiet
