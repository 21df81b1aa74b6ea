"""Items of the bodies of a skeleton."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kido.skeleton import Appearance, Skeleton
from kido.typing import FloatArray
from kido.view._scene._geometry import Label
from kido.view._scene._item import DrawnItem, Layer
from kido.view._scene._node_items import NodeItems
from kido.view._scene._placed import AT_ORIGIN, Owner, Placed, joined_key, with_own_keys
from kido.view._scene._shape_items import inertia_items, shape_items
from kido.view._scene._soft_items import SoftItems
from kido.view._scene._stick_items import StickItems

__all__ = ["BodyItems"]


_TOUCHING = (Layer.COLLISION,)
"""What is shown of what cannot move and has no looks: ground and walls."""


class BodyItems:
    """Items of a skeleton, each fixed to one of its bodies.

    Attributes:
        path: names at the beginning of all keys.
        items: all of them.
        owners: what each belongs to.
        bodies: the index of the body of each (n,).
        poses_on_bodies: where each is on its body (n, 4, 4) [m].
        problems: meshes that cannot be drawn, and why.
    """

    __slots__ = (
        "_appearance",
        "_nodes",
        "_soft",
        "_sticks",
        "bodies",
        "items",
        "owners",
        "path",
        "poses_on_bodies",
        "problems",
    )

    def __init__(
        self,
        skeleton: Skeleton,
        path: str,
        layers: tuple[Layer, ...],
        size: float,
        before: BodyItems | None = None,
        *,
        sticks: bool = True,
    ) -> None:
        """Draw a skeleton in a scene of a `size` [m]; of what was drawn `before` is taken what holds.

        `sticks`: whether sticks are drawn where there is no shape.
        """
        self.path = path
        self.problems: list[str] = []
        self._appearance = Appearance(skeleton)
        self._sticks: StickItems | None = None
        old: NodeItems | None = None if before is None else before._nodes
        self._nodes: NodeItems | None = None
        if Layer.NODES in layers:
            self._nodes = NodeItems(skeleton, path, size, old)
        placed = list(self._all(layers, sticks))
        known: dict[str, DrawnItem] = {} if before is None else {item.key: item for item in before.items}
        self._soft = SoftItems(placed)
        items = self._soft.renewed(with_own_keys(one.item for one in placed))
        self.items: list[DrawnItem] = [_known(item, known) for item in items]
        self.owners: list[Owner] = [one.owner for one in placed]
        self.bodies = np.array([one.body for one in placed], dtype=np.intp)
        self.poses_on_bodies = np.array([one.pose for one in placed]).reshape(-1, 4, 4)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that is drawn."""
        return self._appearance.skeleton

    @property
    def hold(self) -> bool:
        """Whether the items are those of the skeleton as it is now."""
        return self._appearance.holds and (self._nodes is None or self._nodes.hold)

    def write_body_poses(self, out: FloatArray) -> None:
        """Write the poses (num_bodies, 4, 4) of the bodies in the world [m] into an array."""
        self._appearance.write_poses(out)

    def renew_looks(self) -> bool:
        """Draw anew joints that look different in other positions, and soft bodies whose points moved;
        whether there
        are any."""
        before = self.items
        self.items = self._soft.renewed(before)
        if self._sticks is not None:
            self.items = self._sticks.renewed(self.items)
        return self.items is not before

    def _all(self, layers: tuple[Layer, ...], sticks: bool) -> Iterator[Placed]:
        skeleton, path = self.skeleton, self.path
        shapes = list(shape_items(skeleton, path, layers, self.problems))
        if not shapes and Layer.VISUAL in layers and not (skeleton.mobile and skeleton.num_dofs):
            shapes = list(shape_items(skeleton, path, _TOUCHING, self.problems))
            sticks = sticks and not shapes
        yield from shapes
        looked_for = Layer.VISUAL in layers or Layer.COLLISION in layers
        shapeless = looked_for and len(shapes) == len(self.problems)
        if Layer.STICKS in layers or (shapeless and sticks):
            self._sticks = StickItems(skeleton, path)
            yield from self._sticks.placed()
        if Layer.INERTIA in layers:
            yield from inertia_items(skeleton, path)
        if self._nodes is not None:
            yield from self._nodes.placed()
        if Layer.LABELS in layers:
            for index, body in enumerate(skeleton.bodies):
                key = joined_key(path, body.name, Layer.LABELS.value)
                label = DrawnItem(key, Layer.LABELS, Label(body.name), has_shadow=False, is_note=True)
                yield Placed(label, index, AT_ORIGIN, body)


def _known(item: DrawnItem, known: dict[str, DrawnItem]) -> DrawnItem:
    """The item of before, if that is drawn alike."""
    before = known.get(item.key)
    return before if before is not None and item.looks_like(before) else item
