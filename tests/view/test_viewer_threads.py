"""What a viewer sends while browsers come, wait and go, which the thread of its server looks after."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
import viser
from _listener import CAMERA, PATIENCE
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from kido.view._camera import Camera
from kido.view._viewer._page_server import PageServer

BROWSERS, SECONDS, LEAST = 12, 4.0, 100


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns as often as they can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def browse(port: int, ends: threading.Event, *, comes_and_goes: bool) -> None:
    """Be a browser, or one after the other."""
    protocol = f"viser-v{viser.__version__}"
    while not ends.is_set():
        with (
            connect(
                f"ws://127.0.0.1:{port}",
                subprotocols=[protocol],
                max_size=None,
                open_timeout=PATIENCE,
                ping_interval=None,
            ) as socket,
            contextlib.suppress(ConnectionClosed),
        ):
            socket.send(msgspec.msgpack.encode({"type": "ViewerCameraMessage", **CAMERA}))
            until = time.perf_counter() + (0.3 if comes_and_goes else 60.0)
            while not ends.is_set() and time.perf_counter() < until:
                with contextlib.suppress(TimeoutError):
                    socket.recv(timeout=0.05)


@contextlib.contextmanager
def browsers(port: int) -> Iterator[None]:
    ends = threading.Event()
    threads = [
        threading.Thread(target=browse, args=(port, ends), kwargs={"comes_and_goes": k % 3 == 0})
        for k in range(BROWSERS)
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ends.set()
        for thread in threads:
            thread.join()


def test_cameras_are_sent_while_browsers_come_and_go(restless: None) -> None:
    server = PageServer("127.0.0.1", 0)
    try:
        with browsers(server.port):
            end, count = time.perf_counter() + SECONDS, 0
            while count < LEAST or time.perf_counter() < end:
                count += 1
                server.viser.gui.set_panel_label(str(count))
                server.look_from(
                    Camera(np.array([1.0 + count, 0.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
                )
    finally:
        server.stop()
