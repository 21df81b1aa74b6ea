"""Changes of a scene since it was looked at before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kido.typing import FloatArray
from kido.view._scene._item import DrawnItem

__all__ = ["SceneChange"]


@dataclass(frozen=True, slots=True, eq=False)
class SceneChange:
    """A scene as it is now, and what of it is another one than before.

    Attributes:
        items: all that is drawn.
        poses: where each is (n, 4, 4), in the world [m].
        moved: whether each has another pose than before (n,); true for those that came.
        added: items whose key is new.
        changed: items whose key was there, with another geometry, color or flag.
        deformed: items whose key was there, with points of their surface elsewhere, and nothing else.
        removed: keys that are no longer there.
    """

    items: tuple[DrawnItem, ...]
    poses: FloatArray
    moved: NDArray[np.bool_]
    added: tuple[DrawnItem, ...]
    changed: tuple[DrawnItem, ...]
    deformed: tuple[DrawnItem, ...]
    removed: tuple[str, ...]

    @property
    def is_structural(self) -> bool:
        """Whether anything came, went, or looks different, but for where points of surfaces are."""
        return bool(self.added or self.changed or self.removed)


def change_between(
    before: tuple[Sequence[DrawnItem], FloatArray], items: tuple[DrawnItem, ...], poses: FloatArray
) -> SceneChange:
    """Difference of items at poses (n, 4, 4) [m] before and now."""
    old_items, old_poses = before
    if len(old_items) == len(items) and all(map(_is, old_items, items)):
        moved = (poses != old_poses).any(axis=(1, 2))
        return SceneChange(items, poses, moved, (), (), (), ())
    known = {item.key: (item, pose) for item, pose in zip(old_items, old_poses, strict=True)}
    keys = {item.key for item in items}
    moved = np.ones(len(items), dtype=bool)
    added: list[DrawnItem] = []
    changed: list[DrawnItem] = []
    deformed: list[DrawnItem] = []
    for i, (item, pose) in enumerate(zip(items, poses, strict=True)):
        found = known.get(item.key)
        if found is None:
            added.append(item)
            continue
        moved[i] = bool((found[1] != pose).any())
        if not item.looks_like(found[0]):
            (deformed if item.deforms(found[0]) else changed).append(item)
    removed = tuple(key for key in known if key not in keys)
    return SceneChange(items, poses, moved, tuple(added), tuple(changed), tuple(deformed), removed)


def _is(first: object, second: object) -> bool:
    return first is second
