"""Notices of the viewer to the people at the browsers."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["Notices"]

_LOG = logging.getLogger("kido.view")
_KEPT = 20
_SECONDS = 12.0
"""For which a notice is seen [s]."""
_LONGEST = 400


class Notices:
    """Notices in all browsers, and errors of users' functions, which do not end the viewer.

    Attributes:
        errors: the last exceptions that users' functions raised.
    """

    __slots__ = ("_server", "_told", "errors")

    def __init__(self, server: ViserServer) -> None:
        self._server = server
        self.errors: deque[Exception] = deque(maxlen=_KEPT)
        self._told: dict[tuple[str, type, str], float] = {}

    def tell(self, title: str, body: str, *, color: str = "blue") -> None:
        """Show a notice for a while in all browsers that are connected."""
        for client in self._server.get_clients().values():
            client.add_notification(
                title,
                body if len(body) <= _LONGEST else f"{body[:_LONGEST]} ...",
                auto_close_seconds=_SECONDS,
                color=color,
            )

    def guard(self, call: Callable[[], object], what: str) -> bool:
        """Make a call; whether it raised nothing. What it raises is shown and logged with its traceback."""
        try:
            call()
        except Exception as error:
            self.report(error, what)
            return False
        return True

    def report(self, error: Exception, what: str) -> None:
        """Show an error in all browsers, and log it; the same one again only after some seconds."""
        told, now = (what, type(error), str(error)), time.monotonic()
        if now - self._told.get(told, -_SECONDS) < _SECONDS:
            return
        self._told = {one: since for one, since in self._told.items() if now - since < _SECONDS}
        self._told[told] = now
        self.errors.append(error)
        _LOG.error("%s raised", what, exc_info=error)
        self.tell(f"{what}: {type(error).__name__}", str(error), color="red")
