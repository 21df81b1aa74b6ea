"""Models as outlines: names and numbers that do not depend on how a format writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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
from kido.description._scene import DEFAULT_TIME_STEP, SceneDescription
from kido.description._touching import Touching
from kido.shape import Mesh, Plane, Shape, Surface
from kido.typing import FloatArray

__all__ = ["RULE", "Outline", "has_one_friction", "outline"]

Outline: TypeAlias = "dict[str, Outline | FloatArray | str]"
"""Parts by name, down to numbers and texts."""

RULE = "friction of two surfaces"
"""Where an outline tells how frictions are combined."""

_NO_AXIS = (JointType.BALL, JointType.EULER, JointType.FREE, JointType.TRANSLATIONAL)
_ABOUT_A_LINE = (JointType.REVOLUTE, JointType.SCREW)
_NO_PLACE = (JointType.WELD, JointType.PRISMATIC, JointType.TRANSLATIONAL, JointType.TRANSLATIONAL2D)
_PLAIN = Surface()
_WORLD = "world"


def outline(scene: SceneDescription, names: Mapping[str, str] | None = None) -> Outline:
    """A scene by its parts: what moves how, weighs how much, looks like what and touches where. Robots that
    are among `names` are told under these.

    Joints are told by the pose of the child at zero, and by axes and anchors in the child: how a file divides
    these between the two sides does not matter. Nor does how it says which shapes touch each other, or
    whether an empty link "world" stands for the world.
    """
    known = dict(names or {})
    touching = Touching(scene, known)
    parts: Outline = {
        "gravity": scene.gravity,
        "time step": np.array(DEFAULT_TIME_STEP if scene.time_step is None else scene.time_step),
        RULE: scene.surface_rules.friction.value,
        **{f"robot {known.get(one.name, one.name)!r}": _placed(one, touching) for one in scene.robots},
        **{
            f"object {known.get(placed.name, placed.name)!r}": _placed(placed, touching)
            for placed in scene.objects
        },
        **{f"constraint {one.name!r}": _constraint(one, known) for one in scene.constraints},
        **{f"state {state.name!r}": _state(state, known) for state in scene.states},
        "initial state": scene.initial_state or "none",
    }
    for pair in scene.exclusions:
        if not touching.between(pair.first, pair.second):
            continue  # nothing of them touches anyway
        ends = sorted(f"{known.get(end.owner, end.owner)}/{end.link}" for end in (pair.first, pair.second))
        parts[f"exclusion of {' and '.join(ends)}"] = "excluded"
    return parts


def has_one_friction(scene: SceneDescription) -> bool:
    """Whether all surfaces have the same friction, so that it does not matter how two are combined."""
    links = [link for placed in scene.robots for link in placed.robot.links]
    links += [placed.link for placed in scene.objects]
    return len({(shape.surface or _PLAIN).friction for link in links for shape in link.collisions}) < 2


def _placed(placed: RobotPlacement | ObjectPlacement, touching: Touching) -> Outline:
    told: Outline = {}
    if not isinstance(placed, RobotPlacement):
        told = {} if placed.fixed else {"mobile": _text(True)}
    else:
        if any(joint.num_dofs for joint in placed.robot.joints):
            told["mobile"] = _text(placed.mobile)
        if touching.within(placed.name, placed.robot.links):
            told["adjacent_collision"] = _text(placed.adjacent_collision)
    return {**told, **_robot(placed.placed(), placed.name, touching)}


def _robot(robot: RobotDescription, owner: str, touching: Touching) -> Outline:
    world = _stands_for_world(robot)
    links: Outline = {
        f"link {link.name!r}": _link(link, owner, touching) for link in robot.links if link.name != world
    }
    joints: Outline = {
        f"joint {joint.name!r}": _joint(joint, world) for joint in robot.joints if joint.child != world
    }
    return {**links, **joints}


def _stands_for_world(robot: RobotDescription) -> str | None:
    """The empty root link "world", welded to the world where the robot stands, that other links are on."""
    for joint in robot.root_joints:
        link = robot.link(joint.child)
        has_mass = link.inertia is not None and not link.inertia.is_massless
        is_empty = not (has_mass or link.visuals or link.collisions or link.frames)
        named = link.name == _WORLD or link.name.startswith(f"{_WORLD}_")
        if named and is_empty and joint.type is JointType.WELD and _is_unmoved(joint):
            return link.name if any(other.parent == link.name for other in robot.joints) else None
    return None


def _is_unmoved(joint: JointDescription) -> bool:
    return bool((joint.T_parent_joint == joint.T_child_joint).all())


def _link(link: LinkDescription, owner: str, touching: Touching) -> Outline:
    inertia = Inertia(0.0) if link.inertia is None else link.inertia
    found: Outline = {
        "mass": np.array(inertia.mass),
        "center of mass": inertia.com if inertia.mass else np.zeros(3),
        "moment of inertia": inertia.moment,
        "gravity": _text(link.gravity),
        **{f"frame {frame.name!r}": {"pose": frame.origin} for frame in link.frames},
    }
    for index, shape in enumerate(link.visuals):
        color: Outline = {} if shape.material is None else {"color": shape.material.rgba}
        found[f"visual {index}"] = {**_shape(shape), **color}
    for index, shape in enumerate(link.collisions):
        surface = _PLAIN if shape.surface is None else shape.surface
        numbers: Outline = {name: _leaf(getattr(surface, name)) for name in _names(surface)}
        touches: Outline = {"touching": touching.text(owner, shape)}
        found[f"collision {index}"] = {**_shape(shape), **numbers, **touches}
    return found


def _shape(placed: ShapePlacement) -> Outline:
    shape, T = placed.shape, placed.origin
    if isinstance(shape, Plane):  # there are many poses of one plane
        normal = T[:3, :3] @ shape.normal
        return {"shape": "Plane", "normal": normal, "offset": np.array(shape.offset + normal @ T[:3, 3])}
    return {"pose": T, "shape": type(shape).__name__, **_geometry(shape)}


def _geometry(shape: Shape) -> Outline:
    if isinstance(shape, Mesh):
        file = shape.uri if shape.path is None else str(shape.path)
        return {"file": file.replace("\\", "/").rpartition("/")[2], "scale": shape.scale}
    return {name: _leaf(getattr(shape, name)) for name in _names(shape)}


def _joint(joint: JointDescription, world: str | None) -> Outline:
    parent, child = joint.T_parent_joint, joint.T_child_joint
    found: Outline = {
        "type": str(joint.type),
        "parent": "the world" if joint.parent in (None, world) else str(joint.parent),
        "child": joint.child,
        "pose at zero": parent @ np.linalg.inv(child),
        **_axes(joint),
        **{f"limits of {name}": getattr(joint.limits, name) for name in _names(joint.limits)},
        **{name.replace("_", " "): getattr(joint.dynamics, name) for name in _names(joint.dynamics)},
        "actuator": _text(joint.actuator),
    }
    for what, extra in (("calibration", joint.calibration), ("safety controller", joint.safety)):
        if extra is not None:
            found[what] = {name: _leaf(getattr(extra, name)) for name in _names(extra)}
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


def _constraint(constraint: ConstraintDescription, known: Mapping[str, str]) -> Outline:
    found: Outline = {"active": _text(constraint.active)}
    if isinstance(constraint, ClosureDescription):
        found.update({"type": str(constraint.type), "distance": np.array(constraint.distance)})
        for name, end in constraint.references():
            owner = known.get(end.owner or "", end.owner)
            found[name] = {"link": f"{owner}/{end.link}", "pose": end.T_link_frame}
        return found
    found["coefficients"] = constraint.coefficients
    for name, dof in constraint.references():
        found[name] = f"{known.get(dof.owner, dof.owner)}/{dof.joint}/{dof.index}"
    return found


def _state(state: Any, known: Mapping[str, str]) -> Outline:
    found: Outline = {"time": np.array(state.time)}
    for joint in state.joints:
        numbers = {name: getattr(joint, name) for name in ("positions", "velocities", "commands")}
        told = {name: array for name, array in numbers.items() if array is not None and array.any()}
        if told:  # a joint that is not told is at rest at zero
            found[f"joint {joint.joint!r} of {known.get(joint.owner, joint.owner)!r}"] = told
    return found


def _names(value: Any) -> Iterable[str]:
    return [field.name for field in fields(value) if field.init]


def _leaf(value: Any) -> FloatArray | str:
    if isinstance(value, bool | str) or value is None:
        return _text(value)
    return np.asarray(value, dtype=float)


def _text(value: Any) -> str:
    return "none" if value is None else str(value)
