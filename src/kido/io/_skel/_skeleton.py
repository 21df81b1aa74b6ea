"""The <skeleton> element: bodies and joints become a robot at its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kido.description import (
    JointDescription,
    JointState,
    JointType,
    RobotDescription,
    RobotPlacement,
)
from kido.errors import DescriptionError
from kido.io._resources import ResourceFinder
from kido.io._skel._body import Body, BodyReader
from kido.io._skel._joint import Joint, JointReader
from kido.io._skel._names import UniqueNames
from kido.io._skel._transformation import read_transformation
from kido.io._tracked_xml import TrackedXml
from kido.io._xml import Element
from kido.typing import FloatArray

__all__ = ["Skeleton", "SkeletonReader"]

_ROOT = "root"
"""Name of the free joint of a body that no joint carries."""


@dataclass(frozen=True)
class Skeleton:
    """A robot at its place, and the joints that do not begin at zero."""

    placement: RobotPlacement
    states: tuple[JointState, ...]


class SkeletonReader:
    """Reads the skeletons of one file."""

    def __init__(self, file: TrackedXml, resources: ResourceFinder, source: Path | None) -> None:
        self._file = file
        self._bodies = BodyReader(file, resources)
        self._source = source
        self._names = UniqueNames(file)

    def read(self, element: Element) -> Skeleton:
        """The skeleton; raises ModelFileError. What is doubtful about it is in its diagnostics alone."""
        file = self._file
        before = len(file.diagnostics)
        name = self._names.of(element)
        bodies = self._read_bodies(element)
        pose = read_transformation(file, element)
        joints = self._read_joints(element, bodies, pose)
        mobile = file.flag_of(element, "mobile", True)
        touches_itself = file.flag_of(element, "self_collide", False)
        file.note_unread(element)
        robot = self._robot(element, name, bodies, joints, before)
        del file.diagnostics[before:]
        placement = RobotPlacement(robot, name, pose, mobile=mobile, self_collision=touches_itself)
        return Skeleton(placement, tuple(_states(name, joints)))

    def _robot(
        self, element: Element, name: str, bodies: dict[str, Body], joints: list[Joint], before: int
    ) -> RobotDescription:
        links = [body.link for body in bodies.values()]
        descriptions = [joint.description for joint in joints]
        try:
            return RobotDescription(name, links, descriptions, self._file.diagnostics[before:], self._source)
        except DescriptionError as error:
            raise self._file.error(_element_of(element, error), error.message) from error

    def _read_bodies(self, skeleton: Element) -> dict[str, Body]:
        bodies: dict[str, Body] = {}
        for element in self._file.find_all(skeleton, "body"):
            body = self._bodies.read(element)
            if body.name in bodies:
                raise self._file.error(element, "expected unique names, got another body of this name")
            bodies[body.name] = body
        if not bodies:
            self._file.note(skeleton, "empty", "the skeleton has no bodies")
        return bodies

    def _read_joints(self, skeleton: Element, bodies: dict[str, Body], pose: FloatArray) -> list[Joint]:
        """The joints of the file, after the free ones that carry bodies without a joint."""
        names = UniqueNames(self._file)
        reader = JointReader(self._file, bodies, pose)
        elements = self._file.find_all(skeleton, "joint")
        joints = [reader.read(element, names.of(element)) for element in elements]
        carried = {joint.description.child for joint in joints}
        roots = []
        for body in bodies.values():
            if body.name not in carried:
                name = names.free(_ROOT)
                self._file.note(body.element, "substituted", f"no joint carries it: free joint {name!r}")
                joint = JointDescription(name, JointType.FREE, None, body.name, body.pose)
                roots.append(Joint(joint, None, None))
        return [*roots, *joints]


def _states(owner: str, joints: list[Joint]) -> Iterator[JointState]:
    for joint in joints:
        if joint.positions is not None or joint.velocities is not None:
            yield JointState(owner, joint.description.name, joint.positions, joint.velocities)


def _element_of(skeleton: Element, error: DescriptionError) -> Element:
    """The last element of the name at fault."""
    tag = {"link": "body", "joint": "joint"}.get(error.kind or "", "")
    named = [e for e in skeleton.iterchildren(tag) if e.get("name") == error.name] if tag else []
    return named[-1] if named else skeleton
