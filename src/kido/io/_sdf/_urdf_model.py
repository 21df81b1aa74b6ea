"""URDF robots that an <include> names, as the <model> that says the same."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kido.description import Diagnostic, RobotDescription
from kido.io._resources import ResourceFinder
from kido.io._urdf import read_urdf_element
from kido.io._writers import sdf_string
from kido.io._xml import Element, parse_xml

__all__ = ["model_of_urdf"]

_WORLD = "world"
_HARMLESS = "root"


def model_of_urdf(
    element: Element, path: Path, resources: ResourceFinder
) -> tuple[Element, tuple[Diagnostic, ...]]:
    """The <sdf> element of a <robot>, and what is doubtful in the robot or not in that element.

    The robot stands free, as models do, where its root is no empty link "world". Meshes are named by their
    paths. Raises ModelFileError.
    """
    robot = read_urdf_element(element, path, resources, root="free")
    written = sdf_string(_on_the_world(robot), names="absolute")
    lost = (replace(note, file=str(path)) for note in written.diagnostics)
    doubts = (note for note in robot.diagnostics if note.kind != _HARMLESS)
    return parse_xml(written.text.encode(), str(path), "utf-8"), (*doubts, *lost)


def _on_the_world(robot: RobotDescription) -> RobotDescription:
    """A robot without an empty root link "world", which is the world itself to SDF."""
    root = next((joint for joint in robot.root_joints if joint.child == _WORLD and not joint.num_dofs), None)
    if root is None:
        return robot
    world = robot.link(_WORLD)
    if not (world.inertia is None or world.inertia.is_massless) or world.visuals or world.collisions:
        return robot
    joints = [
        replace(joint, parent=None) if joint.parent == _WORLD else joint
        for joint in robot.joints
        if joint is not root
    ]
    return replace(robot, links=[link for link in robot.links if link is not world], joints=joints)
