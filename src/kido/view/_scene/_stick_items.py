"""Sticks from joint to joint, as items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kido.skeleton import Joint, Skeleton
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._placed import AT_ORIGIN, Placed, joined_key
from kido.view._scene._stick_figure import StickFigure, keeps_its_look

__all__ = ["StickItems"]


class StickItems:
    """The sticks and the joints of a skeleton, each in the frame of its body.

    Joints that slide, or turn about several axes, look different in other positions: `renewed` gives them.
    """

    __slots__ = ("_figure", "_path", "_seen", "_skeleton")

    def __init__(self, skeleton: Skeleton, path: str) -> None:
        self._skeleton, self._path = skeleton, path
        self._figure = StickFigure(skeleton)
        self._seen: dict[str, tuple[Joint, bytes]] = {}

    def placed(self) -> Iterator[Placed]:
        """All items."""
        for index, body in enumerate(self._skeleton.bodies):
            joint = body.parent_joint
            key = joined_key(self._path, body.name, Layer.STICKS.value)
            parts = {key: self._figure.body(body), f"{key}/joint": self._figure.joint(joint)}
            for name, geometry in parts.items():
                if len(geometry.triangles):
                    yield Placed(DrawnItem(name, Layer.STICKS, geometry), index, AT_ORIGIN, body)
            if not keeps_its_look(joint):
                self._seen[f"{key}/joint"] = joint, joint.positions.tobytes()

    def renewed(self, items: list[DrawnItem]) -> list[DrawnItem]:
        """The same items, those of joints that look different now as they are now."""
        changed = {}
        for key, (joint, seen) in self._seen.items():
            present = joint.positions.tobytes()
            if present != seen:
                changed[key] = self._figure.joint(joint)
                self._seen[key] = joint, present
        if not changed:
            return items
        return [replace(item, geometry=changed[item.key]) if item.key in changed else item for item in items]
