"""The <joint> element: type, ends, place, axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kido.description import JointDescription, JointDynamics, JointLimits, JointType, Mimic
from kido.io._sdf._axis import Axis, read_axis
from kido.io._sdf._file import SdfFile
from kido.io._sdf._pose import inverse
from kido.io._sdf._scope import MODEL_FRAME, WORLD, Frame, Scope
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["GEARBOX", "Gear", "SdfJoint", "read_joint"]

GEARBOX = "gearbox"

_TYPES = {
    "revolute": JointType.REVOLUTE,
    "continuous": JointType.REVOLUTE,
    "prismatic": JointType.PRISMATIC,
    "revolute2": JointType.UNIVERSAL,
    "universal": JointType.UNIVERSAL,
    "ball": JointType.BALL,
    "screw": JointType.SCREW,
    "fixed": JointType.WELD,
    GEARBOX: JointType.WELD,
}
_TAGS = ("pose", "parent", "child", "sensor")
_ONE_AXIS = (JointType.REVOLUTE, JointType.PRISMATIC, JointType.SCREW)
_LOOP_JOINT = "physics/simbody/must_be_loop_joint"


@dataclass(frozen=True)
class Gear:
    """A gearbox: `ratio` between the turns of its parent and of its child about `reference`."""

    ratio: float
    reference: str | None


@dataclass(eq=False, slots=True)
class SdfJoint:
    """A joint between two links of one top model, None for the world; `T_root_joint` is in that model.

    `is_loop` says that the file wants a loop cut here; `gear` is that of a gearbox, which is no joint.
    """

    frame: Frame
    name: str
    type: JointType
    parent: str | None
    child: str
    T_root_joint: FloatArray
    axes: tuple[Axis, ...]
    pitch: float = 0.0
    is_loop: bool = False
    gear: Gear | None = None
    mimic: Mimic | None = None

    @property
    def file(self) -> SdfFile:
        """The file that has it."""
        return self.frame.item.file

    @property
    def element(self) -> Element:
        """Its element."""
        return self.frame.item.element

    def description(self, T_root_parent: FloatArray | None, T_root_child: FloatArray) -> JointDescription:
        """The joint of a tree; raises ModelFileError. The poses are those of its links in the top model."""
        T_root_joint, axes = self.T_root_joint, self.axes
        with self.file.at(self.element):
            return JointDescription(
                self.name,
                self.type,
                self.parent,
                self.child,
                T_root_joint if T_root_parent is None else inverse(T_root_parent) @ T_root_joint,
                inverse(T_root_child) @ T_root_joint,
                [axis.direction for axis in axes],
                pitch=self.pitch,
                limits=_limits(axes) if axes else None,
                dynamics=_dynamics(axes) if axes else None,
                mimic=self.mimic,
                line=self.element.sourceline,
            )


def _limits(axes: tuple[Axis, ...]) -> JointLimits:
    return JointLimits(
        lower=[axis.lower for axis in axes],
        upper=[axis.upper for axis in axes],
        velocity=[axis.velocity for axis in axes],
        effort=[axis.effort for axis in axes],
    )


def _dynamics(axes: tuple[Axis, ...]) -> JointDynamics:
    return JointDynamics(
        damping=[axis.damping for axis in axes],
        friction=[axis.friction for axis in axes],
        stiffness=[axis.stiffness for axis in axes],
        rest_position=[axis.rest_position for axis in axes],
    )


def read_joint(scope: Scope, frame: Frame, T_root_scope: FloatArray | None) -> SdfJoint:
    """The joint of a scope; raises ModelFileError."""
    file, element, _ = frame.item
    kind = file.text(element, "type").strip().lower()
    if kind not in _TYPES:
        raise file.error(element, f"type: expected one of {', '.join(_TYPES)}, got {shown(kind)}")
    joint_type = _TYPES[kind]
    _note_rest(file, element, kind, joint_type)
    parent, child = (_end(scope, frame, tag) for tag in ("parent", "child"))
    axes = _axes(scope, frame, kind, joint_type)
    if child is None:
        parent, child, axes = _turned_round(file, element, joint_type, parent, axes)
    if parent == child:
        raise file.error(element, f"expected two different links, got twice {shown(child)}")
    T = scope.pose_of(frame)
    return SdfJoint(
        frame,
        scope.prefix + frame.name,
        joint_type,
        parent,
        child,
        T if T_root_scope is None else T_root_scope @ T,
        axes,
        _pitch(file, element) if joint_type is JointType.SCREW else 0.0,
        _is_loop(file, element),
        _gear(scope, frame) if kind == GEARBOX else None,
    )


def _note_rest(file: SdfFile, element: Element, kind: str, joint_type: JointType) -> None:
    axes = ("axis", "axis2")[: 2 if kind == GEARBOX else len(joint_type.spec.coordinates)]
    tags = [*_TAGS, *(() if joint_type is JointType.BALL else axes)]
    if kind == GEARBOX:
        tags += ["gearbox_ratio", "gearbox_reference_body"]
    if joint_type is JointType.SCREW:
        tags += ["thread_pitch", "screw_thread_pitch"]
    physics = element.find("physics")
    if physics is not None:
        for child in physics:
            if child.tag == "simbody":
                file.ignore_rest(child, ("must_be_loop_joint",))
            else:
                file.ignore(child)
    file.ignore_rest(element, (*tags, "physics"), ("name", "type"))


def _end(scope: Scope, frame: Frame, tag: str) -> str | None:
    """Name in the top model of the link at one end of a joint; None: the world."""
    item = frame.item
    name = item.file.child_text(item.element, tag)
    if name == WORLD and not scope.is_world:
        if tag == "child" and item.file.version >= (1, 7):
            raise item.error("child: expected a link or frame, got the world")
        return None
    return scope.body(_named(frame, name), item)


def _axes(scope: Scope, frame: Frame, kind: str, joint_type: JointType) -> tuple[Axis, ...]:
    if joint_type is JointType.UNIVERSAL or kind == GEARBOX:
        return tuple(read_axis(scope, frame, tag, True) for tag in ("axis", "axis2"))
    if joint_type in _ONE_AXIS:
        return (read_axis(scope, frame, "axis", kind != "continuous"),)
    return ()


def _turned_round(
    file: SdfFile, element: Element, joint_type: JointType, parent: str | None, axes: tuple[Axis, ...]
) -> tuple[None, str, tuple[Axis, ...]]:
    """The joint from the world to what the file has for its parent: positions are those about the opposite
    axis."""
    if parent is None:
        raise file.error(element, "expected at least one link, got twice the world")
    if joint_type not in (*_ONE_AXIS, JointType.WELD):
        raise file.error(element, f"child: expected a link of a {joint_type} joint, got the world")
    return None, parent, tuple(axis._replace(direction=tuple(-x for x in axis.direction)) for axis in axes)


def _pitch(file: SdfFile, element: Element) -> float:
    """Translation along the axis per turn [m], positive where a right-handed thread has it.

    `screw_thread_pitch` is that. `thread_pitch` is what Gazebo takes it for: turned angle by translation
    [rad/m], positive for a left-handed thread.
    """
    if element.find("screw_thread_pitch") is not None:
        old = element.find("thread_pitch")
        if old is not None:
            file.ignore(old, "the pitch is that of <screw_thread_pitch>")
        return file.child_number(element, "screw_thread_pitch")
    if element.find("thread_pitch") is None:
        file.note(element, "default", "has no <screw_thread_pitch>: 1 m per turn")
        return 1.0
    angle = file.child_number(element, "thread_pitch")
    if angle == 0.0:
        raise file.error(file.child(element, "thread_pitch"), "expected a nonzero number [rad/m], got 0")
    return -2.0 * np.pi / angle


def _is_loop(file: SdfFile, element: Element) -> bool:
    cut = element.find(_LOOP_JOINT)
    return cut is not None and file.as_flag(cut, (cut.text or "").strip())


def _gear(scope: Scope, frame: Frame) -> Gear:
    item = frame.item
    reference = item.file.child_text(item.element, "gearbox_reference_body")
    on_world = reference == WORLD and not scope.is_world
    link = None if on_world else scope.body(_named(frame, reference), item)
    return Gear(item.file.child_number(item.element, "gearbox_ratio", 1.0), link)


def _named(frame: Frame, name: str) -> str:
    return frame.item.frame_name(name) if name == MODEL_FRAME else name
