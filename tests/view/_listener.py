"""A browser without eyes: it hears what a viewer sends, and says what browsers say."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec
import numpy as np
import viser
import zstandard
from _mark import mark_in, send_mark
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

import kido

CAMERA = {
    "wxyz": (1.0, 0.0, 0.0, 0.0),
    "position": (1.0, 0.0, 0.0),
    "fov": 1.0,
    "near": 0.01,
    "far": 100.0,
    "image_height": 100,
    "image_width": 100,
    "look_at": (0.0, 0.0, 0.0),
    "up_direction": (0.0, 0.0, 1.0),
}
PATIENCE = 60.0
"""How long a viewer may take on a machine that has much else to do [s]."""
_places = count(2)


class Listener:
    """A connection to a viewer, in a thread of its own.

    Attributes:
        windows: what came at once, one after the other: number of bytes, and messages by their fields.
    """

    def __init__(self, viewer: kido.Viewer) -> None:
        self._viewer = viewer
        self.windows: list[tuple[int, list[dict[str, Any]]]] = []
        self._mark = 0
        address = viewer.address.replace("http://localhost", "ws://127.0.0.1")
        self._socket = connect(
            address,
            subprotocols=[f"viser-v{viser.__version__}"],
            max_size=None,
            open_timeout=PATIENCE,
            ping_interval=None,
        )
        threading.Thread(target=self._listen, daemon=True).start()
        known = viewer.num_clients
        self.say("ViewerCameraMessage", **CAMERA)
        self.until(lambda: viewer.num_clients > known)
        self.frames(0.4)

    def _listen(self) -> None:
        try:
            while True:
                data = self._socket.recv()
                messages = _decoded(data)
                told = [message for message in messages if not mark_in(message)]
                if told:
                    self.windows.append((len(data), told))
                self._mark = max(self._mark, *map(mark_in, messages))
        except ConnectionClosed:
            pass

    @property
    def messages(self) -> list[dict[str, Any]]:
        """All that came."""
        return [message for _, messages in self.windows for message in messages]

    def of_type(self, *types: str) -> list[dict[str, Any]]:
        """All of some types that came."""
        return [message for message in self.messages if message["type"] in types]

    def latest(self, name: str, *properties: str) -> list[np.ndarray]:
        """Arrays of a node of the scene as they came last."""
        found: dict[str, Any] = {}
        for message in self.messages:
            if message.get("name") == name:
                found.update(message.get("props") or message.get("updates") or {})
        return [found[one] for one in properties]

    def widget(self, label: str) -> str:
        """The identifier of the last widget with a label that came."""
        found = [m for m in self.messages if m.get("props", {}).get("label") == label]
        return str(found[-1]["uuid"])

    def say(self, kind: str, **fields: Any) -> None:
        """Send a message of a type."""
        self._socket.send(msgspec.msgpack.encode({"type": kind, **fields}))

    def set_value(self, label: str, value: Any) -> None:
        """Move or click a widget, as people do."""
        self.say("GuiUpdateMessage", uuid=self.widget(label), updates={"value": value})

    def frames(self, seconds: float) -> None:
        """Let frames go on for a while [s]: the first after all that was said was heard, the last not before
        the end; then wait until all that they sent has come."""
        self.be_heard()
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self._viewer.update()
            time.sleep(0.005)
        self._viewer.update()
        self.catch_up()

    def be_heard(self) -> None:
        """Wait until the viewer heard all that was said, in the order in which it was said."""
        place = (float(next(_places)), 0.0, 0.0)
        self.say("ViewerCameraMessage", **CAMERA | {"position": place})
        clients = self._viewer._server.viser.get_clients
        self._wait(lambda: any(client.camera.position[0] == place[0] for client in clients().values()))

    def catch_up(self) -> None:
        """Wait until all that the viewer sent has come."""
        mark = send_mark(self._viewer)
        self._wait(lambda: self._mark >= mark)

    def until(self, holds: Callable[[], object]) -> None:
        """Let frames go on until something holds."""
        self._wait(holds, self._viewer.update)

    def _wait(self, holds: Callable[[], object], meanwhile: Callable[[], object] = lambda: None) -> None:
        """Do something again and again until something holds."""
        end = time.perf_counter() + PATIENCE
        while not holds():
            assert time.perf_counter() < end, f"waited in vain; {self._viewer.errors}"
            meanwhile()
            time.sleep(0.005)

    def close(self) -> None:
        """End the connection."""
        self._socket.close()


def _decoded(data: bytes) -> list[dict[str, Any]]:
    """The messages of a window: compressed, and behind them the arrays, each at a multiple of 8 bytes."""
    length = int.from_bytes(data[8:16], "little")
    window = msgspec.msgpack.decode(zstandard.decompress(data[16 : 16 + length]))
    arrays, place = [], 16 + length
    for size in window["binaryBufferLengths"]:
        place += -place % 8
        arrays.append(data[place : place + size])
        place += size

    def with_arrays(part: Any) -> Any:
        if isinstance(part, dict) and "__binary_index" in part:
            return np.frombuffer(arrays[part["__binary_index"]], part["dtype"])
        if isinstance(part, dict):
            return {key: with_arrays(value) for key, value in part.items()}
        return part

    return [with_arrays(message) for message in window["messages"]]
