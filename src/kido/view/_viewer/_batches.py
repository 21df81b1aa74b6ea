"""Surfaces that are the same but for place, size and color, which browsers get once."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kido.typing import FloatArray
from kido.view._color import GREY
from kido.view._scene import DrawnItem, TriangleSurface

if TYPE_CHECKING:
    from viser import SceneApi

__all__ = ["Batch", "Mould", "batch_key"]

_DIGITS = 5
"""Of coordinates by which moulds are compared, their size being 1."""
_GAP = 1e-3
"""Area by that of the surface below which a hole counts as none."""


@dataclass(frozen=True, slots=True, eq=False)
class Mould:
    """A surface between -1 and 1 along each axis, of which instances have their own size.

    Boxes of all sizes have one mould, and so have balls, ellipsoids and cylinders.

    Attributes:
        key: equal where moulds are equal.
        surface: the triangles.
        size: of the surface that it was made of (3,) [m].
        closed: whether the surface bounds a solid, whose inside nobody sees.
    """

    key: Hashable
    surface: TriangleSurface
    size: FloatArray
    closed: bool

    @classmethod
    def of(cls, surface: TriangleSurface) -> Mould:
        """The mould of a surface."""
        size = np.abs(surface.points).max(axis=0, initial=0.0)
        size = np.where(size > 0.0, size, 1.0)
        points = np.round(surface.points / size, _DIGITS) + 0.0
        digest = hashlib.blake2b(points.tobytes())
        digest.update(surface.triangles.tobytes())
        if surface.colors is not None:
            digest.update(surface.colors.tobytes())
        shrunk = TriangleSurface(points, surface.triangles, None, surface.colors)
        return cls(digest.digest(), shrunk, size, _bounds_solid(shrunk))

    @classmethod
    def of_soft(cls, item: DrawnItem, surface: TriangleSurface) -> Mould:
        """The surface of an item whose points move, as large as it is: no other one has this mould."""
        return cls(("soft", item.key), surface, np.ones(3), _bounds_solid(surface))


class Batch:
    """Instances of one mould in browsers: the mould is sent once, poses when they change.

    Attributes:
        items: what the instances are.
        handle: viser's, for clicks and drags.
    """

    __slots__ = ("handle", "items")

    def __init__(
        self, scene: SceneApi, name: str, mould: Mould, items: Sequence[DrawnItem], sizes: FloatArray
    ) -> None:
        """Show items of a mould with sizes (n, 3) [m], all of them at the origin until they are placed."""
        self.items = tuple(items)
        placed: dict[str, Any] = {
            "batched_wxyzs": np.tile([1.0, 0.0, 0.0, 0.0], (len(items), 1)),
            "batched_positions": np.zeros((len(items), 3)),
            "batched_scales": sizes,
            "lod": "off",
        }
        surface, first = mould.surface, self.items[0]
        if first.rgba is None and surface.colors is not None:
            mesh = _trimesh(surface, surface.colors)
            placed["cast_shadow"] = first.has_shadow
            self.handle: Any = scene.add_batched_meshes_trimesh(name, mesh, **placed)
            return
        colors = np.stack([GREY if item.rgba is None else item.rgba for item in items])
        opaque = bool((colors[:, 3] >= 1.0).all())
        self.handle = scene.add_batched_meshes_simple(
            name,
            surface.points,
            surface.triangles,
            batched_colors=np.round(255.0 * _linear(colors[:, :3])).astype(np.uint8),
            batched_opacities=None if opaque else colors[:, 3],
            side="front" if mould.closed else "double",
            cast_shadow=first.has_shadow and opaque,
            **placed,
        )

    def item(self, index: int | None) -> DrawnItem:
        """Item of an instance."""
        return self.items[min(index or 0, len(self.items) - 1)]

    def place(self, positions: FloatArray, quaternions: FloatArray) -> None:
        """Move the instances to positions (n, 3) [m] and quaternions (n, 4), w first; numbers that are as
        before are not sent."""
        self.handle.batched_positions = positions
        self.handle.batched_wxyzs = quaternions

    def deform(self, item: DrawnItem) -> None:
        """Show an item, whose points moved, in place of the only one."""
        assert isinstance(item.geometry, TriangleSurface)
        self.items = (item,)
        self.handle.vertices = item.geometry.points.astype(np.float32)

    def remove(self) -> None:
        """Take the instances away."""
        self.handle.remove()


def _linear(colors: FloatArray) -> FloatArray:
    """Colors of sRGB as parts of light, which viser takes those of instances for (IEC 61966-2-1)."""
    return np.where(colors <= 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)


def _bounds_solid(surface: TriangleSurface) -> bool:
    """Whether the area vectors of all triangles cancel, and the volume within them is positive."""
    a, b, c = (surface.points[surface.triangles[:, corner]] for corner in range(3))
    areas = np.cross(b - a, c - a)
    volume = float(np.einsum("ij,ij->", a, areas))
    gap = float(np.linalg.norm(areas.sum(axis=0)))
    return volume > 0.0 and gap < _GAP * float(np.linalg.norm(areas, axis=1).sum())


def batch_key(item: DrawnItem, mould: Mould) -> Hashable:
    """Equal for items that may stand in one batch."""
    own_colors = item.rgba is None and mould.surface.colors is not None
    opaque = item.rgba is None or bool(item.rgba[3] >= 1.0)
    return mould.key, own_colors, opaque, item.has_shadow


def _trimesh(surface: TriangleSurface, colors: FloatArray) -> Any:
    from trimesh import Trimesh

    shades = np.round(255.0 * colors).astype(np.uint8)
    return Trimesh(surface.points, surface.triangles, vertex_colors=shades, process=False)
