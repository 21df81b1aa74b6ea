"""Poses of items of bodies, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from kido.typing import FloatArray
from kido.view._scene._body_items import BodyItems
from kido.view._scene._item import DrawnItem

__all__ = ["Placement"]


class Placement:
    """The items of several skeletons, and where they are.

    Attributes:
        parts: what is drawn of each skeleton.
        items: all of them, in the order of the poses.
    """

    __slots__ = ("_bodies", "_body_poses", "_poses", "_ranges", "items", "parts")

    def __init__(self, parts: Sequence[BodyItems] = ()) -> None:
        self.parts = tuple(parts)
        counts = [part.skeleton.num_bodies for part in parts]
        ends = np.cumsum([0, *counts])
        bodies = [part.bodies + first for part, first in zip(parts, ends, strict=False)]
        self.items: tuple[DrawnItem, ...] = tuple(item for part in parts for item in part.items)
        self._bodies = np.concatenate([np.empty(0, dtype=np.intp), *bodies])
        self._poses = np.concatenate([np.empty((0, 4, 4)), *(part.poses_on_bodies for part in parts)])
        self._body_poses = np.empty((int(ends[-1]), 4, 4))
        self._ranges = [self._body_poses[a:b] for a, b in pairwise(ends.tolist())]

    def poses(self) -> FloatArray:
        """Poses (n, 4, 4) of the items in the world now [m]."""
        for part, rows in zip(self.parts, self._ranges, strict=True):
            part.write_body_poses(rows)
        return np.asarray(self._body_poses[self._bodies] @ self._poses)
