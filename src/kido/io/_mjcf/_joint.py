"""The <joint> and <freejoint> elements: each is a joint of its own, between links at one place."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from kido.description import ActuatorType, JointDescription, JointDynamics, JointLimits, JointType
from kido.io._mjcf._body import Placed
from kido.io._mjcf._orientation import about_axis, moved_by
from kido.typing import FloatArray

__all__ = ["Drive", "JointReader", "joint_kind", "position_at_rest"]

_KINDS = ("free", "ball", "slide", "hinge")
_TYPES = {"ball": JointType.BALL, "slide": JointType.PRISMATIC, "hinge": JointType.REVOLUTE}
_NO_BOUND = (-math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Drive:
    """Actuation of a joint: the least and largest force [N m or N], and the type of drive it is."""

    forces: tuple[float, float] = _NO_BOUND
    type: ActuatorType | None = None


def joint_kind(placed: Placed) -> str:
    """Type of a joint: free, ball, slide or hinge; raises ModelFileError for another one."""
    if placed.node.tag == "freejoint":
        return "free"
    return placed.node.choice("type", _KINDS, "hinge")


def position_at_rest(placed: Placed) -> float:
    """Position of a joint in the pose in which the file has its bodies [rad or m]."""
    kind = joint_kind(placed)
    if kind not in ("slide", "hinge"):
        return 0.0
    ref = placed.node.number("ref", 0.0)
    return placed.scope.context.compiler.radians(ref) if kind == "hinge" else ref


class JointReader:
    """Reads one joint of a body: from link `parent` (None: the world) to link `child`."""

    def __init__(self, placed: Placed, name: str, parent: str | None, child: str, drive: Drive) -> None:
        self._placed = placed
        self._node = placed.node
        self._compiler = placed.scope.context.compiler
        self._kind = joint_kind(placed)
        self._name = name
        self._ends = parent, child
        self._drive = drive

    def read(self, T_parent_child: FloatArray) -> JointDescription:
        """The joint, whose ends are so to each other where it is at rest (4, 4). Raises ModelFileError."""
        node = self._node
        with node.file.at(node.element):
            if self._kind == "free":
                return self._free(T_parent_child)
            anchor = moved_by(*(self._in_body(node.numbers("pos", (0.0, 0.0, 0.0)))))
            axis = None if self._kind == "ball" else self._axis()
            start = T_parent_child @ anchor
            if axis is not None:
                start = start @ self._motion(axis, -position_at_rest(self._placed))
            return JointDescription(
                self._name,
                _TYPES[self._kind],
                *self._ends,
                start,
                anchor,
                () if axis is None else [axis],
                limits=self._limits(),
                dynamics=self._dynamics(1 if axis is not None else 3),
                actuator=self._drive.type,
                line=node.line,
            )

    def _free(self, T_parent_child: FloatArray) -> JointDescription:
        dynamics = None if self._node.tag == "freejoint" else self._dynamics(6)
        return JointDescription(
            self._name, JointType.FREE, *self._ends, T_parent_child, dynamics=dynamics, line=self._node.line
        )

    def _in_body(self, point: tuple[float, ...]) -> FloatArray:
        frame = self._placed.T_body_frame
        moved: FloatArray = frame[:3, :3] @ point + frame[:3, 3]
        return moved

    def _axis(self) -> FloatArray:
        axis = np.array(self._node.numbers("axis", (0.0, 0.0, 1.0)))
        length = float(np.linalg.norm(axis))
        if not 1e-14 < length < math.inf:
            got = " ".join(f"{part:g}" for part in axis.tolist())
            raise self._node.error(f"axis: expected a nonzero vector, got {got}", "axis")
        turned: FloatArray = self._placed.T_body_frame[:3, :3] @ (axis / length)
        return turned

    def _motion(self, axis: FloatArray, position: float) -> FloatArray:
        if self._kind == "slide":
            return moved_by(*(position * axis))
        pose = np.eye(4)
        turn = about_axis(axis, position)
        if turn is not None:
            pose[:3, :3] = turn
        return pose

    def _angle(self, value: float) -> float:
        return self._compiler.radians(value) if self._kind == "hinge" else value

    def _limits(self) -> JointLimits | None:
        node = self._node
        lower, upper = _NO_BOUND
        if node.limited("limited", "range", self._compiler.autolimits):
            low, high = node.floats("range", 2, 2)
            if self._kind == "ball":
                node.note("ignored", "range: ball joints have no limit of their rotation", "range")
            elif low >= high:
                raise node.error(f"range: expected lower < upper, got {low:g} and {high:g}", "range")
            else:
                lower, upper = self._angle(low), self._angle(high)
        weakest, strongest = self._forces()
        if (lower, upper) == (weakest, strongest) == _NO_BOUND:
            return None
        lowest = None if weakest == -strongest else weakest
        return JointLimits(lower, upper, effort=strongest, effort_lower=lowest)

    def _forces(self) -> tuple[float, float]:
        """Least and largest force of all actuators together, by the joint's own range too."""
        node = self._node
        low, high = self._drive.forces
        if node.limited("actuatorfrclimited", "actuatorfrcrange", self._compiler.autolimits):
            least, most = node.floats("actuatorfrcrange", 2, 2)
            low, high = max(low, least), min(high, most)
        if not low <= 0.0 <= high:
            node.note("ignored", f"limits of force: expected 0 between them, got {low:g} and {high:g}")
            return _NO_BOUND
        return low, high

    def _dynamics(self, dofs: int) -> JointDynamics | None:
        node = self._node
        damping, stiffness = self._first("damping"), self._first("stiffness")
        friction, armature = node.number("frictionloss", 0.0), node.number("armature", 0.0)
        numbers = {"damping": damping, "stiffness": stiffness, "frictionloss": friction, "armature": armature}
        for name, value in numbers.items():
            if value < 0.0:
                raise node.error(f"{name}: expected no negative number, got {value:g}", name)
        rest = self._angle(node.number("springref", 0.0)) if dofs == 1 else 0.0
        if not (damping or stiffness or friction or armature or rest):
            return None
        if armature and dofs == 6:
            what = "of a free joint: along the axes of the body, where MuJoCo has it along those of the world"
            node.note("substituted", f"armature {what}", "armature")
        return JointDynamics(damping, friction, stiffness, rest, armature)

    def _first(self, attribute: str) -> float:
        """The linear coefficient of a force, which may have others after it."""
        if not self._node.has(attribute):
            return 0.0
        first, *rest = self._node.floats(attribute, 1)
        if any(rest):
            what = "only the part that is proportional is honoured"
            self._node.note("ignored", f"{attribute}: {what}", attribute)
        return first
