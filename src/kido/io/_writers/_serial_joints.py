"""Joints as chains of simpler ones, with massless links in between, that move alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kido.description import (
    JointAxis,
    JointDescription,
    JointDynamics,
    JointLimits,
    JointType,
    LinkDescription,
    Mimic,
    PrimitiveType,
    RobotDescription,
)
from kido.io._writers._losses import Losses
from kido.io._writers._names import Names
from kido.io._writers._pose_text import inverse
from kido.typing import FloatArray

__all__ = [
    "SingleDofs",
    "dof_joints",
    "has_child_offset",
    "report_chain",
    "report_chains",
    "report_frames",
    "single_dofs",
    "without_child_offset",
]

_TYPES = {
    PrimitiveType.REVOLUTE: JointType.REVOLUTE,
    PrimitiveType.PRISMATIC: JointType.PRISMATIC,
    PrimitiveType.SCREW: JointType.SCREW,
    PrimitiveType.BALL: JointType.BALL,
    PrimitiveType.FREE: JointType.FREE,
}
_IDENTITY = np.eye(4)
_UNIT: list[FloatArray] = list(np.eye(3))
_XYZ = (JointAxis.X, JointAxis.Y, JointAxis.Z)
_EULER = (JointAxis.EULER_FIRST, JointAxis.EULER_SECOND, JointAxis.EULER_THIRD)

Chosen = Callable[[JointDescription], bool]


@dataclass(frozen=True)
class SingleDofs:
    """A robot in which some joints are chains of joints of one dof; `joints` (n,) names the dofs that became
    joints, in the order of each joint's dofs."""

    robot: RobotDescription
    joints: dict[str, tuple[str, ...]]


def single_dofs(robot: RobotDescription, chosen: Chosen) -> SingleDofs:
    """The robot with its `chosen` joints as chains of joints of one dof.

    Links and dofs have the same poses, motion and names; the chains' joints are named as the dofs were, or
    with a number where a joint has that name.
    """
    names = Names(joint.name for joint in robot.joints)
    link_names = Names(link.name for link in robot.links)
    split = {joint.name: _dof_joints(joint, names) for joint in robot.joints if chosen(joint)}
    links = list(robot.links)
    joints: list[JointDescription] = []
    for joint in robot.joints:
        if joint.name not in split:
            joints.append(joint)
            continue
        parts = _chain(joint, split[joint.name], split)
        between = [LinkDescription(link_names.new(f"{part.name}_link")) for part in parts[:-1]]
        links += between
        ends = [joint.parent, *(link.name for link in between), joint.child]
        joints += [
            replace(part, parent=parent, child=child or "")
            for part, parent, child in zip(parts, ends[:-1], ends[1:], strict=True)
        ]
    return SingleDofs(_with(robot, links, joints), split)


def dof_joints(joint: JointDescription, names: Names) -> list[JointDescription]:
    """The joints of one dof that a joint is made of, named as its dofs; between the links of the whole."""
    return _chain(joint, _dof_joints(joint, names), {})


def report_chain(joint: str, parts: Sequence[str], losses: Losses, links: Sequence[str] = ()) -> None:
    """Report that a joint is written as others, one for each dof, with massless `links` between them."""
    between = f", with massless links between them: {', '.join(map(repr, links))}" if links else ""
    losses.equivalent("joint", joint, f"written as joints of one dof: {', '.join(map(repr, parts))}{between}")


def report_chains(divided: SingleDofs, losses: Losses) -> None:
    """Report all joints that became chains."""
    children = {joint.name: joint.child for joint in divided.robot.joints}
    for joint, parts in divided.joints.items():
        report_chain(joint, parts, losses, [children[part] for part in parts[:-1]])


def report_frames(
    before: RobotDescription,
    after: RobotDescription,
    losses: Losses,
    named: Callable[[JointDescription], str] = lambda weld: weld.name,
) -> None:
    """Report the links, and their welds, that `without_child_offset` has put between joints and children;
    `named` is what readers call a weld."""
    children = {joint.name: joint.child for joint in before.joints}
    welds = {joint.parent: named(joint) for joint in after.joints if joint.name not in children}
    for joint in after.joints:
        if children.get(joint.name, joint.child) != joint.child:
            how = (
                f"a massless link stands in its frame: {joint.child!r}, with the weld {welds[joint.child]!r}"
            )
            losses.equivalent("joint", joint.name, how)


