"""Colors (4,) of what has none of its own."""

from __future__ import annotations

import numpy as np

from kido.typing import FloatArray

__all__ = [
    "AXIS_COLORS",
    "BLUE",
    "CONTACT",
    "DARK",
    "FORCE",
    "GREY",
    "INERTIA",
    "LIGHT",
    "LINE_COLORS",
    "MISSING",
    "ORANGE",
    "SLATE",
    "STEEL",
    "SUPPORT",
    "TOUCHING",
]


def _rgba(code: str) -> FloatArray:
    color = np.array([*(int(code[i : i + 2], 16) / 255.0 for i in (0, 2, 4)), 1.0])
    color.flags.writeable = False
    return color


GREY, STEEL, SLATE = _rgba("c9cdd3"), _rgba("a9b4c2"), _rgba("4a5568")
BLUE, ORANGE = _rgba("2b6cb0"), _rgba("e8793a")
AXIS_COLORS = (_rgba("d62839"), _rgba("2a9d3f"), _rgba("2563eb"))
"""Colors of the x, y and z axis."""
LINE_COLORS = tuple(map(_rgba, ("0072b2", "d55e00", "009e73", "cc79a7", "e69f00", "56b4e9")))
"""Colors that color-blind people tell apart (Okabe, Ito 2008)."""
TOUCHING, INERTIA, MISSING = _rgba("2a9d8f"), _rgba("8e5bd0"), _rgba("e0218a")
"""Colors of shapes for contact beside those for looks, of boxes of inertia, and of what stands for a mesh
that cannot be read."""
CONTACT, FORCE, SUPPORT, DARK, LIGHT = map(_rgba, ("f4a300", "d62839", "2a9d3f", "1d2733", "f7f8fa"))
