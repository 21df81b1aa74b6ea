"""The nodes that kido ships: end effectors with their supports, markers, shapes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from kido.description import Material
from kido.shape import Shape, Surface
from kido.skeleton._answers._answers import Answers
from kido.skeleton._nodes._addon import Addon
from kido.skeleton._nodes._frame_node import FrameNode
from kido.skeleton._nodes._node_properties import (
    MarkerConstraint,
    MarkerProperties,
    ShapeProperties,
    support_corners,
)
from kido.typing import ArrayLike, FloatArray, TransformLike
from kido.values import Array, Value, checked, flag, value

if TYPE_CHECKING:
    from kido.skeleton._body import BodyNode

__all__ = ["EndEffector", "Marker", "ShapeNode", "Support"]


class EndEffector(FrameNode):
    """A frame on a body that tasks speak of. With a `Support` it can carry weight."""

    __slots__ = ()

    @property
    def support(self) -> Support | None:
        """The Support addon; None where there is none."""
        return self.addon(Support)


class Support(Addon):
    """Addon of an end effector: the shape on which it can stand, and whether it does."""

    __slots__ = ()

    @value
    class Properties(Value):
        """`geometry` (k, 3): corners in the end effector's coordinates [m]."""

        geometry: Array = checked(support_corners, default=())

    @value
    class State(Value):
        """`active`: whether the end effector stands on its support now."""

        active: bool = flag(default=False)

    owner: EndEffector
    properties: Properties
    state: State

    def __init__(self, owner: EndEffector, geometry: ArrayLike = (), active: bool = False) -> None:
        """Support of an end effector.

        Args:
            owner: the end effector.
            geometry: corners (k, 3) in its coordinates [m].
            active: whether it stands on them now.

        Raises:
            TypeError: owner is no end effector.
            ValueError: geometry of another shape.
        """
        if not isinstance(owner, EndEffector):
            raise TypeError(f"owner: expected an EndEffector, got {type(owner).__name__}")
        super().__init__(owner, self.Properties(geometry), self.State(active))

    @property
    def geometry(self) -> FloatArray:
        """Corners (k, 3) in the end effector's coordinates [m]. Can be set."""
        return self.properties.geometry

    @geometry.setter
    def geometry(self, geometry: ArrayLike) -> None:
        self.properties = self.Properties(geometry)

    @property
    def active(self) -> bool:
        """Whether the end effector stands on its support. Can be set."""
        return self.state.active

    @active.setter
    def active(self, active: bool) -> None:
        self.state = self.State(active)


class Marker(FrameNode):
    """A point on a body that measurements refer to."""

    __slots__ = ()

    Properties: ClassVar[type | None] = MarkerProperties
    properties: MarkerProperties

    def __init__(
        self,
        body: BodyNode,
        name: str,
        transform: TransformLike | None = None,
        *,
        rgba: ArrayLike = (1.0, 1.0, 1.0, 1.0),
        constraint: MarkerConstraint | str = MarkerConstraint.NONE,
    ) -> None:
        """Attach a marker to a body.

        Args:
            body: where it belongs.
            name: unique among the markers.
            transform: pose (4, 4) or position (3,) on the body [m].
            rgba: color (4,), dimensionless numbers in [0, 1].
            constraint: how strictly a target is to be met.

        Raises:
            NameTakenError: another marker has the name.
            TypeError, ValueError: naming the argument.
        """
        super().__init__(body, name, properties=MarkerProperties(transform, rgba, constraint))

    @property
    def rgba(self) -> FloatArray:
        """Color (4,), dimensionless numbers in [0, 1]. Can be set."""
        return self.properties.rgba

    @rgba.setter
    def rgba(self, rgba: ArrayLike) -> None:
        own = self.properties
        self.properties = MarkerProperties(own.transform, rgba, own.constraint)

    @property
    def constraint(self) -> MarkerConstraint:
        """Strictness with which a target is to be met. Can be set."""
        return self.properties.constraint

    @constraint.setter
    def constraint(self, constraint: MarkerConstraint | str) -> None:
        own = self.properties
        self.properties = MarkerProperties(own.transform, own.rgba, constraint)


class ShapeNode(FrameNode):
    """A shape on a body, used as its look (`visual`), for contact (`collision`), or both."""

    __slots__ = ()

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
        surface: Surface = Surface(),  # noqa: B008 - a frozen value
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
            surface: its friction and restitution.

        Raises:
            NameTakenError: another shape node has the name.
            TypeError, ValueError: naming the argument.
        """
        if shape is None:
            raise TypeError("shape: expected a Shape, got NoneType")
        properties = ShapeProperties(transform, shape, material, visual, collision, surface)
        super().__init__(body, name, properties=properties)

    def _count_change(self, answers: Answers) -> None:
        answers.shapes_changed()

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

    @property
    def surface(self) -> Surface:
        """Friction and restitution. Can be set."""
        return self.properties.surface

    @surface.setter
    def surface(self, surface: Surface) -> None:
        self._change(surface=surface)

    def _change(self, **changes: object) -> None:
        self.properties = replace(self.properties, **changes)  # type: ignore[arg-type]
