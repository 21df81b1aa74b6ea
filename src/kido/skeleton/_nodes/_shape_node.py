"""Geometry on a body: what is seen, and what touches."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from kido.description import Material
from kido.shape import Shape
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._placement import frozen_placement
from kido.typing import TransformLike
from kido.values import Transform, Value, checked, flag, value

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode

__all__ = ["ShapeNode"]


@value
class ShapeProperties(Value):
    """Pose (4, 4) on the body [m], shape, look, and what the shape is used for."""

    transform: Transform = checked(frozen_placement, default=None)
    shape: Shape | None = None
    material: Material | None = None
    visual: bool = flag(default=True)
    collision: bool = flag(default=True)

    def _check(self) -> None:
        if self.shape is not None and not isinstance(self.shape, Shape):
            raise TypeError(f"shape: expected a Shape, got {type(self.shape).__name__}")
        if self.material is not None and not isinstance(self.material, Material):
            raise TypeError(f"material: expected a Material or None, got {type(self.material).__name__}")


class ShapeNode(FrameNode):
    """A shape on a body, used as its look (`visual`), for contact (`collision`), or both."""

    Properties: ClassVar[type | None] = ShapeProperties
    properties: ShapeProperties

    def __init__(
        self,
        body: BodyNode,
        name: str,
        shape: Shape,
        transform: TransformLike | None = None,
        *,
        material: Material | None = None,
        visual: bool = True,
        collision: bool = True,
    ) -> None:
        """Attach a shape to a body.

        Args:
            body: where it belongs.
            name: unique among the shape nodes.
            shape: the geometry.
            transform: pose (4, 4) or position (3,) on the body [m].
            material: color and texture; None: the default ones.
            visual: whether it is seen.
            collision: whether it can touch others.

        Raises:
            NameTakenError: another shape node has the name.
            TypeError, ValueError: naming the argument.
        """
        if shape is None:
            raise TypeError("shape: expected a Shape, got NoneType")
        properties = ShapeProperties(transform, shape, material, visual, collision)
        super().__init__(body, name, properties=properties)

    @classmethod
    def _attach_all(cls, body: BodyNode, shapes: Iterable[tuple[str, ShapeProperties]]) -> None:
        """Attach shapes under names that are known to be free."""
        nodes = []
        for name, properties in shapes:
            node = cls.__new__(cls)
            node._begin_node(properties, None)
            node._settle(body, name)
            node._set_relative_pose(properties.transform)
            nodes.append(node)
        body._nodes = (*body._nodes, *nodes)

    @property
    def shape(self) -> Shape:
        """The geometry. Can be set."""
        assert self.properties.shape is not None
        return self.properties.shape

    @shape.setter
    def shape(self, shape: Shape) -> None:
        if shape is None:
            raise TypeError("shape: expected a Shape, got NoneType")
        self._change(shape=shape)

    @property
    def material(self) -> Material | None:
        """Color and texture; None: the default ones. Can be set."""
        return self.properties.material

    @material.setter
    def material(self, material: Material | None) -> None:
        self._change(material=material)

    @property
    def visual(self) -> bool:
        """Whether the shape is seen. Can be set."""
        return self.properties.visual

    @visual.setter
    def visual(self, visual: bool) -> None:
        self._change(visual=visual)

    @property
    def collision(self) -> bool:
        """Whether the shape can touch others. Can be set."""
        return self.properties.collision

    @collision.setter
    def collision(self, collision: bool) -> None:
        self._change(collision=collision)

    def _change(self, **changes: object) -> None:
        self.properties = replace(self.properties, **changes)  # type: ignore[arg-type]
