"""Signals and slots."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Generic, ParamSpec

__all__ = ["Connection", "Signal", "raise_first"]

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
        """Have `callback` called from now on; the connection ends that. Raises TypeError for no function."""
        if not callable(callback):
            raise TypeError(f"callback: expected a function, got {callback!r}")
        connection = Connection(self, callback)
        self._connections = (*self._connections, connection)
        return connection

    def emit(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all callbacks, whatever they raise; then raise what the first one raised.

        Where several raise, the error has a note for each of the others (from Python 3.11 on).
        """
        raise_first(self.tell(*args, **kwargs))

    def tell(self, *args: P.args, **kwargs: P.kwargs) -> list[Exception]:
        """Call all callbacks; the exceptions that they raised."""
        errors: list[Exception] = []
        for connection in self._connections:
            try:
                connection._call(*args, **kwargs)
            except Exception as error:
                errors.append(error)
        return errors

    def _drop(self, connection: Connection[P]) -> None:
        self._connections = tuple(other for other in self._connections if other is not connection)


def raise_first(errors: Sequence[Exception]) -> None:
    """Raise the first error, if there is one, with a note for each of the others."""
    if not errors:
        return
    first, *others = errors
    if sys.version_info >= (3, 11):
        for other in others:
            first.add_note(f"another listener raised {type(other).__name__}: {other}")
    raise first
