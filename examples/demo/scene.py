"""Pictures of robots in three dimensions, where the machine can draw them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console

from kido.cli import print_pairs
from kido.errors import RenderError
from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.typing import FloatArray
from kido.view import render

__all__ = ["SIZE", "draw_scene"]

SIZE = (1000, 750)
"""Width and height of a picture [pixel]."""


def draw_scene(
    console: Console,
    path: Path,
    skeletons: Sequence[Skeleton],
    frames: Iterable[Frame],
    lines: Iterable[FloatArray],
    size: tuple[int, int] = SIZE,
) -> list[Path]:
    """Draw skeletons, axes of frames and lines of points (k, 3) [m] to a PNG file.

    Returns its path, or nothing where the machine has no OpenGL.
    """
    start = time.perf_counter()
    try:
        render(skeletons, path, size=size, frames=frames, trajectories=lines)
    except RenderError as error:
        console.print(f"picture left out: {error}", soft_wrap=True)
        return []
    print_pairs(console, [("drawing", f"{time.perf_counter() - start:.1f} s")])
    return [path]
