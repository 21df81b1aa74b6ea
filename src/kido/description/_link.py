"""A rigid link and what is attached to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kido.description._inertia import Inertia
from kido.description._transform import frozen_transform
from kido.errors import DescriptionError
from kido.shape import Shape
from kido.typing import ArrayLike, FloatArray, TransformLike, Value, frozen_array

__all__ = ["LinkDescription", "Material", "ShapePlacement"]


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Material(Value):
    """Look of a shape: `rgba` (4,) in [0, 1], `texture` the file name or URI that the model gives."""

    name: str | None
    rgba: FloatArray
    texture: str | None

    def __init__(
        self, name: str | None = None, rgba: ArrayLike = (0.8, 0.8, 0.8, 1.0), texture: str | None = None
    ) -> None:
        color = frozen_array("rgba", rgba, (4,))
        if not ((color >= 0.0) & (color <= 1.0)).all():
            raise ValueError(f"rgba: expected numbers in [0, 1], got {color.tolist()}")
        self._assign(name=name, rgba=color, texture=texture)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class ShapePlacement(Value):
    """A shape on a link; `origin` (4, 4) is the pose of the shape's frame in the link's frame."""

    name: str | None
    shape: Shape
    origin: FloatArray
    material: Material | None

    def __init__(
        self,
        name: str | None,
        shape: Shape,
        origin: TransformLike | None = None,
        material: Material | None = None,
    ) -> None:
        pose = frozen_transform("origin", origin)
        self._assign(name=name, shape=shape, origin=pose, material=material)


@dataclass(frozen=True, slots=True, eq=False, init=False)
class LinkDescription(Value):
    """A rigid link. `inertia` None is massless; `line` is where the model file has it."""

    name: str
    inertia: Inertia | None
    visuals: tuple[ShapePlacement, ...]
    collisions: tuple[ShapePlacement, ...]
    line: int | None

    def __init__(
        self,
        name: str,
        inertia: Inertia | None = None,
        visuals: Iterable[ShapePlacement] = (),
        collisions: Iterable[ShapePlacement] = (),
        line: int | None = None,
    ) -> None:
        if not name:
            raise DescriptionError("name: expected a nonempty string, got ''", "link", name)
        self._assign(
            name=name, inertia=inertia, visuals=tuple(visuals), collisions=tuple(collisions), line=line
        )
