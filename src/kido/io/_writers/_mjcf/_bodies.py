"""The <worldbody> element: robots and objects as trees of bodies."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kido.description import (
    OBJECT_JOINT,
    Inertia,
    JointDescription,
    JointType,
    LinkDescription,
    ObjectPlacement,
    RobotPlacement,
    SceneDescription,
)
from kido.io._writers._mjcf._body_plan import PlannedBody, planned_bodies
from kido.io._writers._mjcf._geoms import GeomWriter
from kido.io._writers._mjcf._joints import JointWriter
from kido.io._writers._mjcf._output import Output, write_pose
from kido.io._writers._placement_losses import report_link
from kido.io._writers._pose_text import is_identity
from kido.io._writers._scene_losses import report_placement
from kido.io._writers._serial_joints import has_child_offset, report_frames, without_child_offset
from kido.io._writers._world_link import on_the_world
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["BodyWriter"]

_WORLD = "world"
_MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


class BodyWriter:
    """Writes the bodies of one file."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._geoms = GeomWriter(output)
        self._joints = JointWriter(output)
        self._world = output.section("worldbody")
        output.elements[_WORLD] = self._world

    def write_robot(self, placed: RobotPlacement) -> None:
        """Add the trees of a robot."""
        output, owner = self._output, placed.name
        report_placement(placed, output.losses, ("self_collision", "adjacent_collision"))
        named = _named_links(output.scene, owner)
        robot = on_the_world(placed.robot, output.losses, named, most=1)
        whole, robot = robot, without_child_offset(robot, _needs_own_frame)
        report_frames(whole, robot, output.losses, lambda weld: f"{weld.child}_weld")
        for joint in robot.root_joints if len(robot.root_joints) > 1 else ():
            how = f"a robot of its own, on {joint.name!r}, beside {owner!r}: MJCF has one tree each"
            output.losses.substituted("link", joint.child, how)
        bodies: dict[str | None, tuple[Element, FloatArray, bool]] = {
            None: (self._world, placed.T_world_robot, True)
        }
        for body in planned_bodies(robot, named, output.rest.of_robot(owner)):
            parent, T_world_parent, is_static = bodies[body.parent]
            T_world_body = T_world_parent @ body.T_parent_body
            stays = is_static and all(joint.type is JointType.WELD for joint in body.joints)
            T = T_world_body if body.parent is None else body.T_parent_body
            start = len(output.joints)
            made = self._body(parent, owner, body.link, body.joints, T, T_world_body, stays)
            bodies[body.link.name] = (made, T_world_body, stays)
            _report_mass(output, robot.joints, body)
            above = [joint.name for joint in output.joints[start:-1]]
            self._report_between(body, [f"{output.bodies[owner, body.link.name]}_{name}" for name in above])
        self._report_names(placed)

    def write_object(self, placed: ObjectPlacement) -> None:
        """Add an object; a fixed one that is called "world" is the world's own body."""
        T, link = placed.T_world_link, placed.link
        if placed.name == _WORLD and placed.fixed and is_identity(T):
            self._output.bodies[placed.name, link.name] = _WORLD
            self._content(self._world, placed.name, link, True)
            return
        joint = JointDescription(OBJECT_JOINT, placed.joint_type, None, link.name)
        self._body(self._world, placed.name, link, (joint,), T, T, placed.fixed)

    def _body(
        self,
        parent: Element,
        owner: str,
        link: LinkDescription,
        joints: Iterable[JointDescription],
        T: FloatArray,
        T_world_body: FloatArray,
        is_static: bool,
    ) -> Element:
        output = self._output
        name = output.name("body", link.name, owner)
        made = element(parent, "body", name=name, gravcomp=None if link.gravity else 1.0)
        write_pose(made, T)
        output.bodies[owner, link.name] = name
        output.elements[name] = made
        _write_inertia(made, link)
        for joint in joints:
            self._joints.write(made, owner, joint, T_world_body)
        self._content(made, owner, link, is_static)
        return made

    def _content(self, made: Element, owner: str, link: LinkDescription, is_static: bool) -> None:
        self._geoms.write(made, owner, link, is_static)
        report_link(link, self._output.losses)
        for frame in link.frames:
            if frame.kind != "site":
                self._output.losses.substituted(
                    frame.kind, frame.name, f"a {frame.kind} is written as a site"
                )
            name = self._output.name("site", frame.name, owner)
            write_pose(element(made, "site", name=name), frame.origin)
            self._output.sites.setdefault(made, []).append((name, frame.origin))

    def _report_between(self, body: PlannedBody, read: list[str]) -> None:
        """Report links between the joints of a body that are called otherwise when they are `read`."""
        link, losses = body.link.name, self._output.losses
        for name in body.left_out:
            if name not in read:
                how = f"an empty link between joints is none: they are all of {link!r}"
                losses.substituted("link", name, how)
        fresh = [repr(name) for name in read if name not in body.left_out]
        if fresh:
            how = f"between its joints are massless links, read as {', '.join(fresh)}"
            losses.equivalent("link", link, how)

    def _report_name(self, placed: RobotPlacement, first: str) -> None:
        """Report what readers take a robot for, where that is no robot of its name: the only one has the name
        of the model, others are called as their first body, and loose bodies beside others are objects."""
        output, scene = self._output, self._output.scene
        loose = [one for one in scene.robots if _is_loose(one)]
        trees = sum(len(one.robot.root_joints) for one in scene.robots)
        if placed in loose and (trees > 1 or scene.objects):
            output.losses.substituted("robot", placed.name, f"a body alone is an object: named {first!r}")
            (joint,) = placed.robot.joints
            if joint.type is JointType.FREE and joint.name != OBJECT_JOINT:
                output.losses.ignored("joint", joint.name, "the name of the joint of an object")
            return
        taken = {one.name for one in scene.objects} | {one.robot.links[0].name for one in loose} | {_WORLD}
        is_only = trees - len(loose) == 1 and scene.name not in taken
        name = scene.name if trees == 1 or is_only else first
        if name != placed.name:
            why = "the model" if name == scene.name else "its first link, for others are beside it"
            output.losses.substituted("robot", placed.name, f"the robot is named {name!r}, as {why}")

    def _report_names(self, placed: RobotPlacement) -> None:
        """Report the names of a robot and of its welds, which readers make anew."""
        output, owner, joints = self._output, placed.name, placed.robot.joints
        first = next((name for (robot, _), name in output.bodies.items() if robot == owner), None)
        if first is not None:
            self._report_name(placed, first)
        for joint in joints:
            body = output.bodies.get((owner, joint.child))
            read_as = OBJECT_JOINT if joint.parent is None else f"{body}_weld"
            if joint.type is JointType.WELD and joint.name != read_as:
                output.losses.ignored("joint", joint.name, "the name of a weld")


