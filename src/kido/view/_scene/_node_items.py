"""Items of visuals of nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kido.frame import Frame
from kido.skeleton import Node, Skeleton
from kido.values import checked_part
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._node_visual import Drawing, visual_of
from kido.view._scene._placed import Placed, joined_key

__all__ = ["NodeItems"]


@dataclass(frozen=True, slots=True, eq=False)
class _Drawn:
    """Items of a node, and what they were made of."""

    node: Node
    visual: type
    properties: object
    state: object
    drawings: tuple[Drawing, ...]

    @property
    def holds(self) -> bool:
        node = self.node
        return node.properties is self.properties and node.state is self.state


class NodeItems:
    """Items of the nodes of a skeleton whose types have a `NodeVisual`."""

    __slots__ = ("_drawn", "_path", "_size")

    def __init__(self, skeleton: Skeleton, path: str, size: float, before: NodeItems | None) -> None:
        """Draw the nodes; of `before` is taken what holds."""
        self._path, self._size = path, size
        known = {} if before is None or before._size != size else before._drawn
        self._drawn: dict[int, _Drawn] = {}
        for node in skeleton.nodes():
            visual = visual_of(type(node))
            if visual is None:
                continue
            drawn = known.get(id(node))
            if drawn is None or drawn.visual is not visual or not drawn.holds:
                drawings = tuple(
                    checked_part(f"{visual.__name__}.draw", Drawing, one) for one in visual().draw(node, size)
                )
                drawn = _Drawn(node, visual, node.properties, node.state, drawings)
            self._drawn[id(node)] = drawn

    @property
    def hold(self) -> bool:
        """Whether nodes have the properties and states of which they were drawn."""
        return all(drawn.holds for drawn in self._drawn.values())

    def placed(self) -> Iterator[Placed]:
        """All items."""
        for drawn in self._drawn.values():
            node = drawn.node
            place = node.relative_transform if isinstance(node, Frame) else None
            for part in drawn.drawings:
                key = joined_key(self._path, node.body.name, Layer.NODES.value, node.name, part.name)
                item = DrawnItem(key, Layer.NODES, part.geometry, part.rgba, is_note=part.is_note)
                pose = part.transform if place is None else place @ part.transform
                yield Placed(item, node.body.index, pose, node)
