"""The <joint> element: type, axis, limits, dynamics, mimic, calibration, safety."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping

from kido.description import (
    Calibration,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    Mimic,
    Safety,
    planar_axes,
)
from kido.io._urdf._origin import read_origin
from kido.io._xml import Element, XmlFile
from kido.typing import ArrayLike

__all__ = ["read_joint"]

_TYPES = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.REVOLUTE,
    "prismatic": JointType.PRISMATIC,
    "fixed": JointType.WELD,
    "floating": JointType.FREE,
    "planar": JointType.PLANAR,
}


def read_joint(file: XmlFile, element: Element, types: Mapping[str | None, str | None]) -> JointDescription:
    """The joint; raises ModelFileError. `types` are those of all joints by name: a mimic of none of them, or
    of one that the joint cannot follow, is left out.
    """
    kind = file.text(element, "type")
    if kind not in _TYPES:
        raise file.error(element, f"type: expected one of {', '.join(_TYPES)}, got {kind!r}")
    joint_type = _TYPES[kind]
    is_single = joint_type.num_dofs == 1
    with file.at(element):
        return JointDescription(
            file.text(element, "name"),
            joint_type,
            file.text(file.child(element, "parent"), "link"),
            file.text(file.child(element, "child"), "link"),
            read_origin(file, element),
            axes=_axes(file, element, joint_type),
            limits=_limits(file, element, kind) if is_single else None,
            dynamics=_dynamics(file, element) if joint_type.num_dofs else None,
            mimic=_mimic(file, element, types),
            calibration=_calibration(file, element),
            safety=_safety(file, element),
            line=element.sourceline,
        )


def _axes(file: XmlFile, joint: Element, joint_type: JointType) -> ArrayLike:
    if joint_type.num_axes == 0:
        return ()
    axis = joint.find("axis")
    if axis is None:
        direction: tuple[float, ...] = (1.0, 0.0, 0.0)
    else:
        direction = file.numbers(axis, "xyz", 3, (1.0, 0.0, 0.0))
        if not any(direction):
            raise file.error(axis, "xyz: expected a nonzero vector, got 0 0 0")
    return planar_axes(direction) if joint_type.spec.orthogonal_axes else [direction]


def _limits(file: XmlFile, joint: Element, kind: str) -> JointLimits | None:
    limit = joint.find("limit")
    if limit is None:
        if kind != "continuous":
            file.note(joint, "limit", f"a {kind} joint without <limit> has no limits")
        return None
    lower, upper = -math.inf, math.inf
    if kind != "continuous":
        lower, upper = _limit(file, limit, "lower", 0.0), _limit(file, limit, "upper", 0.0)
    velocity, effort = _limit(file, limit, "velocity"), _limit(file, limit, "effort")
    with file.at(limit):
        return JointLimits([lower], [upper], [velocity], [effort], [math.inf])


def _limit(file: XmlFile, limit: Element, name: str, default: float = math.inf) -> float:
    if limit.get(name) is None:
        standing = "none" if math.isinf(default) else f"{default:g}"
        file.note(limit, "limit", f"{name}: missing, taken as {standing}")
        return default
    value = file.number(limit, name, infinite=True)
    if abs(value) >= sys.float_info.max:
        return math.copysign(math.inf, value)
    if value == 0.0 and math.isinf(default):
        file.note(limit, "limit", f"{name}: 0 allows none")
    return value


def _dynamics(file: XmlFile, joint: Element) -> JointDynamics | None:
    dynamics = joint.find("dynamics")
    if dynamics is None:
        return None
    with file.at(dynamics):
        return JointDynamics(
            damping=file.number(dynamics, "damping", 0.0), friction=file.number(dynamics, "friction", 0.0)
        )


def _mimic(file: XmlFile, joint: Element, types: Mapping[str | None, str | None]) -> Mimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    leader = file.text(mimic, "joint")
    if leader not in types:
        file.note(mimic, "mimic", f"left out: no joint named {leader!r}")
        return None
    own, other = _TYPES.get(joint.get("type", "")), _TYPES.get(types[leader] or "")
    if own is not None and other is not None and own.num_dofs and not _can_follow(own, other):
        pair = f"a {joint.get('type')} joint cannot follow {leader!r}, a {types[leader]} joint"
        file.note(mimic, "mimic", f"left out: {pair}")
        return None
    return Mimic(leader, file.number(mimic, "multiplier", 1.0), file.number(mimic, "offset", 0.0))


def _can_follow(own: JointType, leader: JointType) -> bool:
    return own.num_dofs == leader.num_dofs and JointType.FREE not in (own, leader)


def _calibration(file: XmlFile, joint: Element) -> Calibration | None:
    calibration = joint.find("calibration")
    if calibration is None:
        return None
    rising, falling = (
        None if calibration.get(edge) is None else file.number(calibration, edge)
        for edge in ("rising", "falling")
    )
    return Calibration(rising, falling)


def _safety(file: XmlFile, joint: Element) -> Safety | None:
    safety = joint.find("safety_controller")
    if safety is None:
        return None
    names = ("soft_lower_limit", "soft_upper_limit", "k_position", "k_velocity")
    return Safety(*(file.number(safety, name, 0.0) for name in names))
