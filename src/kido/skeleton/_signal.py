"""Telling whoever wants to know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, ParamSpec

__all__ = ["Connection", "Signal"]

P = ParamSpec("P")


class Connection(Generic[P]):
    """A callback that a signal calls, until `disconnect`."""

    __slots__ = ("_callback", "_signal")

    def __init__(self, signal: Signal[P], callback: Callable[P, object]) -> None:
        self._signal = signal
        self._callback = callback

    def disconnect(self) -> None:
        """Stop being called; calling this twice does no harm."""
        self._signal._drop(self)

    def _call(self, *args: P.args, **kwargs: P.kwargs) -> None:
        self._callback(*args, **kwargs)


class Signal(Generic[P]):
    """Calls everything that is connected, in the order of connection."""

    __slots__ = ("_connections",)

    def __init__(self) -> None:
        self._connections: tuple[Connection[P], ...] = ()

    def connect(self, callback: Callable[P, object]) -> Connection[P]:
        """Have `callback` called from now on; the connection ends that."""
        connection = Connection(self, callback)
        self._connections = (*self._connections, connection)
        return connection

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all callbacks."""
        for connection in self._connections:
            connection._call(*args, **kwargs)

    def _drop(self, connection: Connection[P]) -> None:
        self._connections = tuple(other for other in self._connections if other is not connection)
