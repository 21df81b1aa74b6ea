"""Surfaces of soft bodies as they are now, as items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from kido.skeleton import SkinNode, SoftBodyNode
from kido.typing import FloatArray
from kido.view._scene._geometry import TriangleSurface
from kido.view._scene._item import DrawnItem
from kido.view._scene._placed import Placed
from kido.view._scene._shading import SmoothParts

__all__ = ["SoftItems"]


@dataclass(slots=True, eq=False)
class _SoftItem:
    """An item of a skin: its place among the items, its surface at rest, and which motion of the points was
    drawn."""

    node: SkinNode
    index: int
    rest: TriangleSurface
    parts: SmoothParts | None
    drawn: int = field(default=0)

    def surface(self) -> TriangleSurface:
        """The surface as it is now, in the frame of the body or, without faces, of the point at rest."""
        body = self.node.body
        assert isinstance(body, SoftBodyNode)
        if self.parts is None:
            assert self.rest.normals is not None
            return self.rest.deformed(self.rest.points + body.displacements[0], self.rest.normals)
        points: FloatArray = (body.skin.points + body.displacements)[self.parts.source]
        return self.rest.deformed(points, self.parts.normals(points))


class SoftItems:
    """The items of a skeleton that are surfaces of soft bodies, whose points move.

    Triangles and creases are those of the skin at rest. A point mass without faces is a ball at its place.
    """

    __slots__ = ("_items",)

    def __init__(self, placed: Sequence[Placed]) -> None:
        """Find those among all items."""
        self._items = [
            _soft_item(one.owner, index, one.item)
            for index, one in enumerate(placed)
            if isinstance(one.owner, SkinNode) and isinstance(one.item.geometry, TriangleSurface)
        ]

    def renewed(self, items: list[DrawnItem]) -> list[DrawnItem]:
        """The same items, those whose points moved since as they are now; the same list where none did."""
        found = items
        for soft in self._items:
            motion = soft.node._soft.motion_version
            if motion != soft.drawn:
                soft.drawn = motion
                found = list(items) if found is items else found
                found[soft.index] = replace(found[soft.index], geometry=soft.surface(), is_soft=True)
        return found


def _soft_item(node: SkinNode, index: int, item: DrawnItem) -> _SoftItem:
    skin = node.skin
    assert isinstance(item.geometry, TriangleSurface)
    if not len(skin.faces):
        return _SoftItem(node, index, item.geometry, None)
    parts = SmoothParts.of(TriangleSurface(skin.points, skin.faces))
    points = skin.points[parts.source]
    return _SoftItem(node, index, TriangleSurface(points, parts.triangles, parts.normals(points)), parts)
