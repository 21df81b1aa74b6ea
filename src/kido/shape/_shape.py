"""The base of all shapes."""

from __future__ import annotations

import math

from kido.typing import Value

__all__ = ["Shape", "positive_length"]


class Shape(Value):
    """Geometry around the origin of its own frame. A shape only describes; detectors and viewers ask."""

    __slots__ = ()


def positive_length(name: str, value: float) -> float:
    """`value` as a float; raises ValueError if it is not positive and finite [m]."""
    length = float(value)
    if not (math.isfinite(length) and length > 0.0):
        raise ValueError(f"{name}: expected a positive finite number [m], got {length}")
    return length
