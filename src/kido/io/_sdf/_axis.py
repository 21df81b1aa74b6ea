"""The <axis> and <axis2> elements: direction, limits, dynamics, mimic."""

from __future__ import annotations

import math
from typing import NamedTuple

from kido.io._sdf._file import SdfFile
from kido.io._sdf._scope import MODEL_FRAME, Frame, Item, Scope
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["Axis", "MimicRule", "read_axis"]

_AXIS_TAGS = ("xyz", "limit", "dynamics", "mimic")
_LIMITLESS = 1e16
_DEFAULT: tuple[float, ...] = (0.0, 0.0, 1.0)
_DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")
_LEADER_AXES = {"axis": 0, "axis2": 1}


class MimicRule(NamedTuple):
    """An axis follows another one: position = multiplier * (leader - reference) + offset [rad or m]."""

    element: Element
    joint: str
    leader_axis: int
    multiplier: float
    offset: float
    reference: float


class Axis(NamedTuple):
    """Axis of one degree of freedom of a joint; `direction` (3,) is in the joint's frame."""

    direction: tuple[float, ...] = _DEFAULT
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    stiffness: float = 0.0
    rest_position: float = 0.0
    initial_position: float | None = None
    mimic: MimicRule | None = None


def read_axis(scope: Scope, joint: Frame, tag: str, bounded: bool) -> Axis:
    """The axis of a joint; one that is not `bounded` has no limits of position. Raises ModelFileError."""
    file, element, _ = joint.item
    axis = element.find(tag)
    if axis is None:
        file.note(element, "default", f"has no <{tag}>: 0 0 1 in the frame of the joint, without limits")
        return Axis()
    old = file.version < (1, 9)
    tags = (*_AXIS_TAGS, "initial_position") if old else _AXIS_TAGS
    file.ignore_rest(axis, (*tags, "use_parent_model_frame") if file.version < (1, 7) else tags)
    lower, upper, velocity, effort = _limits(file, axis, bounded)
    return Axis(
        _direction(scope, joint, axis),
        lower,
        upper,
        velocity,
        effort,
        *_dynamics(file, axis),
        initial_position=_initial_position(file, axis) if old else None,
        mimic=_mimic(file, axis),
    )


def _direction(scope: Scope, joint: Frame, axis: Element) -> tuple[float, ...]:
    """Unit vector (3,) in the joint's frame.

    Up to version 1.4 the file gives it in the frame of the model, in 1.5 and 1.6 where
    use_parent_model_frame says so, since 1.7 in the frame that expressed_in names.
    """
    file = joint.item.file
    xyz = axis.find("xyz")
    if xyz is None:
        file.note(axis, "default", "has no <xyz>: 0 0 1")
        direction, expressed_in = _DEFAULT, ""
    else:
        direction = file.values(xyz, 3)
        file.ignore_rest(xyz, (), ("expressed_in",) if file.version >= (1, 7) else ())
        expressed_in = xyz.get("expressed_in") or "" if file.version >= (1, 7) else ""
    length = math.hypot(*direction)
    if length == 0.0 or not math.isfinite(length):
        raise file.error(axis if xyz is None else xyz, "expected a nonzero vector, got 0 0 0")
    if file.version < (1, 5) or (file.version < (1, 7) and file.child_flag(axis, "use_parent_model_frame")):
        expressed_in = MODEL_FRAME
    if not expressed_in:
        return direction
    at = Item(file, axis if xyz is None else xyz, joint.item.origin)
    R_scope_frame = scope.pose(at.frame_name(expressed_in), at)[:3, :3]
    rotation: FloatArray = scope.pose_of(joint)[:3, :3].T @ R_scope_frame
    return tuple((rotation @ direction).tolist())


def _limits(file: SdfFile, axis: Element, bounded: bool) -> tuple[float, float, float, float]:
    """Lower, upper, velocity and effort; 1e16 and more is none, and so is a negative velocity or effort."""
    limit = axis.find("limit")
    if limit is None:
        return -math.inf, math.inf, math.inf, math.inf
    file.ignore_rest(limit, ("lower", "upper", "velocity", "effort"))
    lower = upper = math.inf
    if bounded:
        lower = -file.child_number(limit, "lower", -math.inf, infinite=True)
        upper = file.child_number(limit, "upper", math.inf, infinite=True)
    velocity, effort = (
        file.child_number(limit, tag, math.inf, infinite=True) for tag in ("velocity", "effort")
    )
    for tag, most in (("velocity", velocity), ("effort", effort)):
        if most == 0.0:
            file.note(limit, "limit", f"{tag}: 0 allows none")
    return -_bound(lower), _bound(upper), _bound(_magnitude(velocity)), _bound(_magnitude(effort))


def _magnitude(number: float) -> float:
    return math.inf if number < 0.0 else number


def _bound(number: float) -> float:
    return math.inf if number >= _LIMITLESS else number


def _dynamics(file: SdfFile, axis: Element) -> tuple[float, float, float, float]:
    dynamics = axis.find("dynamics")
    if dynamics is None:
        return 0.0, 0.0, 0.0, 0.0
    file.ignore_rest(dynamics, _DYNAMICS)
    damping, friction, stiffness, rest = (file.child_number(dynamics, tag, 0.0) for tag in _DYNAMICS)
    for tag, number in zip(_DYNAMICS[:3], (damping, friction, stiffness), strict=True):
        if number < 0.0:
            raise file.error(file.child(dynamics, tag), f"expected no negative number, got {number:g}")
    return damping, friction, stiffness, rest


def _initial_position(file: SdfFile, axis: Element) -> float | None:
    return file.child_number(axis, "initial_position") if axis.find("initial_position") is not None else None


def _mimic(file: SdfFile, axis: Element) -> MimicRule | None:
    mimic = axis.find("mimic")
    if mimic is None:
        return None
    file.ignore_rest(mimic, ("multiplier", "offset", "reference"), ("joint", "axis"))
    leader_axis = mimic.get("axis") or "axis"
    if leader_axis not in _LEADER_AXES:
        raise file.error(mimic, f"axis: expected axis or axis2, got {shown(leader_axis)}")
    return MimicRule(
        mimic,
        file.text(mimic, "joint"),
        _LEADER_AXES[leader_axis],
        file.child_number(mimic, "multiplier", 1.0),
        file.child_number(mimic, "offset", 0.0),
        file.child_number(mimic, "reference", 0.0),
    )
