"""Bodies of the world as robots and objects: links, joints, shapes and frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kido.description import (
    OBJECT_JOINT,
    FrameDescription,
    Inertia,
    JointDescription,
    JointReference,
    JointType,
    LinkDescription,
    LinkReference,
    ShapePlacement,
    ShapeReference,
)
from kido.io._mjcf._actuator import ActuatorReader
from kido.io._mjcf._body import Body, Placed
from kido.io._mjcf._contact import Categories
from kido.io._mjcf._geom import Geom, placed_pose
from kido.io._mjcf._joint import Drive, JointReader, joint_kind, position_at_rest
from kido.io._mjcf._names import FreeNames
from kido.io._mjcf._orientation import read_pose
from kido.io._mjcf._parts import JointPart, Parts, SitePart
from kido.io._xml import shown

__all__ = ["RobotReader", "is_object"]

_HIDDEN_GROUP = 3
"""Geoms of this group and those above that can touch something are not drawn, as MuJoCo's viewers do."""

_DYNAMICS = ("damping", "stiffness", "frictionloss", "armature")


def is_object(body: Body) -> bool:
    """Whether a body of the world is an object: alone, and fixed or free on its own."""
    if body.children or body.joints:
        return False
    joint = body.free
    return joint is None or not any(joint.node.has(name) and _nonzero(joint, name) for name in _DYNAMICS)


def _nonzero(placed: Placed, attribute: str) -> bool:
    return any(placed.node.floats(attribute, 1))


