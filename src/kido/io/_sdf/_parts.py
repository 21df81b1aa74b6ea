"""The links, joints, frames and sensors of a model with all models inside of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from kido.description import Diagnostic, FrameDescription, LinkDescription
from kido.io._sdf._joint import SdfJoint, read_joint
from kido.io._sdf._link import LinkReader, pose_on_link
from kido.io._sdf._pose import inverse
from kido.io._sdf._scope import Frame, Item, Scope
from kido.io._sdf._sensor import SdfSensor, read_sensors
from kido.typing import FloatArray

__all__ = ["Parts", "PlacedScope", "read_parts"]


class PlacedScope(NamedTuple):
    """A model inside of another one: its pose in the top model, and whether it stands."""

    scope: Scope
    T_root_scope: FloatArray
    static: bool
    top: str


@dataclass(eq=False)
class Parts:
    """Parts of one robot. Poses are those in the top model; `standing` links are those of static models,
    `models` says of each link to which top model it belongs. `notes` are the diagnostics of each top model.
    """

    links: list[LinkDescription] = field(default_factory=list)
    items: dict[str, Item] = field(default_factory=dict)
    poses: dict[str, FloatArray] = field(default_factory=dict)
    standing: set[str] = field(default_factory=set)
    self_colliding: set[str] = field(default_factory=set)
    models: dict[str, str] = field(default_factory=dict)
    joints: list[SdfJoint] = field(default_factory=list)
    sensors: list[SdfSensor] = field(default_factory=list)
    notes: list[list[Diagnostic]] = field(default_factory=list)
    frames: dict[str, list[FrameDescription]] = field(default_factory=dict)

    def add_frame(self, frame: Frame, name: str, link: str, T_root_frame: FloatArray) -> None:
        """Put a named frame on a link."""
        item = frame.item
        with item.file.at(item.element):
            T_link_frame = inverse(self.poses[link]) @ T_root_frame
            described = FrameDescription(name, T_link_frame, "frame", item.element.sourceline)
        self.frames.setdefault(link, []).append(described)

    def add_joint(self, joint: SdfJoint) -> None:
        """Add a joint with its sensors."""
        self.joints.append(joint)
        for element in read_sensors(joint.file, joint.element):
            name = f"{joint.name}::{element.get('name')}"
            self.sensors.append(SdfSensor(joint.file, element, name, None, joint.name, None))

    @property
    def diagnostics(self) -> list[Diagnostic]:
        """The diagnostics of all top models."""
        return [diagnostic for notes in self.notes for diagnostic in notes]


def read_parts(
    reader: LinkReader,
    tops: Iterable[tuple[Scope, FloatArray]],
    outer_frames: Iterable[tuple[Frame, str, FloatArray]] = (),
) -> Parts:
    """The parts of top models at their poses in the robot; `outer_frames` are those of the world on links.

    Raises ModelFileError.
    """
    parts = Parts()
    placed: list[PlacedScope] = []
    for scope, T in tops:
        parts.notes.append(scope.item.file.diagnostics)
        placed += _all_scopes(PlacedScope(scope, T, scope.static, scope.name))
    for one in placed:
        _place_links(parts, one)
    for one in placed:
        _read_frames(parts, one)
    for frame, link, T_root_frame in outer_frames:
        parts.add_frame(frame, frame.name, link, T_root_frame)
    for one in placed:
        _read_links(parts, reader, one)
        _read_joints(parts, one)
    return parts


def _all_scopes(top: PlacedScope) -> Iterator[PlacedScope]:
    yield top
    scope, T_root_scope, static, name = top
    for child_name, child in scope.children.items():
        T_root_child = T_root_scope @ scope.pose(child_name, child.item)
        yield from _all_scopes(PlacedScope(child, T_root_child, static or child.static, name))


def _place_links(parts: Parts, placed: PlacedScope) -> None:
    scope = placed.scope
    element = scope.item.element
    collide = scope.item.file.child_flag(element, "self_collide")
    for frame in scope.links:
        name = scope.prefix + frame.name
        parts.items[name] = frame.item
        parts.models[name] = placed.top
        parts.poses[name] = placed.T_root_scope @ scope.pose_of(frame)
        if placed.static:
            parts.standing.add(name)
        if frame.item.file.child_flag(frame.item.element, "self_collide", collide):
            parts.self_colliding.add(name)


def _read_frames(parts: Parts, placed: PlacedScope) -> None:
    scope = placed.scope
    for frame in scope.frames.values():
        if frame.kind == "frame":
            link = scope.body(frame.name, frame.item)
            if link is not None:
                T_root_frame = placed.T_root_scope @ scope.pose_of(frame)
                parts.add_frame(frame, scope.prefix + frame.name, link, T_root_frame)


def _read_links(parts: Parts, reader: LinkReader, placed: PlacedScope) -> None:
    scope = placed.scope
    for frame in scope.links:
        name, item = scope.prefix + frame.name, frame.item
        parts.links.append(reader.read(scope, item, placed.static, parts.frames.get(name, ())))
        for element in read_sensors(item.file, item.element):
            sensor_name = f"{name}::{element.get('name')}"
            T = pose_on_link(scope, item, element)
            parts.sensors.append(SdfSensor(item.file, element, sensor_name, name, None, T))


def _read_joints(parts: Parts, placed: PlacedScope) -> None:
    for frame in placed.scope.joints:
        parts.add_joint(read_joint(placed.scope, frame, placed.T_root_scope))
