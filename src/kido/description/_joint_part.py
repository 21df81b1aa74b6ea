"""Properties of a joint besides its motion: limits, dynamics, mimic, calibration, safety."""

from __future__ import annotations

from functools import cache
from typing import TypeAlias

import numpy as np

from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, frozen_array, read_only
from kido.values import Array, Checked, Value, checked, flag, number, text, value

__all__ = ["Calibration", "JointDynamics", "JointLimits", "Mimic", "Safety", "no_dynamics", "no_limits"]

_INF = float("inf")

Lowest: TypeAlias = Checked[ArrayLike | None, FloatArray | None]
"""Annotation of a lower bound of its own."""


def _per_dof(name: str, value: ArrayLike, *, finite: bool = False) -> FloatArray:
    array = frozen_array(name, value, None, finite=finite)
    return array if array.ndim < 2 else frozen_array(name, value, (-1,), finite=finite)


def _finite_per_dof(name: str, value: ArrayLike) -> FloatArray:
    return _per_dof(name, value, finite=True)


def _magnitude(name: str, value: ArrayLike, *, finite: bool = False) -> FloatArray:
    array = _per_dof(name, value, finite=finite)
    if min(array.reshape(-1).tolist(), default=0.0) < 0.0:
        raise DescriptionError(f"{name}: expected no negative number, got {array.tolist()}")
    return array


def _finite_magnitude(name: str, value: ArrayLike) -> FloatArray:
    return _magnitude(name, value, finite=True)


def _optional_per_dof(name: str, value: ArrayLike | None) -> FloatArray | None:
    return None if value is None else _per_dof(name, value)


@value
class JointLimits(Value):
    """Limits of each degree of freedom, arrays (num_dofs,); a number stands for all. No limit is infinity.

    `lower`, `upper` bound positions [rad or m], and the magnitudes of `velocity` [rad/s or m/s], `effort`
    [N m or N], `acceleration` [rad/s^2 or m/s^2] stay below theirs, unless one has a lower bound of its own:
    `velocity_lower`, `effort_lower`, `acceleration_lower`; None: minus the upper one.
    """

    lower: Array = checked(_per_dof, default=-_INF)
    upper: Array = checked(_per_dof, default=_INF)
    velocity: Array = checked(_magnitude, default=_INF)
    effort: Array = checked(_magnitude, default=_INF)
    acceleration: Array = checked(_magnitude, default=_INF)
    velocity_lower: Lowest = checked(_optional_per_dof, default=None, kw_only=True)
    effort_lower: Lowest = checked(_optional_per_dof, default=None, kw_only=True)
    acceleration_lower: Lowest = checked(_optional_per_dof, default=None, kw_only=True)

    def _check(self) -> None:
        _check_order("limits", self.lower, self.upper)
        for name in ("velocity", "effort", "acceleration"):
            lowest = getattr(self, f"{name}_lower")
            if lowest is not None:
                _check_order(f"limits of {name}", lowest, getattr(self, name))

    @property
    def lowest_velocity(self) -> FloatArray:
        """Lower bounds of the velocities (num_dofs,) [rad/s or m/s]."""
        return read_only(-self.velocity) if self.velocity_lower is None else self.velocity_lower

    @property
    def lowest_effort(self) -> FloatArray:
        """Lower bounds of the generalized forces (num_dofs,) [N m or N]."""
        return read_only(-self.effort) if self.effort_lower is None else self.effort_lower

    @property
    def lowest_acceleration(self) -> FloatArray:
        """Lower bounds of the accelerations (num_dofs,) [rad/s^2 or m/s^2]."""
        return read_only(-self.acceleration) if self.acceleration_lower is None else self.acceleration_lower

    @property
    def speed(self) -> FloatArray:
        """Largest velocity allowed in both directions (num_dofs,), negative if none is [rad/s or m/s]."""
        return _both_ways(self.velocity_lower, self.velocity)

    @property
    def force(self) -> FloatArray:
        """Largest force allowed in both directions (num_dofs,), negative if none is [N m or N]."""
        return _both_ways(self.effort_lower, self.effort)

    def for_dofs(self, num_dofs: int) -> JointLimits:
        """The same limits with every array of shape (num_dofs,)."""
        arrays = _broadcast("limits", self._values(), num_dofs)
        return self if arrays is None else JointLimits(**arrays)


