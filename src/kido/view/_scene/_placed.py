"""Items where they are on bodies, and their keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from kido.frame import Frame
from kido.skeleton import BodyNode, Node, Skeleton
from kido.typing import FloatArray, read_only
from kido.view._scene._item import DrawnItem

__all__ = ["AT_ORIGIN", "Owner", "Placed", "joined_key", "with_own_keys"]

Owner = Skeleton | BodyNode | Node | Frame | None
"""What an item belongs to; None: the scene."""

AT_ORIGIN: FloatArray = read_only(np.eye(4))
"""The pose (4, 4) of what is drawn in the frame of its body."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An item, the index of its body, its pose on it (4, 4) [m], and what it belongs to."""

    item: DrawnItem
    body: int
    pose: FloatArray
    owner: Owner


def joined_key(*names: str) -> str:
    """A key of names, in which a slash stands between names only."""
    return "/".join(name.replace("%", "%25").replace("/", "%2F") for name in names)


def with_own_keys(items: Iterable[DrawnItem]) -> list[DrawnItem]:
    """The items, those whose key another one has with a number behind it."""
    taken: dict[str, int] = {}
    found = []
    for item in items:
        count = taken[item.key] = taken.get(item.key, 0) + 1
        found.append(item if count == 1 else replace(item, key=f"{item.key}#{count}"))
    return found
