"""Processor time of the frames of a viewer of boxes that all move, while a browser listens."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np

import kido

__all__ = ["viewer_frame"]

_CONNECTED = 60.0
"""How long a client may take to connect [s]."""


def viewer_frame(bodies: int, frames: int) -> float:
    """Processor time of this process, its server included, for one frame in which every body moves [s]."""
    boxes = [kido.gallery.box((0.1, 0.1, 0.1), mass=1.0, name=f"box {k}") for k in range(bodies)]
    rng = np.random.default_rng(0)
    places = rng.uniform(-1.0, 1.0, (frames, bodies, 6))
    with kido.Viewer(kido.World(boxes), port=0) as viewer:
        address = viewer.address.replace("http://localhost", "ws://127.0.0.1")
        client = subprocess.Popen([sys.executable, "-m", "benchmarks._view._client", address])
        try:
            _wait_for_client(viewer)
            start = time.process_time()
            for frame in places:
                for box, place in zip(boxes, frame, strict=True):
                    box.positions = place
                viewer.update()
            return (time.process_time() - start) / frames
        finally:
            client.terminate()
            client.wait()


def _wait_for_client(viewer: kido.Viewer) -> None:
    end = time.perf_counter() + _CONNECTED
    while not viewer.num_clients:
        if time.perf_counter() > end:
            raise RuntimeError("no client connected to the viewer")
        viewer.update()
        time.sleep(0.01)
    for _ in range(20):
        viewer.update()
        time.sleep(0.01)
