"""Rules that combine the surfaces of two shapes that touch, and what the native world takes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from kido.shape import CombineRule, Surface, SurfaceRules
from kido.skeleton import ShapeNode
from kido.typing import FloatArray

__all__ = ["CombineRule", "SurfaceHandler", "SurfaceRules", "checked_handler", "surface_numbers"]

_SIZE = 16

SurfaceHandler: TypeAlias = SurfaceRules | Callable[[ShapeNode, ShapeNode], Surface]
"""What says how two shapes meet: rules, or a function of both that is asked when they begin to touch.

The function gives their combined surface; its direction and velocities are those of the first relative to the
second, in the frame of the first.
"""


def checked_handler(handler: SurfaceHandler | None) -> SurfaceHandler:
    """A handler; rules where there is none. Raises TypeError."""
    if handler is None:
        return SurfaceRules()
    if isinstance(handler, SurfaceRules) or callable(handler):
        return handler
    raise TypeError(
        f"surface_handler: expected SurfaceRules, a function of two shape nodes or None, got "
        f"{type(handler).__name__}"
    )


def surface_numbers(surface: Surface, T_body_shape: FloatArray) -> FloatArray:
    """A surface as the native world takes it (16,): vectors in the axes of the body, motion at its origin."""
    across, slip_across = surface.secondary_friction, surface.secondary_slip
    numbers = np.zeros(_SIZE)
    numbers[:3] = surface.friction, surface.restitution, surface.friction if across is None else across
    numbers[6:8] = surface.slip, surface.slip if slip_across is None else slip_across
    numbers[14:] = surface.rolling_friction, surface.torsional_friction
    R, p = T_body_shape[:3, :3], T_body_shape[:3, 3]
    if surface.friction_direction is not None:
        numbers[3:6] = R @ surface.friction_direction
    if surface.velocity.any() or surface.angular_velocity.any():
        angular = R @ surface.angular_velocity
        numbers[8:11] = R @ surface.velocity - np.cross(angular, p)
        numbers[11:14] = angular
    return numbers
