"""The server that browsers connect to, whatever it shows."""

from __future__ import annotations

import atexit
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kido.view._camera import ANGLE, Camera
from kido.view._viewer._removals import Removals
from kido.view._viewer._server import start_server, stop_server

if TYPE_CHECKING:
    from viser import ViserServer

__all__ = ["PageServer"]


class PageServer:
    """The server that browsers connect to, whatever it shows.

    Attributes:
        viser: the server of viser.
        on_leave: is told the number of a browser that left, by a thread of the server's.
        removals: widgets of pages that were cleared.
    """

    __slots__ = ("_is_stopped", "on_leave", "removals", "viser")

    def __init__(self, host: str, port: int) -> None:
        """Start to listen; raises as `start_server`."""
        self.viser: ViserServer = start_server(host, port, "kido")
        self.removals = Removals(lambda: self.num_clients > 0)
        self._is_stopped = False
        self.on_leave: Callable[[int], object] = lambda client: None

        async def left(client: Any) -> None:
            self.on_leave(client.client_id)

        self.viser.on_client_disconnect(left)
        atexit.register(self.stop)

    @property
    def address(self) -> str:
        """Address of the page."""
        host = self.viser.get_host()
        shown = "localhost" if host in ("127.0.0.1", "0.0.0.0", "::1", "::") else host
        return f"http://{shown}:{self.port}"

    @property
    def port(self) -> int:
        """The port at which it listens."""
        return int(self.viser.get_port())

    @property
    def num_clients(self) -> int:
        """Browsers that are connected."""
        return len(self.viser.get_clients())

    def look_from(self, view: Camera) -> None:
        """Have all browsers look from a camera, those that come later too."""
        first = self.viser.initial_camera
        first.position, first.look_at, first.up = view.position, view.target, view.up
        first.fov = math.radians(ANGLE)
        for client in self.viser.get_clients().values():
            with client.atomic():
                camera = client.camera
                camera.position = view.position
                camera.look_at = view.target
                camera.up_direction = view.up

    def stop(self) -> None:
        """End the server, its threads and all connections; calling this twice does no harm."""
        if not self._is_stopped:
            self._is_stopped = True
            atexit.unregister(self.stop)
            stop_server(self.viser)