def has_child_offset(joint: JointDescription) -> bool:
    """Whether the joint's frame in its child is not the child's own."""
    return bool((joint.T_child_joint != _IDENTITY).any())


def without_child_offset(robot: RobotDescription, chosen: Chosen = has_child_offset) -> RobotDescription:
    """The robot with the child's frame in its joint's, for the `chosen` joints.

    Where the motion allows it the joint is moved; else a massless link stands in the joint's frame, and the
    child is welded to it.
    """
    names = Names(joint.name for joint in robot.joints)
    link_names = Names(link.name for link in robot.links)
    links, joints = list(robot.links), []
    for joint in robot.joints:
        moved = _moved(joint) if chosen(joint) else joint
        if moved is not None:
            joints.append(moved)
            continue
        frame = link_names.new(f"{joint.name}_frame")
        links.append(LinkDescription(frame))
        joints.append(replace(joint, child=frame, T_child_joint=None))
        place = inverse(joint.T_child_joint)
        joints.append(
            JointDescription(names.new(f"{joint.name}_offset"), JointType.WELD, frame, joint.child, place)
        )
    return _with(robot, links, joints)


def _with(
    robot: RobotDescription, links: Iterable[LinkDescription], joints: Iterable[JointDescription]
) -> RobotDescription:
    return RobotDescription(robot.name, links, joints, robot.diagnostics, robot.source)


def _moved(joint: JointDescription) -> JointDescription | None:
    """The same joint in another place, its child's frame being its own; None where there is none."""
    T_joint_child = inverse(joint.T_child_joint)
    slides = joint.type in (JointType.WELD, JointType.PRISMATIC, JointType.TRANSLATIONAL2D)
    turns = joint.type in (JointType.REVOLUTE, JointType.SCREW, JointType.UNIVERSAL)
    if not (slides or (turns and not joint.T_child_joint[:3, 3].any())):
        return None
    axes = joint.axes @ joint.T_child_joint[:3, :3].T
    return replace(joint, T_parent_joint=joint.T_parent_joint @ T_joint_child, T_child_joint=None, axes=axes)


def _dof_joints(joint: JointDescription, names: Names) -> tuple[str, ...]:
    dofs = joint.dof_names or joint.type.spec.dof_names(joint.name, joint.euler_order)
    return tuple(names.new(dof) for dof in dofs)


def _chain(
    joint: JointDescription, names: tuple[str, ...], split: dict[str, tuple[str, ...]]
) -> list[JointDescription]:
    """Joints of one dof; parent and child are those of the whole."""
    last = joint.num_dofs - 1
    return [
        JointDescription(
            names[k],
            _TYPES[primitive.type],
            joint.parent,
            joint.child,
            joint.T_parent_joint if k == 0 else None,
            joint.T_child_joint if k == last else None,
            [_axis(joint, primitive.axis)],
            pitch=joint.pitch,
            limits=_limits(joint.limits, k),
            dynamics=_dynamics(joint.dynamics, k),
            mimic=_mimic(joint.mimic, k, split),
            actuator=joint.actuator,
            line=joint.line,
        )
        for k, primitive in enumerate(joint.type.spec.primitives)
    ]


def _axis(joint: JointDescription, axis: JointAxis) -> FloatArray:
    if axis in _EULER:
        return _UNIT["xyz".index(joint.euler_order[_EULER.index(axis)])]
    if axis in _XYZ:
        return _UNIT[_XYZ.index(axis)]
    if axis is JointAxis.NORMAL:
        return np.asarray(np.cross(joint.axes[0], joint.axes[1]), dtype=np.float64)
    return np.asarray(joint.axes[axis.value], dtype=np.float64)


def _limits(limits: JointLimits, k: int) -> JointLimits:
    numbers = {name: array for name, array in limits._values().items() if array is not None}
    return JointLimits(**{name: array[k : k + 1] for name, array in numbers.items()})


def _dynamics(dynamics: JointDynamics, k: int) -> JointDynamics:
    return JointDynamics(**{name: array[k : k + 1] for name, array in dynamics._values().items()})


def _mimic(mimic: Mimic | None, k: int, split: dict[str, tuple[str, ...]]) -> Mimic | None:
    if mimic is None or mimic.joint not in split:
        return mimic
    return replace(mimic, joint=split[mimic.joint][k])
