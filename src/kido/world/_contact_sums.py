"""Contacts of parts of a world: which, their wrenches, and the polygon that they hold a skeleton on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from kido.collision import Part
from kido.skeleton import BodyNode, ShapeNode, Skeleton, SoftBodyNode, convex_hull, plane_axes
from kido.typing import ArrayLike, FloatArray, frozen_array
from kido.world._compiled import CompiledWorld
from kido.world._compiled_colliders import CONTACT_FORCE, CONTACT_POINT
from kido.world._contact import Contact
from kido.world._wrench_sums import crosses

__all__ = ["ContactSupport", "contact_support", "contact_wrench", "contacts_of", "face_forces"]


@dataclass(frozen=True, eq=False)
class ContactSupport:
    """Support of a skeleton, seen along gravity.

    Attributes:
        points: contacts that hold it from below (k, 3), in the world [m].
        axes: of the plane across gravity (2, 3), unit vectors of the world.
        polygon: convex hull of the points (m, 2) in `axes`, counterclockwise [m].
        center_of_mass: of the skeleton (2,) in `axes` [m].
        margin: from the center of mass to the polygon's border [m]; negative where it is outside, minus
            infinity where nothing holds the skeleton.
    """

    points: FloatArray
    axes: FloatArray
    polygon: FloatArray
    center_of_mass: FloatArray
    margin: float

    @property
    def is_inside(self) -> bool:
        """Whether the center of mass is above the polygon."""
        return self.margin > 0.0


def contacts_of(contacts: Iterable[Contact], part: Part) -> list[Contact]:
    """Contacts that a skeleton, body or shape has part in. Raises TypeError for anything else."""
    check_part(part)
    return [c for c in contacts if is_of(c.first, part) or is_of(c.second, part)]


def contact_wrench(compiled: CompiledWorld | None, part: Part, about: ArrayLike | None) -> FloatArray:
    """Torque and force (6,) of a world's contacts on a part about a point (3,), world axes [N m, N]; zeros
    before the first step."""
    check_part(part)
    if about is not None:
        center = frozen_array("about", about, (3,), "m")
    elif isinstance(part, Skeleton):
        center = part.com()
    else:
        center = (part.body if isinstance(part, ShapeNode) else part).transform()[:3, 3]
    if compiled is None:
        return np.zeros(6)
    pairs, numbers = compiled.native.contacts(False)
    own = np.array([is_of(node, part) for node in compiled.colliders.nodes], dtype=float)
    forces = (own[pairs[:, 0]] - own[pairs[:, 1]])[:, None] * numbers[:, CONTACT_FORCE]
    torques = crosses(numbers[:, CONTACT_POINT] - center, forces)
    return np.concatenate([torques.sum(axis=0), forces.sum(axis=0)])


def face_forces(compiled: CompiledWorld | None, body: SoftBodyNode) -> FloatArray:
    """Forces (m, 3) of a world's contacts on the faces of a soft body, world axes [N]; zeros before the first
    step. Raises TypeError where it is no soft body."""
    if not isinstance(body, SoftBodyNode):
        raise TypeError(f"body: expected a SoftBodyNode, got {type(body).__name__}")
    skin, node = body.skin, body.skin_node
    out = np.zeros((len(skin.faces), 3))
    own = [] if compiled is None else [i for i, of in enumerate(compiled.colliders.nodes) if of is node]
    if compiled is None or not own or not len(out):
        return out
    pairs, numbers = compiled.native.contacts(False)
    on_points = np.zeros((skin.num_points, 3))
    for side, sign in ((0, 1.0), (1, -1.0)):
        force, face = sign * numbers[:, CONTACT_FORCE], pairs[:, 2 + side]
        mine = (pairs[:, side] >= own[0]) & (pairs[:, side] <= own[-1])
        on_face, on_point = mine & (face >= 0), mine & (face < 0)
        np.add.at(out, face[on_face], force[on_face])
        np.add.at(on_points, pairs[on_point, side] - own[0], force[on_point])
    corners = body.point_positions()[skin.faces]
    areas = np.linalg.norm(crosses(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    around = np.bincount(skin.faces.ravel(), np.repeat(areas, 3), minlength=skin.num_points)
    shares = areas[:, None] / np.maximum(around[skin.faces], np.finfo(float).tiny)
    return np.asarray(out + (shares[..., None] * on_points[skin.faces]).sum(axis=1))


def contact_support(contacts: Iterable[Contact], skeleton: Skeleton) -> ContactSupport:
    """The polygon on which some contacts hold a skeleton, as `World.support` tells it of its own.

    Raises TypeError where it is no skeleton.
    """
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"skeleton: expected a Skeleton, got {type(skeleton).__name__}")
    axes = plane_axes(skeleton.gravity)
    up = np.cross(axes[0], axes[1])
    points = np.array(
        [
            contact.point
            for contact, sign in _sides(contacts, skeleton)
            if sign * float(contact.normal @ up) > 0.0
            and (contact.depth >= 0.0 or contact.force.any())
            and contact.first.skeleton is not contact.second.skeleton
        ]
    ).reshape(-1, 3)
    polygon, center = convex_hull(points @ axes.T), axes @ skeleton.com()
    return ContactSupport(points, axes, polygon, center, _margin(polygon, center))


def is_of(node: ShapeNode, part: Part) -> bool:
    """Whether a shape is a part, or belongs to it."""
    if isinstance(part, ShapeNode):
        return node is part
    return node.body is part if isinstance(part, BodyNode) else node.skeleton is part


def check_part(part: object) -> None:
    """Raise TypeError for what is no skeleton, body or shape."""
    if not isinstance(part, (Skeleton, BodyNode, ShapeNode)):
        raise TypeError(f"part: expected a Skeleton, BodyNode or ShapeNode, got {type(part).__name__}")


def _sides(contacts: Iterable[Contact], part: Part) -> Iterator[tuple[Contact, float]]:
    """Contacts of a part, and the sign with which their force and normal are those on it."""
    for contact in contacts:
        if is_of(contact.first, part):
            yield contact, 1.0
        if is_of(contact.second, part):
            yield contact, -1.0


def _margin(polygon: FloatArray, point: FloatArray) -> float:
    """Distance of a point to the border of a convex polygon; negative outside."""
    if len(polygon) == 0:
        return -np.inf
    following = np.roll(polygon, -1, axis=0)
    edges, arms = following - polygon, point - polygon
    squares = np.maximum((edges * edges).sum(axis=1), np.finfo(float).tiny)
    along = np.clip((arms * edges).sum(axis=1) / squares, 0.0, 1.0)
    distance = float(np.linalg.norm(arms - along[:, None] * edges, axis=1).min())
    inside = len(polygon) > 2 and bool(np.all(edges[:, 0] * arms[:, 1] >= edges[:, 1] * arms[:, 0]))
    return distance if inside else -distance
