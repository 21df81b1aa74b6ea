"""Widgets that go from the panel."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Any

__all__ = ["Removals"]

_DELAY = 10.0
"""From hiding a widget to its removal [s]: longer than the slowest browsers take for a frame."""


class Removals:
    """Widgets that are hidden at once, and removed some seconds later.

    In each frame of a browser viser's page first removes widgets and then applies what changed, and logs an
    error for a change of a widget that was removed. Slow browsers get a widget's last value and its removal
    in one frame where these are sent one right after the other. Being hidden is a change like any other.
    """

    __slots__ = ("_has_clients", "_waiting")

    def __init__(self, has_clients: Callable[[], bool]) -> None:
        """Nothing waits; `has_clients` tells whether there are browsers."""
        self._has_clients = has_clients
        self._waiting: deque[tuple[float, Any]] = deque()

    def remove(self, handle: Any) -> None:
        """Hide a widget or folder of viser, and remove it when its time has come; nobody may change it."""
        handle.visible = False
        self._waiting.append((time.monotonic() + _DELAY, handle))

    def sweep(self) -> None:
        """Remove what has waited for long enough."""
        now = time.monotonic()
        while self._waiting and (self._waiting[0][0] <= now or not self._has_clients()):
            self._waiting.popleft()[1].remove()
