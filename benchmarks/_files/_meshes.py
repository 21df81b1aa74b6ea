"""A robot with its meshes: what kido reads, and how long the first time in a process takes."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import kido
from benchmarks import _peers
from kido.shape import Mesh, load_triangles

__all__ = ["first_time", "loads", "with_meshes"]

OWN = "kido"


def with_meshes(path: Path) -> kido.Skeleton:
    """The robot, once the triangles of all its meshes have been read."""
    robot = kido.load(path)
    meshes = {
        node.shape for body in robot.bodies for node in body.shape_nodes if isinstance(node.shape, Mesh)
    }
    for mesh in meshes:
        load_triangles(mesh)
    return robot


def loads(who: str, path: Path, folder: Path) -> Callable[[], Any]:
    """What reads a file by kido or a peer; `folder` takes files of its own."""
    if who == OWN:
        return lambda: with_meshes(path)
    module = importlib.import_module(f"benchmarks._peers._{who}")
    load: Callable[[], Any] = getattr(module, _peers.CLASSES["files"][who])().with_meshes(path, folder)
    return load


def first_time(who: str, path: Path, folder: Path) -> float:
    """Time to read a file in a process that has imported the library and read nothing yet [s]."""
    command = [sys.executable, "-m", "benchmarks._files._meshes", who, str(path), str(folder)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def _main(who: str, path: str, folder: str) -> None:
    load = loads(who, Path(path), Path(folder))
    warnings.simplefilter("ignore")  # of what models lack
    start = time.perf_counter()
    load()
    print(time.perf_counter() - start)


if __name__ == "__main__":
    _main(*sys.argv[1:])