class RobotReader:
    """Makes links and joints of the bodies below one body of the world, and keeps what they are called."""

    def __init__(
        self,
        parts: Parts,
        geoms: dict[str, list[Geom]],
        inertias: dict[str, Inertia | None],
        categories: Categories,
        drives: ActuatorReader,
        names: FreeNames,
    ) -> None:
        self._parts = parts
        self._geoms = geoms
        self._inertias = inertias
        self._categories = categories
        self._drives = drives
        self._link_names = names

    def link(self, body: Body, owner: str) -> LinkDescription:
        """The link of a body, of the robot or object `owner`; raises ModelFileError."""
        parts = self._parts
        parts.links[body.name] = LinkReference(owner, body.name)
        inertia = self._inertias[body.name]
        if inertia is not None:
            parts.coms[body.name] = inertia.com
        visuals, collisions = self._shapes(body, owner)
        return LinkDescription(
            body.name,
            inertia,
            visuals,
            collisions,
            body.element.sourceline,
            frames=self._frames(body),
            gravity=_weighs(body),
        )

    def robot(
        self, bodies: Sequence[Body], owner: str
    ) -> tuple[list[LinkDescription], list[JointDescription]]:
        """Links and joints of bodies, the first of which stands on the world; raises ModelFileError."""
        links: list[LinkDescription] = []
        joints: list[JointDescription] = []
        joint_names = FreeNames(placed.name for body in bodies for placed in _joints_of(body) if placed.name)
        for body in bodies:
            massless, own = self._chain(body, owner, joint_names)
            links += [*massless, self.link(body, owner)]
            joints += own
        return links, joints

    def forget(self, body: Body) -> None:
        """Take back the link of a body that became nothing."""
        del self._parts.links[body.name]

    def joints_of(self, owner: str) -> dict[str, JointPart]:
        """The joints of a robot by their names in it."""
        found = (part for part in self._parts.joints if part.reference.owner == owner)
        return {part.reference.joint: part for part in found}

    def object_joint(self, body: Body) -> None:
        """Keep the joint of an object under its name."""
        if body.free is not None:
            self._keep(body.free, body, JointReference(body.name, OBJECT_JOINT))

    def _chain(
        self, body: Body, owner: str, names: FreeNames
    ) -> tuple[list[LinkDescription], list[JointDescription]]:
        """The joints of a body one after the other, with a massless link between any two."""
        on_world = body.parent is None or body.parent.parent is None
        parent = None if on_world or body.parent is None else body.parent.name
        pose = body.T_world_body if on_world else body.T_parent_body
        placed = _joints_of(body)
        if not placed:
            name = names.take(OBJECT_JOINT if on_world else f"{body.name}_weld")
            weld = JointDescription(
                name, JointType.WELD, parent, body.name, pose, line=body.element.sourceline
            )
            return [], [weld]
        links, joints = [], []
        for k, each in enumerate(placed):
            name = each.name or names.take(OBJECT_JOINT if each is body.free else f"{body.name}_joint")
            child = body.name
            if k + 1 < len(placed):
                child = self._link_names.take(f"{body.name}_{name}")
                links.append(LinkDescription(child, line=each.node.line))
            drive = self._drives.drive(each.name, joint_kind(each)) if each.name else Drive()
            joints.append(JointReader(each, name, parent, child, drive).read(pose))
            self._keep(each, body, JointReference(owner, name))
            parent, pose = child, np.eye(4)
        return links, joints

    def _keep(self, placed: Placed, body: Body, reference: JointReference) -> None:
        part = JointPart(reference, placed, joint_kind(placed), position_at_rest(placed), body)
        self._parts.joints.append(part)
        if placed.name:
            if placed.name in self._parts.named_joints:
                raise placed.node.error(f"name: two joints are named {shown(placed.name)}", "name")
            self._parts.named_joints[placed.name] = part

    def _shapes(self, body: Body, owner: str) -> tuple[list[ShapePlacement], list[ShapePlacement]]:
        """Visual and collision shapes of a body."""
        visuals: list[ShapePlacement] = []
        collisions: list[ShapePlacement] = []
        for geom in self._geoms[body.name]:
            self._keep_geom(body, geom)
            if geom.shape is None:
                continue
            drawn = geom.group < _HIDDEN_GROUP or not geom.collides
            if drawn:
                name = f"{geom.name}_visual" if geom.name and geom.collides else geom.name
                visuals.append(ShapePlacement(name or None, geom.shape, geom.pose, geom.material))
            if geom.collides:
                if geom.name:
                    self._parts.shapes[geom.name] = ShapeReference(owner, body.name, len(collisions))
                category, others = self._categories.of(geom.bits)
                collisions.append(
                    ShapePlacement(
                        geom.name or None,
                        geom.shape,
                        geom.pose,
                        geom.material,
                        surface=geom.surface,
                        category=category,
                        collides_with=others,
                    )
                )
        return visuals, collisions

    def _keep_geom(self, body: Body, geom: Geom) -> None:
        if geom.name:
            if geom.name in self._parts.geoms:
                raise geom.node.error(f"name: two geoms are named {shown(geom.name)}", "name")
            self._parts.geoms[geom.name] = (body, geom)

    def _frames(self, body: Body) -> list[FrameDescription]:
        """Sites and named frames of a body; a site without a name is for pictures."""
        found = []
        for site in body.sites:
            pose = site.T_body_frame @ placed_pose(site)
            if site.name:
                _keep_once(self._parts.sites, site, SitePart(body, pose))
                found.append(FrameDescription(site.name, pose, "site", site.node.line))
        for camera in body.cameras:
            pose = camera.T_body_frame @ read_pose(camera.node, camera.scope.context.compiler)
            if not camera.name:
                camera = replace(camera, name=_numbered(self._parts.cameras))
            _keep_once(self._parts.cameras, camera, SitePart(body, pose, camera.node))
        taken = {frame.name for frame in found}
        for name, pose, line in body.frames:
            if name not in taken:
                taken.add(name)
                found.append(FrameDescription(name, pose, "frame", line))
        return found


def _keep_once(parts: dict[str, SitePart], placed: Placed, part: SitePart) -> None:
    if placed.name in parts:
        raise placed.node.error(f"name: two {placed.node.tag}s are named {shown(placed.name)}", "name")
    parts[placed.name] = part


def _numbered(taken: dict[str, SitePart]) -> str:
    number = len(taken)
    while f"camera{number}" in taken:
        number += 1
    return f"camera{number}"


def _joints_of(body: Body) -> list[Placed]:
    return [body.free] if body.free is not None else body.joints


def _weighs(body: Body) -> bool:
    """Whether gravity acts on a body: all of it, or nothing."""
    node = body.scope.context.node(body.element, "body")
    share = node.number("gravcomp", 0.0)
    if share not in (0.0, 1.0):
        node.note("ignored", f"gravcomp: expected 0 or 1, got {share:g}; gravity acts", "gravcomp")
    return share != 1.0
