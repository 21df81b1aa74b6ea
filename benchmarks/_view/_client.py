"""A browser without eyes, in a process of its own: it takes what a viewer sends until it is ended.

python -m benchmarks._view._client ws://127.0.0.1:8080
"""

from __future__ import annotations

import sys
from contextlib import suppress

import msgspec
import viser
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

__all__ = ["CAMERA", "main"]

CAMERA = {
    "type": "ViewerCameraMessage",
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
"""The message by which a browser says where its camera is."""


def main(address: str) -> None:
    """Connect, say where the camera is, and listen."""
    protocol = f"viser-v{viser.__version__}"
    with (
        suppress(ConnectionClosed),
        connect(address, subprotocols=[protocol], max_size=None, ping_interval=None) as socket,  # type: ignore[list-item]
    ):
        socket.send(msgspec.msgpack.encode(CAMERA))
        while True:
            socket.recv()


if __name__ == "__main__":
    main(sys.argv[1])
