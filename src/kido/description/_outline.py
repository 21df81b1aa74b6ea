"""Models as outlines: names and numbers that do not depend on how a format writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import Any, TypeAlias

import numpy as np

from kido.description._constraint import ClosureDescription, ConstraintDescription
from kido.description._inertia import Inertia
from kido.description._joint import JointDescription
from kido.description._joint_type import JointType
from kido.description._link import LinkDescription, ShapePlacement
from kido.description._placement import ObjectPlacement, RobotPlacement
from kido.description._robot import RobotDescription
from kido.description._scene import SceneDescription
from kido.shape import Mesh, Shape, Surface
from kido.typing import FloatArray

__all__ = ["Outline", "outline"]

Outline: TypeAlias = "dict[str, Outline | FloatArray | str]"
"""Parts by name, down to numbers and texts."""

_NO_AXIS = (JointType.BALL, JointType.EULER, JointType.FREE, JointType.TRANSLATIONAL)
_ABOUT_A_LINE = (JointType.REVOLUTE, JointType.SCREW)
_NO_PLACE = (JointType.WELD, JointType.PRISMATIC, JointType.TRANSLATIONAL, JointType.TRANSLATIONAL2D)
_PLAIN = Surface()


def outline(scene: SceneDescription) -> Outline:
    """A scene by its parts: what moves how, weighs how much, looks like what and touches where.

    Joints are told by the pose of the child at zero, and by axes and anchors in the child: how a file divides
    these between the two sides does not matter.
    """
    parts: Outline = {
        "gravity": scene.gravity,
        "time step": _text(scene.time_step),
        "friction of two surfaces": scene.surface_rules.friction.value,
        **{f"robot {placed.name!r}": _placed(placed) for placed in scene.robots},
        **{f"object {placed.name!r}": _placed(placed) for placed in scene.objects},
        **{f"constraint {one.name!r}": _constraint(one) for one in scene.constraints},
        **{f"state {state.name!r}": _state(state) for state in scene.states},
        "initial state": scene.initial_state or "none",
    }
    for pair in scene.exclusions:
        ends = sorted(f"{end.owner}/{end.link}" for end in (pair.first, pair.second))
        parts[f"exclusion of {' and '.join(ends)}"] = "excluded"
    return parts


def _placed(placed: RobotPlacement | ObjectPlacement) -> Outline:
    told: Outline = {}
    if isinstance(placed, RobotPlacement):
        flags = ("mobile", "self_collision", "adjacent_collision")
        told = {name: _text(getattr(placed, name)) for name in flags}
    return {**told, **_robot(placed.placed())}


def _robot(robot: RobotDescription) -> Outline:
    links: Outline = {f"link {link.name!r}": _link(link) for link in robot.links}
    joints: Outline = {f"joint {joint.name!r}": _joint(joint) for joint in robot.joints}
    return {**links, **joints}


def _link(link: LinkDescription) -> Outline:
    inertia = Inertia(0.0) if link.inertia is None else link.inertia
    found: Outline = {
        "mass": np.array(inertia.mass),
        "center of mass": inertia.com if inertia.mass else np.zeros(3),
        "moment of inertia": inertia.moment,
        "gravity": _text(link.gravity),
        **{f"frame {frame.name!r}": {"pose": frame.origin} for frame in link.frames},
    }
    for role, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for index, shape in enumerate(shapes):
            found[f"{role} {index}"] = _shape(shape, touches=role == "collision")
    return found


def _shape(placed: ShapePlacement, *, touches: bool) -> Outline:
    found: Outline = {"pose": placed.origin, "shape": type(placed.shape).__name__, **_geometry(placed.shape)}
    if touches:
        surface = _PLAIN if placed.surface is None else placed.surface
        found.update({name: _leaf(getattr(surface, name)) for name in _names(surface)})
        found["category"] = _text(placed.category)
        found["collides with"] = _text(placed.collides_with)
    elif placed.material is not None:
        found["color"] = placed.material.rgba
    return found


def _geometry(shape: Shape) -> Outline:
    if isinstance(shape, Mesh):
        file = shape.uri if shape.path is None else str(shape.path)
        return {"file": file.replace("\\", "/").rpartition("/")[2], "scale": shape.scale}
    return {name: _leaf(getattr(shape, name)) for name in _names(shape)}


def _joint(joint: JointDescription) -> Outline:
    parent, child = joint.T_parent_joint, joint.T_child_joint
    found: Outline = {
        "type": str(joint.type),
        "parent": "the world" if joint.parent is None else joint.parent,
        "child": joint.child,
        "pose at zero": parent @ np.linalg.inv(child),
        **_axes(joint),
        **{f"limits of {name}": getattr(joint.limits, name) for name in _names(joint.limits)},
        **{name.replace("_", " "): getattr(joint.dynamics, name) for name in _names(joint.dynamics)},
        "actuator": _text(joint.actuator),
    }
    if joint.type is JointType.SCREW:
        found["pitch"] = np.array(joint.pitch)
    if joint.type is JointType.EULER:
        found["order"] = joint.euler_order
    if joint.mimic is not None:
        numbers = np.array([joint.mimic.multiplier, joint.mimic.offset])
        found["mimic"] = {"joint": joint.mimic.joint, "multiplier and offset": numbers}
    return found


def _axes(joint: JointDescription) -> Outline:
    """Axes and anchor in the child; of a joint that turns about a line, the nearest point of it."""
    R, anchor = joint.T_child_joint[:3, :3], joint.T_child_joint[:3, 3]
    found: Outline = {}
    axes = joint.axes @ R.T
    if joint.type.num_axes:
        found["axes"] = axes
    if joint.type in _NO_AXIS:
        found["axes"] = R
    if joint.type in _ABOUT_A_LINE:
        found["anchor"] = anchor - (anchor @ axes[0]) * axes[0]
    elif joint.type not in _NO_PLACE:
        found["anchor"] = anchor
    return found


def _constraint(constraint: ConstraintDescription) -> Outline:
    found: Outline = {"active": _text(constraint.active)}
    if isinstance(constraint, ClosureDescription):
        found.update({"type": str(constraint.type), "distance": np.array(constraint.distance)})
        for name, end in constraint.references():
            found[name] = {"link": f"{end.owner}/{end.link}", "pose": end.T_link_frame}
        return found
    found["coefficients"] = constraint.coefficients
    for name, dof in constraint.references():
        found[name] = f"{dof.owner}/{dof.joint}/{dof.index}"
    return found


def _state(state: Any) -> Outline:
    found: Outline = {"time": np.array(state.time)}
    for joint in state.joints:
        numbers = {name: getattr(joint, name) for name in ("positions", "velocities", "commands")}
        told = {name: array for name, array in numbers.items() if array is not None}
        found[f"joint {joint.joint!r} of {joint.owner!r}"] = told
    return found


def _names(value: Any) -> Iterable[str]:
    return [field.name for field in fields(value) if field.init]


def _leaf(value: Any) -> FloatArray | str:
    if isinstance(value, bool | str) or value is None:
        return _text(value)
    return np.asarray(value, dtype=float)


def _text(value: Any) -> str:
    return "none" if value is None else str(value)
