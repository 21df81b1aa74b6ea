"""Visuals of nodes, by their type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from kido.skeleton import Node, Placed
from kido.typing import ArrayLike, FloatArray, TransformLike, frozen_color
from kido.values import Checked, Transform, Value, checked, flag, part, text, value
from kido.view._scene._geometry import (
    Arrows,
    Geometry,
    Label,
    Lines,
    Points,
    Polyline,
    TriangleSurface,
)

__all__ = ["Drawing", "NodeVisual", "visual_of"]


def _color(name: str, rgba: ArrayLike | None) -> FloatArray | None:
    return None if rgba is None else frozen_color(name, rgba)


def _pose(name: str, transform: TransformLike | None) -> FloatArray:
    pose: FloatArray = Placed(transform).transform
    return pose


@value
class Drawing(Value):
    """A part of what is seen of a node.

    Attributes:
        name: unique among the parts of the node.
        geometry: triangles, lines, points, arrows or a label.
        rgba: color (4,) in [0, 1], the last number its opacity; None: the colors of the geometry, or grey.
        transform: pose (4, 4), or position (3,), in the node's frame, else in its body's [m].
        is_note: whether what shapes hide of it shines through.
    """

    name: str = text()
    geometry: Geometry = part((TriangleSurface, Polyline, Lines, Points, Arrows, Label))
    rgba: Checked[ArrayLike | None, FloatArray | None] = checked(_color, default=None)
    transform: Transform = checked(_pose, default=None)
    is_note: bool = flag(default=False, kw_only=True)


class NodeVisual(ABC):
    """Visual of the nodes of a type, in pictures, films and viewers.

    A visual of your own is a class that derives from this one, names the type of nodes, and defines `draw`:
    `class BeamVisual(NodeVisual, node_type=RangeSensor)`. Naming the type registers it, for that type and
    those that derive from it and have no visual of their own; a later one for the same type takes its place.
    """

    node_type: ClassVar[type[Node] | None] = None
    """The type of nodes that it draws."""

    def __init_subclass__(cls, *, node_type: type[Node] | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if node_type is None:
            return
        if not (isinstance(node_type, type) and issubclass(node_type, Node)):
            raise TypeError(f"node_type: expected a class that derives from Node, got {node_type!r}")
        cls.node_type = node_type
        _VISUALS[node_type] = cls

    @abstractmethod
    def draw(self, node: Any, size: float) -> Iterable[Drawing]:
        """The parts that are seen of a node.

        It is called when the node comes, and again when its properties or state were set, when nodes of the
        skeleton came or went, or its structure changed; not when the node only moves.

        Args:
            node: of the type.
            size: of the scene [m], for what is to be as large as suits the picture.
        """


_VISUALS: WeakKeyDictionary[type[Node], type[NodeVisual]] = WeakKeyDictionary()


def visual_of(kind: type[Node]) -> type[NodeVisual] | None:
    """The visual of a type of nodes, or of the nearest that it derives from; None where there is none."""
    return next((_VISUALS[base] for base in kind.__mro__ if base in _VISUALS), None)
