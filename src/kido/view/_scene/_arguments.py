"""Checked arguments of scenes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kido.frame import Frame
from kido.typing import ArrayLike, FloatArray, frozen_array

__all__ = ["checked_frames", "checked_lines"]


def checked_frames(frames: bool | Frame | Iterable[Frame]) -> bool | tuple[Frame, ...]:
    """True for all bodies, or the frames whose axes are drawn. Raises TypeError."""
    if isinstance(frames, bool):
        return frames or ()
    found = (frames,) if isinstance(frames, Frame) else _listed("frames", frames, "True, False or frames")
    for frame in found:
        if not isinstance(frame, Frame):
            raise TypeError(f"frames: expected True, False or frames, got {type(frame).__name__} among them")
    return found


def checked_lines(trajectories: Iterable[ArrayLike]) -> tuple[FloatArray, ...]:
    """The lines (k, 3) [m] that are drawn. Raises TypeError or ValueError."""
    lines = []
    for i, points in enumerate(_listed("trajectories", trajectories, "several arrays (k, 3)")):
        name = f"trajectories[{i}]"
        line = frozen_array(name, points, (-1, 3), "m")
        if not len(line):
            raise ValueError(f"{name}: expected at least one point, got none")
        lines.append(line)
    return tuple(lines)


def _listed(name: str, value: Any, expected: str) -> tuple[Any, ...]:
    try:
        return tuple(value)
    except TypeError:
        raise TypeError(f"{name}: expected {expected}, got {type(value).__name__}") from None
