"""The server that browsers connect to."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import rich

from kido.errors import MissingDependencyError

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["close_with_sockets", "free_port", "is_worth_telling", "load_viser", "start_server", "stop_server"]

_MOST_PORTS = 100
_GRACE = 0.3
"""Time that connections have to say goodbye when a server ends [s]."""


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
    logging.getLogger("websockets.server").addFilter(is_worth_telling)
    with _quiet():
        server: ViserServer = viser.ViserServer(host, free_port(host, port), title, verbose=False)
    _wake_in_loop(server)
    loop = server._websock_server._background_event_loop
    assert loop is not None
    close_with_sockets(loop)
    server.gui.configure_theme(show_logo=False, show_share_button=False)
    return server


def is_worth_telling(record: logging.LogRecord) -> bool:
    """Whether a record of the package websockets is none of connections to a viewer that ask for nothing, as
    browsers open ahead of time, or are dropped."""
    if record.msg != "opening handshake failed":
        return True
    handler = getattr(getattr(getattr(record, "websocket", None), "server", None), "handler", None)
    return not getattr(handler, "__module__", "").startswith("viser.")


def _wake_in_loop(server: ViserServer) -> None:
    """Have what waits for messages be woken by the thread of the server's loop alone, and browsers that leave
    be told something without a warning.

    viser wakes it from the thread that sends, too; events of asyncio are not made for that, and raise where a
    connection begins or ends to wait at the same moment.
    """
    websockets = server._websock_server
    _set_in_loop(websockets._broadcast_buffer)

    async def connected(connection: Any) -> None:
        buffer = connection.get_message_buffer()
        _set_in_loop(buffer)
        buffer._warned_push_after_done = True  # a browser may leave while it is told something

    websockets.on_client_connect(connected)


def _set_in_loop(buffer: Any) -> None:
    """Have the event of a buffer of messages be set by the thread of its loop."""
    event, loop = buffer.message_event, buffer.event_loop
    set_now = event.set

    def set_soon() -> None:
        if _is_running_here(loop):
            set_now()
        elif not event.is_set():
            with suppress(RuntimeError):  # the loop was closed: nobody waits
                loop.call_soon_threadsafe(set_now)

    event.set = set_soon


def _is_running_here(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether this thread runs a loop now."""
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


def stop_server(server: ViserServer) -> None:
    """End a server, its threads and its connections; those that do not answer are dropped."""
    loop = server._websock_server._background_event_loop
    if loop is not None:
        with suppress(RuntimeError):  # it has ended already
            loop.call_soon_threadsafe(loop.call_later, _GRACE, _drop_connections, loop)
    with _quiet():
        server.stop()


def _drop_connections(loop: asyncio.AbstractEventLoop) -> None:
    for transport in list(getattr(loop, "_transports", {}).values()):
        transport.abort()


def close_with_sockets(loop: asyncio.AbstractEventLoop) -> None:
    """Have a loop close the sockets of connections that nothing else closes: of those that are open when
    it is closed, and of those that come while their server is closed.

    Its own thread does so: others see the loop's end too late, when what it held may be gone.
    """
    close, transport_of = loop.close, loop._make_socket_transport  # type: ignore[attr-defined]

    def close_all() -> None:
        for transport in list(getattr(loop, "_transports", {}).values()):
            left = getattr(transport, "_sock", None)
            if left is not None:
                left.close()
                transport._sock = None
        close()

    def of_open_server(connection: socket.socket, *arguments: Any, server: Any = None, **options: Any) -> Any:
        if server is not None and not server.sockets:  # asyncio would leave the socket open
            connection.close()
            raise ConnectionAbortedError
        return transport_of(connection, *arguments, server=server, **options)

    loop.close = close_all  # type: ignore[method-assign]
    loop._make_socket_transport = of_open_server  # type: ignore[attr-defined]


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
