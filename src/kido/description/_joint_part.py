"""What a joint carries besides its motion: limits, dynamics, coupling, calibration, safety."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from kido.errors import DescriptionError
from kido.typing import ArrayLike, FloatArray, Value, frozen_array

__all__ = ["Calibration", "JointDynamics", "JointLimits", "Mimic", "Safety", "no_dynamics", "no_limits"]

_INF = float("inf")


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JointLimits(Value):
    """Limits of each degree of freedom, arrays (num_dofs,); a number stands for all. No limit is infinity.

    `lower`, `upper` bound positions [rad or m], and the magnitudes of `velocity` [rad/s or m/s], `effort`
    [N m or N], `acceleration` [rad/s^2 or m/s^2] stay below theirs.
    """

    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    effort: FloatArray
    acceleration: FloatArray

    def __init__(
        self,
        lower: ArrayLike = -_INF,
        upper: ArrayLike = _INF,
        velocity: ArrayLike = _INF,
        effort: ArrayLike = _INF,
        acceleration: ArrayLike = _INF,
    ) -> None:
        self._assign(
            lower=_per_dof("lower", lower),
            upper=_per_dof("upper", upper),
            velocity=_magnitude("velocity", velocity),
            effort=_magnitude("effort", effort),
            acceleration=_magnitude("acceleration", acceleration),
        )
        crossed = np.any(self.lower > self.upper)
        if crossed or np.any(self.lower == _INF) or np.any(self.upper == -_INF):
            raise DescriptionError(
                f"limits: expected lower <= upper, got {self.lower.tolist()} and {self.upper.tolist()}"
            )

    def for_dofs(self, num_dofs: int) -> JointLimits:
        """The same limits with every array of shape (num_dofs,)."""
        wanted = _broadcast("limits", self._values(), num_dofs)
        return self if wanted is None else JointLimits(**wanted)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class JointDynamics(Value):
    """Passive forces of each degree of freedom, arrays (num_dofs,); a number stands for all.

    `damping` [N m s/rad or N s/m], Coulomb `friction` [N m or N], and a spring of `stiffness` [N m/rad or
    N/m] that pulls to `rest_position` [rad or m].
    """

    damping: FloatArray
    friction: FloatArray
    stiffness: FloatArray
    rest_position: FloatArray

    def __init__(
        self,
        damping: ArrayLike = 0.0,
        friction: ArrayLike = 0.0,
        stiffness: ArrayLike = 0.0,
        rest_position: ArrayLike = 0.0,
    ) -> None:
        self._assign(
            damping=_magnitude("damping", damping, finite=True),
            friction=_magnitude("friction", friction, finite=True),
            stiffness=_magnitude("stiffness", stiffness, finite=True),
            rest_position=_per_dof("rest_position", rest_position, finite=True),
        )

    def for_dofs(self, num_dofs: int) -> JointDynamics:
        """The same dynamics with every array of shape (num_dofs,)."""
        wanted = _broadcast("dynamics", self._values(), num_dofs)
        return self if wanted is None else JointDynamics(**wanted)


@cache
def no_limits(num_dofs: int) -> JointLimits:
    """Limits that bound nothing."""
    return JointLimits().for_dofs(num_dofs)


@cache
def no_dynamics(num_dofs: int) -> JointDynamics:
    """No passive forces."""
    return JointDynamics().for_dofs(num_dofs)


@dataclass(frozen=True, slots=True)
class Mimic:
    """Coupling to another joint: position = multiplier * position of `joint` + offset [rad or m]."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        frozen_array("multiplier", self.multiplier, ())
        frozen_array("offset", self.offset, (), "rad or m")


@dataclass(frozen=True, slots=True)
class Calibration:
    """Reference positions [rad or m] at which a rising or falling edge is seen; None where there is none."""

    rising: float | None = None
    falling: float | None = None

    def __post_init__(self) -> None:
        frozen_array("rising", self.rising or 0.0, (), "rad or m")
        frozen_array("falling", self.falling or 0.0, (), "rad or m")


@dataclass(frozen=True, slots=True)
class Safety:
    """Gains and soft limits [rad or m] of a safety controller, as URDF defines them."""

    soft_lower_limit: float = 0.0
    soft_upper_limit: float = 0.0
    k_position: float = 0.0
    k_velocity: float = 0.0

    def __post_init__(self) -> None:
        for name in ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity"):
            frozen_array(name, getattr(self, name), ())


def _per_dof(name: str, value: ArrayLike, *, finite: bool = False) -> FloatArray:
    shape = () if np.ndim(value) == 0 else (-1,)
    return frozen_array(name, value, shape, finite=finite)


def _magnitude(name: str, value: ArrayLike, *, finite: bool = False) -> FloatArray:
    array = _per_dof(name, value, finite=finite)
    if (array < 0.0).any():
        raise DescriptionError(f"{name}: expected no negative number, got {array.tolist()}")
    return array


def _broadcast(owner: str, arrays: dict[str, FloatArray], num_dofs: int) -> dict[str, FloatArray] | None:
    if all(array.shape == (num_dofs,) for array in arrays.values()):
        return None
    for name, array in arrays.items():
        if array.shape not in ((), (num_dofs,)):
            raise DescriptionError(f"{owner}.{name}: expected shape ({num_dofs},), got {array.shape}")
    return {name: np.broadcast_to(array, (num_dofs,)) for name, array in arrays.items()}
