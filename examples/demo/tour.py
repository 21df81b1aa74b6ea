"""Pictures of the tour's scenes."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rich.console import Console

from kido.cli import print_heading, print_pairs
from kido.errors import RenderError
from kido.tour import SCENES, draw_scene

__all__ = ["show_tour"]


def show_tour(console: Console, output: Path, size: tuple[int, int]) -> list[Path]:
    """Draw every scene of the tour, with this width and height [pixel], into a folder; say how to open it.

    Returns the pictures, none where the machine has no OpenGL.
    """
    print_heading(console, f"The tour, {len(SCENES)} scenes to click through")
    output.mkdir(parents=True, exist_ok=True)
    start, drawn = time.perf_counter(), list[Path]()
    try:
        for scene in SCENES:
            drawn.append(draw_scene(scene, output / f"{scene.name}.png", size=size))
            console.print(f"{drawn[-1]}: {scene.title}", soft_wrap=True)
    except RenderError as error:
        console.print(f"pictures left out: {error}", soft_wrap=True)
    pairs = [("drawing", f"{time.perf_counter() - start:.1f} s")] if drawn else []
    print_pairs(console, [*pairs, ("open it", f"{_python()} -m kido demo, then http://localhost:8080")])
    return drawn


def _python() -> str:
    """The interpreter, as it is called from here."""
    path = Path(sys.executable)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
