"""Vectors in the axes of a frame."""

from __future__ import annotations

import numpy as np

from kido.frame import Frame
from kido.typing import FloatArray

__all__ = ["checked_frame", "in_axes_of"]


def checked_frame(name: str, frame: object) -> Frame:
    """The frame; raises TypeError, naming the argument, where it is none."""
    if not isinstance(frame, Frame):
        raise TypeError(f"{name}: expected a Frame, got {type(frame).__name__}")
    return frame


def in_axes_of(in_coordinates_of: Frame | None, rows: FloatArray) -> FloatArray:
    """A copy of vectors in world axes, (3, ...) or (6, ...), in the axes of a frame; None: the world.

    Raises TypeError where it is no frame.
    """
    if in_coordinates_of is None:
        return rows.copy()
    R = checked_frame("in_coordinates_of", in_coordinates_of).transform()[:3, :3].T
    return np.concatenate([R @ rows[i : i + 3] for i in range(0, len(rows), 3)])
