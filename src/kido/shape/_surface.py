"""Surface of a shape in contact."""

from __future__ import annotations

from kido.typing import ArrayLike, FloatArray, frozen_direction
from kido.values import Array, Checked, Value, array, checked, number, value

__all__ = ["Surface"]


def _direction(name: str, direction: ArrayLike | None) -> FloatArray | None:
    return None if direction is None else frozen_direction(name, direction)


@value
class Surface(Value):
    """Contact properties of a shape's surface.

    How the numbers of two surfaces are combined is said by the world's `surface_handler`: by default, the
    smaller friction and the product of both restitutions count, slips are added, and of rolling and torsional
    friction the larger one counts.

    Friction of Coulomb is the same in every direction, unless there is a `friction_direction`: then the
    force lies within an ellipse with `friction` along the direction and `secondary_friction` across it.

    Attributes:
        friction: coefficient of Coulomb [-], 0 or above; along the direction, where there is one.
        restitution: share of the approaching speed with which bodies part [-], 0 to 1.
        friction_direction: (3,) in the shape's frame, along the surface; None: all are alike.
        secondary_friction: across the direction [-]; None: as along it.
        slip: velocity with which the surface slips under a force, by that force [m/(N s)], 0 or above;
            along the direction, where there is one.
        secondary_slip: across the direction; None: as along it.
        velocity: with which the surface moves along itself, as a belt does (3,), in the shape's frame [m/s].
        angular_velocity: with which it moves about the shape's origin, as a turntable does (3,), in the
            shape's frame [rad/s].
        rolling_friction: torque that hinders rolling, by the normal force [m], 0 or above.
        torsional_friction: torque that hinders turning about the normal, by the normal force [m], 0 or above.

    Raises TypeError or ValueError naming the argument.
    """

    friction: float = number(unit="-", default=1.0)
    restitution: float = number(unit="-", default=0.0)
    friction_direction: Checked[ArrayLike | None, FloatArray | None] = checked(
        _direction, default=None, kw_only=True
    )
    secondary_friction: float | None = number(unit="-", default=None, kw_only=True)
    slip: float = number(unit="m/(N s)", default=0.0, kw_only=True)
    secondary_slip: float | None = number(unit="m/(N s)", default=None, kw_only=True)
    velocity: Array = array(3, unit="m/s", default=(0.0, 0.0, 0.0), kw_only=True)
    angular_velocity: Array = array(3, unit="rad/s", default=(0.0, 0.0, 0.0), kw_only=True)
    rolling_friction: float = number(unit="m", default=0.0, kw_only=True)
    torsional_friction: float = number(unit="m", default=0.0, kw_only=True)

    def _check(self) -> None:
        for name, unit in _NOT_NEGATIVE.items():
            number = getattr(self, name)
            if number is not None and number < 0.0:
                raise ValueError(f"{name}: expected 0 or above [{unit}], got {number!r}")
        if not 0.0 <= self.restitution <= 1.0:
            raise ValueError(f"restitution: expected a number from 0 to 1 [-], got {self.restitution!r}")
        for name in ("secondary_friction", "secondary_slip"):
            if getattr(self, name) is not None and self.friction_direction is None:
                raise ValueError(f"{name}: expected None without a friction_direction, across which it acts")


_NOT_NEGATIVE = {
    "friction": "-",
    "secondary_friction": "-",
    "slip": "m/(N s)",
    "secondary_slip": "m/(N s)",
    "rolling_friction": "m",
    "torsional_friction": "m",
}
