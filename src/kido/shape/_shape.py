"""The base of all shapes."""

from __future__ import annotations

from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.values import Value

__all__ = ["Shape", "positive_lengths"]


class Shape(Value):
    """Geometry around the origin of its own frame. A shape only describes; detectors and viewers ask."""

    __slots__ = ()


def positive_lengths(name: str, value: ArrayLike) -> FloatArray:
    """`value` as a read-only array (3,); raises ValueError where a number is not positive and finite [m]."""
    lengths = frozen_array(name, value, (3,), "m")
    if not (lengths > 0.0).all():
        raise ValueError(f"{name}: expected positive numbers [m], got {lengths.tolist()}")
    return lengths
