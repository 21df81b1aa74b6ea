"""Rows of a posture problem for the torques that dofs of a skeleton bear at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kido.description import ActuatorType
from kido.ik._global._dof_ranges import DofRanges
from kido.ik._posture._native_term import NativePlace, NativeTerm
from kido.skeleton import DegreeOfFreedom, FreeJoint, Skeleton, UserJoint
from kido.typing import FloatArray

__all__ = ["TorqueRows", "checked_torque_limits", "loads_of"]

_Limits = float | tuple[tuple[str, float], ...] | None


def checked_torque_limits(
    name: str,
    given: float | Mapping[str | DegreeOfFreedom, float] | tuple[tuple[str, float], ...] | None,
) -> _Limits:
    """None, a number of 0 or above, or such numbers by names of dofs [N m, N]."""
    if given is None:
        return None
    if isinstance(given, Mapping | tuple):
        pairs = given.items() if isinstance(given, Mapping) else given
        return tuple((_dof_name(name, key), _checked_limit(f"{name}[{key!r}]", x)) for key, x in pairs)
    return _checked_limit(name, given)


def _dof_name(name: str, key: str | DegreeOfFreedom) -> str:
    found = key.name if isinstance(key, DegreeOfFreedom) else key
    if not isinstance(found, str):
        raise TypeError(f"{name}: expected dofs or their names, got {type(key).__name__}")
    return found


def _checked_limit(name: str, given: float) -> float:
    try:
        limit = float(given)
    except (TypeError, ValueError):
        raise TypeError(
            f"{name}: expected a number [N m, N], a mapping or None, got {type(given).__name__}"
        ) from None
    if not limit >= 0.0:
        raise ValueError(f"{name}: expected 0 or above [N m, N], got {limit}")
    return limit


def loads_of(skeleton: Skeleton) -> object:
    """Numbers of a skeleton that decide about its torques at rest, besides its tree."""
    return (
        tuple(joint.actuator for joint in skeleton.joints),
        tuple(body.gravity_mode for body in skeleton.bodies),
        np.asarray(skeleton.gravity).tobytes(),
        skeleton.spring_stiffness.tobytes(),
        skeleton.rest_positions.tobytes(),
        skeleton.mass,
    )


@dataclass(frozen=True, slots=True, eq=False)
class TorqueRows:
    """Sums of torques of dofs, and what they may be.

    Attributes:
        skeleton: whose dofs they are.
        share: (rows, num_dofs) of each dof's torque [-].
        lower, upper: (rows,) [N m, N].
        names: of the rows.
        units: of the rows.
    """

    skeleton: Skeleton
    share: FloatArray
    lower: FloatArray
    upper: FloatArray
    names: tuple[str, ...]
    units: tuple[str, ...]

    @classmethod
    def of_all(cls, skeleton: Skeleton) -> TorqueRows:
        """Each dof by itself, without limits. Raises ValueError for springs of ball and free joints."""
        count = skeleton.num_dofs
        endless = np.full(count, np.inf)
        _check_springs(skeleton, np.eye(count))
        names, units = tuple(dof.name for dof in skeleton.dofs), tuple(_unit(dof) for dof in skeleton.dofs)
        return cls(skeleton, np.eye(count), -endless, endless, names, units)

    @classmethod
    def of(cls, skeleton: Skeleton, limits: _Limits, *, with_free_roots: bool) -> TorqueRows:
        """Dofs that have limits, with what follows them.

        Raises ValueError or UnknownNameError for limits of dofs that are not there, follow others or belong
        to joints of the user's.
        """
        dofs = skeleton.dofs
        lower, upper = _limits(skeleton, limits)
        couplings = DofRanges.of(skeleton, {}).couplings
        share = np.zeros((len(dofs), len(dofs)))
        for i, (leader, factor, _) in enumerate(couplings):
            share[int(leader), i] = factor
        for i, dof in enumerate(dofs):
            if isinstance(dof.joint, FreeJoint):
                is_root = dof.joint.parent_body is None
                lower[i], upper[i] = (0.0, 0.0) if is_root and with_free_roots else (-np.inf, np.inf)
            if couplings[i, 0] != i or i in skeleton.locked_dofs:
                lower[i], upper[i] = -np.inf, np.inf
        kept = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
        _check(skeleton, share[kept])
        names = tuple(_text(dofs[i], lower[i], upper[i]) for i in kept)
        units = tuple(_unit(dofs[i]) for i in kept)
        return cls(skeleton, share[kept], lower[kept], upper[kept], names, units)

    def term(self, tree: int, weight: float, extra: int, places: tuple[NativePlace, ...]) -> NativeTerm:
        """The rows in units of a weight [N], with forces at places, whose numbers begin at `extra`."""
        springs = self.share * np.asarray(self.skeleton.spring_stiffness) / weight
        rest = springs @ np.asarray(self.skeleton.rest_positions)
        return NativeTerm(
            kind="torque",
            rows=len(self.names),
            tree=tree,
            matrix=np.hstack([self.share, springs, -rest[:, None]]),
            lower=self.lower / weight,
            upper=self.upper / weight,
            extra=tuple(extra + 3 * k for k in range(len(places))),
            places=places,
            names=self.names,
            units=self.units,
            factor=weight,
        )


def _limits(skeleton: Skeleton, limits: _Limits) -> tuple[FloatArray, FloatArray]:
    lower, upper = np.array(skeleton.force_lower_limits), np.array(skeleton.force_upper_limits)
    for i, dof in enumerate(skeleton.dofs):
        if dof.joint.actuator is ActuatorType.PASSIVE:
            lower[i] = upper[i] = 0.0
    if isinstance(limits, tuple):
        leaders = skeleton.leading_dofs
        for name, most in limits:
            i = skeleton.dof(name).index
            if i in leaders:
                leader = skeleton.dofs[leaders[i]].name
                raise ValueError(f"torque_limits: {name!r} follows {leader!r}, which bears its torque")
            lower[i], upper[i] = -most, most
    elif limits is not None:
        lower[:], upper[:] = -limits, limits
    return lower, upper


def _check(skeleton: Skeleton, share: FloatArray) -> None:
    """Derivatives of torques of joints that users write are not known."""
    _check_springs(skeleton, share)
    for i in np.flatnonzero(np.any(share != 0.0, axis=0)):
        dof = skeleton.dofs[i]
        if isinstance(dof.joint, UserJoint):
            raise ValueError(
                f"torque_limits: the torque of a joint of your own, that of {dof.name!r}, has no derivative: "
                "make its limit infinite"
            )


def _check_springs(skeleton: Skeleton, share: FloatArray) -> None:
    stiffness = np.asarray(skeleton.spring_stiffness)
    for i in np.flatnonzero(np.any(share != 0.0, axis=0) & (stiffness != 0.0)):
        dof = skeleton.dofs[i]
        if not dof.coordinate.is_additive:
            raise ValueError(
                f"torque_limits: expected no springs of ball and free joints, {dof.name!r} has one: make its "
                "limit infinite"
            )


def _text(dof: DegreeOfFreedom, lower: float, upper: float) -> str:
    return f"torque of {dof.name} in [{lower:g}, {upper:g}] {_unit(dof)}"


def _unit(dof: DegreeOfFreedom) -> str:
    """Of what it bears."""
    return "N" if dof.coordinate.unit == "m" else "N m"
