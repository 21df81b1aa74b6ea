"""The <worldbody> element: robots and objects as trees of bodies."""

from __future__ import annotations

import numpy as np

from kido.description import (
    OBJECT_JOINT,
    Inertia,
    JointDescription,
    JointType,
    LinkDescription,
    ObjectPlacement,
    RobotPlacement,
)
from kido.io._writers._mjcf._geoms import GeomWriter
from kido.io._writers._mjcf._joints import JointWriter
from kido.io._writers._mjcf._output import Output, write_pose
from kido.io._writers._placement_losses import report_link
from kido.io._writers._pose_text import inverse, is_identity
from kido.io._writers._scene_losses import report_placement
from kido.io._writers._serial_joints import has_child_offset, without_child_offset
from kido.io._writers._xml_text import element, numbers
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["BodyWriter"]

_WORLD = "world"
_MOMENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
_LISTED = 4


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
        if output.scene.robots != (placed,) or output.scene.name != owner:
            what = "the name of a robot beside others: it is that of its first link"
            output.losses.ignored("robot", owner, what)
        robot = without_child_offset(placed.robot, _needs_own_frame)
        if len(robot.root_joints) > 1:
            how = "links on the world are written as a robot each: MJCF does not hold them together"
            output.losses.substituted("robot", owner, how)
        bodies: dict[str | None, tuple[Element, FloatArray, bool]] = {
            None: (self._world, placed.T_world_robot, True)
        }
        for joint in robot.depth_first_joints():
            parent, T_world_parent, is_static = bodies[joint.parent]
            T = joint.T_parent_joint @ inverse(joint.T_child_joint)
            T_world_body = T_world_parent @ T
            stays = is_static and joint.type is JointType.WELD
            link = robot.link(joint.child)
            shown = T_world_body if joint.parent is None else T
            made = self._body(parent, owner, link, joint, shown, T_world_body, stays)
            bodies[joint.child] = (made, T_world_body, stays)
            _report_mass(output, robot.joints, link, joint)
        self._report_welds(owner, placed.robot.joints)

    def write_object(self, placed: ObjectPlacement) -> None:
        """Add an object; a fixed one that is called "world" is the world's own body."""
        T, link = placed.T_world_link, placed.link
        if placed.name == _WORLD and placed.fixed and is_identity(T):
            self._output.bodies[placed.name, link.name] = _WORLD
            self._content(self._world, placed.name, link, True)
            return
        joint = JointDescription(OBJECT_JOINT, placed.joint_type, None, link.name)
        self._body(self._world, placed.name, link, joint, T, T, placed.fixed)

    def _body(
        self,
        parent: Element,
        owner: str,
        link: LinkDescription,
        joint: JointDescription,
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
            site = element(made, "site", name=self._output.name("site", frame.name, owner))
            write_pose(site, frame.origin)

    def _report_welds(self, owner: str, joints: tuple[JointDescription, ...]) -> None:
        names = [
            joint.name for joint in joints if joint.type is JointType.WELD and joint.name != OBJECT_JOINT
        ]
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        if names:
            listed = ", ".join(map(repr, names[:_LISTED]))
            self._output.losses.ignored("robot", owner, f"the names of its welds, {listed}{more},")


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
    """What MuJoCo has against an inertia: more than that no body can have it."""
    small = float(np.linalg.eigvalsh(inertia.moment)[0])
    least = f"the least principal moment is {small:.3g} kg m^2" if small <= 0.0 else None
    return inertia.problem() or least


def _report_mass(
    output: Output, joints: tuple[JointDescription, ...], link: LinkDescription, joint: JointDescription
) -> None:
    """Report a body that MuJoCo refuses: it moves without a mass on it, or none can have its inertia."""
    problem = None if link.inertia is None or link.inertia.is_massless else _refusal(link.inertia)
    if problem is not None:
        output.losses.doubted("link", link.name, f"MuJoCo refuses its inertia: {problem}")
    if joint.type is JointType.WELD or (link.inertia is not None and not link.inertia.is_massless):
        return
    welded = any(other.parent == link.name and other.type is JointType.WELD for other in joints)
    if not welded:
        output.losses.doubted("link", link.name, "MuJoCo refuses a body that moves without a mass")
