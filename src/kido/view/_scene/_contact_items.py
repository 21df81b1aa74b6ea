"""Items of contacts, of supports of skeletons, and of their centers of mass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from kido.skeleton import Skeleton
from kido.typing import FloatArray
from kido.view._color import CONTACT, DARK, FORCE, LIGHT, SUPPORT
from kido.view._scene._geometry import Arrows, Points, Polyline, TriangleSurface
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._placed import joined_key
from kido.view._scene._solid import ball
from kido.world import Contact, contact_support

__all__ = [
    "Stand",
    "center_of_mass_item",
    "contact_items",
    "fitted_forces",
    "force_items",
    "force_scale",
    "plumb_items",
    "stand_of",
    "support_items",
]

_DOT, _SHAFT, _MARK, _EDGE = 0.007, 0.005, 0.018, 0.003
"""Radius of points of contact, of arrows, of centers of mass and of the edge of polygons, by the scene's
size."""
_LIFT = 0.001
"""Height of polygons over what is stood on, by the scene's size."""
_WEIGHT = 0.6
"""Length of the arrow of a force as large as all weight, by the scene's size."""
_LONGEST = 0.8
"""Length of the largest force in a picture that shows all of it, at most, by the scene's size."""
_LEAST_WEIGHT = 1e-9
_PALE = np.array([1.0, 1.0, 1.0, 0.45])


@dataclass(frozen=True, slots=True, eq=False)
class Stand:
    """Support of a skeleton.

    Attributes:
        polygon: its corners (k, 3) [m].
        up: unit vector (3,) against gravity.
        com: where the plumb line of the center of mass meets the polygon's plane (3,) [m].
    """

    polygon: FloatArray
    up: FloatArray
    com: FloatArray


def stand_of(skeleton: Skeleton, contacts: Sequence[Contact]) -> Stand | None:
    """By contacts, or else by its end effectors' active supports; None where nothing holds it."""
    found = contact_support(contacts, skeleton)
    points, axes, polygon = found.points, found.axes, found.polygon
    if not len(points):
        points, axes, polygon = skeleton.support_points, skeleton.support_axes, skeleton.support_polygon
    if not len(points):
        return None
    up = np.cross(axes[0], axes[1])
    height = float((points @ up).min())
    com = axes.T @ (axes @ skeleton.com()) + height * up
    return Stand(polygon @ axes + height * up, up, com)


def contact_items(contacts: Sequence[Contact], size: float) -> Iterator[DrawnItem]:
    """Points where shapes touch."""
    touching = [contact.point for contact in contacts if contact.depth >= 0.0 or contact.force.any()]
    if touching:
        dots = Points(np.array(touching), _DOT * size)
        yield DrawnItem("contacts/points", Layer.CONTACTS, dots, CONTACT, has_shadow=False, is_note=True)


def force_items(contacts: Sequence[Contact], size: float, scale: float) -> Iterator[DrawnItem]:
    """Forces of contacts on what moves, `scale` [m/N] long."""
    acting = [contact for contact in contacts if contact.force.any()]
    if acting:
        starts = np.array([contact.point for contact in acting])
        forces = np.array([contact.force if _moves(contact) else -contact.force for contact in acting])
        arrows = Arrows(starts, scale * forces, _SHAFT * size)
        yield DrawnItem(
            "contacts/forces", Layer.FORCES, arrows, FORCE, is_bounded=False, has_shadow=False, is_note=True
        )


def fitted_forces(items: Iterable[DrawnItem], size: float) -> tuple[DrawnItem, ...]:
    """Items of a picture that shows arrows of forces whole, all of them shorter where one would be too long
    for a scene of a size [m]."""
    return tuple(_fitted(item, size) if item.layer is Layer.FORCES else item for item in items)


def _fitted(item: DrawnItem, size: float) -> DrawnItem:
    arrows = item.geometry
    assert isinstance(arrows, Arrows)
    longest = float(np.linalg.norm(arrows.vectors, axis=1).max(initial=0.0))
    scale = min(1.0, _LONGEST * size / longest) if longest > 0.0 else 1.0
    shorter = replace(arrows, vectors=scale * arrows.vectors)
    return replace(item, geometry=shorter, is_bounded=True)


def _moves(contact: Contact) -> bool:
    """Whether the first of the two is what moves."""
    skeleton = contact.first.skeleton
    return skeleton.mobile and skeleton.num_dofs > 0


def force_scale(skeletons: Sequence[Skeleton], size: float) -> float:
    """Length by which forces are drawn [m/N]: that of all weight is a part of the scene's size."""
    moving = [skeleton for skeleton in skeletons if skeleton.mobile]
    weight = sum(skeleton.mass * float(np.linalg.norm(skeleton.gravity)) for skeleton in moving)
    return _WEIGHT * size / weight if weight > _LEAST_WEIGHT else _WEIGHT * size


def support_items(path: str, stand: Stand, size: float) -> Iterator[DrawnItem]:
    """The polygon on which a skeleton stands."""
    corners = stand.polygon + _LIFT * size * stand.up
    if len(corners) > 2:
        fan = [[0, i, i + 1] for i in range(1, len(corners) - 1)]
        normals = np.broadcast_to(stand.up, corners.shape)
        key = joined_key(path, Layer.SUPPORT.value)
        area = TriangleSurface(corners, fan, normals)
        yield DrawnItem(key, Layer.SUPPORT, area, SUPPORT * _PALE, has_shadow=False)
    if len(corners) > 1:
        edge = Polyline(np.concatenate([corners, corners[:1]]), _EDGE * size)
        key = joined_key(path, Layer.SUPPORT.value, "edge")
        yield DrawnItem(key, Layer.SUPPORT, edge, SUPPORT, has_shadow=False)


def plumb_items(path: str, com: FloatArray, stand: Stand, size: float) -> Iterator[DrawnItem]:
    """A line from a center of mass (3,) [m] to what is stood on, and a dot there."""
    foot = stand.com + _LIFT * size * stand.up
    key = joined_key(path, Layer.CENTER_OF_MASS.value)
    line = Polyline(np.stack([com, foot]), _EDGE * size)
    dot = Points(foot[None], 1.5 * _DOT * size)
    for name, geometry in (("plumb", line), ("foot", dot)):
        yield DrawnItem(f"{key}/{name}", Layer.CENTER_OF_MASS, geometry, DARK, has_shadow=False, is_note=True)


def center_of_mass_item(path: str, size: float) -> DrawnItem:
    """The mark of a center of mass: a ball whose octants are dark and light in turn."""
    key = joined_key(path, Layer.CENTER_OF_MASS.value)
    return DrawnItem(key, Layer.CENTER_OF_MASS, _mark(_MARK * size), has_shadow=False, is_note=True)


@lru_cache(maxsize=16)
def _mark(radius: float) -> TriangleSurface:
    mark = ball(radius)
    x, y, z = mark.points[mark.triangles].mean(axis=1).T
    dark = (x > 0.0) ^ (y > 0.0) ^ (z > 0.0)
    return TriangleSurface.joined(
        TriangleSurface(mark.points, mark.triangles[chosen], mark.normals).painted(color)
        for chosen, color in ((dark, DARK), (~dark, LIGHT))
    )
