"""How the surfaces of two shapes that touch are combined."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TypeAlias

import numpy as np

from kido.shape import Surface
from kido.skeleton import ShapeNode
from kido.typing import FloatArray
from kido.values import Checked, Value, checked, checked_member, register, value

__all__ = ["CombineRule", "SurfaceHandler", "SurfaceRules", "checked_handler", "surface_numbers"]


@register
class CombineRule(str, Enum):
    """What becomes of two numbers."""

    MINIMUM = "minimum"
    MEAN = "mean"
    MAXIMUM = "maximum"
    PRODUCT = "product"


def _rule(name: str, rule: CombineRule | str) -> CombineRule:
    return checked_member(name, CombineRule, rule)


@value
class SurfaceRules(Value):
    """Rules by which the surfaces of two shapes are combined.

    Slips are added, and both surfaces keep their own velocities. Of two directions of friction, that of the
    surface with the lower friction counts.

    Attributes:
        friction: rule for both coefficients of friction.
        restitution: rule for restitution.
        rolling_friction: rule for rolling and torsional friction.

    Raises TypeError or ValueError naming the argument.
    """

    friction: Checked[CombineRule | str, CombineRule] = checked(_rule, default=CombineRule.MINIMUM)
    restitution: Checked[CombineRule | str, CombineRule] = checked(_rule, default=CombineRule.PRODUCT)
    rolling_friction: Checked[CombineRule | str, CombineRule] = checked(_rule, default=CombineRule.MAXIMUM)

    def numbers(self) -> tuple[int, int, int]:
        """The rules as the native world takes them."""
        rules = list(CombineRule)
        return rules.index(self.friction), rules.index(self.restitution), rules.index(self.rolling_friction)


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
    R, p = T_body_shape[:3, :3], T_body_shape[:3, 3]
    direction = surface.friction_direction
    across, slip_across = surface.secondary_friction, surface.secondary_slip
    angular = R @ surface.angular_velocity
    return np.concatenate(
        [
            [surface.friction, surface.restitution, surface.friction if across is None else across],
            np.zeros(3) if direction is None else R @ direction,
            [surface.slip, surface.slip if slip_across is None else slip_across],
            R @ surface.velocity - np.cross(angular, p),
            angular,
            [surface.rolling_friction, surface.torsional_friction],
        ]
    )
