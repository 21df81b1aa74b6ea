"""The <link> element: inertial, visuals, collisions."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description import FrameDescription, LinkDescription, Material, ShapePlacement
from kido.io._sdf._geometry import GeometryReader
from kido.io._sdf._inertial import read_inertia
from kido.io._sdf._material import read_material
from kido.io._sdf._model_finder import ModelFinder
from kido.io._sdf._pose import read_pose
from kido.io._sdf._scope import Item, Scope
from kido.io._sdf._soft import SOFT_TAG, read_soft
from kido.io._sdf._surface import USUAL, read_surface
from kido.io._xml import Element, shown
from kido.typing import FloatArray

__all__ = ["LinkReader", "pose_on_link"]

_LINK_TAGS = ("pose", "inertial", "visual", "collision", "sensor", "gravity", "self_collide", SOFT_TAG)
_VISUAL_TAGS = ("pose", "geometry", "material", "transparency")
_COLLISION_TAGS = ("pose", "geometry", "surface", "density", "material_density")


class LinkReader:
    """Reads the links of one file and its includes; `bits` are those of collisions that name none."""

    def __init__(self, finder: ModelFinder) -> None:
        self.bits = USUAL
        self._finder = finder
        self._geometry = GeometryReader(finder)

    def read(
        self, scope: Scope, item: Item, static: bool, frames: Iterable[FrameDescription]
    ) -> LinkDescription:
        """The link; raises ModelFileError."""
        file, link, _ = item
        file.ignore_rest(link, _LINK_TAGS, ("name",))
        visuals: list[ShapePlacement] = []
        collisions: list[tuple[Element, ShapePlacement]] = []
        for element in link:
            if element.tag == "visual":
                file.ignore_rest(element, _VISUAL_TAGS, ("name",))
                material = read_material(file, self._finder, element)
                visuals.extend(self._placed(scope, item, element, static, material))
            elif element.tag == "collision":
                file.ignore_rest(element, _COLLISION_TAGS, ("name",))
                collisions.extend((element, one) for one in self._placed(scope, item, element, static))
        inertia = read_inertia(file, link, collisions, static)
        soft = link.find(SOFT_TAG)
        with file.at(link):
            return LinkDescription(
                scope.prefix + str(link.get("name")),
                inertia,
                visuals,
                [placed for _, placed in collisions],
                link.sourceline,
                frames=frames,
                gravity=file.child_flag(link, "gravity", True),
                soft=None if soft is None else read_soft(file, soft, pose_on_link(scope, item, soft)),
            )

    def _placed(
        self, scope: Scope, item: Item, element: Element, static: bool, material: Material | None = None
    ) -> list[ShapePlacement]:
        """The shape of a visual or collision, in a list; empty if it has none."""
        file = item.file
        shape = self._geometry.read(file, element, static)
        if shape is None:
            return []
        T = pose_on_link(scope, item, element)
        if element.tag == "visual":
            return [ShapePlacement(element.get("name"), shape, T, material)]
        surface, category, collides_with = read_surface(file, element, self.bits)
        return [
            ShapePlacement(
                element.get("name"), shape, T, surface=surface, category=category, collides_with=collides_with
            )
        ]


def pose_on_link(scope: Scope, item: Item, element: Element) -> FloatArray | None:
    """Pose (4, 4) in its link of what a link holds; None for the identity. `item` is the link's."""
    T, relative_to = read_pose(item.file, element)
    if not relative_to:
        return T
    at = Item(item.file, element, item.origin)
    if item.file.version < (1, 7) and not scope.knows(at.frame_name(relative_to)):
        item.file.note(element, "ignored", f"pose: frame: ignored: {shown(relative_to)}")
        return T
    T_link_frame = scope.relative(str(item.element.get("name")), at.frame_name(relative_to), at)
    return T_link_frame if T is None else T_link_frame @ T
