"""Calls that other threads ask for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable

__all__ = ["Inbox"]

Call = Callable[[], object]


class Inbox:
    """Calls that other threads ask for, made by the one thread that may touch the models.

    Browsers are served by threads of their own; whatever they want of a model is put here, and made between
    two frames. A call with a key replaces one that waits under the same key: of a slider that is dragged,
    the last value counts.
    """

    __slots__ = ("_calls", "_count", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls: dict[Hashable, Call] = {}
        self._count = 0

    def put(self, call: Call, key: Hashable | None = None) -> None:
        """Have a call made at the next frame; from any thread."""
        with self._lock:
            self._count += 1
            name: Hashable = ("call", self._count) if key is None else ("key", key)
            self._calls.pop(name, None)
            self._calls[name] = call

    def take(self) -> list[Call]:
        """The calls that wait, in the order in which they came; they wait no longer."""
        with self._lock:
            calls, self._calls = list(self._calls.values()), {}
        return calls
