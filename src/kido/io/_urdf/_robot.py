"""The <robot> element: links and joints become one tree on the world."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

from kido.description import JointDescription, JointType, LinkDescription, RobotDescription
from kido.errors import DescriptionError
from kido.io._resources import ResourceFinder
from kido.io._urdf._ignored import note_ignored
from kido.io._urdf._joint import read_joint
from kido.io._urdf._link import LinkReader
from kido.io._urdf._material import Materials
from kido.io._xml import Element, XmlFile, tag_of

__all__ = ["read_robot"]

_LISTED = 6
_ROOT_TYPES = {"fixed": JointType.WELD, "free": JointType.FREE}


def read_robot(
    file: XmlFile, robot: Element, root: str, resources: ResourceFinder, source: Path | None
) -> RobotDescription:
    """The robot of a <robot> element; raises ModelFileError, and ValueError for an unknown `root`."""
    if root not in _ROOT_TYPES:
        raise ValueError(f"root: expected 'fixed' or 'free', got {root!r}")
    if robot.tag != "robot":
        raise file.error(robot, f"expected a <robot> element, got <{tag_of(robot)}>")
    link_reader = LinkReader(file, resources, Materials(file, resources, robot))
    links = [link_reader.read(element) for element in robot.iterfind("link")]
    joint_elements = robot.findall("joint")
    types = {element.get("name"): element.get("type") for element in joint_elements}
    joints = [read_joint(file, element, types) for element in joint_elements]
    note_ignored(file, robot)
    name = _robot_name(file, robot, source)
    root_joints = _root_joints(file, robot, links, joints, root)
    try:
        description = RobotDescription(name, links, [*root_joints, *joints], file.diagnostics, source)
    except DescriptionError as error:
        raise file.error(_element_of(robot, error), error.message) from error
    if len(root_joints) > 1:
        names = ", ".join(repr(joint.child) for joint in root_joints[:_LISTED])
        names += f" and {len(root_joints) - _LISTED} more" if len(root_joints) > _LISTED else ""
        extra = next(e for e in robot.iterfind("link") if e.get("name") == root_joints[1].child)
        raise file.error(extra, f"expected one root link, got {names}: joints have to join all links")
    return description


def _robot_name(file: XmlFile, robot: Element, source: Path | None) -> str:
    name = robot.get("name")
    if name:
        return name
    stem = "robot" if source is None else source.stem
    file.note(robot, "name", f"name: missing, taken as {stem!r}")
    return stem


def _root_joints(
    file: XmlFile, robot: Element, links: list[LinkDescription], joints: list[JointDescription], root: str
) -> list[JointDescription]:
    if not links:
        file.note(robot, "empty", "the robot has no links")
    children = {joint.child for joint in joints}
    roots = [link for link in links if link.name not in children]
    joint_type = _ROOT_TYPES[root]
    if joint_type is JointType.FREE and any(_stands_for_world(link, joints) for link in roots):
        file.note(
            robot, "root", "link 'world' stands for the world and stays fixed; root='free' has no effect"
        )
        joint_type = JointType.WELD
    names = _free_names(joints)
    return [JointDescription(next(names), joint_type, None, link.name) for link in roots]


def _stands_for_world(link: LinkDescription, joints: list[JointDescription]) -> bool:
    is_empty = (link.inertia is None or link.inertia.is_massless) and not (link.visuals or link.collisions)
    return link.name == "world" and is_empty and any(joint.parent == link.name for joint in joints)


def _free_names(joints: list[JointDescription]) -> Iterator[str]:
    taken = {joint.name for joint in joints}
    names = chain(["root_joint"], (f"root_joint_{number}" for number in count(2)))
    return (name for name in names if name not in taken)


def _element_of(robot: Element, error: DescriptionError) -> Element:
    """The last element of the name at fault: of a repeated name, the repetition."""
    named = [e for e in robot.iterfind(error.kind or "") if e.get("name") == error.name] if error.kind else []
    return named[-1] if named else robot
