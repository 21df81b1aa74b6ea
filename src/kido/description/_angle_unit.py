"""Angles in degrees, for people."""

from __future__ import annotations

import math

__all__ = ["degrees_of"]


def degrees_of(unit: str) -> tuple[float, str]:
    """Factor and unit that show numbers of a unit in degrees, where they are angles or rates of angles.

    >>> degrees_of("rad/s")
    (57.29577951308232, 'deg/s')
    >>> degrees_of("m")
    (1.0, 'm')
    """
    if unit == "rad" or unit.startswith("rad/"):
        return math.degrees(1.0), unit.replace("rad", "deg", 1)
    return 1.0, unit
