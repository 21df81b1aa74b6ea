"""Pictures of robots in three dimensions, where the machine can draw them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from examples.demo.figure import save_image
from kido.cli import print_pairs
from kido.errors import RenderError
from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.typing import FloatArray
from kido.view import render

__all__ = ["SIZE", "Scene", "draw_scenes"]

Vector: TypeAlias = tuple[float, float, float]

SIZE = (1000, 750)
"""Width and height of a picture [pixel]."""


@dataclass(frozen=True)
class Scene:
    """Skeletons, axes of frames and lines of points (k, 3) [m], seen by a camera of `kido.render`."""

    skeletons: Sequence[Skeleton]
    frames: Sequence[Frame] = ()
    lines: Sequence[FloatArray] = ()
    camera: tuple[Vector, Vector, Vector] | None = None

    def draw(self, size: tuple[int, int]) -> NDArray[np.uint8]:
        """The picture (height, width, 3), of this width and height [pixel]. Raises RenderError."""
        return render(
            self.skeletons, size=size, frames=self.frames, trajectories=self.lines, camera=self.camera
        )


def draw_scenes(
    console: Console, path: Path, scenes: Sequence[Scene], size: tuple[int, int] = SIZE
) -> list[Path]:
    """Draw scenes of this width and height [pixel] side by side to a PNG file.

    Returns its path, or nothing where the machine has no OpenGL.
    """
    start = time.perf_counter()
    try:
        pictures = [scene.draw(size) for scene in scenes]
    except RenderError as error:
        console.print(f"picture left out: {error}", soft_wrap=True)
        return []
    save_image(np.concatenate(pictures, axis=1), path)
    print_pairs(console, [("drawing", f"{time.perf_counter() - start:.1f} s")])
    return [path]
