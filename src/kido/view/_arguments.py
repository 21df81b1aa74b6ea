"""Checked arguments of `render`."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kido.frame import Frame
from kido.skeleton import Skeleton
from kido.typing import ArrayLike, FloatArray, PathLike, frozen_array
from kido.view._pyvista import load_pyvista

__all__ = [
    "checked_color",
    "checked_frames",
    "checked_height",
    "checked_lines",
    "checked_path",
    "checked_size",
    "checked_skeletons",
]

_SMALLEST, _LARGEST = 16, 8192


def checked_skeletons(what: Skeleton | Iterable[Skeleton]) -> list[Skeleton]:
    """One skeleton or several, as a list. Raises TypeError."""
    if isinstance(what, Skeleton):
        return [what]
    found = _listed("what", what, "a Skeleton or several")
    for item in found:
        if not isinstance(item, Skeleton):
            raise TypeError(f"what: expected a Skeleton or several, got {type(item).__name__} among them")
    return found


def checked_path(path: PathLike | None) -> Path | None:
    """Path of a PNG file that can be written. Raises ValueError or FileNotFoundError."""
    if path is None:
        return None
    file = Path(path)
    if file.suffix.lower() != ".png":
        raise ValueError(f"path: expected a name that ends in .png, got {file.name!r}")
    if not file.parent.is_dir():
        raise FileNotFoundError(f"path: there is no folder {str(file.parent)!r}")
    return file


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Width and height [pixel]. Raises TypeError or ValueError."""
    try:
        width, height = map(operator.index, size)
    except (TypeError, ValueError) as error:
        raise type(error)(f"size: expected two integers (width, height) [pixel], got {size!r}") from None
    if not (_SMALLEST <= width <= _LARGEST and _SMALLEST <= height <= _LARGEST):
        raise ValueError(f"size: expected {_SMALLEST} to {_LARGEST} [pixel], got {(width, height)}")
    return width, height


def checked_frames(frames: bool | Iterable[Frame], skeletons: Iterable[Skeleton]) -> list[Frame]:
    """The frames whose axes are drawn. Raises TypeError."""
    if isinstance(frames, bool):
        return [body for skeleton in skeletons for body in skeleton.bodies] if frames else []
    found = [frames] if isinstance(frames, Frame) else _listed("frames", frames, "True, False or frames")
    for frame in found:
        if not isinstance(frame, Frame):
            raise TypeError(f"frames: expected True, False or frames, got {type(frame).__name__} among them")
    return found


def checked_lines(trajectories: Iterable[ArrayLike]) -> list[FloatArray]:
    """The lines (k, 3) [m] that are drawn. Raises TypeError or ValueError."""
    lines = []
    for i, points in enumerate(_listed("trajectories", trajectories, "several arrays (k, 3)")):
        name = f"trajectories[{i}]"
        line = frozen_array(name, points, (-1, 3), "m")
        if not len(line):
            raise ValueError(f"{name}: expected at least one point, got none")
        lines.append(line)
    return lines


def checked_color(background: str | ArrayLike) -> FloatArray:
    """A color (3,). Raises ValueError, TypeError, MissingDependencyError."""
    if not isinstance(background, str):
        color = frozen_array("background", background, (3,))
        if not ((color >= 0.0) & (color <= 1.0)).all():
            raise ValueError(f"background: expected numbers in [0, 1], got {color.tolist()}")
        return color
    try:
        return frozen_array("background", load_pyvista().Color(background).float_rgb, (3,))
    except ValueError:
        raise ValueError(f"background: expected a color's name or '#rrggbb', got {background!r}") from None


def checked_height(ground: bool | float) -> float | bool:
    """True or False for a floor or none, or its height [m]. Raises TypeError or ValueError."""
    if isinstance(ground, bool):
        return ground
    return float(frozen_array("ground", ground, (), "m"))


def _listed(name: str, value: Any, expected: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__}") from None
