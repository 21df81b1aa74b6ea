"""A rigid link and what is attached to it."""

from __future__ import annotations

from collections.abc import Iterable

from kido.description._inertia import Inertia
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.shape import Shape
from kido.typing import frozen_color
from kido.values import Array, Checked, Transform, Value, checked, items, part, text, value, whole

__all__ = ["LinkDescription", "Material", "ShapePlacement"]


@value
class Material(Value):
    """Look of a shape: `rgba` (4,) in [0, 1], `texture` the file name or URI that the model gives."""

    name: str | None = text(empty=True, default=None)
    rgba: Array = checked(frozen_color, default=(0.8, 0.8, 0.8, 1.0))
    texture: str | None = text(empty=True, default=None)


@value
class ShapePlacement(Value):
    """A shape on a link; `origin` (4, 4) is the pose of the shape's frame in the link's frame."""

    name: str | None = text(empty=True, optional=True)
    shape: Shape = part(Shape)
    origin: Transform = checked(frozen_transform, default=None)
    material: Material | None = part(Material, default=None)


@value
class LinkDescription(Value):
    """A rigid link. `inertia` None is massless; `line` is where the model file has it."""

    name: str = text(empty=True)
    inertia: Inertia | None = part(Inertia, default=None)
    visuals: Checked[Iterable[ShapePlacement], tuple[ShapePlacement, ...]] = items(ShapePlacement, default=())
    collisions: Checked[Iterable[ShapePlacement], tuple[ShapePlacement, ...]] = items(
        ShapePlacement, default=()
    )
    line: int | None = whole(default=None)

    def _check(self) -> None:
        if not self.name:
            raise DescriptionError("name: expected a nonempty string, got ''", "link", self.name)
