"""A rigid link and what is attached to it."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description._inertia import Inertia
from kido.description._soft import SoftDescription
from kido.description._soft_skin import SoftSkin
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.shape import Shape, Surface
from kido.typing import frozen_color
from kido.values import Array, Checked, Transform, Value, checked, flag, items, part, text, value, whole

__all__ = ["FrameDescription", "LinkDescription", "Material", "ShapePlacement"]

_ALL_CATEGORIES = 0xFFFFFFFF


@value
class Material(Value):
    """Look of a shape: `rgba` (4,) in [0, 1], `texture` the file name or URI that the model gives."""

    name: str | None = text(empty=True, default=None)
    rgba: Array = checked(frozen_color, default=(0.8, 0.8, 0.8, 1.0))
    texture: str | None = text(empty=True, default=None)


@value
class ShapePlacement(Value):
    """A shape on a link; `origin` (4, 4) is the pose of the shape's frame in the link's frame.

    `surface` None: as surfaces are by default. Two shapes can touch where the `category` of each is among
    those that the other `collides_with`; both are sets of 32 bits.
    """

    name: str | None = text(empty=True, optional=True)
    shape: Shape = part(Shape)
    origin: Transform = checked(frozen_transform, default=None)
    material: Material | None = part(Material, default=None)
    surface: Surface | None = part(Surface, default=None, kw_only=True)
    category: int = whole(default=1, kw_only=True)
    collides_with: int = whole(default=_ALL_CATEGORIES, kw_only=True)

    def _check(self) -> None:
        for name in ("category", "collides_with"):
            bits = getattr(self, name)
            if not 0 <= bits <= _ALL_CATEGORIES:
                raise DescriptionError(
                    f"{name}: expected a set of 32 bits, got {bits}", "shape", str(self.name)
                )


@value
class FrameDescription(Value):
    """A frame on a link that the model names; `origin` (4, 4) is its pose in the link's frame [m].

    `kind` is what the model calls it: "frame", "site" or "marker".
    """

    name: str = text()
    origin: Transform = checked(frozen_transform, default=None)
    kind: str = text(default="frame")
    line: int | None = whole(default=None)


@value
class LinkDescription(Value):
    """A rigid link. `inertia` None is massless; `line` is where the model file has it.

    `frames` are those that the model names on the link; `gravity` says whether gravity acts on it; `soft` is
    a soft skin, whose points weigh beside the link's own inertia.
    """

    name: str = text(empty=True)
    inertia: Inertia | None = part(Inertia, default=None)
    visuals: Checked[Iterable[ShapePlacement], tuple[ShapePlacement, ...]] = items(ShapePlacement, default=())
    collisions: Checked[Iterable[ShapePlacement], tuple[ShapePlacement, ...]] = items(
        ShapePlacement, default=()
    )
    line: int | None = whole(default=None)
    frames: Checked[Iterable[FrameDescription], tuple[FrameDescription, ...]] = items(
        FrameDescription, default=(), kw_only=True
    )
    gravity: bool = flag(default=True, kw_only=True)
    soft: SoftDescription | SoftSkin | None = part((SoftDescription, SoftSkin), default=None, kw_only=True)

    def _check(self) -> None:
        if not self.name:
            raise DescriptionError("name: expected a nonempty string, got ''", "link", self.name)

    def shape_pairs(self) -> tuple[tuple[ShapePlacement | None, ShapePlacement | None], ...]:
        """The shapes, each as what is seen of it and what touches others; None: it is not seen, or touches
        nothing.

        A visual and a collision shape of one name, geometry and place are one shape. What is seen comes
        first.
        """
        collisions = list(self.collisions)
        pairs: list[tuple[ShapePlacement | None, ShapePlacement | None]] = []
        for seen in self.visuals:
            twin = next((i for i, other in enumerate(collisions) if _is_twin(seen, other)), None)
            pairs.append((seen, None if twin is None else collisions.pop(twin)))
        return (*pairs, *((None, touching) for touching in collisions))

    @property
    def touches_nothing(self) -> bool:
        """Whether there are collision shapes, and none is of a category that touches others."""
        masks = {(shape.category, shape.collides_with) for shape in self.collisions}
        return masks == {(0, 0)}


def _is_twin(visual: ShapePlacement, collision: ShapePlacement) -> bool:
    return (
        visual.name is not None
        and visual.name == collision.name
        and visual.shape == collision.shape
        and bool((visual.origin == collision.origin).all())
    )