@value
class JointDynamics(Value):
    """Passive forces of each degree of freedom, arrays (num_dofs,); a number stands for all.

    `damping` [N m s/rad or N s/m], Coulomb `friction` [N m or N], and a spring of `stiffness` [N m/rad or
    N/m] that pulls to `rest_position` [rad or m]. `armature` is the inertia that the rotor of a motor adds to
    the dof by itself, its own times the gear ratio squared [kg m^2 or kg].
    """

    damping: Array = checked(_finite_magnitude, default=0.0)
    friction: Array = checked(_finite_magnitude, default=0.0)
    stiffness: Array = checked(_finite_magnitude, default=0.0)
    rest_position: Array = checked(_finite_per_dof, default=0.0)
    armature: Array = checked(_finite_magnitude, default=0.0)

    def for_dofs(self, num_dofs: int) -> JointDynamics:
        """The same dynamics with every array of shape (num_dofs,)."""
        arrays = _broadcast("dynamics", self._values(), num_dofs)
        return self if arrays is None else JointDynamics(**arrays)


@cache
def no_limits(num_dofs: int) -> JointLimits:
    """Limits that bound nothing."""
    return JointLimits().for_dofs(num_dofs)


@cache
def no_dynamics(num_dofs: int) -> JointDynamics:
    """No passive forces."""
    return JointDynamics().for_dofs(num_dofs)


@value
class Mimic(Value):
    """Coupling to another joint: position = multiplier * position of `joint` + offset [rad or m].

    In simulation, a gear between both where it is `coupled`; else a motor of the joint, within its limits of
    force and velocity, which the other joint does not feel.
    """

    joint: str = text()
    multiplier: float = number(default=1.0)
    offset: float = number(unit="rad or m", default=0.0)
    coupled: bool = flag(default=True)


@value
class Calibration(Value):
    """Reference positions [rad or m] at which a rising or falling edge is seen; None where there is none."""

    rising: float | None = number(unit="rad or m", default=None)
    falling: float | None = number(unit="rad or m", default=None)


@value
class Safety(Value):
    """Gains and soft limits [rad or m] of a safety controller, as URDF defines them."""

    soft_lower_limit: float = number(default=0.0)
    soft_upper_limit: float = number(default=0.0)
    k_position: float = number(default=0.0)
    k_velocity: float = number(default=0.0)


def _both_ways(lower: FloatArray | None, upper: FloatArray) -> FloatArray:
    return upper if lower is None else read_only(np.minimum(-lower, upper))


def _check_order(what: str, lower: FloatArray, upper: FloatArray) -> None:
    lows, highs = (lower, upper) if lower.shape == upper.shape else np.broadcast_arrays(lower, upper)
    pairs = zip(lows.reshape(-1).tolist(), highs.reshape(-1).tolist(), strict=True)
    if any(low > high or low == _INF or high == -_INF for low, high in pairs):
        raise DescriptionError(f"{what}: expected lower <= upper, got {lower.tolist()} and {upper.tolist()}")


def _broadcast(
    owner: str, given: dict[str, FloatArray | None], num_dofs: int
) -> dict[str, FloatArray] | None:
    arrays = {name: array for name, array in given.items() if array is not None}
    if all(array.shape == (num_dofs,) for array in arrays.values()):
        return None
    for name, array in arrays.items():
        if array.shape not in ((), (num_dofs,)):
            raise DescriptionError(f"{owner}.{name}: expected shape ({num_dofs},), got {array.shape}")
    return {name: np.broadcast_to(array, (num_dofs,)) for name, array in arrays.items()}