def _is_loose(placed: RobotPlacement) -> bool:
    """Whether a robot is a body alone, welded to the world or free, as objects are."""
    if len(placed.robot.links) != 1:
        return False
    (joint,) = placed.robot.joints
    numbers = (getattr(joint.dynamics, name) for name in ("damping", "friction", "stiffness", "armature"))
    return joint.type in (JointType.WELD, JointType.FREE) and not any(part.any() for part in numbers)


def _needs_own_frame(joint: JointDescription) -> bool:
    """Whether coordinates of a joint count in axes that the child's body does not have."""
    if joint.type is JointType.FREE and joint.parent is None:
        return has_child_offset(joint)
    turned = (joint.T_child_joint[:3, :3] != np.eye(3)).any()
    return bool(turned) and joint.type in (JointType.BALL, JointType.FREE)


def _write_inertia(made: Element, link: LinkDescription) -> None:
    inertia = link.inertia
    if inertia is None or inertia.is_massless:
        return
    part = element(made, "inertial", pos=inertia.com, mass=inertia.mass)
    moments = [float(inertia.moment[i, j]) for i, j in _MOMENTS]
    if any(moments[3:]):
        part.set("fullinertia", numbers(moments))
    else:
        part.set("diaginertia", numbers(moments[:3]))


def _refusal(inertia: Inertia) -> str | None:
    """Reason of MuJoCo to refuse an inertia, beyond that no body can have it."""
    small = float(np.linalg.eigvalsh(inertia.moment)[0])
    least = f"the least principal moment is {small:.3g} kg m^2" if small <= 0.0 else None
    return inertia.problem() or least


def _report_mass(output: Output, joints: tuple[JointDescription, ...], body: PlannedBody) -> None:
    """Report a body that MuJoCo refuses: it moves without a mass on it, or none can have its inertia."""
    link = body.link
    massless = link.inertia is None or link.inertia.is_massless
    problem = None if link.inertia is None or massless else _refusal(link.inertia)
    if problem is not None:
        output.losses.doubted("link", link.name, f"MuJoCo refuses its inertia: {problem}")
    if not massless or body.joints[-1].type is JointType.WELD:
        return
    if not any(other.parent == link.name and other.type is JointType.WELD for other in joints):
        output.losses.doubted("link", link.name, "MuJoCo refuses a body that moves without a mass")


def _named_links(scene: SceneDescription, owner: str) -> set[str]:
    """Names of the links of a robot to which a scene refers."""
    parts = (scene.constraints, scene.exclusions, scene.contact_pairs, scene.sensors, scene.actuators)
    ends = (end for group in parts for part in group for _, end in part.references())
    return {getattr(end, "link", None) or "" for end in ends if getattr(end, "owner", None) == owner}
