"""Rules that combine the surfaces of two shapes that touch."""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol

import numpy as np

from kido.shape._surface import Surface
from kido.typing import FloatArray
from kido.values import Checked, Value, checked, checked_member, register, value

__all__ = ["CombineRule", "SurfaceRules"]


class SurfacedShape(Protocol):
    """A shape in its place, with its surface."""

    @property
    def surface(self) -> Surface: ...
    def transform(self, *, relative_to: Any = ...) -> FloatArray: ...


@register
class CombineRule(str, Enum):
    """Combination of two numbers."""

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

    def combined(self, first: SurfacedShape, second: SurfacedShape) -> Surface:
        """The surface of two shapes as they stand, as a function that is a `surface_handler` gives it: of the
        first relative to the second, in the frame of the first."""
        a, b = first.surface, second.surface
        T = second.transform(relative_to=first)
        R, p = T[:3, :3], T[:3, 3]
        direction = a.friction_direction
        if b.friction_direction is not None and (direction is None or b.friction < a.friction):
            direction = R @ b.friction_direction
        turning = R @ b.angular_velocity
        across = {} if direction is None else _across(self, a, b)
        return Surface(
            _combined(self.friction, a.friction, b.friction),
            _combined(self.restitution, a.restitution, b.restitution),
            friction_direction=direction,
            slip=a.slip + b.slip,
            velocity=a.velocity - R @ b.velocity + np.cross(turning, p),
            angular_velocity=a.angular_velocity - turning,
            rolling_friction=_combined(self.rolling_friction, a.rolling_friction, b.rolling_friction),
            torsional_friction=_combined(self.rolling_friction, a.torsional_friction, b.torsional_friction),
            **across,
        )


def _combined(rule: CombineRule, a: float, b: float) -> float:
    match rule:
        case CombineRule.MINIMUM:
            return min(a, b)
        case CombineRule.MEAN:
            return 0.5 * (a + b)
        case CombineRule.MAXIMUM:
            return max(a, b)
    return a * b


def _across(rules: SurfaceRules, a: Surface, b: Surface) -> dict[str, float]:
    """Friction and slip across a direction."""
    friction = [s.friction if s.secondary_friction is None else s.secondary_friction for s in (a, b)]
    slip = [s.slip if s.secondary_slip is None else s.secondary_slip for s in (a, b)]
    return {
        "secondary_friction": _combined(rules.friction, friction[0], friction[1]),
        "secondary_slip": slip[0] + slip[1],
    }
